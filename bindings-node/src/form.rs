//! Forms, as handles: how they are made and what they say of themselves.
//!
//! What a form makes of answers is in `answer`, the fields one by one in `field`.

use mcp_elicit::schema::{Messages, Note, Revision, SchemaLimits, explain};
use mcp_elicit::{Error, ErrorKind, Form, FormOptions, Json};
use napi::Env;
use napi::bindgen_prelude::External;
use napi_derive::napi;

use crate::boundary::enter;
use crate::error::write_faults;

/// How a schema is read. What is not given is the usual.
#[napi(object, object_to_js = false)]
pub struct Reading {
    /// Why names may look like secrets.
    pub sensitive_reason: Option<String>,
    /// The most properties.
    pub properties: Option<u32>,
    /// The most options.
    pub options: Option<u32>,
}

impl From<Reading> for FormOptions {
    fn from(reading: Reading) -> Self {
        let usual = SchemaLimits::default();
        let options = Self::new().limits(SchemaLimits {
            properties: reading.properties.map_or(usual.properties, |most| most as usize),
            options: reading.options.map_or(usual.options, |most| most as usize),
        });
        match reading.sensitive_reason {
            Some(reason) => options.allow_sensitive_name(reason),
            None => options,
        }
    }
}

/// Reads a `requestedSchema`; all its faults are in the error.
#[napi(catch_unwind)]
pub fn form_new(env: Env, schema: String, reading: Reading) -> napi::Result<External<Form>> {
    enter(env, || Form::parse_with(&schema, &reading.into()).map(External::new))
}

/// Brings JSON Schema as type libraries print it into the grammar; all its faults are in the error.
#[napi(catch_unwind)]
pub fn form_normalize(env: Env, schema: String, reading: Reading) -> napi::Result<External<Form>> {
    enter(env, || Form::normalize_with(&schema, &reading.into()).map(External::new))
}

/// A schema that was normalized.
#[napi(object, object_from_js = false)]
pub struct Explained {
    /// The form; null where the schema is refused.
    pub form: Option<External<Form>>,
    /// Why it is refused: JSON, an array of faults.
    pub faults: String,
    /// What became of each keyword: JSON, an array of notes.
    pub notes: String,
}

/// Normalizes a schema and tells what became of each keyword, also where there is no form.
#[napi(catch_unwind)]
pub fn form_explain(env: Env, schema: String, reading: Reading) -> napi::Result<Explained> {
    enter(env, || {
        let options = reading.into();
        let (form, notes) = match Json::parse(&*schema) {
            Ok(json) => {
                let normalized = explain(json.root(), &options);
                (normalized.form, normalized.notes)
            }
            // What is no JSON has no keywords.
            Err(_) => (Form::normalize_with(&schema, &options), Vec::new()),
        };
        let mut faults = String::new();
        write_faults(&mut faults, form.as_ref().err().map_or(&[][..], Error::faults));
        Ok(Explained { form: form.ok().map(External::new), faults, notes: notes_json(&notes) })
    })
}

/// The schema as it goes out.
#[napi(catch_unwind)]
pub fn form_wire(env: Env, form: &External<Form>) -> napi::Result<String> {
    enter(env, || Ok(form.wire().to_owned()))
}

/// The whole schema.
#[napi(catch_unwind)]
pub fn form_source(env: Env, form: &External<Form>) -> napi::Result<String> {
    enter(env, || Ok(form.source().to_owned()))
}

/// What is unwise about the form though it can be asked, as a JSON array of faults.
#[napi(catch_unwind)]
pub fn form_warnings(env: Env, form: &External<Form>) -> napi::Result<String> {
    enter(env, || {
        let mut out = String::new();
        write_faults(&mut out, form.warnings());
        Ok(out)
    })
}

/// What became of each keyword when the form was normalized, as a JSON array of notes.
#[napi(catch_unwind)]
pub fn form_report(env: Env, form: &External<Form>) -> napi::Result<String> {
    enter(env, || Ok(notes_json(form.report())))
}

/// A form as an older revision can carry it.
#[napi(object, object_from_js = false)]
pub struct Downgraded {
    /// The form.
    pub form: External<Form>,
    /// What hosts are no longer shown: JSON, an array of notes.
    pub lost: String,
}

/// The form as hosts of a revision can be asked it.
#[napi(catch_unwind)]
pub fn form_downgrade(
    env: Env,
    form: &External<Form>,
    revision: String,
) -> napi::Result<Downgraded> {
    enter(env, || {
        let known = Revision::by_name(&revision).ok_or_else(|| {
            let names: Vec<&str> = Revision::ALL.iter().map(|revision| revision.name()).collect();
            let message = format!("the older revisions are {}", names.join(" and "));
            Error::new(ErrorKind::InvalidArgument, message)
        })?;
        let down = form.downgrade(known)?;
        Ok(Downgraded { form: External::new(down.form), lost: notes_json(&down.lost) })
    })
}

/// The texts that faults of answers are worded with, by key, as JSON.
#[napi(catch_unwind)]
pub fn form_messages(env: Env) -> napi::Result<String> {
    enter(env, || {
        let texts: Vec<String> = Messages::catalogue()
            .map(|(key, text)| {
                format!("{}:{}", Json::string(key).text(), Json::string(text).text())
            })
            .collect();
        Ok(format!("{{{}}}", texts.join(",")))
    })
}

/// What a person may stumble over in the message of a form, as the JSON of a fault; null where that
/// is nothing.
#[napi(catch_unwind)]
pub fn form_message_warning(env: Env, message: String) -> napi::Result<Option<String>> {
    enter(env, || {
        Ok(Form::message_warning(&message).map(|fault| {
            let mut out = String::new();
            fault.write_json(&mut out);
            out
        }))
    })
}

fn notes_json(notes: &[Note]) -> String {
    let mut out = String::from("[");
    for (at, note) in notes.iter().enumerate() {
        if at > 0 {
            out.push(',');
        }
        note.write_json(&mut out);
    }
    out.push(']');
    out
}
