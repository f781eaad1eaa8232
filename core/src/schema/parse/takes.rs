//! What a field takes, put together from its keywords, and whether anything fits.

use super::Reader;
use super::field::{FieldType, Found};
use crate::json::Value;
use crate::schema::check::{Sink, check};
use crate::schema::field::{Choice, Field, ManyRules, NumberRules, Options, Takes, TextRules};
use crate::schema::format::Format;
use crate::schema::messages::Messages;
use crate::schema::{lint, rules};

impl Reader<'_> {
    pub(super) fn takes(
        &mut self,
        kind: FieldType,
        choice: bool,
        value: Value<'_>,
        found: &mut Found<'_>,
    ) -> Option<Takes> {
        match kind {
            FieldType::Boolean => Some(Takes::Boolean(found.only)),
            FieldType::Integer | FieldType::Number => {
                let mut rules = found.numbers.take().unwrap_or_default();
                rules.integer = kind == FieldType::Integer;
                if let Some((least, most)) = found.range.take() {
                    rules.narrow(least, most);
                }
                self.number_bounds(&rules);
                Some(Takes::Number(rules))
            }
            FieldType::Array => {
                if value.get("items").is_none() {
                    self.at("items", |r| r.fault(rules::NOT_A_CHOICE, lint::NOT_A_CHOICE));
                }
                let options = Options::new(found.items.take()?);
                let rules =
                    ManyRules { options, min_items: found.min_items, max_items: found.max_items };
                self.count_bounds(&rules);
                Some(Takes::Many(rules))
            }
            FieldType::String if choice => self.one_of(found),
            FieldType::String => {
                if found.names.is_some() {
                    self.at("enumNames", |r| {
                        r.fault(
                            rules::OPTION_NAMES,
                            "add `enum` with the values, or leave the names out",
                        );
                    });
                }
                let rules = TextRules {
                    min_length: found.min_length,
                    max_length: found.max_length,
                    format: found.format,
                    patterns: std::mem::take(&mut found.patterns).into(),
                };
                self.length_bounds(&rules);
                Some(Takes::Text(rules))
            }
        }
    }

    fn one_of(&mut self, found: &mut Found<'_>) -> Option<Takes> {
        if found.list.is_some() && found.titled.is_some() {
            self.fault(
                rules::OPTION_LISTS,
                "list the options in `enum` or in `oneOf`, not in both",
            );
        }
        let names = found.names.take();
        let list = match (found.list.take(), found.titled.take()) {
            (Some(list), _) => list,
            (None, Some(titled)) => {
                if names.is_some() {
                    self.at("enumNames", |r| {
                        r.fault(
                            rules::OPTION_NAMES,
                            "leave `enumNames` out: each option has its `title`",
                        );
                    });
                }
                return Some(Takes::One(Options::new(titled)));
            }
            (None, None) => return None,
        };
        let Some(names) = names else { return Some(Takes::One(Options::new(list))) };
        if names.len() != list.len() {
            self.at("enumNames", |r| {
                r.fault(rules::OPTION_NAMES, "write as many names as `enum` has values");
            });
        }
        let titled = list.into_iter().zip(names);
        let titled = titled.map(|(choice, title)| Choice { title: Some(title), ..choice });
        Some(Takes::One(Options::new(titled.collect())))
    }

    fn length_bounds(&mut self, rules: &TextRules) {
        let (format_min, format_max) = rules.format.map_or((0, u64::MAX), Format::lengths);
        let min = rules.min_length.unwrap_or(0).max(format_min);
        let max = rules.max_length.unwrap_or(u64::MAX).min(format_max);
        if min > max {
            let token = if rules.min_length.is_some() { "minLength" } else { "maxLength" };
            self.at(token, |r| {
                r.fault(
                    rules::LENGTH_BOUNDS,
                    "no text can be this long and this short: mend minLength, maxLength or format",
                );
            });
        }
    }

    fn number_bounds(&mut self, rules: &NumberRules) {
        if let Some(only) = &rules.only {
            if !only.iter().any(|number| rules.accepts(&number.number())) {
                self.at("enum", |r| {
                    r.fault(
                        rules::NUMBER_BOUNDS,
                        "no number of the list fits the type and the bounds",
                    );
                });
            }
            return;
        }
        if let Some(token) = lint::contradicting_bound(rules) {
            self.at(token, |r| {
                let what = if rules.integer { "whole number" } else { "number" };
                r.fault(
                    rules::NUMBER_BOUNDS,
                    format!("no {what} fits these bounds: raise the upper or lower the lower one"),
                );
            });
        }
    }

    fn count_bounds(&mut self, rules: &ManyRules) {
        let most = rules.max_items.unwrap_or(u64::MAX).min(rules.options.list.len() as u64);
        if rules.min_items.unwrap_or(0) > most {
            self.at("minItems", |r| {
                r.fault(
                    rules::COUNT_BOUNDS,
                    "no choice can have so many options: lower minItems to maxItems and to the number of options",
                );
            });
        }
    }

    pub(super) fn default(&mut self, field: &mut Field, default: Value<'_>) {
        let messages = Messages::default();
        let mut sink = Sink::new(&messages);
        check(field, default, &mut sink);
        match sink.faults.first() {
            None => field.default = Some(default.to_json()),
            Some(fault) => {
                let message = format!(
                    "the default would be no good answer ({}): mend or leave it out",
                    fault.message
                );
                self.fault(rules::DEFAULT, message);
            }
        }
    }
}
