//! Downgrade: the form as the revisions before 2026-07-28 can carry it.
//!
//! Protocol: 2025-11-25, elicitation, "Requested Schema": the same grammar; 2025-06-18, elicitation,
//! "Supported Schema Types": no choice of several, titles of options in `enumNames` alone, a
//! default for truth values alone, no `$schema`.

use super::field::Takes;
use super::normalize::{Fate, Note};
use super::wire::object;
use super::{Form, rules};
use crate::error::{Error, ErrorKind, Fault, Result};
use crate::json::{Json, Value, push_pointer};

/// An older revision of the protocol.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub enum Revision {
    /// 2025-11-25
    V2025_11_25,
    /// 2025-06-18
    V2025_06_18,
}

impl Revision {
    /// Both revisions, the newer first.
    pub const ALL: &'static [Self] = &[Self::V2025_11_25, Self::V2025_06_18];

    /// The text by which the protocol names the revision.
    pub const fn name(self) -> &'static str {
        match self {
            Self::V2025_11_25 => "2025-11-25",
            Self::V2025_06_18 => "2025-06-18",
        }
    }

    /// The revision that `name` names.
    pub fn by_name(name: &str) -> Option<Self> {
        Self::ALL.iter().copied().find(|revision| revision.name() == name)
    }
}

/// A form as an older revision can carry it.
#[derive(Clone, Debug)]
pub struct Downgraded {
    /// The form: its wire text is the older revision's, answers are checked as before.
    pub form: Form,
    /// What hosts are no longer shown; paths are those of the wire text before.
    pub lost: Vec<Note>,
}

impl Form {
    /// The form as hosts of `revision` can be asked it.
    ///
    /// # Errors
    /// [`ErrorKind::Schema`] with each field that cannot be carried (rule `downgrade`).
    pub fn downgrade(&self, revision: Revision) -> Result<Downgraded> {
        if revision == Revision::V2025_11_25 {
            return Ok(Downgraded { form: self.clone(), lost: Vec::new() });
        }
        let mut faults = Vec::new();
        for field in self.fields() {
            if matches!(field.takes, Takes::Many(_)) {
                let mut path = String::from("/properties");
                push_pointer(&mut path, &field.name);
                faults.push(Fault::new(
                    path,
                    rules::DOWNGRADE,
                    "hosts of 2025-06-18 have no choice of several options: ask a yes or no for each",
                ));
            }
        }
        if !faults.is_empty() {
            let about = "hosts of 2025-06-18 cannot be asked this form";
            return Err(Error::with_faults(ErrorKind::Schema, about, faults));
        }
        let mut lost = Vec::new();
        let Ok(wire) = Json::parse(self.wire()) else {
            return Err(Error::new(ErrorKind::Internal, "the wire text of a form is no JSON"));
        };
        let mut out = String::with_capacity(self.wire().len());
        write(wire.root(), &mut out, &mut lost);
        Ok(Downgraded { form: self.with_wire(out), lost })
    }
}

fn write(root: Value<'_>, out: &mut String, lost: &mut Vec<Note>) {
    let shown = root.entries().filter(|entry| !entry.key_is("$schema"));
    if root.get("$schema").is_some() {
        lost.push(gone("/$schema".into(), "the revision has no `$schema`"));
    }
    super::wire::members(shown, out, |entry, out| {
        if entry.key_is("properties") {
            object(entry.value, out, |property, out| {
                let mut path = String::from("/properties");
                push_pointer(&mut path, &property.key());
                field(property.value, &path, out, lost);
            });
        } else {
            entry.value.compact_into(out);
        }
    });
}

fn field(schema: Value<'_>, path: &str, out: &mut String, lost: &mut Vec<Note>) {
    let boolean = schema.get("type").and_then(Value::as_str).as_deref() == Some("boolean");
    let mut keyword = |key: &str, write: &mut dyn FnMut(&mut String)| {
        out.push(if out.ends_with(':') { '{' } else { ',' });
        out.push_str(key);
        out.push(':');
        write(out);
    };
    for entry in schema.entries() {
        if entry.key_is("default") && !boolean {
            let message = "the revision has defaults for true and false only";
            lost.push(gone(format!("{path}/default"), message));
        } else if entry.key_is("oneOf") {
            keyword("\"enum\"", &mut |out| list(entry.value, "const", out));
            keyword("\"enumNames\"", &mut |out| list(entry.value, "title", out));
        } else {
            keyword(entry.raw_key(), &mut |out| entry.value.compact_into(out));
        }
    }
    out.push('}');
}

/// The member `key` of each option, as a list.
fn list(options: Value<'_>, key: &str, out: &mut String) {
    out.push('[');
    for (at, option) in options.items().enumerate() {
        if at > 0 {
            out.push(',');
        }
        if let Some(value) = option.get(key) {
            value.compact_into(out);
        }
    }
    out.push(']');
}

fn gone(path: String, message: &'static str) -> Note {
    Note { path, fate: Fate::Dropped, message: message.into() }
}
