//! A form as it is shown this time: without fields whose values are known, with values to review.

use super::Form;
use super::wire::members;
use crate::json::{Json, quote_into};

impl Form {
    /// Appends the wire text without the fields `omitted`, and with `prefilled` values in place of
    /// the defaults. A boolean that is prefilled has no default: what a person agreed to beside a
    /// mistake is theirs to say again.
    pub(crate) fn write_shown(
        &self,
        omitted: &[String],
        prefilled: Option<&Json>,
        out: &mut String,
    ) {
        let is_shown = |name: &str| !omitted.iter().any(|omitted| omitted == name);
        // The wire text was read once and is sound; were it not, the form would go out as it is.
        let Ok(wire) = Json::parse_with_depth(self.wire(), usize::MAX) else {
            return out.push_str(self.wire());
        };
        members(wire.root().entries(), out, |entry, out| {
            if entry.key_is("properties") {
                let shown = entry.value.entries().filter(|field| is_shown(&field.key()));
                members(shown, out, |field, out| {
                    let value = prefilled.and_then(|values| values.root().get(&field.key()));
                    let Some(value) = value else { return field.value.compact_into(out) };
                    let kept = field.value.entries().filter(|keyword| !keyword.key_is("default"));
                    members(kept, out, |keyword, out| keyword.value.compact_into(out));
                    if value.as_bool().is_none() {
                        out.pop();
                        out.push_str(",\"default\":");
                        value.compact_into(out);
                        out.push('}');
                    }
                });
            } else if entry.key_is("required") {
                out.push('[');
                let mut comma = "";
                for name in entry.value.items().filter_map(|name| name.as_str()) {
                    if is_shown(&name) {
                        out.push_str(comma);
                        quote_into(out, &name);
                        comma = ",";
                    }
                }
                out.push(']');
            } else {
                entry.value.compact_into(out);
            }
        });
    }

    /// The defaults of the fields that have one, as an answer.
    pub(crate) fn defaults(&self) -> Json {
        let mut text = String::from("{");
        for field in self.fields() {
            if let Some(value) = field.default_value() {
                if text.len() > 1 {
                    text.push(',');
                }
                quote_into(&mut text, field.name());
                text.push(':');
                value.compact_into(&mut text);
            }
        }
        text.push('}');
        Json::parse_with_depth(text, usize::MAX).unwrap_or_else(|_| Json::empty_object())
    }
}
