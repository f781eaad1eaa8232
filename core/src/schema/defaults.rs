//! Defaults: what a form itself proposes, filled in where nothing was said; and the form asked
//! again, with what was already answered well as its defaults.
//!
//! Filling is for hosts, and for servers where nobody can be asked. An answer that came back is
//! never filled: an absent field is a fault there (`validate`).

use super::check::{Sink, check};
use super::field::Takes;
use super::messages::Messages;
use super::wire::{members, object};
use super::{Form, made};
use crate::json::{Json, Value, quote_into};

impl Form {
    /// The defaults of all fields that have one, also where it is 0, false or empty.
    pub fn defaults(&self) -> Json {
        self.with_defaults(Json::empty_object().root())
    }

    /// `content` with the default of each field that is absent from it and has one. Nothing that is
    /// there is changed, nothing is invented. What is no object is given back as it is.
    pub fn with_defaults(&self, content: Value<'_>) -> Json {
        if !content.is_object() {
            return content.to_json();
        }
        let mut out = String::from("{");
        super::wire::push_members(content.entries(), &mut out, |entry, out| {
            entry.value.compact_into(out);
        });
        for field in self.fields() {
            let Some(default) = field.default_value() else { continue };
            if content.get(&field.name).is_none() {
                if out.len() > 1 {
                    out.push(',');
                }
                quote_into(&mut out, &field.name);
                out.push(':');
                default.compact_into(&mut out);
            }
        }
        out.push('}');
        made(out)
    }

    /// The wire text to ask the form again after `answer` had faults: what was answered well
    /// becomes the default, so that a person reviews all of it together.
    ///
    /// A truth value that was answered is left without any default: a yes is given anew or not at
    /// all. So is a field that may hold a secret. Other fields keep the schema's default.
    pub fn wire_with_defaults(&self, answer: Value<'_>) -> String {
        self.wire_again(answer, |_| true)
    }

    /// The wire text as [`Form::wire_with_defaults`] has it, of those fields only whose name `ask`
    /// says yes to.
    pub fn wire_again(&self, answer: Value<'_>, ask: impl Fn(&str) -> bool) -> String {
        let mut out = String::with_capacity(self.wire().len() + answer.raw().len());
        self.write_fields(ask, Some(answer), &mut out);
        out
    }

    /// Appends the wire text without the fields `omitted`, and, where there is an answer to review,
    /// with its good values, as [`Form::wire_with_defaults`] has them.
    pub(crate) fn write_shown(&self, omitted: &[String], answer: Option<&Json>, out: &mut String) {
        let ask = |name: &str| !omitted.iter().any(|omitted| omitted == name);
        self.write_fields(ask, answer.map(Json::root), out);
    }

    fn write_fields(
        &self,
        ask: impl Fn(&str) -> bool,
        answer: Option<Value<'_>>,
        out: &mut String,
    ) {
        // The wire text was read once and is sound; were it not, the form would go out as it is.
        let Ok(wire) = Json::parse_with_depth(self.wire(), usize::MAX) else {
            return out.push_str(self.wire());
        };
        object(wire.root(), out, |entry, out| {
            if entry.key_is("properties") {
                let asked = entry.value.entries().filter(|property| ask(&property.key()));
                members(asked, out, |property, out| match answer {
                    Some(answer) => {
                        self.property_again(&property.key(), property.value, answer, out);
                    }
                    None => property.value.compact_into(out),
                });
            } else if entry.key_is("required") {
                let names = entry.value.items();
                let asked = names.filter(|name| name.as_str().is_some_and(|name| ask(&name)));
                let names: Vec<&str> = asked.map(Value::raw).collect();
                out.push('[');
                out.push_str(&names.join(","));
                out.push(']');
            } else {
                entry.value.compact_into(out);
            }
        });
    }

    fn property_again(&self, name: &str, schema: Value<'_>, answer: Value<'_>, out: &mut String) {
        let field = self.field(name);
        let given = answer.get(name);
        // What a person agreed to beside a mistake is theirs to say again.
        let blank = given.is_some()
            && field.is_some_and(|f| f.sensitive || matches!(f.takes, Takes::Boolean(_)));
        let good = field.zip(given).filter(|(field, value)| {
            let messages = Messages::default();
            let mut sink = Sink::new(&messages);
            check(field, *value, &mut sink);
            sink.faults.is_empty()
        });
        let replaced = blank || good.is_some();
        let kept = schema.entries().filter(|entry| !(replaced && entry.key_is("default")));
        members(kept, out, |entry, out| entry.value.compact_into(out));
        if let (Some((_, value)), false) = (good, blank) {
            out.pop();
            out.push_str(",\"default\":");
            value.compact_into(out);
            out.push('}');
        }
    }
}
