//! Reads a schema of the grammar: every fault in one pass, each with its place and its cure.
//!
//! Owns the grammar of 2026-07-28 (elicitation, "Requested Schema"; schema.json,
//! `PrimitiveSchemaDefinition`). Does not rewrite anything: what people's type libraries print is
//! brought into this grammar by `normalize`.

use super::check::{MOST_FAULTS, Sink, check};
use super::field::{Choice, Field, ManyRules, NumberRules, Options, Takes, TextRules};
use super::format::Format;
use super::messages::Messages;
use super::number::{Bound, Multiple};
use super::pattern::Pattern;
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
/// of them where its value is none of the wire's.
pub(crate) const OFF_WIRE: [&str; 4] =
    ["pattern", "exclusiveMinimum", "exclusiveMaximum", "multipleOf"];

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

/// The keywords of one field, as they were found.
#[derive(Default)]
struct Found<'j> {
    title: Option<Box<str>>,
    description: Option<Box<str>>,
    default: Option<Value<'j>>,
    min_length: Option<u64>,
    max_length: Option<u64>,
    format: Option<Format>,
    pattern: Option<Pattern>,
    numbers: NumberRules,
    list: Option<Vec<Choice>>,
    names: Option<Vec<Box<str>>>,
    titled: Option<Vec<Choice>>,
    items: Option<Vec<Choice>>,
    min_items: Option<u64>,
    max_items: Option<u64>,
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
                    fields = entry.value.entries().filter_map(|entry| r.property(entry)).collect();
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
        let mut seen: Vec<String> = Vec::new();
        for (index, item) in value.items().enumerate() {
            self.at(&index.to_string(), |r| {
                let Some(name) = item.as_str() else {
                    r.fault(rules::REQUIRED_LIST, "write the name of a field");
                    return;
                };
                if seen.len() > r.options.limits.properties {
                    return;
                }
                if seen.iter().any(|other| *other == *name) {
                    r.fault(rules::REQUIRED_REPEATED, "name the field once");
                } else if known.and_then(|known| known.get(&name)).is_none() {
                    r.fault(
                        rules::REQUIRED_UNKNOWN,
                        "name a field of `properties`, or take the name out of `required`",
                    );
                } else if let Some(field) = fields.iter_mut().find(|field| *field.name == *name) {
                    field.required = true;
                }
                seen.push(name.into_owned());
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

    fn field(&mut self, name: &str, value: Value<'_>) -> Option<Field> {
        if !value.is_object() {
            self.fault(rules::FIELD_SCHEMA, "write an object that begins with `type`");
            return None;
        }
        if value.get("$ref").is_some() {
            self.at("$ref", |r| r.unknown("$ref", None));
            return None;
        }
        let kind = value.get("type");
        let known = kind.and_then(Value::as_str).filter(|kind| is_field_type(kind));
        let Some(kind) = known else {
            self.bad_type(value, kind);
            return None;
        };
        let before = self.faults.len();
        let mut found = Found::default();
        // A choice takes other keywords than a text.
        let choice = value.entries().any(|entry| entry.key_is("enum") || entry.key_is("oneOf"));
        for entry in value.entries() {
            let key = entry.key();
            self.at(&key, |r| r.keyword(&key, entry.value, &kind, choice, &mut found));
        }
        let takes = self.takes(&kind, choice, value, &mut found);
        if self.faults.len() > before {
            return None;
        }
        let mut field = Field {
            name: name.into(),
            title: found.title,
            description: found.description,
            required: false,
            null_if_absent: false,
            sensitive: false,
            default: None,
            takes: takes?,
        };
        if lint::looks_secret(&field) {
            field.sensitive = true;
            if self.options.sensitive_reason.is_none() {
                self.fault(rules::SENSITIVE_FIELD, lint::SENSITIVE);
                return None;
            }
        }
        if let Some(default) = found.default {
            self.at("default", |r| r.default(&mut field, default));
        }
        (self.faults.len() == before).then_some(field)
    }

    fn bad_type(&mut self, field: Value<'_>, kind: Option<Value<'_>>) {
        self.at("type", |r| match (kind, kind.and_then(Value::as_str).as_deref()) {
            (_, Some("object")) => r.fault(
                rules::NOT_FLAT,
                "a form is flat: put the inner fields beside this one, each under a name of its own",
            ),
            (Some(kind), _) if kind.is_array() => r.fault(
                rules::SEVERAL_TYPES,
                "write one type; where null was meant, leave the field out of `required` instead",
            ),
            _ => {
                let mut message =
                    String::from("write one of string, integer, number, boolean, array as `type`");
                if field.get("enum").is_some() || field.get("oneOf").is_some() {
                    message.push_str("; a choice has `\"type\": \"string\"`");
                }
                r.fault(rules::FIELD_TYPE, message);
            }
        });
    }

    /// One keyword of a field of the type `kind`; `choice` where it lists options itself.
    fn keyword<'j>(
        &mut self,
        key: &str,
        value: Value<'j>,
        kind: &str,
        choice: bool,
        found: &mut Found<'j>,
    ) {
        let numeric = matches!(kind, "integer" | "number");
        let text = kind == "string" && !choice;
        let source = self.grammar == Grammar::Source;
        match key {
            "type" => {}
            "title" => found.title = self.text(value),
            "description" => found.description = self.text(value),
            "default" => found.default = Some(value),
            "minLength" if text => found.min_length = self.count(value),
            "maxLength" if text => found.max_length = self.count(value),
            "format" if text => found.format = self.format(value),
            "pattern" if text && source => found.pattern = self.pattern(value),
            "minimum" if numeric => found.numbers.minimum = self.bound(value),
            "maximum" if numeric => found.numbers.maximum = self.bound(value),
            "exclusiveMinimum" if numeric && source => {
                found.numbers.exclusive_minimum = self.bound(value);
            }
            "exclusiveMaximum" if numeric && source => {
                found.numbers.exclusive_maximum = self.bound(value);
            }
            "multipleOf" if numeric && source => found.numbers.multiple_of = self.multiple(value),
            "enum" if kind == "string" => found.list = Some(self.plain_options(value)),
            "enumNames" if kind == "string" => found.names = Some(self.names(value)),
            "oneOf" if kind == "string" => found.titled = Some(self.titled_options(value)),
            "items" if kind == "array" => found.items = self.items(value),
            "minItems" if kind == "array" => found.min_items = self.count(value),
            "maxItems" if kind == "array" => found.max_items = self.count(value),
            _ => self.unknown(key, Some(if choice { "choice" } else { kind })),
        }
    }

    fn text(&mut self, value: Value<'_>) -> Option<Box<str>> {
        let text = value.as_str();
        if text.is_none() {
            self.fault(rules::KEYWORD_TYPE, "write a text");
        }
        text.map(|text| text.into())
    }

    fn count(&mut self, value: Value<'_>) -> Option<u64> {
        let count = value.as_decimal().and_then(|n| n.to_i64()).and_then(|n| u64::try_from(n).ok());
        if count.is_none() {
            self.fault(rules::KEYWORD_TYPE, "write a whole number from 0");
        }
        count
    }

    fn bound(&mut self, value: Value<'_>) -> Option<Bound> {
        let bound = Bound::read(value);
        match &bound {
            None => self.fault(rules::KEYWORD_TYPE, "write a number"),
            Some(bound) if !bound.decimal().fits_f64() => {
                self.fault(rules::NUMBER_RANGE, "write a number that a double can hold");
            }
            Some(_) => {}
        }
        bound
    }

    fn multiple(&mut self, value: Value<'_>) -> Option<Multiple> {
        let multiple = Multiple::read(value);
        if multiple.is_none() {
            self.fault(rules::KEYWORD_TYPE, "write a number above 0 of at most 18 digits");
        }
        multiple
    }

    fn format(&mut self, value: Value<'_>) -> Option<Format> {
        let Some(name) = value.as_str() else {
            self.fault(rules::KEYWORD_TYPE, "write the name of a format");
            return None;
        };
        if &*name == "password" {
            self.fault(rules::SENSITIVE_FIELD, lint::SENSITIVE);
            return None;
        }
        let known = Format::by_name(&name);
        match known {
            Some(format) if format.on_wire() || self.grammar == Grammar::Source => {}
            Some(_) => self.fault(
                rules::UNSUPPORTED_FORMAT,
                "write email, uri, date or date-time; normalize keeps this one off the wire and checks the answer",
            ),
            None => self.fault(
                rules::UNSUPPORTED_FORMAT,
                "write email, uri, date or date-time, or say in `description` what the text must be",
            ),
        }
        known
    }

    fn pattern(&mut self, value: Value<'_>) -> Option<Pattern> {
        let Some(source) = value.as_str() else {
            self.fault(rules::KEYWORD_TYPE, "write a regular expression");
            return None;
        };
        match Pattern::new(&source) {
            Ok(pattern) => Some(pattern),
            Err(why) => {
                self.fault(
                    rules::UNSUPPORTED_PATTERN,
                    format!(
                        "the pattern {why}: write one without that, or check the answer yourself"
                    ),
                );
                None
            }
        }
    }

    fn plain_options(&mut self, value: Value<'_>) -> Vec<Choice> {
        self.options(value, |r, item| match item.as_str() {
            Some(text) => Some(Choice::from(text)),
            None => {
                r.fault(rules::OPTION, "write a text: the options of a choice are texts");
                None
            }
        })
    }

    fn titled_options(&mut self, value: Value<'_>) -> Vec<Choice> {
        self.options(value, |r, item| {
            let member = |key| item.get(key).and_then(Value::as_str);
            match (member("const"), member("title")) {
                (Some(value), Some(title)) => {
                    for entry in item.entries() {
                        if !entry.key_is("const") && !entry.key_is("title") {
                            let key = entry.key();
                            r.at(&key, |r| r.unknown(&key, Some("option")));
                        }
                    }
                    Some(Choice::titled(value, title))
                }
                _ => {
                    r.fault(rules::OPTION, "write an object with `const` and `title`, both texts");
                    None
                }
            }
        })
    }

    /// A list of options, each read by `read`.
    fn options(
        &mut self,
        value: Value<'_>,
        read: impl Fn(&mut Self, Value<'_>) -> Option<Choice>,
    ) -> Vec<Choice> {
        if !value.is_array() {
            self.fault(rules::KEYWORD_TYPE, "write a list of options");
            return Vec::new();
        }
        if value.items().next().is_none() {
            self.fault(rules::NO_OPTIONS, "write at least one option");
        }
        let mut seen = std::collections::HashSet::new();
        let mut options = Vec::new();
        for (index, item) in value.items().enumerate() {
            self.at(&index.to_string(), |r| {
                let Some(choice) = read(r, item) else { return };
                if !seen.insert(choice.value.clone()) {
                    r.fault(rules::REPEATED_OPTION, "take the repeated option out");
                }
                options.push(choice);
            });
        }
        options
    }

    fn names(&mut self, value: Value<'_>) -> Vec<Box<str>> {
        let names: Option<Vec<Box<str>>> = value
            .is_array()
            .then(|| value.items().map(|item| item.as_str().map(Into::into)).collect())
            .flatten();
        if names.is_none() {
            self.fault(rules::OPTION_NAMES, "write a list of texts, one for each value of `enum`");
        }
        names.unwrap_or_default()
    }

    fn items(&mut self, value: Value<'_>) -> Option<Vec<Choice>> {
        if !value.is_object() || (value.get("enum").is_none() && value.get("anyOf").is_none()) {
            self.fault(rules::NOT_A_CHOICE, lint::NOT_A_CHOICE);
            return None;
        }
        let mut list = None;
        let plain = value.get("enum").is_some();
        if plain && value.get("anyOf").is_some() {
            self.fault(
                rules::OPTION_LISTS,
                "list the options in `enum` or in `anyOf`, not in both",
            );
        }
        if plain && value.get("type").and_then(Value::as_str).as_deref() != Some("string") {
            self.at("type", |r| r.fault(rules::FIELD_TYPE, "write `\"type\": \"string\"`"));
        }
        for entry in value.entries() {
            let key = entry.key();
            self.at(&key, |r| match &*key {
                "type" if plain => {}
                "enum" => list = Some(r.plain_options(entry.value)),
                "anyOf" => list = Some(r.titled_options(entry.value)),
                _ => r.unknown(&key, Some("items")),
            });
        }
        list
    }

    fn takes(
        &mut self,
        kind: &str,
        choice: bool,
        value: Value<'_>,
        found: &mut Found<'_>,
    ) -> Option<Takes> {
        match kind {
            "boolean" => Some(Takes::Boolean),
            "integer" | "number" => {
                let mut rules = std::mem::take(&mut found.numbers);
                rules.integer = kind == "integer";
                self.number_bounds(&rules);
                Some(Takes::Number(Box::new(rules)))
            }
            "array" => {
                if value.get("items").is_none() {
                    self.at("items", |r| r.fault(rules::NOT_A_CHOICE, lint::NOT_A_CHOICE));
                }
                let options = Options::new(found.items.take()?);
                let rules =
                    ManyRules { options, min_items: found.min_items, max_items: found.max_items };
                self.count_bounds(&rules);
                Some(Takes::Many(rules))
            }
            _ if choice => self.one_of(found),
            _ => {
                if found.names.is_some() {
                    self.at("enumNames", |r| {
                        r.fault(
                            rules::OPTION_NAMES,
                            "add `enum` with the values, or leave the names out",
                        );
                    });
                }
                let rules = TextRules {
                    min_length: found.min_length,
                    max_length: found.max_length,
                    format: found.format,
                    pattern: found.pattern.take(),
                };
                self.length_bounds(&rules);
                Some(Takes::Text(rules))
            }
        }
    }

    fn one_of(&mut self, found: &mut Found<'_>) -> Option<Takes> {
        if found.list.is_some() && found.titled.is_some() {
            self.fault(
                rules::OPTION_LISTS,
                "list the options in `enum` or in `oneOf`, not in both",
            );
        }
        let names = found.names.take();
        let list = match (found.list.take(), found.titled.take()) {
            (Some(list), _) => list,
            (None, Some(titled)) => {
                if names.is_some() {
                    self.at("enumNames", |r| {
                        r.fault(
                            rules::OPTION_NAMES,
                            "leave `enumNames` out: each option has its `title`",
                        );
                    });
                }
                return Some(Takes::One(Options::new(titled)));
            }
            (None, None) => return None,
        };
        let Some(names) = names else { return Some(Takes::One(Options::new(list))) };
        if names.len() != list.len() {
            self.at("enumNames", |r| {
                r.fault(rules::OPTION_NAMES, "write as many names as `enum` has values");
            });
        }
        let titled = list.into_iter().zip(names);
        let titled = titled.map(|(choice, title)| Choice { title: Some(title), ..choice });
        Some(Takes::One(Options::new(titled.collect())))
    }

    fn length_bounds(&mut self, rules: &TextRules) {
        let (format_min, format_max) = rules.format.map_or((0, u64::MAX), Format::lengths);
        let min = rules.min_length.unwrap_or(0).max(format_min);
        let max = rules.max_length.unwrap_or(u64::MAX).min(format_max);
        if min > max {
            let token = if rules.min_length.is_some() { "minLength" } else { "maxLength" };
            self.at(token, |r| {
                r.fault(
                    rules::LENGTH_BOUNDS,
                    "no text can be this long and this short: mend minLength, maxLength or format",
                );
            });
        }
    }

    fn number_bounds(&mut self, rules: &NumberRules) {
        if let Some(token) = lint::contradicting_bound(rules) {
            self.at(token, |r| {
                let what = if rules.integer { "whole number" } else { "number" };
                r.fault(
                    rules::NUMBER_BOUNDS,
                    format!("no {what} fits these bounds: raise the upper or lower the lower one"),
                );
            });
        }
    }

    fn count_bounds(&mut self, rules: &ManyRules) {
        let most = rules.max_items.unwrap_or(u64::MAX).min(rules.options.list.len() as u64);
        if rules.min_items.unwrap_or(0) > most {
            self.at("minItems", |r| {
                r.fault(
                    rules::COUNT_BOUNDS,
                    "no choice can have so many options: lower minItems to maxItems and to the number of options",
                );
            });
        }
    }

    fn default(&mut self, field: &mut Field, default: Value<'_>) {
        let messages = Messages::default();
        let mut sink = Sink::new(&messages);
        check(field, default, &mut sink);
        match sink.faults.first() {
            None => field.default = Some(default.to_json()),
            Some(fault) => {
                let message = format!(
                    "the default would be no good answer ({}): mend or leave it out",
                    fault.message
                );
                self.fault(rules::DEFAULT, message);
            }
        }
    }
}

fn is_field_type(kind: &str) -> bool {
    matches!(kind, "string" | "integer" | "number" | "boolean" | "array")
}

/// The options that a field lists, wherever it lists them.
fn count_options(field: Value<'_>) -> usize {
    let lists = |schema: Value<'_>| -> usize {
        ["enum", "oneOf", "anyOf"]
            .iter()
            .filter_map(|key| schema.get(key))
            .map(|list| list.items().count())
            .sum()
    };
    lists(field) + field.get("items").map_or(0, lists)
}

/// Whether `uri` names a dialect that the grammar is a part of.
pub(crate) fn is_known_dialect(uri: &str) -> bool {
    let uri = uri.strip_suffix('#').unwrap_or(uri);
    let name = uri.strip_prefix("https://").or_else(|| uri.strip_prefix("http://"));
    matches!(name, Some("json-schema.org/draft/2020-12/schema" | "json-schema.org/draft-07/schema"))
}
