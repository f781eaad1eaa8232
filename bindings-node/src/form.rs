//! Forms, as handles.

use mcp_elicit::json::quote_into;
use mcp_elicit::schema::{SchemaLimits, UnknownFields, ValidateOptions};
use mcp_elicit::{Form, FormOptions, Json};
use napi::Env;
use napi::bindgen_prelude::External;
use napi_derive::napi;

use crate::boundary::enter;
use crate::error::write_faults;

/// Reads a `requestedSchema`; all its faults are in the error. What is not given is the usual.
#[napi(catch_unwind)]
pub fn form_new(
    env: Env,
    schema: String,
    sensitive_reason: Option<String>,
    properties: Option<u32>,
    options: Option<u32>,
) -> napi::Result<External<Form>> {
    enter(env, || {
        let usual = SchemaLimits::default();
        let mut how = FormOptions::new().limits(SchemaLimits {
            properties: properties.map_or(usual.properties, |most| most as usize),
            options: options.map_or(usual.options, |most| most as usize),
        });
        if let Some(reason) = sensitive_reason {
            how = how.allow_sensitive_name(reason);
        }
        Form::parse_with(&schema, &how).map(External::new)
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

/// Checks content that is JSON. The frame is `a`, the content that counts, a newline and the names
/// of what was dropped; or `i` and the faults. All of it is JSON on one line each.
#[napi(catch_unwind)]
pub fn form_validate(
    env: Env,
    form: &External<Form>,
    content: String,
    refuse_unknown: bool,
) -> napi::Result<String> {
    enter(env, || {
        let content = Json::parse(content)?;
        let unknown = if refuse_unknown { UnknownFields::Refuse } else { UnknownFields::Drop };
        let mut frame = String::new();
        match form.validate_with(content.root(), &ValidateOptions::new().unknown(unknown)) {
            Ok(answer) => {
                frame.push('a');
                frame.push_str(answer.content.text());
                frame.push_str("\n[");
                for (index, name) in answer.dropped.iter().enumerate() {
                    if index > 0 {
                        frame.push(',');
                    }
                    quote_into(&mut frame, name);
                }
                frame.push(']');
            }
            Err(faults) => {
                frame.push('i');
                write_faults(&mut frame, &faults);
            }
        }
        Ok(frame)
    })
}
