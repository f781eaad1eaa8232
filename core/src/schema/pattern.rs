//! `pattern`: ECMA-262 regular expressions, decided in linear time.
//!
//! Owns the translation to the `regex` crate, whose classes and dot mean other sets than those of
//! ECMA-262, and the refusal of what cannot be decided in linear time. A pattern never goes on the
//! wire: the grammar of a form has none (elicitation, "Requested Schema").

use regex::{Regex, RegexBuilder};

/// The longest pattern, in bytes.
const LONGEST: usize = 4096;
/// The most memory that a compiled pattern may take, in bytes.
const LARGEST: usize = 1 << 20;

const DIGIT: &str = "0-9";
const WORD: &str = "0-9A-Za-z_";
/// White space and line ends of ECMA-262.
const SPACE: &str = "\\t\\n\\x0B\\x0C\\r\\x20\\x{A0}\\x{1680}\\x{2000}-\\x{200A}\\x{2028}\\x{2029}\\x{202F}\\x{205F}\\x{3000}\\x{FEFF}";

/// A pattern, compiled.
#[derive(Clone, Debug)]
pub(crate) struct Pattern {
    source: Box<str>,
    regex: Regex,
}

impl Pattern {
    /// Compiles a pattern of ECMA-262, or says why it is refused.
    pub(crate) fn new(source: &str) -> Result<Self, &'static str> {
        if source.len() > LONGEST {
            return Err("is longer than 4096 bytes");
        }
        let translated = Translator { rest: source, out: String::new() }.run()?;
        let regex =
            RegexBuilder::new(&translated).size_limit(LARGEST).nest_limit(64).build().map_err(
                |error| match error {
                    regex::Error::CompiledTooBig(_) => "repeats too much",
                    _ => "is no regular expression of ECMA-262 that we can decide in linear time",
                },
            )?;
        Ok(Self { source: source.into(), regex })
    }

    /// The pattern as the schema writes it.
    pub(crate) fn source(&self) -> &str {
        &self.source
    }

    /// Whether it matches somewhere in `text`.
    pub(crate) fn matches(&self, text: &str) -> bool {
        self.regex.is_match(text)
    }
}

/// One thing that stands for characters.
enum Atom {
    Char(char),
    /// The inside of a class.
    Set {
        inside: String,
        negated: bool,
    },
}

struct Translator<'p> {
    rest: &'p str,
    out: String,
}

