//! What a form of the grammar can still get wrong: contradictions, secrets, texts that mislead.
//!
//! Owns the judgement, not the reading. Protocol: elicitation, "User Interaction Model" (no
//! sensitive information in form mode) and "Safe URL Handling" (no links in a form).

use std::collections::HashSet;

use super::field::{Choice, Field, NumberRules};
use super::number::{Bound, integer_from, integer_to};
use super::parse::{Grammar, OFF_WIRE};
use super::{FormOptions, rules};
use crate::error::Fault;
use crate::json::push_pointer;

pub(crate) const SENSITIVE: &str = "a form must not ask for a secret: ask in URL mode, where it never passes through the client; \
     if this is none, allow sensitive names and say why";

pub(crate) const NOT_A_CHOICE: &str = "an array must be a choice: write `items` with `type` and `enum`, or with `anyOf` of `const` and \
     `title`; for free texts ask for one text";

pub(crate) const NOT_FLAT: &str =
    "a form is flat: put the inner fields beside this one, each under a name of its own";

pub(crate) const FIELD_TYPE: &str =
    "write one of string, integer, number, boolean, array as `type`";

pub(crate) const LINK: &str = "a link in a form: hosts must not make it clickable; ask in URL mode to send a person somewhere";

/// More fields than this are hard to fill in one dialog.
const COMFORTABLE: usize = 7;

/// What to write instead of a keyword that the grammar does not have where it stands.
pub(crate) fn unknown_keyword(key: &str, kind: Option<&str>, grammar: Grammar) -> String {
    let off_wire = OFF_WIRE.contains(&key) && grammar == Grammar::Wire;
    match (key, kind) {
        ("$ref" | "$dynamicRef", _) => {
            "write the schema that is meant in its place; normalize does so for `#/$defs`".into()
        }
        ("$defs" | "definitions", _) => {
            "write the definitions where they are used; normalize does so".into()
        }
        ("title" | "description", None) => {
            "the form has no text of its own: say it in the message of the question".into()
        }
        ("additionalProperties", None) => {
            "leave it out: fields that were not asked for are never kept".into()
        }
        ("properties", Some(_)) => NOT_FLAT.into(),
        ("enum", Some("integer" | "number")) => {
            "the options of a choice are texts: write `\"type\": \"string\"` and texts, or bounds; \
             normalize enforces a list of numbers when the answer comes back"
                .into()
        }
        ("const", Some("string")) => "write `enum` with the one value".into(),
        ("anyOf", Some("string")) => "write `oneOf` with `const` and `title`, or `enum`".into(),
        ("oneOf", Some("items")) => "write `anyOf` with `const` and `title`, or `enum`".into(),
        ("type", Some("items")) => "leave `type` out beside `anyOf`".into(),
        ("uniqueItems", Some("array")) => {
            "leave it out: no option can be chosen twice anyway".into()
        }
        (_, Some("choice")) if is_text_keyword(key) => {
            "leave it out: the options already say which texts are allowed".into()
        }
        (_, Some("string" | "integer" | "number")) if off_wire => {
            "hosts do not know it: read the schema with normalize, which enforces it when the answer comes back"
                .into()
        }
        (_, None) => "leave it out: the root takes `type`, `properties`, `required`, `$schema`".into(),
        (_, Some(kind)) => format!("leave it out: {} takes {}", a(kind), takes(kind)),
    }
}

fn is_text_keyword(key: &str) -> bool {
    matches!(key, "minLength" | "maxLength" | "format" | "pattern")
}

/// A kind of schema with its article.
pub(crate) fn a(kind: &str) -> &'static str {
    match kind {
        "string" => "a string",
        "integer" => "an integer",
        "number" => "a number",
        "boolean" => "a boolean",
        "array" => "an array",
        "choice" => "a choice",
        "items" => "`items`",
        _ => "an option",
    }
}

fn takes(kind: &str) -> &'static str {
    match kind {
        "string" => "title, description, default, minLength, maxLength, format",
        "integer" | "number" => "title, description, default, minimum, maximum",
        "boolean" => "title, description, default",
        "array" => "title, description, default, items, minItems, maxItems",
        "choice" => "title, description, default, and enum (with enumNames) or oneOf",
        "items" => "type and enum, or anyOf",
        _ => "const and title",
    }
}

