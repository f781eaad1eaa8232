//! Reads a schema of the grammar: every fault in one pass, each with its place and its cure.
//!
//! Owns the grammar of 2026-07-28 (elicitation, "Requested Schema"; schema.json,
//! `PrimitiveSchemaDefinition`). Does not rewrite anything: what people's type libraries print is
//! brought into this grammar by `normalize`.

mod field;
mod keyword;
mod options;
mod takes;

use std::borrow::Cow;
use std::fmt::Write;

use super::check::MOST_FAULTS;
use super::field::Field;
use super::{FormOptions, lint, rules};
use crate::error::Fault;
use crate::json::{Entry, Value, push_pointer};

/// Which keywords are read.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Grammar {
    /// Those of the protocol.
    Wire,
    /// Also those that are enforced off the wire.
    Source,
}

/// Keywords that are left off the wire and enforced when the answer comes back. `format` is one
/// of them where its value is none of the wire's, `enum` where the values are no texts.
pub(crate) const OFF_WIRE: [&str; 5] =
    ["pattern", "allOf", "exclusiveMinimum", "exclusiveMaximum", "multipleOf"];

/// What was read.
pub(crate) struct Compiled {
    pub(crate) fields: Vec<Field>,
    pub(crate) warnings: Vec<Fault>,
}

/// Reads the schema `root`.
///
/// # Errors
/// Every fault, in the order of the text.
pub(crate) fn compile(
    root: Value<'_>,
    grammar: Grammar,
    options: &FormOptions,
) -> Result<Compiled, Vec<Fault>> {
    let mut reader = Reader { grammar, options, faults: Vec::new(), path: String::new() };
    let fields = reader.root(root);
    if !reader.faults.is_empty() {
        return Err(reader.faults);
    }
    let warnings = lint::warnings(&fields, options);
    Ok(Compiled { fields, warnings })
}

struct Reader<'o> {
    grammar: Grammar,
    options: &'o FormOptions,
    faults: Vec<Fault>,
    /// Pointer to where the reader is.
    path: String,
}

