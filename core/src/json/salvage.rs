//! The `id` of a request that was refused, so that the refusal reaches its sender.
//!
//! Owns a reading that is looser than the strict one and keeps nothing: the text was refused for
//! its depth or for what two readers could see differently, and may be hostile. What is not the
//! id is passed over without being understood.
//! Protocol: basic, "Error Responses" (the same id, except where it could not be read).

use super::parse::{plain_run, unescape};
use super::{Json, JsonType};

/// The `id` of a JSON-RPC object, as it stands.
///
/// None where the text is no object, its id is neither a string nor an integer, or stands twice.
pub(crate) fn salvage_id(text: &str) -> Option<&str> {
    let mut skim = Skim { text, at: 0 };
    let mut found = None;
    skim.skip_space();
    skim.expect(b'{')?;
    loop {
        skim.skip_space();
        let key = skim.string()?;
        skim.skip_space();
        skim.expect(b':')?;
        let value = skim.value()?;
        if key == "id" || (key.contains('\\') && unescape(key) == "id") {
            if found.is_some() {
                return None;
            }
            found = Some(value);
        }
        match skim.next()? {
            b',' => {}
            b'}' => break,
            _ => return None,
        }
    }
    skim.skip_space();
    (skim.at == text.len()).then_some(())?;
    found.filter(|id| is_id(id))
}

fn is_id(text: &str) -> bool {
    let Ok(id) = Json::parse_with_depth(text, 0) else { return false };
    let id = id.root();
    id.json_type() == JsonType::String || id.as_decimal().is_some_and(|number| number.is_integer())
}

struct Skim<'t> {
    text: &'t str,
    at: usize,
}

impl<'t> Skim<'t> {
    fn peek(&self) -> Option<u8> {
        self.text.as_bytes().get(self.at).copied()
    }

    fn next(&mut self) -> Option<u8> {
        let byte = self.peek()?;
        self.at += 1;
        Some(byte)
    }

    fn expect(&mut self, byte: u8) -> Option<()> {
        (self.next()? == byte).then_some(())
    }

    fn skip_space(&mut self) {
        while let Some(b' ' | b'\t' | b'\n' | b'\r') = self.peek() {
            self.at += 1;
        }
    }

    /// A string without its quotes, escapes as they stand.
    fn string(&mut self) -> Option<&'t str> {
        self.expect(b'"')?;
        let start = self.at;
        loop {
            self.at += plain_run(self.text.as_bytes().get(self.at..)?);
            match self.next()? {
                b'"' => return self.text.get(start..self.at - 1),
                b'\\' => self.at += 1,
                _ => return None,
            }
        }
    }

    /// A value up to the comma or brace that ends it, without white space around it.
    fn value(&mut self) -> Option<&'t str> {
        let start = self.at;
        let mut depth = 0usize;
        loop {
            match self.peek()? {
                b'"' => {
                    self.string()?;
                    continue;
                }
                b'{' | b'[' => depth += 1,
                b',' | b'}' if depth == 0 => break,
                b'}' | b']' => depth = depth.checked_sub(1)?,
                _ => {}
            }
            self.at += 1;
        }
        let value = self.text.get(start..self.at)?;
        Some(value.trim_matches([' ', '\t', '\n', '\r']))
    }
}

#[cfg(test)]
mod tests {
    use super::salvage_id;

    #[test]
    fn an_id_is_found_beside_what_was_refused() {
        for (text, id) in [
            (r#"{"id":1,"a":{"b":1,"b":2}}"#, "1"),
            (r#" { "a" : ["]","}",{"id":3}] , "id" : "x\"\\" } "#, r#""x\"\\""#),
            (r#"{"\u0069d":-7,"a":"\ud800"}"#, "-7"),
            (r#"{"id":1.0,"id2":2}"#, "1.0"),
            (r#"{"a":1,"a":2,"id":18446744073709551616}"#, "18446744073709551616"),
        ] {
            assert_eq!(salvage_id(text), Some(id), "{text}");
        }
        let deep = format!("{{\"a\":{}{},\"id\":9}}", "[".repeat(100_000), "]".repeat(100_000));
        assert_eq!(salvage_id(&deep), Some("9"));
    }

    #[test]
    fn an_id_that_two_readers_could_see_differently_is_none() {
        for text in [
            r#"{"id":1,"id":1}"#,
            r#"{"id":1,"\u0069d":2}"#,
            r#"{"id":null}"#,
            r#"{"id":1.5}"#,
            r#"{"id":[1]}"#,
            r#"{"id":"\ud800"}"#,
            r#"{"id":01}"#,
            r#"{"id":}"#,
            r#"{"id":1 2}"#,
            r#"{"a":{"id":1}}"#,
            r#"[{"id":1}]"#,
            r#"{"id":1"#,
            r#"{"id":1}]"#,
            r#"{"id":1}{"id":2}"#,
            r#"{"id"#,
            r#"{"id":"a\"#,
            "{",
            "",
            "1",
        ] {
            assert_eq!(salvage_id(text), None, "{text}");
        }
    }
}
