//! Numbers as they were written: exact decimals, compared without rounding.

use std::borrow::Cow;
use std::cmp::Ordering;

/// A JSON number, exactly: sign, digits without outer zeros, exponent of ten.
///
/// `1.0`, `1` and `10e-1` read to the same decimal; 2^53 and 2^53+1 to different ones.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Decimal<'j> {
    negative: bool,
    /// Empty for zero; neither begins nor ends with `0` otherwise.
    digits: Cow<'j, str>,
    /// The value is `0.DIGITS` times ten to this power; 0 for zero. Held at ±(2^62) where the
    /// text says more.
    point: i64,
}

/// Past this an exponent no longer counts exactly; no text that fits in memory brings it back.
const HUGE: i64 = 1 << 62;

impl<'j> Decimal<'j> {
    /// Reads the text of a JSON number that a reader has found sound.
    pub(crate) fn read(text: &'j str) -> Self {
        let (negative, text) = match text.strip_prefix('-') {
            Some(rest) => (true, rest),
            None => (false, text),
        };
        let (mantissa, exponent) = match text.find(['e', 'E']) {
            Some(at) => (&text[..at], read_exponent(&text[at + 1..])),
            None => (text, 0),
        };
        let (whole, fraction) = mantissa.split_once('.').unwrap_or((mantissa, ""));
        let whole = whole.trim_start_matches('0');
        let fraction = fraction.trim_end_matches('0');
        let (digits, point) = if fraction.is_empty() {
            (Cow::Borrowed(whole.trim_end_matches('0')), whole.len() as i64)
        } else if whole.is_empty() {
            let digits = fraction.trim_start_matches('0');
            (Cow::Borrowed(digits), -((fraction.len() - digits.len()) as i64))
        } else {
            (Cow::Owned([whole, fraction].concat()), whole.len() as i64)
        };
        if digits.is_empty() {
            return Self { negative: false, digits, point: 0 };
        }
        Self { negative, digits, point: (point + exponent).clamp(-HUGE, HUGE) }
    }

    /// Reads any text that is a JSON number and nothing else.
    pub fn parse(text: &'j str) -> Option<Self> {
        let bytes = text.as_bytes();
        let mut at = usize::from(bytes.first() == Some(&b'-'));
        let digits = |from: usize| bytes[from..].iter().take_while(|b| b.is_ascii_digit()).count();
        let whole = digits(at);
        if whole == 0 || (whole > 1 && bytes[at] == b'0') {
            return None;
        }
        at += whole;
        if bytes.get(at) == Some(&b'.') {
            let fraction = digits(at + 1);
            if fraction == 0 {
                return None;
            }
            at += 1 + fraction;
        }
        if let Some(b'e' | b'E') = bytes.get(at) {
            at += 1;
            if let Some(b'+' | b'-') = bytes.get(at) {
                at += 1;
            }
            let exponent = digits(at);
            if exponent == 0 {
                return None;
            }
            at += exponent;
        }
        (at == bytes.len()).then(|| Self::read(text))
    }

    /// Whether the number is below zero. Minus zero is not.
    pub fn is_negative(&self) -> bool {
        self.negative
    }

    /// Whether the number is zero.
    pub fn is_zero(&self) -> bool {
        self.digits.is_empty()
    }

    /// Whether the number has no fraction: `5.0` is an integer, `5.5` is not.
    pub fn is_integer(&self) -> bool {
        self.digits.len() as i64 <= self.point || self.is_zero()
    }

    /// The digits without outer zeros; empty for zero.
    pub fn digits(&self) -> &str {
        &self.digits
    }

    /// The power of ten that the digits, read as an integer, are multiplied with; 0 for zero.
    pub fn exponent(&self) -> i64 {
        self.point - self.digits.len() as i64
    }

    /// Whether a double can hold the magnitude (it may round).
    pub fn fits_f64(&self) -> bool {
        self.to_f64().is_finite()
    }

    /// The nearest double; infinite where the magnitude is past every double.
    pub fn to_f64(&self) -> f64 {
        if self.is_zero() {
            return 0.0;
        }
        if self.point > 400 {
            return if self.negative { f64::NEG_INFINITY } else { f64::INFINITY };
        }
        if self.point < -400 {
            return 0.0;
        }
        let sign = if self.negative { "-" } else { "" };
        format!("{sign}0.{}e{}", self.digits, self.point).parse().unwrap_or(f64::NAN)
    }

    /// The number as `i64`, where it is an integer in that range.
    pub fn to_i64(&self) -> Option<i64> {
        if self.is_zero() {
            return Some(0);
        }
        if !self.is_integer() || self.point > 19 {
            return None;
        }
        let mut value: i128 = 0;
        for digit in self.digits.bytes() {
            value = value * 10 + i128::from(digit - b'0');
        }
        for _ in 0..self.exponent() {
            value *= 10;
        }
        i64::try_from(if self.negative { -value } else { value }).ok()
    }

    /// The same number, without the text it was read from.
    pub fn into_owned(self) -> Decimal<'static> {
        Decimal { digits: Cow::Owned(self.digits.into_owned()), ..self }
    }

    fn magnitude(&self, other: &Decimal<'_>) -> Ordering {
        match (self.is_zero(), other.is_zero()) {
            (true, true) => Ordering::Equal,
            (true, false) => Ordering::Less,
            (false, true) => Ordering::Greater,
            // Digits begin with a nonzero one and end with one: text order is number order.
            (false, false) => (self.point, &*self.digits).cmp(&(other.point, &*other.digits)),
        }
    }
}

impl PartialOrd for Decimal<'_> {
    fn partial_cmp(&self, other: &Self) -> Option<Ordering> {
        Some(self.cmp(other))
    }
}

impl Ord for Decimal<'_> {
    fn cmp(&self, other: &Self) -> Ordering {
        match (self.negative, other.negative) {
            (false, true) => Ordering::Greater,
            (true, false) => Ordering::Less,
            (false, false) => self.magnitude(other),
            (true, true) => other.magnitude(self),
        }
    }
}

fn read_exponent(text: &str) -> i64 {
    let (negative, digits) = match text.as_bytes().first() {
        Some(b'-') => (true, &text[1..]),
        Some(b'+') => (false, &text[1..]),
        _ => (false, text),
    };
    let mut value = 0i64;
    for digit in digits.bytes() {
        value = value.saturating_mul(10).saturating_add(i64::from(digit - b'0')).min(HUGE);
    }
    if negative { -value } else { value }
}
