//! Numbers of a form: bounds and multiples, compared as exact decimals.
//!
//! Short integers, which most answers are, take a path without decimals.

use std::cmp::Ordering;

use crate::json::{Decimal, JsonType, Value};

/// A number as an answer gives it.
pub(crate) enum Number<'j> {
    /// An integer of at most 18 digits, written without point and exponent.
    Short(i64),
    Exact(Decimal<'j>),
}

impl<'j> Number<'j> {
    /// Reads a JSON number.
    pub(crate) fn read(value: Value<'j>) -> Option<Self> {
        match short_integer(value.raw()) {
            Some(short) => Some(Self::Short(short)),
            None => value.as_decimal().map(Self::Exact),
        }
    }

    pub(crate) fn is_integer(&self) -> bool {
        match self {
            Self::Short(_) => true,
            Self::Exact(decimal) => decimal.is_integer(),
        }
    }

    /// Whether a double can hold the magnitude.
    pub(crate) fn fits_f64(&self) -> bool {
        match self {
            Self::Short(_) => true,
            Self::Exact(decimal) => fits_f64(decimal),
        }
    }
}

/// Whether a double can hold the magnitude; cheap for all but the outermost numbers.
pub(crate) fn fits_f64(number: &Decimal<'_>) -> bool {
    let magnitude = number.exponent().saturating_add(number.digits().len() as i64);
    magnitude <= 308 || number.fits_f64()
}

/// A bound of a numeric field.
#[derive(Clone, Debug)]
pub(crate) struct Bound {
    /// The number as the schema writes it.
    pub(crate) text: Box<str>,
    /// None where the text is a short integer, as most are.
    decimal: Option<Decimal<'static>>,
    short: Option<i64>,
}

impl Bound {
    /// Reads a JSON number.
    pub(crate) fn read(value: Value<'_>) -> Option<Self> {
        if value.json_type() == JsonType::Number { Self::from_text(value.raw()) } else { None }
    }

    /// Reads a text that is a JSON number.
    pub(crate) fn from_text(text: &str) -> Option<Self> {
        if let Some(short) = short_integer(text) {
            return Some(Self { text: text.into(), decimal: None, short: Some(short) });
        }
        let decimal = Decimal::parse(text)?.into_owned();
        let short = decimal.to_i64();
        Some(Self { text: text.into(), decimal: Some(decimal), short })
    }

    /// The bound itself as a number.
    pub(crate) fn number(&self) -> Number<'_> {
        match (&self.decimal, self.short) {
            (None, Some(short)) => Number::Short(short),
            _ => Number::Exact(self.decimal()),
        }
    }

    pub(crate) fn decimal(&self) -> Decimal<'_> {
        Decimal::read(&self.text)
    }

    fn with<T>(&self, compare: impl FnOnce(&Decimal<'_>) -> T) -> T {
        match &self.decimal {
            Some(decimal) => compare(decimal),
            None => compare(&self.decimal()),
        }
    }

    /// How `number` stands to this bound.
    pub(crate) fn compare(&self, number: &Number<'_>) -> Ordering {
        match (number, self.short) {
            (Number::Short(number), Some(bound)) => number.cmp(&bound),
            (Number::Short(number), None) => self.with(|bound| {
                let text = number.to_string();
                Decimal::read(&text).cmp(bound)
            }),
            (Number::Exact(number), _) => self.with(|bound| number.cmp(bound)),
        }
    }
}

/// What a number must be a whole multiple of.
#[derive(Clone, Debug)]
pub(crate) struct Multiple {
    pub(crate) text: Box<str>,
    digits: u64,
    exponent: i64,
}

impl Multiple {
    /// Reads a JSON number above zero with at most 18 digits.
    pub(crate) fn read(value: Value<'_>) -> Option<Self> {
        let decimal = value.as_decimal()?;
        if decimal.is_negative() || decimal.is_zero() || decimal.digits().len() > 18 {
            return None;
        }
        let digits = decimal.digits().parse().ok()?;
        Some(Self { text: value.raw().into(), digits, exponent: decimal.exponent() })
    }

    /// Whether `number` divided by this is a whole number, exactly: 0.3 is a multiple of 0.1.
    pub(crate) fn divides(&self, number: &Number<'_>) -> bool {
        match number {
            Number::Short(number) => {
                let text = number.to_string();
                self.divides_decimal(&Decimal::read(&text))
            }
            Number::Exact(decimal) => self.divides_decimal(decimal),
        }
    }

