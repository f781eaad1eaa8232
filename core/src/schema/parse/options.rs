//! The options of a choice, in the five forms.

use std::collections::HashSet;

use super::Reader;
use crate::json::Value;
use crate::schema::field::Choice;
use crate::schema::{lint, rules};

impl Reader<'_> {
    pub(super) fn plain_options(&mut self, value: Value<'_>) -> Vec<Choice> {
        self.options(value, |r, item| match item.as_str() {
            Some(text) => Some(Choice::from(text)),
            None => {
                r.fault(rules::OPTION, "write a text: the options of a choice are texts");
                None
            }
        })
    }

    pub(super) fn titled_options(&mut self, value: Value<'_>) -> Vec<Choice> {
        self.options(value, |r, item| {
            let member = |key| item.get(key).and_then(Value::as_str);
            match (member("const"), member("title")) {
                (Some(value), Some(title)) => {
                    for entry in item.entries() {
                        if !entry.key_is("const") && !entry.key_is("title") {
                            let key = entry.key();
                            r.at(&key, |r| r.unknown(&key, Some("option")));
                        }
                    }
                    Some(Choice::titled(value, title))
                }
                _ => {
                    r.fault(rules::OPTION, "write an object with `const` and `title`, both texts");
                    None
                }
            }
        })
    }

    /// A list of options, each read by `read`.
    fn options(
        &mut self,
        value: Value<'_>,
        read: impl Fn(&mut Self, Value<'_>) -> Option<Choice>,
    ) -> Vec<Choice> {
        if !value.is_array() {
            self.fault(rules::KEYWORD_TYPE, "write a list of options");
            return Vec::new();
        }
        if value.items().next().is_none() {
            self.fault(rules::NO_OPTIONS, "write at least one option");
        }
        const FEW: usize = 16;
        let mut seen = HashSet::new();
        let mut options: Vec<Choice> = Vec::with_capacity(value.items().count());
        for (index, item) in value.items().enumerate() {
            self.at_index(index, |r| {
                let Some(choice) = read(r, item) else { return };
                // Looking through a few is quicker than hashing them.
                if options.len() == FEW {
                    seen.extend(options.iter().map(|choice| choice.value.clone()));
                }
                let new = match options.len() {
                    0..FEW => options.iter().all(|other| other.value != choice.value),
                    _ => seen.insert(choice.value.clone()),
                };
                if !new {
                    r.fault(rules::REPEATED_OPTION, "take the repeated option out");
                }
                options.push(choice);
            });
        }
        options
    }

    pub(super) fn names(&mut self, value: Value<'_>) -> Vec<Box<str>> {
        let names: Option<Vec<Box<str>>> = value
            .is_array()
            .then(|| value.items().map(|item| item.as_str().map(Into::into)).collect())
            .flatten();
        if names.is_none() {
            self.fault(rules::OPTION_NAMES, "write a list of texts, one for each value of `enum`");
        }
        names.unwrap_or_default()
    }

    pub(super) fn items(&mut self, value: Value<'_>) -> Option<Vec<Choice>> {
        if !value.is_object() || (value.get("enum").is_none() && value.get("anyOf").is_none()) {
            self.fault(rules::NOT_A_CHOICE, lint::NOT_A_CHOICE);
            return None;
        }
        let mut list = None;
        let plain = value.get("enum").is_some();
        if plain && value.get("anyOf").is_some() {
            self.fault(
                rules::OPTION_LISTS,
                "list the options in `enum` or in `anyOf`, not in both",
            );
        }
        if plain && value.get("type").and_then(Value::as_str).as_deref() != Some("string") {
            self.at("type", |r| r.fault(rules::FIELD_TYPE, "write `\"type\": \"string\"`"));
        }
        for entry in value.entries() {
            let key = entry.key();
            self.at(&key, |r| match &*key {
                "type" if plain => {}
                "enum" => list = Some(r.plain_options(entry.value)),
                "anyOf" => list = Some(r.titled_options(entry.value)),
                _ => r.unknown(&key, Some("items")),
            });
        }
        list
    }
}
