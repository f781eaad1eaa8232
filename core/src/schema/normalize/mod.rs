//! Normalize: from JSON Schema as type libraries print it to a form.
//!
//! Owns the bringing into the grammar and the report about it. What hosts do not know but we can
//! enforce is left off the wire and enforced when the answer comes back; what a form cannot carry
//! is refused by its place. Nothing that restricts the answer is dropped silently. Nothing is ever
//! fetched: only references into the schema itself are followed.
//!
//! It goes in three steps: `gather` collects what is said about a field wherever it is said
//! (references, joins, unions), `rewrite` says it in the grammar with the keywords that are
//! enforced off the wire, and the strict reader judges the result, as it judges any other.

mod bounds;
mod gather;
mod object;
mod refs;
mod rewrite;

use std::borrow::Cow;
use std::collections::HashSet;

use super::{Form, FormOptions, read, refused};
use crate::error::{Fault, Result};
use crate::json::{Json, Value, quote_into};

/// What became of a keyword.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub enum Fate {
    /// Hosts are shown it, as it was or in other words.
    Wire,
    /// Hosts are not shown it; answers that break it are refused.
    Enforced,
    /// It is gone: it says nothing about answers, or what it says holds anyway.
    Dropped,
    /// A form cannot carry it.
    Refused,
}

impl Fate {
    /// A stable name, the same in every language.
    pub const fn name(self) -> &'static str {
        match self {
            Self::Wire => "wire",
            Self::Enforced => "enforced",
            Self::Dropped => "dropped",
            Self::Refused => "refused",
        }
    }
}

/// What became of one keyword of a schema that was normalized.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Note {
    /// JSON pointer to the keyword, into the schema as it was given.
    pub path: String,
    /// What became of it.
    pub fate: Fate,
    /// How, in a sentence for the author; empty where it was kept as it was.
    pub message: Cow<'static, str>,
}

impl Note {
    /// Appends `{"path":…,"fate":…,"message":…}`.
    pub fn write_json(&self, out: &mut String) {
        out.push_str("{\"path\":");
        quote_into(out, &self.path);
        out.push_str(",\"fate\":");
        quote_into(out, self.fate.name());
        out.push_str(",\"message\":");
        quote_into(out, &self.message);
        out.push('}');
    }
}

/// A schema that was normalized: the form, or why there is none, and the report either way.
#[derive(Clone, Debug)]
pub struct Normalized {
    /// The form.
    pub form: Result<Form>,
    /// What became of each keyword, those that were refused last.
    pub notes: Vec<Note>,
}

impl Form {
    /// Reads JSON Schema as type libraries print it (Pydantic, Zod, Valibot, TypeBox, schemars and
    /// others), as JSON, and brings it into the grammar of a form.
    ///
    /// [`Form::report`] tells what became of each keyword.
    ///
    /// # Errors
    /// [`ErrorKind::Schema`](crate::ErrorKind::Schema) with every fault, as [`Form::parse`]. Places
    /// are those of the schema as it was given.
    pub fn normalize(text: &str) -> Result<Self> {
        Self::normalize_with(text, &FormOptions::default())
    }

    /// Brings a schema into the grammar as `options` say.
    ///
    /// # Errors
    /// As [`Form::normalize`].
    pub fn normalize_with(text: &str, options: &FormOptions) -> Result<Self> {
        Self::normalize_value(read(text)?.root(), options)
    }

    /// Brings a schema that is part of some JSON into the grammar. References are looked up in
    /// `value`, not in what stands around it.
    ///
    /// # Errors
    /// As [`Form::normalize`].
    pub fn normalize_value(value: Value<'_>, options: &FormOptions) -> Result<Self> {
        normalize(value, options).map_err(|(faults, _)| refused(faults))
    }

    /// What became of each keyword when the form was normalized; empty for a form that was not.
    pub fn report(&self) -> &[Note] {
        &self.0.report
    }

    /// `content` as the type behind the form reads it: with null under each absent field that the
    /// type requires and lets be null. The form itself has no null; such a field is optional.
    pub fn for_type(&self, content: Value<'_>) -> Json {
        let missing =
            |field: &&super::Field| field.null_if_absent && content.get(&field.name).is_none();
        if !content.is_object() || !self.fields().iter().any(|field| missing(&field)) {
            return content.to_json();
        }
        let mut out = String::from("{");
        super::wire::push_members(content.entries(), &mut out, |entry, out| {
            entry.value.compact_into(out);
        });
        for field in self.fields().iter().filter(missing) {
            if out.len() > 1 {
                out.push(',');
            }
            quote_into(&mut out, &field.name);
            out.push_str(":null");
        }
        out.push('}');
        super::made(out)
    }
}

/// Brings a schema into the grammar and tells what became of each keyword, also where there is no
/// form in the end.
pub fn explain(value: Value<'_>, options: &FormOptions) -> Normalized {
    match normalize(value, options) {
        Ok(form) => Normalized { notes: form.report().to_vec(), form: Ok(form) },
        Err((faults, notes)) => Normalized { form: Err(refused(faults)), notes },
    }
}

/// [`explain`] for a schema that is still text. One that is not JSON has no keyword to tell of.
pub fn explain_text(text: &str, options: &FormOptions) -> Normalized {
    match read(text) {
        Ok(json) => explain(json.root(), options),
        Err(error) => Normalized { form: Err(error), notes: Vec::new() },
    }
}

/// The form with its report, or the faults and the report.
fn normalize(
    value: Value<'_>,
    options: &FormOptions,
) -> std::result::Result<Form, (Vec<Fault>, Vec<Note>)> {
    let written = object::Normalizer::new(value, options).run(value);
    let mut faults = written.faults;
    let mut notes = written.notes;
    if written.repeats {
        // A definition that several fields refer to is told of once.
        let mut told = HashSet::new();
        notes.retain(|note| told.insert((note.path.clone(), note.fate, note.message.clone())));
    }
    // There is no source where a limit was met before anything was written.
    let form = written.source.and_then(|source| {
        let json = match read(&source) {
            Ok(json) => json,
            Err(error) => {
                faults.extend(error.faults().iter().cloned());
                return None;
            }
        };
        let form = Form::from_source(json.root(), options);
        form.map_err(|found| {
            faults.extend(found.into_iter().map(|fault| place(fault, &written.origins)));
        })
        .ok()
    });
    match form {
        Some(form) if faults.is_empty() => Ok(form.with_report(written.nulls, notes)),
        _ => {
            notes.retain(|note| faults.iter().all(|fault| fault.path != note.path));
            notes.extend(faults.iter().map(|fault| Note {
                path: fault.path.clone(),
                fate: Fate::Refused,
                message: fault.message.clone().into(),
            }));
            Err((faults, notes))
        }
    }
}

/// The fault with its place in the schema as it was given.
fn place(fault: Fault, origins: &[(String, String)]) -> Fault {
    let best = origins
        .iter()
        .filter(|(written, _)| {
            fault
                .path
                .strip_prefix(written.as_str())
                .is_some_and(|rest| rest.is_empty() || rest.starts_with('/'))
        })
        .max_by_key(|(written, _)| written.len());
    match best {
        Some((written, given)) => {
            let path = [given.as_str(), &fault.path[written.len()..]].concat();
            Fault { path, ..fault }
        }
        None => fault,
    }
}
