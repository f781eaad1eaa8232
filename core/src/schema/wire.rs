//! The wire text of a schema: the whole schema without what is enforced off the wire.

use super::format::Format;
use super::parse::OFF_WIRE;
use crate::json::{Entry, Value};

/// Appends the wire text of the whole schema `source`.
pub(crate) fn write(source: Value<'_>, out: &mut String) {
    object(source, out, |entry, out| {
        if !entry.key_is("properties") {
            entry.value.compact_into(out);
            return;
        }
        object(entry.value, out, |property, out| {
            let kind = property.value.get("type").and_then(Value::as_str).unwrap_or_default();
            let shown = property.value.entries().filter(|keyword| is_on_wire(keyword, &kind));
            members(shown, out, |entry, out| entry.value.compact_into(out));
        });
    });
}

/// Whether hosts are shown this keyword of a field of the type `kind`.
pub(crate) fn is_on_wire(keyword: &Entry<'_>, kind: &str) -> bool {
    if keyword.key_is("enum") {
        return kind == "string";
    }
    if keyword.key_is("format") {
        let name = keyword.value.as_str().unwrap_or_default();
        return Format::by_name(&name).is_some_and(Format::on_wire);
    }
    !OFF_WIRE.iter().any(|off| keyword.key_is(off))
}

/// Appends `object` with each value as `value` writes it.
pub(crate) fn object<'j>(
    object: Value<'j>,
    out: &mut String,
    value: impl FnMut(Entry<'j>, &mut String),
) {
    members(object.entries(), out, value);
}

/// Appends an object of `entries`, keys as they stand, each value as `value` writes it.
pub(crate) fn members<'j>(
    entries: impl Iterator<Item = Entry<'j>>,
    out: &mut String,
    mut value: impl FnMut(Entry<'j>, &mut String),
) {
    out.push('{');
    push_members(entries, out, &mut value);
    out.push('}');
}

/// Appends the members of an object without its braces.
pub(crate) fn push_members<'j>(
    entries: impl Iterator<Item = Entry<'j>>,
    out: &mut String,
    mut value: impl FnMut(Entry<'j>, &mut String),
) {
    for (at, entry) in entries.enumerate() {
        if at > 0 {
            out.push(',');
        }
        out.push_str(entry.raw_key());
        out.push(':');
        value(entry, out);
    }
}
