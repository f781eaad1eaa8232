//! References into the schema itself.

use crate::json::Value;

/// What `reference` refers to and where it stands, or why it is not followed.
pub(super) fn resolve<'j>(
    root: Value<'j>,
    reference: &str,
) -> Result<(Value<'j>, String), &'static str> {
    let Some(fragment) = reference.strip_prefix('#') else {
        return Err(
            "only references into the schema itself are followed: write the schema in its place",
        );
    };
    let pointer = percent_decoded(fragment).ok_or("the reference is no JSON pointer")?;
    if !pointer.is_empty() && !pointer.starts_with('/') {
        return Err("only references by JSON pointer are followed: write the schema in its place");
    }
    let mut value = root;
    for token in pointer.split('/').skip(1) {
        let token = token.replace("~1", "/").replace("~0", "~");
        let member = match token.parse::<usize>() {
            Ok(index) if value.is_array() => value.items().nth(index),
            _ => value.get(&token),
        };
        value = member
            .ok_or("the reference leads nowhere: mend it or write the schema in its place")?;
    }
    Ok((value, pointer))
}

fn percent_decoded(text: &str) -> Option<String> {
    let mut bytes = Vec::with_capacity(text.len());
    let mut rest = text.as_bytes();
    while let [first, after @ ..] = rest {
        if *first == b'%' {
            let digits = after.get(..2)?;
            let digits = std::str::from_utf8(digits).ok()?;
            if !digits.bytes().all(|b| b.is_ascii_hexdigit()) {
                return None;
            }
            bytes.push(u8::from_str_radix(digits, 16).ok()?);
            rest = &after[2..];
        } else {
            bytes.push(*first);
            rest = after;
        }
    }
    String::from_utf8(bytes).ok()
}
