//! The catalogue of messages about answers: what a person reads when an answer does not fit.
//!
//! Owns the English texts and their replacement. Texts about schemas are for authors and stand
//! where the rule is checked. No text holds what the person wrote, unless that is asked for.

use std::collections::BTreeMap;

use super::Choice;
use crate::error::{Error, ErrorKind, Fault, Result};
use crate::json::{Json, JsonType};

/// The English texts. `{field}` is the field's title, or its name where it has none; `{limit}` is
/// what the keyword says, or the application's check; `{choices}` is the options as the person saw
/// them.
///
/// A key is a rule id, with `.one` where the limit is 1, with the type or format it is about, or
/// with `.field` where a check speaks of a field.
const ENGLISH: &[(&str, &str)] = &[
    ("answer", "The answer must be an object with a member for each field."),
    ("required", "{field} is required."),
    ("additionalProperties", "{field} was not asked for."),
    ("type.string", "{field} must be a text."),
    ("type.integer", "{field} must be a whole number."),
    ("type.number", "{field} must be a number."),
    ("type.boolean", "{field} must be true or false."),
    ("type.array", "{field} must be a list of options."),
    ("minLength", "{field} must have at least {limit} characters."),
    ("minLength.one", "{field} must not be empty."),
    ("maxLength", "{field} must have at most {limit} characters."),
    ("maxLength.one", "{field} must have at most 1 character."),
    ("format", "{field} must be of the format {limit}."),
    ("format.email", "{field} must be an email address, such as name@example.com."),
    ("format.uri", "{field} must be a whole link, such as https://example.com/page."),
    ("format.date", "{field} must be a date, such as 2026-07-28."),
    (
        "format.date-time",
        "{field} must be a date and a time with its offset, such as 2026-07-28T09:30:00Z.",
    ),
    ("format.time", "{field} must be a time with its offset, such as 09:30:00Z."),
    ("format.uuid", "{field} must be a UUID, such as 123e4567-e89b-12d3-a456-426614174000."),
    ("pattern", "{field} must match the pattern {limit}."),
    ("minimum", "{field} must be {limit} or more."),
    ("maximum", "{field} must be {limit} or less."),
    ("exclusiveMinimum", "{field} must be more than {limit}."),
    ("exclusiveMaximum", "{field} must be less than {limit}."),
    ("multipleOf", "{field} must be a multiple of {limit}."),
    ("range", "{field} is too large a number."),
    ("enum", "{field} must be one of: {choices}."),
    ("minItems", "{field} needs at least {limit} options."),
    ("minItems.one", "{field} needs at least 1 option."),
    ("maxItems", "{field} takes at most {limit} options."),
    ("maxItems.one", "{field} takes at most 1 option."),
    ("uniqueItems", "{field} holds an option twice."),
    ("check", "{limit}"),
    ("check.field", "{field}: {limit}"),
    ("value", " Given: {value}."),
    ("reask", "Please correct:"),
];

const PLACEHOLDERS: [&str; 4] = ["{field}", "{limit}", "{choices}", "{value}"];

/// Options named in a message; a longer list ends in an ellipsis.
const CHOICES_SHOWN: usize = 12;

/// The texts that a person reads, by rule. Replace some or all, for example to speak another
/// language. Shared by threads.
#[derive(Clone, Debug, Default)]
pub struct Messages {
    own: BTreeMap<&'static str, String>,
    show_values: bool,
}

impl Messages {
    /// The English texts.
    pub fn new() -> Self {
        Self::default()
    }

    /// The keys that can be replaced, with their English texts.
    pub fn catalogue() -> impl Iterator<Item = (&'static str, &'static str)> {
        ENGLISH.iter().copied()
    }

    /// Replaces the text under `key`. A text may hold `{field}`, `{limit}` and `{choices}`; the
    /// one under `value` holds `{value}`.
    ///
    /// # Errors
    /// [`ErrorKind::InvalidArgument`] where no such key is in [`Messages::catalogue`].
    pub fn replace(mut self, key: &str, text: impl Into<String>) -> Result<Self> {
        match ENGLISH.iter().find(|(known, _)| *known == key) {
            Some((known, _)) => {
                self.own.insert(known, text.into());
                Ok(self)
            }
            None => Err(Error::at(
                ErrorKind::InvalidArgument,
                Fault::new(key, "message_key", "no message has this key; see the catalogue"),
            )),
        }
    }

