//! Gathers what a schema says about one field, wherever it says it: in place, behind references,
//! in joins (`allOf`), in unions with null, in unions of literals.

use std::borrow::Cow;

use super::object::Normalizer;
use super::{Fate, refs};
use crate::json::Value;
use crate::schema::{lint, rules};

/// A keyword that says something about a field, and where it stands.
#[derive(Clone)]
pub(super) struct Said<'j> {
    pub(super) key: &'static str,
    pub(super) value: Value<'j>,
    pub(super) path: String,
}

/// A value that a field may have.
#[derive(Clone)]
pub(super) struct Literal<'j> {
    pub(super) value: Value<'j>,
    pub(super) title: Option<Cow<'j, str>>,
    pub(super) path: String,
}

/// What is said about one field.
#[derive(Default)]
pub(super) struct Gathered<'j> {
    /// The type and where it is said.
    pub(super) kind: Option<(Cow<'j, str>, String)>,
    pub(super) nullable: bool,
    pub(super) said: Vec<Said<'j>>,
    /// The values it may have, where they are listed, and where that is. No note of it is made
    /// before the type is known.
    pub(super) literals: Option<(Vec<Literal<'j>>, String)>,
    /// A keyword of objects, where there is one.
    pub(super) object: Option<String>,
    /// Something was refused: the field is not written.
    pub(super) broken: bool,
}

/// Keywords that are gathered, with how two of them are joined.
const GATHERED: &[(&str, Join)] = &[
    ("title", Join::Outer),
    ("description", Join::Outer),
    ("default", Join::Outer),
    ("minLength", Join::Greater),
    ("maxLength", Join::Less),
    ("format", Join::Same),
    ("contentEncoding", Join::Same),
    ("pattern", Join::Both),
    ("minimum", Join::Greater),
    ("maximum", Join::Less),
    ("exclusiveMinimum", Join::Greater),
    ("exclusiveMaximum", Join::Less),
    ("multipleOf", Join::Same),
    ("items", Join::Same),
    ("uniqueItems", Join::Outer),
    ("minItems", Join::Greater),
    ("maxItems", Join::Less),
    ("enumNames", Join::Same),
];

#[derive(Clone, Copy, PartialEq, Eq)]
enum Join {
    /// The outer one counts.
    Outer,
    Greater,
    Less,
    /// They must say the same.
    Same,
    /// Both count.
    Both,
}

/// Keywords that restrict in a way that no form can carry.
pub(super) const NOT_CARRIED: &[&str] = &[
    "not",
    "if",
    "then",
    "else",
    "contains",
    "minContains",
    "maxContains",
    "prefixItems",
    "additionalItems",
    "unevaluatedItems",
    "dependentRequired",
    "dependentSchemas",
    "dependencies",
    "patternProperties",
    "propertyNames",
    "minProperties",
    "maxProperties",
    "contentSchema",
    "extends",
    "disallow",
    "$dynamicRef",
    "$recursiveRef",
];

/// Keywords that only objects have.
const OF_OBJECTS: &[&str] =
    &["properties", "additionalProperties", "unevaluatedProperties", "required"];

/// References and joins inside one another.
const DEEPEST: usize = 32;

impl<'j> Gathered<'j> {
    /// Takes what is said under `key`, where something is.
    pub(super) fn take(&mut self, key: &str) -> Option<Said<'j>> {
        let at = self.said.iter().position(|said| said.key == key)?;
        Some(self.said.remove(at))
    }

    fn is_null(&self) -> bool {
        self.kind.as_ref().is_some_and(|(kind, _)| kind == "null")
            || (self.nullable && self.literals.as_ref().is_some_and(|(list, _)| list.is_empty()))
    }

    /// Whether it is nothing but a list of values.
    fn is_literal(&self) -> bool {
        let texts = |said: &Said<'_>| matches!(said.key, "title" | "description");
        self.literals.is_some() && self.object.is_none() && self.said.iter().all(texts)
    }

    /// Whether it is a number without any restriction.
    fn is_plain_number(&self) -> bool {
        let texts = |said: &Said<'_>| matches!(said.key, "title" | "description");
        let numeric = |kind: &str| matches!(kind, "integer" | "number");
        self.kind.as_ref().is_some_and(|(kind, _)| numeric(kind))
            && self.literals.is_none()
            && self.said.iter().all(texts)
    }
}