impl Translator<'_> {
    fn run(mut self) -> Result<String, &'static str> {
        // Whether what stands before can be repeated: ECMA-262 has no possessive quantifiers.
        let mut repeatable = false;
        while let Some(c) = self.next() {
            repeatable = match c {
                '\\' => {
                    self.escape()?;
                    true
                }
                '[' => {
                    self.class()?;
                    true
                }
                '(' => {
                    self.group()?;
                    false
                }
                '.' => {
                    self.out.push_str("[^\\n\\r\\x{2028}\\x{2029}]");
                    true
                }
                '*' | '+' | '?' => {
                    if !repeatable {
                        return Err("repeats nothing, or a repetition");
                    }
                    self.out.push(c);
                    self.lazy();
                    false
                }
                '{' => match braces(self.rest) {
                    Some(_) if !repeatable => return Err("repeats nothing, or a repetition"),
                    Some(len) => {
                        self.out.push('{');
                        self.out.push_str(&self.rest[..len]);
                        self.rest = &self.rest[len..];
                        self.lazy();
                        false
                    }
                    None => {
                        self.literal('{');
                        true
                    }
                },
                '^' | '$' | '|' => {
                    self.out.push(c);
                    false
                }
                ')' => {
                    self.out.push(c);
                    true
                }
                c => {
                    self.literal(c);
                    true
                }
            };
        }
        Ok(self.out)
    }

    fn next(&mut self) -> Option<char> {
        let c = self.rest.chars().next()?;
        self.rest = &self.rest[c.len_utf8()..];
        Some(c)
    }

    fn eat(&mut self, text: &str) -> bool {
        match self.rest.strip_prefix(text) {
            Some(rest) => {
                self.rest = rest;
                true
            }
            None => false,
        }
    }

    fn lazy(&mut self) {
        if self.eat("?") {
            self.out.push('?');
        }
    }

    fn literal(&mut self, c: char) {
        if c.is_ascii_alphanumeric() || !c.is_ascii() {
            self.out.push(c);
        } else {
            self.code(c);
        }
    }

    fn code(&mut self, c: char) {
        self.out.push_str(&format!("\\x{{{:X}}}", u32::from(c)));
    }

    /// What follows an opening parenthesis. No group captures: nothing can refer back.
    fn group(&mut self) -> Result<(), &'static str> {
        if self.eat("?:") {
        } else if ["?=", "?!", "?<=", "?<!"].iter().any(|look| self.rest.starts_with(look)) {
            return Err("looks ahead or behind, which cannot be decided in linear time");
        } else if self.eat("?<") || self.eat("?P<") {
            let Some(end) = self.rest.find('>') else { return Err("has a group without end") };
            self.rest = &self.rest[end + 1..];
        } else if self.rest.starts_with('?') {
            return Err("sets flags inside, which ECMA-262 does not have");
        }
        self.out.push_str("(?:");
        Ok(())
    }

    /// What follows a backslash outside a class.
    fn escape(&mut self) -> Result<(), &'static str> {
        if self.eat("b") {
            self.out.push_str("(?-u:\\b)");
            return Ok(());
        }
        if self.eat("B") {
            self.out.push_str("(?-u:\\B)");
            return Ok(());
        }
        match self.escaped()? {
            Atom::Char(c) => self.literal(c),
            Atom::Set { inside, negated } => {
                self.out.push_str(if negated { "[^" } else { "[" });
                self.out.push_str(&inside);
                self.out.push(']');
            }
        }
        Ok(())
    }

    /// What follows a backslash anywhere.
    fn escaped(&mut self) -> Result<Atom, &'static str> {
        let set = |inside: &str, negated| Atom::Set { inside: inside.to_owned(), negated };
        let Some(c) = self.next() else { return Err("ends in a backslash") };
        Ok(match c {
            'd' | 'D' => set(DIGIT, c == 'D'),
            'w' | 'W' => set(WORD, c == 'W'),
            's' | 'S' => set(SPACE, c == 'S'),
            'p' | 'P' => {
                let Some(end) = self.rest.find('}').filter(|_| self.rest.starts_with('{')) else {
                    return Err("has a property without braces");
                };
                let name = &self.rest[..=end];
                let plain = |c: char| c.is_ascii_alphanumeric() || "{}_=".contains(c);
                if !name.chars().all(plain) {
                    return Err("names a property that does not exist");
                }
                let inside = format!("\\p{name}");
                self.rest = &self.rest[end + 1..];
                Atom::Set { inside, negated: c == 'P' }
            }
            't' => Atom::Char('\t'),
            'n' => Atom::Char('\n'),
            'v' => Atom::Char('\u{B}'),
            'f' => Atom::Char('\u{C}'),
            'r' => Atom::Char('\r'),
            '0' if !self.rest.starts_with(|c: char| c.is_ascii_digit()) => Atom::Char('\0'),
            '0'..='9' | 'k' => return Err("refers back, which cannot be decided in linear time"),
            'c' => match self.next() {
                Some(letter @ ('a'..='z' | 'A'..='Z')) => {
                    Atom::Char(char::from(letter as u8 & 0x1F))
                }
                _ => return Err("has an escape that ECMA-262 does not have"),
            },
            'x' => Atom::Char(self.hex(2).and_then(char::from_u32).ok_or("has a broken escape")?),
            'u' => Atom::Char(self.unicode().ok_or("has a broken escape")?),
            c if c.is_ascii_alphabetic() => {
                return Err("has an escape that ECMA-262 does not have");
            }
            c => Atom::Char(c),
        })
    }

    fn hex(&mut self, digits: usize) -> Option<u32> {
        let text = self.rest.get(..digits)?;
        if !text.bytes().all(|b| b.is_ascii_hexdigit()) {
            return None;
        }
        self.rest = &self.rest[digits..];
        u32::from_str_radix(text, 16).ok()
    }

    /// `uXXXX`, a pair of them, or `u{X}`, after the `u`.
    fn unicode(&mut self) -> Option<char> {
        if self.eat("{") {
            let end = self.rest.find('}').filter(|end| (1..=6).contains(end))?;
            let code = self.hex(end)?;
            self.rest = &self.rest[1..];
            return char::from_u32(code);
        }
        let first = self.hex(4)?;
        if (0xD800..0xDC00).contains(&first) && self.eat("\\u") {
            let second = self.hex(4).filter(|unit| (0xDC00..0xE000).contains(unit))?;
            return char::from_u32(0x10000 + ((first - 0xD800) << 10) + (second - 0xDC00));
        }
        char::from_u32(first)
    }

    /// A class, after its opening bracket.
    fn class(&mut self) -> Result<(), &'static str> {
        let negated = self.eat("^");
        if self.eat("]") {
            if !negated {
                return Err("has a class that nothing is in");
            }
            self.out.push_str("(?s:.)");
            return Ok(());
        }
        self.out.push_str(if negated { "[^" } else { "[" });
        loop {
            let from = match self.class_atom()? {
                None => break,
                Some(Atom::Set { inside, negated }) => {
                    self.out.push_str(if negated { "[^" } else { "[" });
                    self.out.push_str(&inside);
                    self.out.push(']');
                    continue;
                }
                Some(Atom::Char(c)) => c,
            };
            self.code(from);
            // A hyphen before the end, or before a set, is a hyphen.
            let before = self.rest;
            if !self.eat("-") || self.rest.starts_with(']') {
                self.rest = before;
                continue;
            }
            match self.class_atom()? {
                Some(Atom::Char(to)) if to < from => return Err("has a range that runs backwards"),
                Some(Atom::Char(to)) => {
                    self.out.push('-');
                    self.code(to);
                }
                _ => self.rest = before,
            }
        }
        self.out.push(']');
        Ok(())
    }

    /// The next member of a class; none at its end.
    fn class_atom(&mut self) -> Result<Option<Atom>, &'static str> {
        match self.next() {
            None => Err("has a class without end"),
            Some(']') => Ok(None),
            Some('\\') if self.eat("b") => Ok(Some(Atom::Char('\u{8}'))),
            Some('\\') => self.escaped().map(Some),
            Some(c) => Ok(Some(Atom::Char(c))),
        }
    }
}

