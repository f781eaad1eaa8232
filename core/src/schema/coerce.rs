//! Coerce: what a person types, as text, to the JSON value that a field takes.
//!
//! For hosts and terminals only: answers that come over the wire are never converted. Reads the
//! whole text or refuses it, never a prefix of it; what it gives would pass [`Form::validate`].

use super::check::{Sink, check};
use super::field::{Choice, Field, Options, Takes, TextRules};
use super::messages::Messages;
use super::{Form, made};
use crate::error::Fault;
use crate::json::{Decimal, Json, JsonType, Value, quote_into};

/// Words for yes, in small letters.
const YES: &[&str] = &["true", "t", "yes", "y", "on", "1"];
/// Words for no.
const NO: &[&str] = &["false", "f", "no", "n", "off", "0"];

impl Field {
    /// Reads `text` as an answer to this field; none where the text is empty and the field has no
    /// answer that is.
    ///
    /// A text is taken as it is; one of a format, a number and a choice without white space around.
    /// A truth value is one of true, t, yes, y, on, 1, false, f, no, n, off, 0 in any case. A choice
    /// is named by its value or its title; several by a list with commas, or by a JSON array.
    ///
    /// # Errors
    /// The first fault, with the path of the field. Messages do not repeat the text.
    pub fn coerce(&self, text: &str) -> Result<Option<Json>, Fault> {
        self.coerce_with(text, &Messages::default())
    }

    /// Reads `text` with messages of the caller's.
    ///
    /// # Errors
    /// As [`Field::coerce`].
    pub fn coerce_with(&self, text: &str, messages: &Messages) -> Result<Option<Json>, Fault> {
        if text.trim().is_empty() && !self.takes_blank(text) {
            return Ok(None);
        }
        let mut sink = Sink::new(messages);
        let Some(json) = self.read_text(text) else { return Err(sink.unread(self)) };
        check(self, json.root(), &mut sink);
        match sink.faults.into_iter().next() {
            Some(fault) => Err(fault),
            None => Ok(Some(json)),
        }
    }

    /// The text that [`Field::coerce`] reads as `value`; a default to show, for example. None where
    /// the value is of another type than the field's.
    pub fn print(&self, value: Value<'_>) -> Option<String> {
        match (&self.takes, value.json_type()) {
            (Takes::Text(_) | Takes::One(_), JsonType::String) => {
                value.as_str().map(|text| text.into_owned())
            }
            (Takes::Number(_), JsonType::Number) | (Takes::Boolean(_), JsonType::Boolean) => {
                Some(value.raw().to_owned())
            }
            (Takes::Many(_), JsonType::Array) => Some(print_list(value)),
            _ => None,
        }
    }

    /// Whether a text of nothing but white space is an answer: where the schema says that a text
    /// may be empty, or lists such an option, or the text is white space and any text will do.
    fn takes_blank(&self, text: &str) -> bool {
        match &self.takes {
            Takes::Text(TextRules { format: Some(_), .. }) => false,
            Takes::Text(rules) => !text.is_empty() || rules.min_length == Some(0),
            Takes::One(options) => options.position(text).is_some(),
            Takes::Number(_) | Takes::Boolean(_) | Takes::Many(_) => false,
        }
    }

    fn read_text(&self, text: &str) -> Option<Json> {
        match &self.takes {
            Takes::Text(TextRules { format: None, .. }) => Some(Json::string(text)),
            Takes::Text(_) => Some(Json::string(text.trim())),
            Takes::Number(rules) => number(text.trim(), rules.integer).map(made),
            Takes::Boolean(_) => truth(text.trim()).map(|yes| made(yes.to_string())),
            Takes::One(options) => named(options, text).map(|choice| Json::string(&choice.value)),
            Takes::Many(rules) => many(&rules.options, text.trim()),
        }
    }
}

