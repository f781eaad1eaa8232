//! One field: its keywords, as they are found.

use super::{Grammar, Reader};
use crate::json::Value;
use crate::schema::field::{Choice, Field, NumberRules};
use crate::schema::format::Format;
use crate::schema::number::Bound;
use crate::schema::pattern::Pattern;
use crate::schema::{lint, rules, secret};

#[derive(Default)]
pub(super) struct Found<'j> {
    pub(super) title: Option<Box<str>>,
    pub(super) description: Option<Box<str>>,
    pub(super) default: Option<Value<'j>>,
    pub(super) min_length: Option<u64>,
    pub(super) max_length: Option<u64>,
    pub(super) format: Option<Format>,
    pub(super) patterns: Vec<Pattern>,
    pub(super) numbers: Option<Box<NumberRules>>,
    /// The range that a numeric `format` stands for.
    pub(super) range: Option<(Bound, Bound)>,
    pub(super) only: Option<bool>,
    pub(super) list: Option<Vec<Choice>>,
    pub(super) names: Option<Vec<Box<str>>>,
    pub(super) titled: Option<Vec<Choice>>,
    pub(super) items: Option<Vec<Choice>>,
    pub(super) min_items: Option<u64>,
    pub(super) max_items: Option<u64>,
}

impl Found<'_> {
    fn numbers(&mut self) -> &mut NumberRules {
        self.numbers.get_or_insert_default()
    }
}

impl Reader<'_> {
    pub(super) fn field(&mut self, name: &str, value: Value<'_>) -> Option<Field> {
        if !value.is_object() {
            self.fault(rules::FIELD_SCHEMA, "write an object that begins with `type`");
            return None;
        }
        let kind = value.get("type");
        let Some(kind) = kind.and_then(Value::as_str).and_then(|kind| FieldType::by_name(&kind))
        else {
            if value.get("$ref").is_some() {
                self.at("$ref", |r| r.unknown("$ref", None));
            } else {
                self.bad_type(value, kind);
            }
            return None;
        };
        let before = self.faults.len();
        let mut found = Found::default();
        // A choice takes other keywords than a text.
        let choice = kind == FieldType::String
            && value.entries().any(|entry| entry.key_is("enum") || entry.key_is("oneOf"));
        for entry in value.entries() {
            let key = entry.key();
            self.at(&key, |r| r.keyword(&key, entry.value, kind, choice, &mut found));
        }
        let takes = self.takes(kind, choice, value, &mut found);
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
        if secret::looks_secret(&field) {
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
            (_, Some("object")) => r.fault(rules::NOT_FLAT, lint::NOT_FLAT),
            (Some(kind), _) if kind.is_array() => r.fault(
                rules::SEVERAL_TYPES,
                "write one type; where null was meant, leave the field out of `required` instead",
            ),
            _ => {
                let mut message = String::from(lint::FIELD_TYPE);
                if field.get("enum").is_some() || field.get("oneOf").is_some() {
                    message.push_str("; a choice has `\"type\": \"string\"`");
                }
                r.fault(rules::FIELD_TYPE, message);
            }
        });
    }

    fn keyword<'j>(
        &mut self,
        key: &str,
        value: Value<'j>,
        kind: FieldType,
        choice: bool,
        found: &mut Found<'j>,
    ) {
        let numeric = matches!(kind, FieldType::Integer | FieldType::Number);
        let string = kind == FieldType::String;
        let text = string && !choice;
        let array = kind == FieldType::Array;
        let source = self.grammar == Grammar::Source;
        match key {
            "type" => {}
            "title" => found.title = self.text(value),
            "description" => found.description = self.text(value),
            "default" => found.default = Some(value),
            "minLength" if text => found.min_length = self.count(value),
            "maxLength" if text => found.max_length = self.count(value),
            "format" if text => found.format = self.format(value),
            "format" if numeric && source => found.range = self.numeric_format(value),
            "pattern" if text && source => found.patterns.extend(self.pattern(value)),
            "allOf" if text && source => self.patterns(value, &mut found.patterns),
            "minimum" if numeric => found.numbers().minimum = self.bound(value),
            "maximum" if numeric => found.numbers().maximum = self.bound(value),
            "exclusiveMinimum" if numeric && source => {
                found.numbers().exclusive_minimum = self.bound(value);
            }
            "exclusiveMaximum" if numeric && source => {
                found.numbers().exclusive_maximum = self.bound(value);
            }
            "multipleOf" if numeric && source => found.numbers().multiple_of = self.multiple(value),
            "enum" if string => found.list = Some(self.plain_options(value)),
            "enum" if numeric && source => found.numbers().only = self.numbers(value),
            "enum" if kind == FieldType::Boolean && source => found.only = self.truth(value),
            "enumNames" if string => found.names = Some(self.names(value)),
            "oneOf" if string => found.titled = Some(self.titled_options(value)),
            "items" if array => found.items = self.items(value),
            "minItems" if array => found.min_items = self.count(value),
            "maxItems" if array => found.max_items = self.count(value),
            _ => self.unknown(key, Some(if choice { "choice" } else { kind.name() })),
        }
    }
}

/// The value of `type` of a field.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum FieldType {
    String,
    Integer,
    Number,
    Boolean,
    Array,
}

impl FieldType {
    fn by_name(name: &str) -> Option<Self> {
        Some(match name {
            "string" => Self::String,
            "integer" => Self::Integer,
            "number" => Self::Number,
            "boolean" => Self::Boolean,
            "array" => Self::Array,
            _ => return None,
        })
    }

    fn name(self) -> &'static str {
        match self {
            Self::String => "string",
            Self::Integer => "integer",
            Self::Number => "number",
            Self::Boolean => "boolean",
            Self::Array => "array",
        }
    }
}