    fn divides_decimal(&self, number: &Decimal<'_>) -> bool {
        if number.is_zero() {
            return true;
        }
        let shift = number.exponent().saturating_sub(self.exponent);
        let modulus = u128::from(self.digits);
        let rest = number
            .digits()
            .bytes()
            .fold(0, |rest: u128, digit| (rest * 10 + u128::from(digit - b'0')) % modulus);
        if shift >= 0 {
            return (rest * power_of_ten(shift, modulus)).is_multiple_of(modulus);
        }
        // The digits do not end in zero, so that no power of ten divides them whole.
        false
    }
}

/// Ten to `exponent`, modulo `modulus`, which is below 2^64.
fn power_of_ten(mut exponent: i64, modulus: u128) -> u128 {
    let (mut power, mut base) = (1 % modulus, 10 % modulus);
    while exponent > 0 {
        if exponent & 1 == 1 {
            power = power * base % modulus;
        }
        base = base * base % modulus;
        exponent >>= 1;
    }
    power
}

/// The smallest integer not below `number`, or above it where it must be `strictly` above.
/// None for numbers past 10^40, among which integers lie dense.
pub(crate) fn integer_from(number: &Decimal<'_>, strictly: bool) -> Option<i128> {
    let floor = floor(number)?;
    Some(if number.is_integer() && !strictly { floor } else { floor + 1 })
}

/// The greatest integer not above `number`, or below it where it must be `strictly` below.
pub(crate) fn integer_to(number: &Decimal<'_>, strictly: bool) -> Option<i128> {
    let floor = floor(number)?;
    Some(if number.is_integer() && strictly { floor - 1 } else { floor })
}

fn floor(number: &Decimal<'_>) -> Option<i128> {
    if number.is_zero() {
        return Some(0);
    }
    let whole_digits = number.exponent() + number.digits().len() as i64;
    if whole_digits > 36 {
        return None;
    }
    let kept = usize::try_from(whole_digits).unwrap_or(0).min(number.digits().len());
    let mut whole: i128 = number.digits()[..kept].parse().unwrap_or(0);
    for _ in 0..number.exponent().max(0) {
        whole *= 10;
    }
    Some(match (number.is_negative(), number.is_integer()) {
        (false, _) => whole,
        (true, true) => -whole,
        (true, false) => -whole - 1,
    })
}

/// The value of a JSON number that is at most 18 digits and perhaps a minus sign.
pub(crate) fn short_integer(raw: &str) -> Option<i64> {
    let bytes = raw.as_bytes();
    let (negative, digits) = match bytes {
        [b'-', digits @ ..] => (true, digits),
        digits => (false, digits),
    };
    if digits.is_empty() || digits.len() > 18 {
        return None;
    }
    let mut value = 0i64;
    for digit in digits {
        if !digit.is_ascii_digit() {
            return None;
        }
        value = value * 10 + i64::from(digit - b'0');
    }
    Some(if negative { -value } else { value })
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::json::Json;

    fn decimal(text: &str) -> Decimal<'_> {
        Decimal::parse(text).unwrap()
    }

    #[test]
    fn integers_around_a_bound() {
        for (text, from, above, to, below) in [
            ("0", 0, 1, 0, -1),
            ("5", 5, 6, 5, 4),
            ("0.2", 1, 1, 0, 0),
            ("-0.2", 0, 0, -1, -1),
            ("-5", -5, -4, -5, -6),
            ("1.5e1", 15, 16, 15, 14),
            ("2e3", 2000, 2001, 2000, 1999),
            ("0.0001", 1, 1, 0, 0),
        ] {
            let number = decimal(text);
            assert_eq!(integer_from(&number, false), Some(from), "{text}");
            assert_eq!(integer_from(&number, true), Some(above), "{text}");
            assert_eq!(integer_to(&number, false), Some(to), "{text}");
            assert_eq!(integer_to(&number, true), Some(below), "{text}");
        }
        assert_eq!(integer_from(&decimal("1e300"), false), None);
    }

    #[test]
    fn multiples_are_exact() {
        for (multiple, number, fits) in [
            ("0.1", "0.3", true),
            ("0.01", "19.99", true),
            ("0.01", "19.999", false),
            ("2", "4", true),
            ("2", "-4", true),
            ("2", "5", false),
            ("3", "1e300", false),
            ("2.5", "1e300", true),
            ("0.5", "0", true),
            ("7", "1e-300", false),
            ("1e-300", "1e-300", true),
            ("20", "10", false),
            ("20", "100", true),
            ("123456789012345678", "370370367037037034", true),
            ("5", "9007199254740993", false),
            ("3", "9007199254740993", true),
        ] {
            let multiple_json = Json::parse(multiple).unwrap();
            let number_json = Json::parse(number).unwrap();
            let multiple_of = Multiple::read(multiple_json.root()).unwrap();
            let read = Number::read(number_json.root()).unwrap();
            assert_eq!(multiple_of.divides(&read), fits, "{number} by {multiple}");
        }
    }
}