impl Form {
    /// Reads texts, each under the name of a field, as an answer. Fields without a text are absent.
    ///
    /// # Errors
    /// Every fault: texts that are no answer, names that are no field, required fields that are
    /// absent.
    pub fn coerce<'t>(
        &self,
        texts: impl IntoIterator<Item = (&'t str, &'t str)>,
    ) -> Result<Json, Vec<Fault>> {
        self.coerce_with(texts, &Messages::default())
    }

    /// Reads texts with messages of the caller's.
    ///
    /// # Errors
    /// As [`Form::coerce`].
    pub fn coerce_with<'t>(
        &self,
        texts: impl IntoIterator<Item = (&'t str, &'t str)>,
        messages: &Messages,
    ) -> Result<Json, Vec<Fault>> {
        let mut sink = Sink::new(messages);
        let mut values: Vec<Option<Json>> = vec![None; self.fields().len()];
        let mut faulty = vec![false; self.fields().len()];
        for (name, text) in texts {
            let Some(at) = self.position_of(name) else {
                sink.unknown(name);
                continue;
            };
            match self.fields()[at].coerce_with(text, messages) {
                Ok(value) => values[at] = value,
                Err(fault) => {
                    faulty[at] = true;
                    sink.faults.push(fault);
                }
            }
        }
        let mut out = String::from("{");
        for (at, (field, value)) in self.fields().iter().zip(values).enumerate() {
            match value {
                Some(value) => {
                    if out.len() > 1 {
                        out.push(',');
                    }
                    quote_into(&mut out, &field.name);
                    out.push(':');
                    out.push_str(value.text());
                }
                None if field.required && !faulty[at] => sink.missing(field),
                None => {}
            }
        }
        out.push('}');
        if sink.faults.is_empty() { Ok(made(out)) } else { Err(sink.faults) }
    }
}

/// A number as people write it: a plus sign, leading zeros, a point without digits on one side,
/// an exponent. No grouping, no comma, no other base, nothing infinite.
fn number(text: &str, integer: bool) -> Option<String> {
    let (sign, digits) = match text.strip_prefix(['-', '\u{2212}']) {
        Some(rest) => ("-", rest),
        None => ("", text.strip_prefix('+').unwrap_or(text)),
    };
    let (mantissa, exponent) = match digits.find(['e', 'E']) {
        Some(at) => (&digits[..at], &digits[at..]),
        None => (digits, ""),
    };
    let (whole, fraction) = mantissa.split_once('.').unwrap_or((mantissa, ""));
    if whole.is_empty() && fraction.is_empty() {
        return None;
    }
    let whole = match whole.trim_start_matches('0') {
        "" => "0",
        whole => whole,
    };
    let point = if fraction.is_empty() { "" } else { "." };
    let json = [sign, whole, point, fraction, exponent].concat();
    let decimal = Decimal::parse(&json)?;
    // `5.0` typed for a whole number is 5.
    match decimal.to_i64() {
        Some(value) if integer => Some(value.to_string()),
        _ => Some(json),
    }
}

fn truth(text: &str) -> Option<bool> {
    let is = |words: &[&str]| words.iter().any(|word| text.eq_ignore_ascii_case(word));
    match (is(YES), is(NO)) {
        (true, _) => Some(true),
        (_, true) => Some(false),
        _ => None,
    }
}

/// The option that `text` names: by its value, by its title, by either in another case, the first
/// of these that names one option only.
fn named<'o>(options: &'o Options, text: &str) -> Option<&'o Choice> {
    if let Some(at) = options.position(text) {
        return options.list.get(at);
    }
    let text = text.trim();
    if let Some(at) = options.position(text) {
        return options.list.get(at);
    }
    let small = text.to_lowercase();
    let one = |is: &dyn Fn(&Choice) -> bool| {
        let mut found = options.list.iter().filter(|choice| is(choice));
        found.next().filter(|_| found.next().is_none())
    };
    one(&|choice| choice.label() == text)
        .or_else(|| one(&|choice| choice.value.to_lowercase() == small))
        .or_else(|| one(&|choice| choice.label().to_lowercase() == small))
}

/// Options named in a list with commas, or in a JSON array.
fn many(options: &Options, text: &str) -> Option<Json> {
    let mut out = String::from("[");
    let mut push = |choice: &Choice| {
        if out.len() > 1 {
            out.push(',');
        }
        quote_into(&mut out, &choice.value);
    };
    let listed = Json::parse(text).ok().filter(|json| json.root().is_array());
    match listed {
        Some(json) => {
            for item in json.root().items() {
                push(named(options, &item.as_str()?)?);
            }
        }
        None => {
            for item in text.split(',') {
                push(named(options, item.trim())?);
            }
        }
    }
    out.push(']');
    Some(made(out))
}

/// The values with commas between them, or as JSON array where a comma would not tell them apart.
fn print_list(value: Value<'_>) -> String {
    let plain = |text: &str| {
        !text.is_empty() && text.trim() == text && !text.contains(',') && !text.starts_with('[')
    };
    let texts: Vec<_> = value.items().filter_map(Value::as_str).collect();
    if texts.is_empty() || !texts.iter().all(|text| plain(text)) {
        return value.compact();
    }
    texts.join(", ")
}
