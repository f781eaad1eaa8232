//! An answer against a form: every fault at once, and what of it is kept.
//!
//! Protocol: elicitation, "Form Mode Security": servers should validate received data.

use super::check::{Chosen, MOST_FAULTS, Sink, check};
use super::{Form, Messages, made, rules, wire};
use crate::error::Fault;
use crate::json::{Json, Value};

/// What happens to members that no field stands for.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Hash)]
pub enum UnknownFields {
    /// They are left out of the answer, and named in [`Answer::dropped`].
    #[default]
    Drop,
    /// Each is a fault.
    Refuse,
}

/// How an answer is checked.
#[derive(Clone, Debug, Default)]
pub struct ValidateOptions {
    pub(crate) messages: Messages,
    pub(crate) unknown: UnknownFields,
}

impl ValidateOptions {
    /// English messages; unknown members are dropped.
    pub fn new() -> Self {
        Self::default()
    }

    /// The texts of faults.
    #[must_use]
    pub fn messages(mut self, messages: Messages) -> Self {
        self.messages = messages;
        self
    }

    /// What happens to members that no field stands for.
    #[must_use]
    pub fn unknown(mut self, unknown: UnknownFields) -> Self {
        self.unknown = unknown;
        self
    }
}

/// An answer that fits its form.
#[derive(Clone, Debug, PartialEq)]
pub struct Answer {
    /// The members that the form has, as they were sent and in their order, without white space
    /// between tokens.
    pub content: Json,
    /// The names that no field stands for; no more than 200 of them.
    pub dropped: Vec<String>,
}

impl Answer {
    /// The value of a field, where it was answered.
    pub fn get(&self, name: &str) -> Option<Value<'_>> {
        self.content.root().get(name)
    }

    /// Reads the content into a type of the caller's.
    ///
    /// # Errors
    /// What `serde_json` says of it. Its message can repeat parts of the answer.
    #[cfg(feature = "serde")]
    pub fn read<'de, T: serde::Deserialize<'de>>(&'de self) -> serde_json::Result<T> {
        self.content.deserialize()
    }
}

impl Form {
    /// Checks an answer with English messages; members that the form does not have are dropped.
    ///
    /// Nothing is converted and nothing filled in: an absent required field is a fault even when
    /// it has a default, since an empty accept is no consent.
    ///
    /// # Errors
    /// Every fault, in the order of the answer, missing fields last, no more than 200.
    pub fn validate(&self, content: Value<'_>) -> Result<Answer, Vec<Fault>> {
        self.validate_by(content, &Messages::default(), UnknownFields::Drop)
    }

    /// Checks an answer as `options` say.
    ///
    /// # Errors
    /// As [`Form::validate`].
    pub fn validate_with(
        &self,
        content: Value<'_>,
        options: &ValidateOptions,
    ) -> Result<Answer, Vec<Fault>> {
        self.validate_by(content, &options.messages, options.unknown)
    }

    /// Checks the answer `{}`: what an accept without content says.
    ///
    /// # Errors
    /// As [`Form::validate`]: each required field.
    pub fn accepts_nothing(&self) -> Result<Answer, Vec<Fault>> {
        self.validate(Json::empty_object().root())
    }

    fn validate_by(
        &self,
        content: Value<'_>,
        messages: &Messages,
        unknown: UnknownFields,
    ) -> Result<Answer, Vec<Fault>> {
        let mut sink = Sink::new(messages);
        if !content.is_object() {
            sink.whole(rules::TYPE, "answer");
            return Err(sink.faults);
        }
        let fields = self.fields();
        let mut seen = Chosen::new(fields.len());
        let mut next = 0;
        let mut dropped = Vec::new();
        let mut drops = false;
        for entry in content.entries() {
            let Some(at) = self.position(next, |name| entry.key_is(name), || entry.key()) else {
                match unknown {
                    UnknownFields::Refuse => sink.unknown(&entry.key()),
                    UnknownFields::Drop if dropped.len() < MOST_FAULTS => {
                        dropped.push(entry.key().into_owned());
                    }
                    UnknownFields::Drop => {}
                }
                drops = true;
                continue;
            };
            next = at + 1;
            seen.insert(at);
            check(&fields[at], entry.value, &mut sink);
        }
        for (at, field) in fields.iter().enumerate() {
            if field.required && !seen.contains(at) {
                sink.missing(field);
            }
        }
        if !sink.faults.is_empty() {
            return Err(sink.faults);
        }
        if !drops {
            return Ok(Answer { content: content.to_json(), dropped });
        }
        let kept = content
            .entries()
            .filter(|entry| self.position(0, |name| entry.key_is(name), || entry.key()).is_some());
        let mut text = String::new();
        wire::members(kept, &mut text, |entry, out| entry.value.compact_into(out));
        Ok(Answer { content: made(text), dropped })
    }
}