/// The lower bound that no number, for an integer no whole number, meets along with the upper.
pub(crate) fn contradicting_bound(rules: &NumberRules) -> Option<&'static str> {
    let lower = tighter(
        (&rules.minimum, "minimum"),
        (&rules.exclusive_minimum, "exclusiveMinimum"),
        std::cmp::Ordering::is_ge,
    )?;
    let upper = tighter(
        (&rules.maximum, "maximum"),
        (&rules.exclusive_maximum, "exclusiveMaximum"),
        std::cmp::Ordering::is_le,
    )?;
    let (low, high) = (lower.bound.decimal(), upper.bound.decimal());
    let whole = rules
        .integer
        .then(|| integer_from(&low, lower.exclusive).zip(integer_to(&high, upper.exclusive)))
        .flatten();
    let empty = match whole {
        Some((from, to)) => from > to,
        None => low > high || (low == high && (lower.exclusive || upper.exclusive)),
    };
    empty.then_some(lower.keyword)
}

struct Side<'r> {
    bound: &'r Bound,
    keyword: &'static str,
    exclusive: bool,
}

/// The one of an inclusive and an exclusive bound that refuses more.
fn tighter<'r>(
    inclusive: (&'r Option<Bound>, &'static str),
    exclusive: (&'r Option<Bound>, &'static str),
    refuses_more: fn(std::cmp::Ordering) -> bool,
) -> Option<Side<'r>> {
    match (inclusive.0, exclusive.0) {
        (Some(bound), Some(other)) if !refuses_more(other.decimal().cmp(&bound.decimal())) => {
            Some(Side { bound, keyword: inclusive.1, exclusive: false })
        }
        (_, Some(bound)) => Some(Side { bound, keyword: exclusive.1, exclusive: true }),
        (Some(bound), None) => Some(Side { bound, keyword: inclusive.1, exclusive: false }),
        (None, None) => None,
    }
}

/// What does not stop a form, but a person or a host may stumble over.
pub(crate) fn warnings(fields: &[Field], options: &FormOptions) -> Vec<Fault> {
    let mut warnings = Vec::new();
    if fields.is_empty() {
        warnings.push(Fault::new(
            "/properties",
            rules::EMPTY_FORM,
            "a form without fields: some hosts show a dialog that cannot be answered",
        ));
    }
    if fields.len() > COMFORTABLE {
        warnings.push(Fault::new(
            "/properties",
            rules::MANY_FIELDS,
            format!("{} fields are many for one dialog: ask in several steps", fields.len()),
        ));
    }
    for (at, field) in fields.iter().enumerate() {
        let path = || {
            let mut path = String::from("/properties");
            push_pointer(&mut path, &field.name);
            path
        };
        if field.title.is_none() {
            warnings.push(Fault::new(
                path(),
                rules::UNTITLED_FIELD,
                "no title: hosts show the bare name of the field",
            ));
        }
        if fields[..at].iter().any(|other| other.label() == field.label()) {
            warnings.push(Fault::new(
                path(),
                rules::REPEATED_TITLE,
                "two fields are shown under the same title",
            ));
        }
        if repeats_title(field.choices()) {
            warnings.push(Fault::new(
                path(),
                rules::REPEATED_TITLE,
                "two options are shown under the same title",
            ));
        }
        let texts = [field.title.as_deref(), field.description.as_deref()];
        let mut texts =
            texts.into_iter().flatten().chain(field.choices().iter().filter_map(|c| c.title()));
        if texts.any(has_link) {
            warnings.push(Fault::new(path(), rules::LINK_IN_TEXT, LINK));
        }
        if let (true, Some(reason)) = (field.sensitive, &options.sensitive_reason) {
            warnings.push(Fault::new(
                path(),
                rules::SENSITIVE_ALLOWED,
                format!("looks like a secret and was allowed: {reason}"),
            ));
        }
    }
    warnings
}

/// Whether two options are shown alike. Options without titles differ, as their values do.
fn repeats_title(choices: &[Choice]) -> bool {
    if choices.iter().all(|choice| choice.title().is_none()) {
        return false;
    }
    let mut shown = HashSet::new();
    !choices.iter().all(|choice| shown.insert(choice.label()))
}

/// Whether a text that is shown in a form holds a link.
pub(crate) fn has_link(text: &str) -> bool {
    if !text.contains("://") && !text.contains(['w', 'W']) {
        return false;
    }
    let text = text.to_ascii_lowercase();
    ["http://", "https://", "www."].iter().any(|start| text.contains(start))
}