impl Reader<'_> {
    fn fault(&mut self, rule: &'static str, message: impl Into<String>) {
        if self.faults.len() < MOST_FAULTS {
            self.faults.push(Fault::new(self.path.clone(), rule, message));
        }
    }

    /// Runs `step` one level deeper.
    fn at<T>(&mut self, token: &str, step: impl FnOnce(&mut Self) -> T) -> T {
        let len = self.path.len();
        push_pointer(&mut self.path, token);
        let result = step(self);
        self.path.truncate(len);
        result
    }

    /// Runs `step` at an item of a list.
    fn at_index<T>(&mut self, index: usize, step: impl FnOnce(&mut Self) -> T) -> T {
        let len = self.path.len();
        self.path.push('/');
        match u8::try_from(index) {
            Ok(digit @ 0..=9) => self.path.push(char::from(b'0' + digit)),
            // Writing to a text does not fail.
            _ => {
                let _ = write!(self.path, "{index}");
            }
        }
        let result = step(self);
        self.path.truncate(len);
        result
    }

    fn root(&mut self, root: Value<'_>) -> Vec<Field> {
        if !root.is_object() {
            self.fault(rules::NOT_AN_OBJECT, "a form is an object with `type` and `properties`");
            return Vec::new();
        }
        if self.past_limits(root) {
            return Vec::new();
        }
        if root.get("type").and_then(Value::as_str).as_deref() != Some("object") {
            self.at("type", |r| {
                r.fault(rules::ROOT_TYPE, "write `\"type\": \"object\"`: a form is a flat object");
            });
        }
        let mut fields = Vec::new();
        let mut has_properties = false;
        for entry in root.entries() {
            let key = entry.key();
            self.at(&key, |r| match &*key {
                "type" => {}
                "$schema" => r.dialect(entry.value),
                "properties" if entry.value.is_object() => {
                    has_properties = true;
                    fields.reserve(entry.value.entries().count());
                    fields.extend(entry.value.entries().filter_map(|entry| r.property(entry)));
                }
                "properties" => {
                    has_properties = true;
                    r.fault(rules::PROPERTIES, "write an object of fields, each under its name");
                }
                "required" => {}
                _ => r.unknown(&key, None),
            });
        }
        if !has_properties {
            self.at("properties", |r| {
                r.fault(
                    rules::PROPERTIES,
                    "add `properties`, an object of fields, each under its name",
                );
            });
        }
        if let Some(required) = root.get("required") {
            let known = root.get("properties");
            self.at("required", |r| r.required(required, known, &mut fields));
        }
        fields
    }

    /// Counts before anything is built.
    fn past_limits(&mut self, root: Value<'_>) -> bool {
        let limits = &self.options.limits;
        let Some(properties) = root.get("properties") else { return false };
        let count = properties.entries().count();
        let options: usize = properties.entries().map(|entry| count_options(entry.value)).sum();
        if count > limits.properties {
            let limit = limits.properties;
            self.at("properties", |r| {
                let message = format!("a form takes at most {limit} fields: ask in several steps");
                r.fault(rules::TOO_MANY_PROPERTIES, message);
            });
            return true;
        }
        if options > limits.options {
            let limit = limits.options;
            self.at("properties", |r| {
                let message = format!(
                    "a form takes at most {limit} options in all: let a text narrow the choice first"
                );
                r.fault(rules::TOO_MANY_OPTIONS, message);
            });
            return true;
        }
        false
    }

    fn dialect(&mut self, value: Value<'_>) {
        if !value.as_str().is_some_and(|uri| is_known_dialect(&uri)) {
            self.fault(
                rules::UNSUPPORTED_DIALECT,
                "write `https://json-schema.org/draft/2020-12/schema`, or leave `$schema` out",
            );
        }
    }

    fn required(&mut self, value: Value<'_>, known: Option<Value<'_>>, fields: &mut [Field]) {
        if !value.is_array() {
            self.fault(rules::REQUIRED_LIST, "write a list of names of fields");
            return;
        }
        let mut seen: Vec<Cow<'_, str>> = Vec::new();
        for (index, item) in value.items().enumerate() {
            self.at_index(index, |r| {
                let Some(name) = item.as_str() else {
                    r.fault(rules::REQUIRED_LIST, "write the name of a field");
                    return;
                };
                if seen.len() > r.options.limits.properties {
                    return;
                }
                if seen.contains(&name) {
                    r.fault(rules::REQUIRED_REPEATED, "name the field once");
                } else if known.and_then(|known| known.get(&name)).is_none() {
                    r.fault(
                        rules::REQUIRED_UNKNOWN,
                        "name a field of `properties`, or take the name out of `required`",
                    );
                } else if let Some(field) = fields.iter_mut().find(|field| *field.name == *name) {
                    field.required = true;
                }
                seen.push(name);
            });
        }
    }

    fn unknown(&mut self, key: &str, kind: Option<&str>) {
        let message = lint::unknown_keyword(key, kind, self.grammar);
        let rule = match key {
            "$ref" | "$dynamicRef" | "$defs" | "definitions" => rules::REFERENCE,
            _ => rules::UNKNOWN_KEYWORD,
        };
        self.fault(rule, message);
    }

    fn property(&mut self, entry: Entry<'_>) -> Option<Field> {
        let name = entry.key();
        self.at(&name, |r| {
            if name.is_empty() {
                r.fault(rules::FIELD_NAME, "give the field a name");
            }
            r.field(&name, entry.value)
        })
    }
}

/// The options that a field lists, wherever it lists them.
fn count_options(field: Value<'_>) -> usize {
    let is_list =
        |entry: &Entry<'_>| entry.key_is("enum") || entry.key_is("oneOf") || entry.key_is("anyOf");
    let mut count = 0;
    for entry in field.entries() {
        if is_list(&entry) {
            count += entry.value.items().count();
        } else if entry.key_is("items") {
            let lists = entry.value.entries().filter(is_list);
            count += lists.map(|list| list.value.items().count()).sum::<usize>();
        }
    }
    count
}

/// Whether `uri` names a dialect that the grammar is a part of.
pub(crate) fn is_known_dialect(uri: &str) -> bool {
    let uri = uri.strip_suffix('#').unwrap_or(uri);
    let name = uri.strip_prefix("https://").or_else(|| uri.strip_prefix("http://"));
    matches!(name, Some("json-schema.org/draft/2020-12/schema" | "json-schema.org/draft-07/schema"))
}
