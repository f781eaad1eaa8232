//! Writes what restricts a number: bounds in the words of the grammar where it has them, off the
//! wire where it has not.

use super::Fate;
use super::gather::{Gathered, Literal, Said};
use super::object::Normalizer;
use super::rewrite::{Text, put_options};
use crate::json::{Decimal, JsonType, Value};
use crate::schema::format::{is_wide_number, numeric_range};
use crate::schema::number::{integer_from, integer_to};
use crate::schema::rules;

/// What a printer of integers adds by itself: the integers that a double holds exactly.
const SAFE: [&str; 2] = ["-9007199254740991", "9007199254740991"];

impl<'j> Normalizer<'j, '_> {
    pub(super) fn number(
        &mut self,
        integer: bool,
        field: &mut Gathered<'j>,
        text: &mut Text<'_>,
    ) -> bool {
        let multiple = field.take("multipleOf");
        let whole = multiple.as_ref().is_some_and(|said| is_whole(said.value));
        let lower = self.bounds(integer || whole, Side::LOWER, field);
        let upper = self.bounds(integer || whole, Side::UPPER, field);
        let literals = field.literals.take();
        let (mut least, mut most) = (lower.inclusive, upper.inclusive);
        if let Some((list, place)) = &literals {
            for literal in list {
                if literal.value.json_type() != JsonType::Number {
                    self.fault(
                        &literal.path,
                        rules::OPTION,
                        "write options of one type, best texts",
                    );
                    return false;
                }
            }
            self.note(place, Fate::Enforced, "hosts do not know it; answers are checked");
            let mut numbers: Vec<&Literal<'_>> = list.iter().collect();
            numbers.sort_by(|a, b| a.value.as_decimal().cmp(&b.value.as_decimal()));
            // The outermost numbers are bounds that hosts can show.
            if let (Some(first), Some(last)) = (numbers.first(), numbers.last()) {
                least = least.or_else(|| Some((first.value.compact(), place.clone())));
                most = most.or_else(|| Some((last.value.compact(), place.clone())));
            }
        }
        let bounds = [("minimum", least), ("maximum", most)];
        for (key, bound) in bounds {
            if let Some((json, path)) = bound {
                text.put(key, &json, &path);
            }
        }
        for said in [lower.exclusive, upper.exclusive].into_iter().flatten() {
            text.keep(&said);
        }
        match multiple {
            Some(said) if is_number(said.value, "1") => {
                self.note(&said.path, Fate::Wire, "a whole number")
            }
            Some(said) => {
                self.note(&said.path, Fate::Enforced, "hosts do not know it; answers are checked");
                text.keep(&said);
            }
            None => {}
        }
        if let Some(said) = field.take("format") {
            let name = said.value.as_str().unwrap_or_default();
            if numeric_range(&name).is_some() {
                self.note(
                    &said.path,
                    Fate::Enforced,
                    "answers are checked for the range of the type",
                );
                text.keep(&said);
            } else if is_wide_number(&name) {
                self.note(&said.path, Fate::Dropped, "any number is of this format");
            } else {
                self.note(&said.path, Fate::Dropped, "says nothing about a number");
            }
        }
        if let Some((list, place)) = literals {
            put_options(text, "enum", "", false, &list, &place);
        }
        true
    }

    /// The bounds on one side, as the grammar says them.
    fn bounds(&mut self, integer: bool, side: Side, field: &mut Gathered<'j>) -> Bounds<'j> {
        let mut inclusive = field.take(side.inclusive);
        let mut exclusive = field.take(side.exclusive);
        // Draft-04: a truth value that makes the other bound exclusive.
        match exclusive.as_ref().and_then(|said| said.value.as_bool()) {
            Some(true) => {
                let flag = exclusive.take();
                exclusive = inclusive.take().map(|said| Said { key: side.exclusive, ..said });
                if let (Some(flag), None) = (flag, &exclusive) {
                    self.note(&flag.path, Fate::Dropped, "there is no bound to exclude");
                }
            }
            Some(false) => {
                if let Some(flag) = exclusive.take() {
                    self.note(&flag.path, Fate::Dropped, "the bound is included");
                }
            }
            None => {}
        }
        // A bound that a printer adds to every integer.
        if let Some(said) = inclusive.take_if(|said| integer && is_number(said.value, side.safe)) {
            self.note(&said.path, Fate::Dropped, "what every integer meets that a double holds");
        }
        let mut bound = inclusive.map(|said| {
            self.note(&said.path, Fate::Wire, "");
            (said.value.compact(), said.path)
        });
        let converted = exclusive.as_ref().filter(|_| integer).and_then(|said| {
            let decimal = said.value.as_decimal()?;
            (side.beyond)(&decimal, true)
        });
        match (converted, exclusive) {
            (Some(next), Some(said)) => {
                let next = next.to_string();
                let looser = bound.as_ref().is_some_and(|(json, _)| side.refuses_more(json, &next));
                if looser {
                    self.note(&said.path, Fate::Dropped, "another bound refuses more");
                } else {
                    self.note(&said.path, Fate::Wire, "the next whole number is the bound");
                    bound = Some((next, said.path));
                }
                Bounds { inclusive: bound, exclusive: None }
            }
            (_, Some(said)) => {
                self.note(&said.path, Fate::Enforced, "hosts do not know it; answers are checked");
                Bounds { inclusive: bound, exclusive: Some(said) }
            }
            (_, None) => Bounds { inclusive: bound, exclusive: None },
        }
    }
}

/// Which side of a number a bound is on.
#[derive(Clone, Copy)]
struct Side {
    inclusive: &'static str,
    exclusive: &'static str,
    safe: &'static str,
    /// The next whole number inside a bound.
    beyond: fn(&Decimal<'_>, bool) -> Option<i128>,
    upper: bool,
}

impl Side {
    const LOWER: Self = Self {
        inclusive: "minimum",
        exclusive: "exclusiveMinimum",
        safe: SAFE[0],
        beyond: integer_from,
        upper: false,
    };
    const UPPER: Self = Self {
        inclusive: "maximum",
        exclusive: "exclusiveMaximum",
        safe: SAFE[1],
        beyond: integer_to,
        upper: true,
    };

    /// Whether the bound `json` refuses what `other` does, and more.
    fn refuses_more(self, json: &str, other: &str) -> bool {
        match (Decimal::parse(json), Decimal::parse(other)) {
            (Some(bound), Some(other)) if self.upper => bound < other,
            (Some(bound), Some(other)) => bound > other,
            _ => false,
        }
    }
}

struct Bounds<'j> {
    /// JSON and where it comes from.
    inclusive: Option<(String, String)>,
    exclusive: Option<Said<'j>>,
}

/// Whether all multiples of the number are whole.
pub(super) fn is_whole(value: Value<'_>) -> bool {
    value.as_decimal().is_some_and(|number| number.is_integer())
}

fn is_number(value: Value<'_>, text: &str) -> bool {
    value.as_decimal().is_some_and(|number| Some(number) == Decimal::parse(text))
}