    /// Replaces texts by an object of key and text, as JSON.
    ///
    /// # Errors
    /// [`ErrorKind::InvalidArgument`] where it is no such object, or names an unknown key.
    pub fn from_json(json: &Json) -> Result<Self> {
        let root = json.root();
        if root.json_type() != JsonType::Object {
            return Err(Error::new(
                ErrorKind::InvalidArgument,
                "messages must be an object of keys and texts",
            ));
        }
        root.entries().try_fold(Self::new(), |messages, entry| match entry.value.as_str() {
            Some(text) => messages.replace(&entry.key(), text),
            None => Err(Error::new(ErrorKind::InvalidArgument, "a message must be a text")),
        })
    }

    /// Whether messages repeat what was given, shortened. Off unless asked for: messages travel to
    /// logs and models.
    #[must_use]
    pub fn show_values(mut self, show: bool) -> Self {
        self.show_values = show;
        self
    }

    /// What stands above the reasons when a question is asked again.
    pub(crate) fn reask(&self) -> &str {
        self.text("reask").unwrap_or_default()
    }

    fn text(&self, key: &str) -> Option<&str> {
        if let Some(own) = self.own.get(key) {
            return Some(own);
        }
        ENGLISH.iter().find(|(known, _)| *known == key).map(|(_, text)| *text)
    }

    /// The message of a fault.
    pub(crate) fn say(&self, fault: &Facts<'_>) -> String {
        let closer =
            fault.variant.and_then(|variant| self.text(&[fault.key, ".", variant].concat()));
        let text = closer.or_else(|| self.text(fault.key)).unwrap_or(fault.key);
        let mut out = fill(text, fault);
        if self.show_values && !fault.value.is_empty() {
            out.push_str(&fill(self.text("value").unwrap_or(""), fault));
        }
        out
    }
}

/// What a message can be about.
pub(crate) struct Facts<'a> {
    /// The key in the catalogue.
    pub(crate) key: &'static str,
    /// What the rule is about more closely: a type, a format, `one`.
    pub(crate) variant: Option<&'a str>,
    pub(crate) field: &'a str,
    pub(crate) limit: &'a str,
    pub(crate) choices: &'a [Choice],
    /// What was given, as JSON.
    pub(crate) value: &'a str,
}

/// The text with its placeholders filled; what is filled in is not looked at again.
fn fill(text: &str, facts: &Facts<'_>) -> String {
    let mut out = String::with_capacity(text.len() + 32);
    let mut rest = text;
    while let Some(open) = rest.find('{') {
        out.push_str(&rest[..open]);
        rest = &rest[open..];
        let held = PLACEHOLDERS.iter().copied().find(|held| rest.starts_with(held));
        match held {
            Some("{field}") => out.push_str(facts.field),
            Some("{limit}") => out.push_str(facts.limit),
            Some("{choices}") => push_choices(&mut out, facts.choices),
            Some(_) => push_short(&mut out, facts.value),
            None => out.push('{'),
        }
        rest = &rest[held.map_or(1, str::len)..];
    }
    out.push_str(rest);
    out
}

fn push_choices(out: &mut String, choices: &[Choice]) {
    for (at, choice) in choices.iter().take(CHOICES_SHOWN).enumerate() {
        if at > 0 {
            out.push_str(", ");
        }
        out.push_str(choice.label());
    }
    if choices.len() > CHOICES_SHOWN {
        out.push_str(", …");
    }
}

/// What a check of the application's own says, as a person is shown it: of a length that is read,
/// and without control characters but the newline. Such texts come from libraries, and may repeat
/// what was answered.
pub(crate) fn shown(reason: &str) -> String {
    const SHOWN: usize = 500;
    let plain = |c: char| if c.is_control() && c != '\n' { ' ' } else { c };
    let mut out: String = reason.chars().take(SHOWN).map(plain).collect();
    if reason.chars().nth(SHOWN).is_some() {
        out.push('…');
    }
    out
}

fn push_short(out: &mut String, value: &str) {
    const SHOWN: usize = 60;
    match value.char_indices().nth(SHOWN) {
        Some((cut, _)) => {
            out.push_str(&value[..cut]);
            out.push('…');
        }
        None => out.push_str(value),
    }
}
