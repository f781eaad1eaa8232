//! The root: which fields there are, and which are required.

use std::borrow::Cow;
use std::collections::HashSet;

use super::gather::{Gathered, NOT_CARRIED};
use super::{Fate, Note, refs};
use crate::error::Fault;
use crate::json::{Value, push_pointer, quote_into};
use crate::schema::check::MOST_FAULTS;
use crate::schema::parse::is_known_dialect;
use crate::schema::{FormOptions, rules};

/// Objects joined or referred to inside one another.
const DEEPEST: usize = 32;

/// Keywords and options looked at, references counted as often as they are followed. Far above what
/// a form within the limits needs; it bounds schemas that refer to themselves many times over.
const STEPS: usize = 100_000;

/// What was written.
pub(super) struct Written {
    /// The whole schema in the grammar; none where there is no root to write.
    pub(super) source: Option<String>,
    pub(super) faults: Vec<Fault>,
    pub(super) notes: Vec<Note>,
    /// Whether some definition was told of more than once.
    pub(super) repeats: bool,
    /// Places in `source` and where they come from.
    pub(super) origins: Vec<(String, String)>,
    /// Fields that the type requires and lets be null.
    pub(super) nulls: Vec<String>,
}

pub(super) struct Normalizer<'j, 'o> {
    pub(super) root: Value<'j>,
    pub(super) options: &'o FormOptions,
    pub(super) faults: Vec<Fault>,
    pub(super) notes: Vec<Note>,
    pub(super) origins: Vec<(String, String)>,
    /// Places that were referred to.
    pub(super) referred: HashSet<String>,
    pub(super) repeats: bool,
    steps: usize,
}

/// A field and the places that speak of it.
struct Property<'j> {
    name: String,
    said: Vec<(Value<'j>, String)>,
}

/// What the root, and what is joined to it, says.
#[derive(Default)]
struct Layers<'j> {
    properties: Vec<Property<'j>>,
    required: Vec<(String, String)>,
    typed: bool,
    has_properties: bool,
    broken: bool,
}

impl<'j, 'o> Normalizer<'j, 'o> {
    pub(super) fn new(root: Value<'j>, options: &'o FormOptions) -> Self {
        Self {
            root,
            options,
            faults: Vec::new(),
            notes: Vec::new(),
            origins: Vec::new(),
            referred: HashSet::new(),
            repeats: false,
            steps: 0,
        }
    }

    pub(super) fn fault(&mut self, path: &str, rule: &'static str, message: impl Into<String>) {
        // A definition that several fields refer to is at fault once.
        let known = self.faults.iter().any(|fault| fault.rule == rule && fault.path == path);
        if !known && self.faults.len() < MOST_FAULTS {
            self.faults.push(Fault::new(path, rule, message));
        }
    }

    pub(super) fn note(&mut self, path: &str, fate: Fate, message: impl Into<Cow<'static, str>>) {
        self.notes.push(Note { path: path.to_owned(), fate, message: message.into() });
    }

    pub(super) fn below(&self, path: &str, key: &str) -> String {
        let mut below = String::with_capacity(path.len() + key.len() + 1);
        below.push_str(path);
        push_pointer(&mut below, key);
        below
    }

    /// Counts work; false, with one fault, where there was too much of it.
    pub(super) fn step(&mut self, count: usize, path: &str) -> bool {
        let before = self.steps;
        self.steps = self.steps.saturating_add(count);
        if before <= STEPS && self.steps > STEPS {
            self.fault(path, rules::TOO_MANY_OPTIONS, "the schema is too large to be a form");
        }
        self.steps <= STEPS
    }

    pub(super) fn run(mut self, root: Value<'j>) -> Written {
        let mut layers = Layers::default();
        self.layer(root, "", 0, &mut layers);
        let source = if layers.broken { None } else { self.write(layers) };
        let (source, nulls) = source.unzip();
        Written {
            source,
            faults: self.faults,
            notes: self.notes,
            repeats: self.repeats,
            origins: self.origins,
            nulls: nulls.unwrap_or_default(),
        }
    }

    /// Reads one object: the root, what it refers to, what is joined to it.
    fn layer(&mut self, object: Value<'j>, path: &str, depth: usize, layers: &mut Layers<'j>) {
        if !object.is_object() {
            layers.broken = true;
            self.fault(
                path,
                rules::NOT_AN_OBJECT,
                "a form is an object with `type` and `properties`",
            );
            return;
        }
        if !self.step(1 + object.entries().count(), path) {
            layers.broken = true;
            return;
        }
        if depth > DEEPEST {
            layers.broken = true;
            self.fault(path, rules::REFERENCE, "the schema contains itself: a form ends somewhere");
            return;
        }
        for entry in object.entries() {
            let key = entry.key();
            let path = self.below(path, &key);
            match &*key {
                "properties" => self.properties(entry.value, &path, layers),
                "required" => self.required(entry.value, &path, layers),
                "type" if entry.value.as_str().as_deref() == Some("object") => {
                    layers.typed = true;
                    self.note(&path, Fate::Wire, "");
                }
                "type" => {
                    layers.broken = true;
                    self.fault(
                        &path,
                        rules::ROOT_TYPE,
                        "write `\"type\": \"object\"`: a form is a flat object",
                    );
                }
                "$schema" if entry.value.as_str().is_some_and(|uri| is_known_dialect(&uri)) => {
                    self.note(
                        &path,
                        Fate::Dropped,
                        "the grammar of forms is a part of both dialects",
                    );
                }
                "$schema" => self.fault(
                    &path,
                    rules::UNSUPPORTED_DIALECT,
                    "write `https://json-schema.org/draft/2020-12/schema`, or leave `$schema` out",
                ),
                "$ref" => self.root_reference(entry.value, &path, depth, layers),
                "allOf" if entry.value.is_array() => {
                    self.note(&path, Fate::Wire, "joined");
                    for (at, member) in entry.value.items().enumerate() {
                        self.layer(member, &format!("{path}/{at}"), depth + 1, layers);
                    }
                }
                "additionalProperties" | "unevaluatedProperties" => {
                    self.note(
                        &path,
                        Fate::Dropped,
                        "members that were not asked for are never kept",
                    );
                }
                "$defs" | "definitions" => {
                    self.note(&path, Fate::Dropped, "written where it is referred to");
                }
                "title" | "description" => {
                    self.note(
                        &path,
                        Fate::Dropped,
                        "the message of the question says what it is about",
                    );
                }
                _ if NOT_CARRIED.contains(&&*key)
                    || matches!(&*key, "allOf" | "anyOf" | "oneOf" | "enum" | "const") =>
                {
                    self.fault(
                        &path,
                        rules::NOT_CARRIED,
                        "a form cannot carry this: leave it out and check the answer yourself",
                    );
                }
                _ => self.note(&path, Fate::Dropped, "says nothing about the answer"),
            }
        }
    }