impl<'j> Normalizer<'j, '_> {
    /// Gathers what `schema` at `path` says into `into`. What was gathered before is outer.
    pub(super) fn gather(
        &mut self,
        schema: Value<'j>,
        path: &str,
        depth: usize,
        into: &mut Gathered<'j>,
    ) {
        if !self.step(1 + schema.entries().count(), path) {
            into.broken = true;
            return;
        }
        if !schema.is_object() {
            into.broken = true;
            self.fault(path, rules::FIELD_SCHEMA, "write an object that begins with `type`");
            return;
        }
        for entry in schema.entries() {
            let key = entry.key();
            let path = self.below(path, &key);
            self.keyword(&key, entry.value, path, into);
        }
        // What is said in place counts before what is referred to or joined.
        for (key, step) in [
            ("$ref", Self::reference as fn(&mut Self, Value<'j>, &str, usize, &mut Gathered<'j>)),
            ("allOf", Self::all_of),
            ("anyOf", Self::union),
            ("oneOf", Self::union),
        ] {
            if let Some(value) = schema.get(key) {
                let path = self.below(path, key);
                if depth >= DEEPEST {
                    into.broken = true;
                    self.fault(
                        &path,
                        rules::REFERENCE,
                        "the schema contains itself: a form is flat and ends somewhere",
                    );
                } else {
                    step(self, value, &path, depth + 1, into);
                }
            }
        }
    }

    fn keyword(&mut self, key: &str, value: Value<'j>, path: String, into: &mut Gathered<'j>) {
        if let Some((key, join)) = GATHERED.iter().find(|(known, _)| *known == key) {
            self.join(Said { key, value, path }, *join, into);
            return;
        }
        match key {
            "$ref" | "allOf" | "anyOf" | "oneOf" => {}
            "type" => self.kind(value, path, into),
            "enum" => {
                let items = value.items().enumerate();
                let list = items
                    .map(|(at, value)| Literal { value, title: None, path: format!("{path}/{at}") })
                    .collect();
                if value.is_array() {
                    self.literals(list, path, into);
                } else {
                    into.broken = true;
                    self.fault(&path, rules::KEYWORD_TYPE, "write a list of options");
                }
            }
            "const" => {
                let literal = Literal { value, title: None, path: path.clone() };
                self.literals(vec![literal], path, into);
            }
            "nullable" => {
                into.nullable |= value.as_bool() == Some(true);
                self.note(&path, Fate::Dropped, "a field that may be null is optional");
            }
            _ if OF_OBJECTS.contains(&key) => {
                into.object.get_or_insert(path);
            }
            _ if NOT_CARRIED.contains(&key) => {
                into.broken = true;
                self.fault(
                    &path,
                    rules::NOT_CARRIED,
                    "a form cannot carry this: leave it out and check the answer yourself",
                );
            }
            "$defs" | "definitions" => {
                self.note(&path, Fate::Dropped, "written where it is referred to");
            }
            _ => self.note(&path, Fate::Dropped, "says nothing about the answer"),
        }
    }

    fn kind(&mut self, value: Value<'j>, path: String, into: &mut Gathered<'j>) {
        let mut kinds: Vec<Cow<'j, str>> = Vec::new();
        match value.as_str() {
            Some(kind) => kinds.push(kind),
            None => kinds.extend(value.items().filter_map(Value::as_str)),
        }
        let before = kinds.len();
        kinds.retain(|kind| kind != "null");
        let null = kinds.len() < before;
        into.nullable |= null;
        kinds.dedup();
        let kind = match kinds.as_slice() {
            [] if null => "null".into(),
            [kind] => kind.clone(),
            [a, b] if is_number(a) && is_number(b) => "number".into(),
            [] => {
                into.broken = true;
                self.fault(&path, rules::FIELD_TYPE, lint::FIELD_TYPE);
                return;
            }
            _ => {
                into.broken = true;
                self.fault(&path, rules::SEVERAL_TYPES, SEVERAL);
                return;
            }
        };
        let message = if null { "null is meant by leaving the field out" } else { "" };
        self.note(&path, Fate::Wire, message);
        self.join_kind(kind, path, into);
    }

    fn join_kind(&mut self, kind: Cow<'j, str>, path: String, into: &mut Gathered<'j>) {
        let known = into.kind.as_ref().map(|(known, _)| known.clone());
        match known {
            None => into.kind = Some((kind, path)),
            Some(known) if known == kind || (known == "integer" && kind == "number") => {}
            Some(known) if known == "number" && kind == "integer" => into.kind = Some((kind, path)),
            Some(_) => {
                into.broken = true;
                self.fault(&path, rules::CONFLICT, "another type is given outside: write one");
            }
        }
    }

    fn join(&mut self, said: Said<'j>, join: Join, into: &mut Gathered<'j>) {
        let Some(at) = into.said.iter().position(|other| other.key == said.key) else {
            into.said.push(said);
            return;
        };
        let other = &into.said[at];
        let same = other.value.raw() == said.value.raw();
        match join {
            Join::Both if !same => {
                into.said.push(said);
                return;
            }
            Join::Greater | Join::Less if !same => {
                if let (Some(new), Some(old)) = (said.value.as_decimal(), other.value.as_decimal())
                {
                    let tighter = if join == Join::Greater { new > old } else { new < old };
                    let loser =
                        if tighter { std::mem::replace(&mut into.said[at], said) } else { said };
                    self.note(&loser.path, Fate::Dropped, "another bound refuses more");
                    return;
                }
            }
            Join::Same if !same => {}
            _ => {
                let message = if same { "said before" } else { "the one outside counts" };
                self.note(&said.path, Fate::Dropped, message);
                return;
            }
        }
        into.broken = true;
        self.fault(&said.path, rules::CONFLICT, "another is given outside: write one");
    }

    fn literals(&mut self, mut list: Vec<Literal<'j>>, path: String, into: &mut Gathered<'j>) {
        if !self.step(list.len(), &path) {
            into.broken = true;
            return;
        }
        let before = list.len();
        list.retain(|literal| !literal.value.is_null());
        into.nullable |= list.len() < before;
        match &mut into.literals {
            None => into.literals = Some((list, path)),
            Some((known, _)) => {
                // Both lists count: what stands in both may be.
                let texts: std::collections::HashSet<String> =
                    list.iter().map(|literal| literal.value.compact()).collect();
                known.retain(|literal| texts.contains(&literal.value.compact()));
                if known.is_empty() {
                    into.broken = true;
                    self.fault(
                        &path,
                        rules::NO_OPTIONS,
                        "no option stands in both lists: write one list",
                    );
                }
            }
        }
    }

    fn reference(&mut self, value: Value<'j>, path: &str, depth: usize, into: &mut Gathered<'j>) {
        let Some(reference) = value.as_str() else {
            into.broken = true;
            self.fault(path, rules::KEYWORD_TYPE, "write a reference, such as `#/$defs/Name`");
            return;
        };
        match refs::resolve(self.root, &reference) {
            Ok((target, place)) => {
                self.note(path, Fate::Wire, "written in its place");
                self.repeats |= !self.referred.insert(place.clone());
                let mut referred = Gathered::default();
                self.gather(target, &place, depth, &mut referred);
                // Two fields of one type must not be shown under one title.
                if let Some(said) = referred.take("title") {
                    self.note(&said.path, Fate::Dropped, "the title of the type, not of the field");
                }
                self.absorb(referred, into);
            }
            Err(why) => {
                into.broken = true;
                self.fault(path, rules::REFERENCE, why);
            }
        }
    }

    fn all_of(&mut self, value: Value<'j>, path: &str, depth: usize, into: &mut Gathered<'j>) {
        if !value.is_array() {
            into.broken = true;
            self.fault(path, rules::KEYWORD_TYPE, "write a list of schemas");
            return;
        }
        self.note(path, Fate::Wire, "joined");
        for (at, member) in value.items().enumerate() {
            self.gather(member, &format!("{path}/{at}"), depth, into);
        }
    }

    /// `anyOf` and `oneOf`: a union with null, or of literals.
    fn union(&mut self, value: Value<'j>, path: &str, depth: usize, into: &mut Gathered<'j>) {
        if !value.is_array() {
            into.broken = true;
            self.fault(path, rules::KEYWORD_TYPE, "write a list of schemas");
            return;
        }
        let mut members = Vec::new();
        for (at, member) in value.items().enumerate() {
            let place = format!("{path}/{at}");
            let mut gathered = Gathered::default();
            self.gather(member, &place, depth, &mut gathered);
            into.broken |= gathered.broken;
            into.nullable |= gathered.nullable;
            if gathered.is_null() {
                into.nullable = true;
            } else {
                members.push((gathered, place));
            }
        }
        if into.broken {
            return;
        }
        if members.is_empty() {
            into.broken = true;
            self.fault(path, rules::FIELD_TYPE, "write a type that a person can answer");
        } else if members.iter().all(|(member, _)| member.is_literal()) {
            self.union_of_literals(members, path, into);
        } else if members.len() == 1 {
            self.note(path, Fate::Wire, "null is meant by leaving the field out");
            if let Some((member, _)) = members.pop() {
                self.absorb(member, into);
            }
        } else if members.iter().all(|(member, _)| member.is_plain_number()) {
            self.note(path, Fate::Wire, "a number");
            self.join_kind("number".into(), path.to_owned(), into);
        } else {
            into.broken = true;
            self.fault(path, rules::SEVERAL_TYPES, SEVERAL);
        }
    }

    fn union_of_literals(
        &mut self,
        members: Vec<(Gathered<'j>, String)>,
        path: &str,
        into: &mut Gathered<'j>,
    ) {
        let alone = members.len() == 1;
        let mut list = Vec::new();
        for (mut member, place) in members {
            let Some((mut literals, _)) = member.literals.take() else { continue };
            // The title of one value is what that value is called; alone, it may be the field's.
            if let [literal] = literals.as_mut_slice()
                && (!alone || literal.path == format!("{place}/const"))
                && let Some(said) = member.take("title")
            {
                self.note(&said.path, Fate::Wire, "the title of the option");
                literal.title = said.value.as_str();
            }
            for said in std::mem::take(&mut member.said) {
                if alone {
                    self.join(said, Join::Outer, into);
                } else {
                    self.note(&said.path, Fate::Dropped, "options have no text but their titles");
                }
            }
            if let Some((kind, _)) = member.kind {
                self.join_kind(kind, place, into);
            }
            list.extend(literals);
        }
        self.literals(list, path.to_owned(), into);
    }

    /// Takes over what a member of a union says.
    fn absorb(&mut self, member: Gathered<'j>, into: &mut Gathered<'j>) {
        into.broken |= member.broken;
        into.nullable |= member.nullable;
        if let Some((kind, path)) = member.kind {
            self.join_kind(kind, path, into);
        }
        for said in member.said {
            let join = GATHERED.iter().find(|(key, _)| *key == said.key);
            self.join(said, join.map_or(Join::Same, |(_, join)| *join), into);
        }
        if let Some((list, path)) = member.literals {
            self.literals(list, path, into);
        }
        if let Some(object) = member.object {
            into.object.get_or_insert(object);
        }
    }
}

const SEVERAL: &str =
    "a field takes one type, or one type and null: choose one, or make two fields of it";

fn is_number(kind: &str) -> bool {
    matches!(kind, "integer" | "number")
}
