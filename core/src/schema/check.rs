//! One value against one field: every keyword, every fault.
//!
//! Used on answers and on the defaults of a schema. Knows nothing of forms.

use std::cmp::Ordering;

use super::field::{Choice, Field, ManyRules, NumberRules, Options, Takes, TextRules};
use super::messages::{Facts, Messages, shown};
use super::number::{Bound, Number};
use super::rules;
use crate::error::Fault;
use crate::json::{JsonType, Value, push_pointer};

/// Faults named in one answer. More would tell a person nothing, and a hostile answer could make
/// a report many times its own size.
pub(crate) const MOST_FAULTS: usize = 200;

/// Collects faults and words them.
pub(crate) struct Sink<'s> {
    pub(crate) faults: Vec<Fault>,
    messages: &'s Messages,
}

impl<'s> Sink<'s> {
    pub(crate) fn new(messages: &'s Messages) -> Self {
        Self { faults: Vec::new(), messages }
    }

    /// A fault of the answer as a whole.
    pub(crate) fn whole(&mut self, rule: &'static str, key: &'static str) {
        let facts = Facts { key, variant: None, field: "", limit: "", choices: &[], value: "" };
        self.faults.push(Fault::new("", rule, self.messages.say(&facts)));
    }

    /// A member that no field stands for.
    pub(crate) fn unknown(&mut self, name: &str) {
        if self.faults.len() >= MOST_FAULTS {
            return;
        }
        let facts = Facts {
            key: rules::ADDITIONAL,
            variant: None,
            field: name,
            limit: "",
            choices: &[],
            value: "",
        };
        self.faults.push(Fault::new(pointer(name), rules::ADDITIONAL, self.messages.say(&facts)));
    }

    /// A required field that is absent.
    pub(crate) fn missing(&mut self, field: &Field) {
        self.add(&At { field, item: None, value: "" }, rules::REQUIRED, None, "");
    }

    /// A text that is no answer to `field` at all.
    pub(crate) fn unread(&self, field: &Field) -> Fault {
        let at = At { field, item: None, value: "" };
        match field.choices() {
            [] => self.fault(&at, rules::TYPE, Some(field.kind().json_type()), "", &[]),
            choices => self.fault(&at, rules::ENUM, None, "", choices),
        }
    }

    /// What a check of the application's own says of `field`, or of the whole answer.
    pub(crate) fn check(&mut self, field: Option<&Field>, path: String, reason: &str) {
        if self.faults.len() >= MOST_FAULTS {
            return;
        }
        let facts = Facts {
            key: rules::CHECK,
            variant: field.map(|_| "field"),
            field: field.map_or("", Field::label),
            limit: &shown(reason),
            choices: &[],
            value: "",
        };
        self.faults.push(Fault::new(path, rules::CHECK, self.messages.say(&facts)));
    }

    #[cold]
    fn add(&mut self, at: &At<'_>, rule: &'static str, variant: Option<&str>, limit: &str) {
        self.push(at, rule, variant, limit, &[]);
    }

    #[cold]
    fn add_choices(&mut self, at: &At<'_>, choices: &[Choice]) {
        self.push(at, rules::ENUM, None, "", choices);
    }

    fn push(
        &mut self,
        at: &At<'_>,
        rule: &'static str,
        variant: Option<&str>,
        limit: &str,
        choices: &[Choice],
    ) {
        if self.faults.len() < MOST_FAULTS {
            let fault = self.fault(at, rule, variant, limit, choices);
            self.faults.push(fault);
        }
    }

    fn fault(
        &self,
        at: &At<'_>,
        rule: &'static str,
        variant: Option<&str>,
        limit: &str,
        choices: &[Choice],
    ) -> Fault {
        let facts =
            Facts { key: rule, variant, field: at.field.label(), limit, choices, value: at.value };
        let mut path = pointer(&at.field.name);
        if let Some(item) = at.item {
            push_pointer(&mut path, &item.to_string());
        }
        Fault::new(path, rule, self.messages.say(&facts))
    }

    #[cold]
    fn add_count(&mut self, at: &At<'_>, rule: &'static str, limit: u64) {
        let one = (limit == 1).then_some("one");
        self.add(at, rule, one, &limit.to_string());
    }
}

/// Where in the answer a check is.
struct At<'a> {
    field: &'a Field,
    item: Option<usize>,
    value: &'a str,
}

fn pointer(name: &str) -> String {
    let mut path = String::with_capacity(name.len() + 1);
    push_pointer(&mut path, name);
    path
}

/// Checks `value` against `field`; each fault goes into `sink`.
pub(crate) fn check(field: &Field, value: Value<'_>, sink: &mut Sink<'_>) {
    let at = At { field, item: None, value: value.raw() };
    let kind = value.json_type();
    match (&field.takes, kind) {
        (Takes::Text(rules), JsonType::String) => text(rules, value, &at, sink),
        (Takes::Number(rules), JsonType::Number) => number(rules, value, &at, sink),
        (Takes::Boolean(only), JsonType::Boolean) => {
            if let Some(only) = only.filter(|only| value.as_bool() != Some(*only)) {
                sink.add_choices(&at, &[Choice::from(if only { "true" } else { "false" })]);
            }
        }
        (Takes::One(options), JsonType::String) => {
            if option(options, value).is_none() {
                sink.add_choices(&at, &options.list);
            }
        }
        (Takes::Many(rules), JsonType::Array) => many(rules, value, &at, sink),
        _ => sink.add(&at, rules::TYPE, Some(field.kind().json_type()), ""),
    }
}

