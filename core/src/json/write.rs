//! Writing: texts quoted, values without white space.

use super::parse::plain_run;
use super::{Json, JsonType, Node, Value};

/// Appends `text` as a JSON string with its quotes.
pub fn quote_into(out: &mut String, text: &str) {
    out.push('"');
    escape_into(out, text);
    out.push('"');
}

/// Appends `text` with what JSON wants escaped, in the escapes of RFC 8785.
pub fn escape_into(out: &mut String, text: &str) {
    let mut rest = text;
    loop {
        let run = plain_run(rest.as_bytes());
        let (plain, stop) = rest.split_at(run);
        out.push_str(plain);
        let Some(&byte) = stop.as_bytes().first() else { return };
        match byte {
            b'"' => out.push_str("\\\""),
            b'\\' => out.push_str("\\\\"),
            0x08 => out.push_str("\\b"),
            0x09 => out.push_str("\\t"),
            0x0A => out.push_str("\\n"),
            0x0C => out.push_str("\\f"),
            0x0D => out.push_str("\\r"),
            control => {
                const HEX: &[u8; 16] = b"0123456789abcdef";
                out.push_str("\\u00");
                out.push(char::from(HEX[usize::from(control >> 4)]));
                out.push(char::from(HEX[usize::from(control & 15)]));
            }
        }
        rest = &stop[1..];
    }
}

pub(super) fn compact_into(value: Value<'_>, out: &mut String) {
    let nodes = &value.json.nodes;
    let root = nodes[value.at as usize];
    let mut raw = &value.json.text[root.start as usize..root.end as usize];
    if !value.json.spaced {
        return out.push_str(raw);
    }
    // White space stands between tokens only: copy string tokens whole, drop it elsewhere.
    while let Some(at) = raw.bytes().position(|b| matches!(b, b'"' | b' ' | b'\t' | b'\n' | b'\r'))
    {
        out.push_str(&raw[..at]);
        if raw.as_bytes()[at] == b'"' {
            let end = at + string_len(&raw[at..]);
            out.push_str(&raw[at..end]);
            raw = &raw[end..];
        } else {
            raw = &raw[at + 1..];
        }
    }
    out.push_str(raw);
}

/// Length of the string token that `text` begins with.
fn string_len(text: &str) -> usize {
    let bytes = text.as_bytes();
    let mut at = 1;
    loop {
        at += plain_run(&bytes[at.min(bytes.len())..]);
        match bytes.get(at) {
            Some(b'"') => return at + 1,
            Some(_) => at += 2,
            None => return bytes.len(),
        }
    }
}

/// `value` as a text of its own; its table is the old one moved, its text made compact.
pub(super) fn extract(value: Value<'_>) -> Json {
    let text = value.compact();
    let source = &value.json.nodes[value.at as usize..value.node().after as usize];
    if text.len() == value.raw().len() {
        let nodes = source
            .iter()
            .map(|node| Node {
                start: node.start - source[0].start,
                end: node.end - source[0].start,
                after: node.after - value.at,
                ..*node
            })
            .collect();
        return Json { text: text.into_boxed_str(), nodes, spaced: false };
    }
    // A sound text without its white space is sound: depth is bounded by what was read before.
    match super::parse::parse(&text, usize::MAX) {
        Ok((nodes, spaced)) => Json { text: text.into_boxed_str(), nodes, spaced },
        Err(_) => Json { text: "null".into(), nodes: vec![null_node()], spaced: false },
    }
}

fn null_node() -> Node {
    Node { start: 0, end: 4, after: 1, kind: JsonType::Null, escaped: false }
}