    fn root_reference(
        &mut self,
        value: Value<'j>,
        path: &str,
        depth: usize,
        layers: &mut Layers<'j>,
    ) {
        let found = match value.as_str() {
            Some(reference) => refs::resolve(self.root, &reference),
            None => Err("write a reference, such as `#/$defs/Name`"),
        };
        match found {
            Ok((target, place)) => {
                self.note(path, Fate::Wire, "written in its place");
                self.repeats |= !self.referred.insert(place.clone());
                self.layer(target, &place, depth + 1, layers);
            }
            Err(why) => {
                layers.broken = true;
                self.fault(path, rules::REFERENCE, why);
            }
        }
    }

    fn properties(&mut self, value: Value<'j>, path: &str, layers: &mut Layers<'j>) {
        if !value.is_object() {
            layers.broken = true;
            self.fault(path, rules::PROPERTIES, "write an object of fields, each under its name");
            return;
        }
        layers.has_properties = true;
        let limit = self.options.limits.properties;
        for entry in value.entries() {
            let name = entry.key();
            let place = self.below(path, &name);
            if !self.step(1, &place) {
                layers.broken = true;
                return;
            }
            match layers.properties.iter().position(|known| known.name == *name) {
                Some(known) => layers.properties[known].said.push((entry.value, place)),
                None if layers.properties.len() == limit => {
                    layers.broken = true;
                    self.fault(
                        path,
                        rules::TOO_MANY_PROPERTIES,
                        format!("a form takes at most {limit} fields: ask in several steps"),
                    );
                    return;
                }
                None => layers
                    .properties
                    .push(Property { name: name.into_owned(), said: vec![(entry.value, place)] }),
            }
        }
    }

    fn required(&mut self, value: Value<'j>, path: &str, layers: &mut Layers<'j>) {
        if !value.is_array() {
            self.fault(path, rules::REQUIRED_LIST, "write a list of names of fields");
            return;
        }
        self.note(path, Fate::Wire, "");
        for (at, item) in value.items().enumerate() {
            let place = format!("{path}/{at}");
            if !self.step(1, &place) {
                return;
            }
            match item.as_str() {
                Some(name) => layers.required.push((name.into_owned(), place)),
                None => self.fault(&place, rules::REQUIRED_LIST, "write the name of a field"),
            }
        }
    }

    /// The schema in the grammar, and the fields that may be null.
    fn write(&mut self, layers: Layers<'j>) -> Option<(String, Vec<String>)> {
        if !layers.typed && !layers.has_properties {
            self.fault(
                "/type",
                rules::ROOT_TYPE,
                "write `\"type\": \"object\"`: a form is a flat object",
            );
            return None;
        }
        let mut out = String::from("{\"type\":\"object\",\"properties\":{");
        let empty = out.len();
        let mut nulls = Vec::new();
        let mut required = String::new();
        for property in &layers.properties {
            let mut gathered = Gathered::default();
            for (value, path) in &property.said {
                self.gather(*value, path, 0, &mut gathered);
            }
            let Some((_, path)) = property.said.first() else { continue };
            let asked = layers.required.iter().any(|(name, _)| *name == property.name);
            let nullable = gathered.nullable;
            let mut text = String::new();
            if !self.rewrite(&property.name, path, gathered, &mut text) {
                continue;
            }
            if out.len() > empty {
                out.push(',');
            }
            quote_into(&mut out, &property.name);
            out.push(':');
            out.push_str(&text);
            if asked && nullable {
                nulls.push(property.name.clone());
            } else if asked {
                if !required.is_empty() {
                    required.push(',');
                }
                quote_into(&mut required, &property.name);
            }
        }
        out.push('}');
        for (name, place) in &layers.required {
            if !layers.properties.iter().any(|property| property.name == *name) {
                self.fault(
                    place,
                    rules::REQUIRED_UNKNOWN,
                    "name a field of `properties`, or take the name out of `required`",
                );
            }
        }
        if !required.is_empty() {
            out.push_str(",\"required\":[");
            out.push_str(&required);
            out.push(']');
        }
        out.push('}');
        Some((out, nulls))
    }
}
