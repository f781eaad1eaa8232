//! A field of a form, compiled: what it is called, what it takes, what it has as default.

use std::cmp::Ordering;

use super::format::Format;
use super::number::{Bound, Multiple, Number};
use super::pattern::Pattern;
use crate::json::{Json, Value};

/// What kind of answer a field takes.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub enum FieldKind {
    /// A text.
    String,
    /// A whole number.
    Integer,
    /// A number.
    Number,
    /// True or false.
    Boolean,
    /// One of some options.
    Choice,
    /// Any of some options.
    Choices,
}

impl FieldKind {
    /// A stable name, the same in every language: `string`, `integer`, `number`, `boolean`,
    /// `choice`, `choices`.
    pub const fn name(self) -> &'static str {
        match self {
            Self::String => "string",
            Self::Integer => "integer",
            Self::Number => "number",
            Self::Boolean => "boolean",
            Self::Choice => "choice",
            Self::Choices => "choices",
        }
    }

    /// The JSON type of an answer, in the words of JSON Schema.
    pub(crate) const fn json_type(self) -> &'static str {
        match self {
            Self::String | Self::Choice => "string",
            Self::Integer => "integer",
            Self::Number => "number",
            Self::Boolean => "boolean",
            Self::Choices => "array",
        }
    }
}

/// An option of a choice.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Choice {
    pub(crate) value: Box<str>,
    pub(crate) title: Option<Box<str>>,
}

impl Choice {
    /// An option with a title to show.
    pub fn titled(value: impl Into<String>, title: impl Into<String>) -> Self {
        Self { value: value.into().into_boxed_str(), title: Some(title.into().into_boxed_str()) }
    }

    /// The value that an answer holds.
    pub fn value(&self) -> &str {
        &self.value
    }

    /// The title, where the schema gives one.
    pub fn title(&self) -> Option<&str> {
        self.title.as_deref()
    }

    /// What a person sees: the title, or the value.
    pub fn label(&self) -> &str {
        self.title.as_deref().unwrap_or(&self.value)
    }
}

impl<S: Into<String>> From<S> for Choice {
    fn from(value: S) -> Self {
        Self { value: value.into().into_boxed_str(), title: None }
    }
}

/// One field of a form.
#[derive(Clone, Debug)]
pub struct Field {
    pub(crate) name: Box<str>,
    pub(crate) title: Option<Box<str>>,
    pub(crate) description: Option<Box<str>>,
    pub(crate) required: bool,
    /// The type behind the form needs the member and takes null: see [`super::Form::for_type`].
    pub(crate) null_if_absent: bool,
    /// Looks like a secret and was allowed.
    pub(crate) sensitive: bool,
    pub(crate) default: Option<Json>,
    pub(crate) takes: Takes,
}

/// What a field takes.
#[derive(Clone, Debug)]
pub(crate) enum Takes {
    Text(TextRules),
    Number(Box<NumberRules>),
    /// The only value it takes, where there is one.
    Boolean(Option<bool>),
    One(Options),
    Many(ManyRules),
}

#[derive(Clone, Debug, Default)]
pub(crate) struct TextRules {
    /// None where the schema says nothing; `Some(0)` says that an empty text is an answer.
    pub(crate) min_length: Option<u64>,
    pub(crate) max_length: Option<u64>,
    pub(crate) format: Option<Format>,
    pub(crate) patterns: Box<[Pattern]>,
}

#[derive(Clone, Debug, Default)]
pub(crate) struct NumberRules {
    pub(crate) integer: bool,
    pub(crate) minimum: Option<Bound>,
    pub(crate) maximum: Option<Bound>,
    pub(crate) exclusive_minimum: Option<Bound>,
    pub(crate) exclusive_maximum: Option<Bound>,
    pub(crate) multiple_of: Option<Multiple>,
    /// The only numbers it takes, where they are listed.
    pub(crate) only: Option<Box<[Bound]>>,
}

impl NumberRules {
    /// Makes the bounds as tight as `least` and `most`.
    pub(crate) fn narrow(&mut self, least: Bound, most: Bound) {
        if self.minimum.as_ref().is_none_or(|bound| bound.decimal() < least.decimal()) {
            self.minimum = Some(least);
        }
        if self.maximum.as_ref().is_none_or(|bound| bound.decimal() > most.decimal()) {
            self.maximum = Some(most);
        }
    }

    /// Whether type and bounds let `number` through; the list of numbers is not looked at.
    pub(crate) fn accepts(&self, number: &Number<'_>) -> bool {
        let fits = |bound: &Option<Bound>, fits: fn(Ordering) -> bool| {
            bound.as_ref().is_none_or(|bound| fits(bound.compare(number)))
        };
        (!self.integer || number.is_integer())
            && fits(&self.minimum, Ordering::is_ge)
            && fits(&self.maximum, Ordering::is_le)
            && fits(&self.exclusive_minimum, Ordering::is_gt)
            && fits(&self.exclusive_maximum, Ordering::is_lt)
            && self.multiple_of.as_ref().is_none_or(|multiple| multiple.divides(number))
    }
}