fn text(rules: &TextRules, value: Value<'_>, at: &At<'_>, sink: &mut Sink<'_>) {
    let Some(text) = value.as_str() else { return };
    if rules.min_length.is_some() || rules.max_length.is_some() {
        let count = characters(&text, rules);
        if let Some(limit) = rules.min_length.filter(|&limit| count < limit) {
            sink.add_count(at, rules::MIN_LENGTH, limit);
        }
        if let Some(limit) = rules.max_length.filter(|&limit| count > limit) {
            sink.add_count(at, rules::MAX_LENGTH, limit);
        }
    }
    if let Some(format) = rules.format.filter(|format| !format.accepts(&text)) {
        sink.add(at, rules::FORMAT, Some(format.name()), format.name());
    }
    for pattern in rules.patterns.iter().filter(|pattern| !pattern.matches(&text)) {
        sink.add(at, rules::PATTERN, None, pattern.source());
    }
}

/// The number of code points, as far as the bounds need it.
fn characters(text: &str, rules: &TextRules) -> u64 {
    let bytes = text.len() as u64;
    let fits_max = rules.max_length.is_none_or(|max| bytes <= max);
    // A code point takes at most four bytes.
    let fits_min = rules.min_length.is_none_or(|min| min <= bytes / 4);
    if fits_max && fits_min { bytes } else { text.chars().count() as u64 }
}

fn number(rules: &NumberRules, value: Value<'_>, at: &At<'_>, sink: &mut Sink<'_>) {
    let Some(number) = Number::read(value) else { return };
    if rules.integer && !number.is_integer() {
        sink.add(at, rules::TYPE, Some("integer"), "");
        return;
    }
    if !number.fits_f64() {
        sink.add(at, rules::RANGE, None, "");
        return;
    }
    let mut bound = |bound: &Option<Bound>, rule, refused: fn(Ordering) -> bool| {
        if let Some(bound) = bound.as_ref().filter(|bound| refused(bound.compare(&number))) {
            sink.add(at, rule, None, &bound.text);
        }
    };
    bound(&rules.minimum, rules::MINIMUM, Ordering::is_lt);
    bound(&rules.maximum, rules::MAXIMUM, Ordering::is_gt);
    bound(&rules.exclusive_minimum, rules::EXCLUSIVE_MINIMUM, Ordering::is_le);
    bound(&rules.exclusive_maximum, rules::EXCLUSIVE_MAXIMUM, Ordering::is_ge);
    if let Some(multiple) = rules.multiple_of.as_ref().filter(|multiple| !multiple.divides(&number))
    {
        sink.add(at, rules::MULTIPLE_OF, None, &multiple.text);
    }
    if let Some(only) = &rules.only
        && !only.iter().any(|one| one.compare(&number).is_eq())
    {
        let list: Vec<Choice> = only.iter().map(|one| Choice::from(&*one.text)).collect();
        sink.add_choices(at, &list);
    }
}

/// Where among the options the text `value` stands.
fn option(options: &Options, value: Value<'_>) -> Option<usize> {
    options.position(&value.as_str()?)
}

fn many(rules: &ManyRules, value: Value<'_>, at: &At<'_>, sink: &mut Sink<'_>) {
    let mut chosen = Chosen::new(rules.options.list.len());
    let mut count = 0u64;
    for (index, item) in value.items().enumerate() {
        count += 1;
        let here = At { item: Some(index), value: item.raw(), ..*at };
        if item.json_type() != JsonType::String {
            sink.add(&here, rules::TYPE, Some("string"), "");
            continue;
        }
        match option(&rules.options, item) {
            None => sink.add_choices(&here, &rules.options.list),
            Some(position) if !chosen.insert(position) => {
                sink.add(&here, rules::UNIQUE_ITEMS, None, "");
            }
            Some(_) => {}
        }
    }
    if let Some(limit) = rules.min_items.filter(|&limit| count < limit) {
        sink.add_count(at, rules::MIN_ITEMS, limit);
    }
    if let Some(limit) = rules.max_items.filter(|&limit| count > limit) {
        sink.add_count(at, rules::MAX_ITEMS, limit);
    }
}

/// A set of small numbers that allocates only past 64.
pub(crate) struct Chosen {
    few: u64,
    many: Vec<u64>,
}

impl Chosen {
    /// An empty set for numbers below `len`.
    pub(crate) fn new(len: usize) -> Self {
        let many = if len > 64 { vec![0; len.div_ceil(64)] } else { Vec::new() };
        Self { few: 0, many }
    }

    /// Adds `number`; whether it was not there before.
    pub(crate) fn insert(&mut self, number: usize) -> bool {
        let word = match self.many.get_mut(number / 64) {
            Some(word) => word,
            None => &mut self.few,
        };
        let bit = 1 << (number % 64);
        let new = *word & bit == 0;
        *word |= bit;
        new
    }

    pub(crate) fn contains(&self, number: usize) -> bool {
        let word = self.many.get(number / 64).unwrap_or(&self.few);
        word & (1 << (number % 64)) != 0
    }
}
