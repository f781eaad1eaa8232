//! A field whose kind is a value: for callers that learn what a field is while they run, such as
//! bindings to languages that add keyword after keyword.
//!
//! As the builder it only writes. A keyword that does not go with the kind is a fault of the form
//! when it is read, like every other.

use super::builder::{Keywords, Numeral, quoted};
use super::field::{Choice, FieldKind};
use crate::json::Value;

/// Describes a field of any kind, for [`FormBuilder::field`](super::FormBuilder::field).
///
/// A keyword set again is replaced; one that does not go with the kind is a fault when the form is
/// built.
#[derive(Clone, Debug)]
#[must_use]
pub struct AnyField {
    kind: FieldKind,
    keywords: Keywords,
    options: Vec<Choice>,
}

impl AnyField {
    /// A field that takes answers of `kind`.
    pub fn new(kind: FieldKind) -> Self {
        Self { kind, keywords: Keywords::new(kind.json_type()), options: Vec::new() }
    }

    /// What a person sees in place of the name.
    pub fn title(self, title: &str) -> Self {
        self.set("title", quoted(title))
    }

    /// A sentence that helps to answer.
    pub fn description(self, description: &str) -> Self {
        self.set("description", quoted(description))
    }

    /// An answer must hold the field.
    pub fn required(mut self) -> Self {
        self.keywords.required = true;
        self
    }

    /// The answer that hosts fill in before a person does: a text, a number, a truth value, or a
    /// list of texts, as the kind takes it.
    pub fn default(self, value: Value<'_>) -> Self {
        self.set("default", value.compact())
    }

    /// The fewest characters (code points) of a text.
    pub fn min_length(self, characters: u64) -> Self {
        self.set("minLength", characters.to_string())
    }

    /// The most characters (code points) of a text.
    pub fn max_length(self, characters: u64) -> Self {
        self.set("maxLength", characters.to_string())
    }

    /// The format of a text: see [`StringField::format`](super::StringField::format).
    pub fn format(self, name: &str) -> Self {
        self.set("format", quoted(name))
    }

    /// What a text must match: see [`StringField::pattern`](super::StringField::pattern).
    pub fn pattern(self, pattern: &str) -> Self {
        self.set("pattern", quoted(pattern))
    }

    /// The smallest number.
    pub fn minimum(self, number: impl Into<Numeral>) -> Self {
        self.set("minimum", number.into().0)
    }

    /// The greatest number.
    pub fn maximum(self, number: impl Into<Numeral>) -> Self {
        self.set("maximum", number.into().0)
    }

    /// The number must be more than this. Stays off the wire.
    pub fn more_than(self, number: impl Into<Numeral>) -> Self {
        self.set("exclusiveMinimum", number.into().0)
    }

    /// The number must be less than this. Stays off the wire.
    pub fn less_than(self, number: impl Into<Numeral>) -> Self {
        self.set("exclusiveMaximum", number.into().0)
    }

    /// The number must be a whole multiple of this. Stays off the wire.
    pub fn multiple_of(self, number: impl Into<Numeral>) -> Self {
        self.set("multipleOf", number.into().0)
    }

    /// One more option of a choice: a text, or a [`Choice::titled`] one.
    pub fn option(mut self, option: impl Into<Choice>) -> Self {
        self.options.push(option.into());
        self
    }

    /// The fewest options to choose.
    pub fn min_items(self, options: u64) -> Self {
        self.set("minItems", options.to_string())
    }

    /// The most options to choose.
    pub fn max_items(self, options: u64) -> Self {
        self.set("maxItems", options.to_string())
    }

    /// All that was said, in the order in which the builder's other fields say it. Options of a
    /// field that is no choice are written where a field never takes them: `enum` would make a
    /// choice of a text without a word.
    pub(super) fn into_keywords(self) -> Keywords {
        let mut keywords = Keywords::new(self.kind.json_type());
        keywords.required = self.keywords.required;
        match self.kind {
            FieldKind::Choice => keywords.one_of(&self.options),
            FieldKind::Choices => keywords.any_of(&self.options),
            _ if self.options.is_empty() => {}
            _ => keywords.any_of(&self.options),
        }
        for (key, json) in self.keywords.list {
            keywords.set(key, json);
        }
        keywords
    }

    fn set(mut self, key: &'static str, json: String) -> Self {
        self.keywords.set(key, json);
        self
    }
}
