//! The values of keywords.

use super::{Grammar, Reader};
use crate::json::{JsonType, Value};
use crate::schema::format::{Format, numeric_range};
use crate::schema::number::{Bound, Multiple, fits_f64, short_integer};
use crate::schema::pattern::Pattern;
use crate::schema::{lint, rules};

impl Reader<'_> {
    pub(super) fn text(&mut self, value: Value<'_>) -> Option<Box<str>> {
        let text = value.as_str();
        if text.is_none() {
            self.fault(rules::KEYWORD_TYPE, "write a text");
        }
        text.map(|text| text.into())
    }

    pub(super) fn count(&mut self, value: Value<'_>) -> Option<u64> {
        let short = short_integer(value.raw()).filter(|_| value.json_type() == JsonType::Number);
        let whole = short.or_else(|| value.as_decimal().and_then(|number| number.to_i64()));
        let count = whole.and_then(|whole| u64::try_from(whole).ok());
        if count.is_none() {
            self.fault(rules::KEYWORD_TYPE, "write a whole number from 0");
        }
        count
    }

    pub(super) fn bound(&mut self, value: Value<'_>) -> Option<Bound> {
        let bound = Bound::read(value);
        match &bound {
            None => self.fault(rules::KEYWORD_TYPE, "write a number"),
            Some(bound) if !fits_f64(&bound.decimal()) => {
                self.fault(rules::NUMBER_RANGE, "write a number that a double can hold");
            }
            Some(_) => {}
        }
        bound
    }

    pub(super) fn multiple(&mut self, value: Value<'_>) -> Option<Multiple> {
        let multiple = Multiple::read(value);
        if multiple.is_none() {
            self.fault(rules::KEYWORD_TYPE, "write a number above 0 of at most 18 digits");
        }
        multiple
    }

    pub(super) fn format(&mut self, value: Value<'_>) -> Option<Format> {
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

    pub(super) fn pattern(&mut self, value: Value<'_>) -> Option<Pattern> {
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

    /// `allOf` of patterns: what joins several of them.
    pub(super) fn patterns(&mut self, value: Value<'_>, patterns: &mut Vec<Pattern>) {
        if !value.is_array() {
            self.fault(rules::KEYWORD_TYPE, "write a list of objects with `pattern`");
        }
        for (index, item) in value.items().enumerate() {
            self.at_index(index, |r| {
                if item.get("pattern").is_none() {
                    r.fault(rules::KEYWORD_TYPE, "write an object with `pattern`");
                }
                for entry in item.entries() {
                    let key = entry.key();
                    r.at(&key, |r| match &*key {
                        "pattern" => patterns.extend(r.pattern(entry.value)),
                        _ => r.unknown(&key, Some("option")),
                    });
                }
            });
        }
    }

    /// The range that a format of numbers stands for.
    pub(super) fn numeric_format(&mut self, value: Value<'_>) -> Option<(Bound, Bound)> {
        let range = value.as_str().and_then(|name| numeric_range(&name));
        let Some((least, most)) = range else {
            self.fault(
                rules::UNSUPPORTED_FORMAT,
                "leave the format out, and write minimum and maximum where they matter",
            );
            return None;
        };
        Bound::from_text(least).zip(Bound::from_text(most))
    }

    /// The only numbers that a field takes.
    pub(super) fn numbers(&mut self, value: Value<'_>) -> Option<Box<[Bound]>> {
        let numbers: Option<Box<[Bound]>> =
            value.is_array().then(|| value.items().map(Bound::read).collect()).flatten();
        match &numbers {
            None => self.fault(rules::OPTION, "write a list of numbers"),
            Some(list) if list.is_empty() => {
                self.fault(rules::NO_OPTIONS, "write at least one number");
            }
            Some(list) if list.iter().any(|number| !fits_f64(&number.decimal())) => {
                self.fault(rules::NUMBER_RANGE, "write numbers that a double can hold");
            }
            Some(_) => {}
        }
        numbers
    }

    /// The only truth value that a field takes.
    pub(super) fn truth(&mut self, value: Value<'_>) -> Option<bool> {
        let mut items = value.items();
        let only = items.next().and_then(Value::as_bool);
        if only.is_none() || items.next().is_some() {
            self.fault(rules::OPTION, "write a list of true or of false alone");
        }
        only
    }
}