/// Length of `n}`, `n,}` or `n,m}` that `text` begins with.
fn braces(text: &str) -> Option<usize> {
    let end = text.find('}')?;
    let (least, most) = match text[..end].split_once(',') {
        Some((least, most)) => (least, Some(most)),
        None => (&text[..end], None),
    };
    let digits = |text: &str| text.bytes().all(|b| b.is_ascii_digit());
    (!least.is_empty() && digits(least) && most.is_none_or(digits)).then_some(end + 1)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn classes_are_those_of_ecma_262() {
        for (pattern, text, matches) in [
            ("^\\d+$", "123", true),
            ("^\\d+$", "१२३", false),
            ("^\\w+$", "été", false),
            ("^\\s$", "\u{FEFF}", true),
            ("^\\s$", "\u{85}", false),
            ("^.$", "\u{2028}", false),
            ("^.$", "é", true),
            ("^[^]$", "\n", true),
            ("\\bcat\\b", "a cat sat", true),
            ("\\bcat\\b", "écaté", true),
            ("a\\Bb", "ab", true),
            ("a\\B", "a", false),
            ("é\\b", "é", false),
            ("^[\\w.-]+$", "a.b-c", true),
            ("^[\\w-.]+$", "a.b-c", true),
            ("^[a&&b]+$", "a&b", true),
            ("^[[a]+$", "[a", true),
            ("^[\\b]$", "\u{8}", true),
            ("^a{$", "a{", true),
            ("^a{,2}$", "a{,2}", true),
            ("^\\u0041\\x42\\u{43}\\cJ$", "ABC\n", true),
            ("^\\ud83d\\ude00$", "😀", true),
            ("^[\\ud83d\\ude00-\\ud83d\\ude02]$", "😁", true),
            ("^\\p{Lu}$", "É", true),
            ("^\\P{Lu}$", "É", false),
            ("^\\p{Script=Greek}+$", "αβγ", true),
            ("^(?<year>\\d{4})-(?:\\d{2})$", "2026-07", true),
            ("^a/b\\/c$", "a/b/c", true),
            ("^\\<\\>$", "<>", true),
            ("a$", "a\n", false),
            ("^[A-Za-z]+$", "abc", true),
            ("b", "abc", true),
            ("^$", "", true),
            ("^a+?$", "aaa", true),
        ] {
            let compiled = Pattern::new(pattern).unwrap();
            assert_eq!(compiled.matches(text), matches, "{pattern} on {text:?}");
        }
    }

    #[test]
    fn what_is_not_linear_or_not_ecma_262_is_refused() {
        for pattern in [
            "(?=a)b",
            "(?!a)b",
            "(?<=a)b",
            "(?<!a)b",
            "(a)\\1",
            "\\k<n>",
            "(?i)a",
            "a**",
            "a*+",
            "a{2}{3}",
            "*a",
            "[]",
            "[z-a]",
            "[a",
            "(a",
            "a)",
            "\\",
            "\\A",
            "\\Z",
            "\\p{Nope}",
            "\\p",
            "\\u{110000}",
            "\\ud83d",
            "\\xZZ",
            "\\01",
            "(a{1000}){1000}",
        ] {
            assert!(Pattern::new(pattern).is_err(), "{pattern}");
        }
        assert!(Pattern::new(&"a".repeat(4097)).is_err());
    }
}