#[derive(Clone, Debug)]
pub(crate) struct ManyRules {
    pub(crate) options: Options,
    pub(crate) min_items: Option<u64>,
    pub(crate) max_items: Option<u64>,
}

/// The options of a choice, found by value.
#[derive(Clone, Debug, Default)]
pub(crate) struct Options {
    pub(crate) list: Box<[Choice]>,
    /// Positions in order of value; empty where the list is short enough to be looked through.
    sorted: Box<[u32]>,
}

impl Options {
    pub(crate) fn new(list: Vec<Choice>) -> Self {
        const FEW: usize = 16;
        let mut sorted: Vec<u32> = Vec::new();
        if list.len() > FEW {
            sorted.extend(0..list.len() as u32);
            sorted.sort_by(|a, b| list[*a as usize].value.cmp(&list[*b as usize].value));
        }
        Self { list: list.into(), sorted: sorted.into() }
    }

    /// Where the option with this value stands.
    pub(crate) fn position(&self, value: &str) -> Option<usize> {
        if self.sorted.is_empty() {
            return self.list.iter().position(|choice| *choice.value == *value);
        }
        let found = self.sorted.binary_search_by(|at| (*self.list[*at as usize].value).cmp(value));
        found.ok().map(|at| self.sorted[at] as usize)
    }
}

impl Field {
    /// The name: the key in the answer.
    pub fn name(&self) -> &str {
        &self.name
    }

    /// The title, where the schema gives one.
    pub fn title(&self) -> Option<&str> {
        self.title.as_deref()
    }

    /// What a person sees: the title, or the name.
    pub fn label(&self) -> &str {
        self.title.as_deref().unwrap_or(&self.name)
    }

    /// The description, where the schema gives one.
    pub fn description(&self) -> Option<&str> {
        self.description.as_deref()
    }

    /// Whether an answer without this field is incomplete.
    pub fn is_required(&self) -> bool {
        self.required
    }

    /// Whether the field looks like a secret and was allowed all the same.
    pub fn is_sensitive(&self) -> bool {
        self.sensitive
    }

    /// The default, where the schema gives one.
    pub fn default_value(&self) -> Option<Value<'_>> {
        self.default.as_ref().map(Json::root)
    }

    /// What kind of answer it takes.
    pub fn kind(&self) -> FieldKind {
        match &self.takes {
            Takes::Text(_) => FieldKind::String,
            Takes::Number(rules) if rules.integer => FieldKind::Integer,
            Takes::Number(_) => FieldKind::Number,
            Takes::Boolean(_) => FieldKind::Boolean,
            Takes::One(_) => FieldKind::Choice,
            Takes::Many(_) => FieldKind::Choices,
        }
    }

    /// The options of a choice in their order; empty for any other field.
    pub fn choices(&self) -> &[Choice] {
        match &self.takes {
            Takes::One(options) => &options.list,
            Takes::Many(rules) => &rules.options.list,
            _ => &[],
        }
    }

    /// The fewest characters of a text, where the schema says.
    pub fn min_length(&self) -> Option<u64> {
        self.text_rules().and_then(|rules| rules.min_length)
    }

    /// The most characters of a text, where the schema says.
    pub fn max_length(&self) -> Option<u64> {
        self.text_rules().and_then(|rules| rules.max_length)
    }

    /// The format of a text, such as `email`, where the schema says.
    pub fn format(&self) -> Option<&'static str> {
        self.text_rules().and_then(|rules| rules.format).map(Format::name)
    }

    /// The patterns that we check when the answer comes back, as the schema writes them.
    pub fn patterns(&self) -> impl Iterator<Item = &str> {
        self.text_rules().into_iter().flat_map(|rules| rules.patterns.iter().map(Pattern::source))
    }

    /// The smallest number, as JSON, where the schema says.
    pub fn minimum(&self) -> Option<&str> {
        self.number_rules().and_then(|rules| rules.minimum.as_ref()).map(|bound| &*bound.text)
    }

    /// The greatest number, as JSON, where the schema says.
    pub fn maximum(&self) -> Option<&str> {
        self.number_rules().and_then(|rules| rules.maximum.as_ref()).map(|bound| &*bound.text)
    }

    /// The fewest options to choose, where the schema says.
    pub fn min_items(&self) -> Option<u64> {
        match &self.takes {
            Takes::Many(rules) => rules.min_items,
            _ => None,
        }
    }

    /// The most options to choose, where the schema says.
    pub fn max_items(&self) -> Option<u64> {
        match &self.takes {
            Takes::Many(rules) => rules.max_items,
            _ => None,
        }
    }

    fn text_rules(&self) -> Option<&TextRules> {
        match &self.takes {
            Takes::Text(rules) => Some(rules),
            _ => None,
        }
    }

    fn number_rules(&self) -> Option<&NumberRules> {
        match &self.takes {
            Takes::Number(rules) => Some(rules),
            _ => None,
        }
    }
}
