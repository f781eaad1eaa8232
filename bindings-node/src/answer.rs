//! What a form makes of answers: checked, filled in, read from texts.
//!
//! Owns the way to the type behind a form, which JavaScript has, and back. That what a type refuses
//! is asked again, and how it is worded, is the core's.

use mcp_elicit::json::quote_into;
use mcp_elicit::schema::{AnswerCheck, Messages, UnknownFields, ValidateOptions};
use mcp_elicit::{Error, ErrorKind, Fault, Form, Json, Result};
use napi::Env;
use napi::bindgen_prelude::{External, Function};
use napi_derive::napi;

use crate::boundary::enter;
use crate::error::write_faults;

/// A type behind a form (`lib/standard.js`): is given an answer as JSON, gives place and reason of
/// what it refuses, in turn; null where it failed, which JavaScript then tells of.
pub(crate) type TypeFunction<'f> = Function<'f, String, Option<Vec<String>>>;

/// Has `judge` go on with what a type says, or with nobody to ask.
pub(crate) fn with_check<T>(
    of_type: Option<&TypeFunction<'_>>,
    judge: impl FnOnce(Option<&AnswerCheck<'_>>) -> Result<T>,
) -> Result<T> {
    let Some(of_type) = of_type else { return judge(None) };
    judge(Some(&|content: &Json| {
        let said = of_type.call(content.text().to_owned()).ok().flatten().ok_or_else(|| {
            Error::new(ErrorKind::Internal, "the type behind a form failed to judge an answer")
        })?;
        let mut said = said.into_iter();
        let mut faults = Vec::new();
        while let (Some(path), Some(reason)) = (said.next(), said.next()) {
            faults.push(Fault::check(path, reason));
        }
        Ok(faults)
    }))
}

/// How faults are worded. What is not given is the usual.
#[napi(object, object_to_js = false)]
pub struct Wording {
    /// Texts by key, as JSON.
    pub messages: Option<String>,
    /// Whether they repeat what was given.
    pub show_values: bool,
}

impl TryFrom<Wording> for Messages {
    type Error = Error;

    fn try_from(wording: Wording) -> Result<Self> {
        let messages = match wording.messages {
            Some(texts) => Self::from_json(&Json::parse(texts)?)?,
            None => Self::new(),
        };
        Ok(messages.show_values(wording.show_values))
    }
}

/// Checks content that is JSON, by the form and the type behind it. The frame is `a`, the content
/// that counts, a newline and the names of what was dropped; or `i` and the faults. All of it is
/// JSON on one line each.
#[napi(catch_unwind)]
pub fn form_validate(
    env: Env,
    form: &External<Form>,
    content: String,
    refuse_unknown: bool,
    wording: Wording,
    of_type: Option<TypeFunction>,
) -> napi::Result<String> {
    enter(env, || {
        let content = Json::parse(content)?;
        let unknown = if refuse_unknown { UnknownFields::Refuse } else { UnknownFields::Drop };
        let options = ValidateOptions::new().unknown(unknown).messages(wording.try_into()?);
        let judged = with_check(of_type.as_ref(), |check| match check {
            Some(check) => form.validate_checked(content.root(), &options, check),
            None => Ok(form.validate_with(content.root(), &options)),
        })?;
        Ok(match judged {
            Ok(answer) => {
                let mut frame = format!("a{}\n[", answer.content.text());
                for (index, name) in answer.dropped.iter().enumerate() {
                    if index > 0 {
                        frame.push(',');
                    }
                    quote_into(&mut frame, name);
                }
                frame.push(']');
                frame
            }
            Err(faults) => refused(&faults),
        })
    })
}

/// Reads texts, in turn the name of a field and what was typed for it. The frame is `a` and the
/// content, or `i` and the faults.
#[napi(catch_unwind)]
pub fn form_coerce(
    env: Env,
    form: &External<Form>,
    texts: Vec<String>,
    wording: Wording,
) -> napi::Result<String> {
    enter(env, || {
        let (pairs, _) = texts.as_chunks::<2>();
        let pairs = pairs.iter().map(|[name, text]| (&**name, &**text));
        Ok(match form.coerce_with(pairs, &wording.try_into()?) {
            Ok(content) => format!("a{}", content.text()),
            Err(faults) => refused(&faults),
        })
    })
}

fn refused(faults: &[Fault]) -> String {
    let mut frame = String::from("i");
    write_faults(&mut frame, faults);
    frame
}

/// The defaults of all fields that have one, as JSON.
#[napi(catch_unwind)]
pub fn form_defaults(env: Env, form: &External<Form>) -> napi::Result<String> {
    enter(env, || Ok(form.defaults().text().to_owned()))
}

/// Content with defaults where it has nothing.
#[napi(catch_unwind)]
pub fn form_with_defaults(
    env: Env,
    form: &External<Form>,
    content: String,
) -> napi::Result<String> {
    enter(env, || Ok(form.with_defaults(Json::parse(content)?.root()).text().to_owned()))
}

/// Content as the type behind the form reads it.
#[napi(catch_unwind)]
pub fn form_for_type(env: Env, form: &External<Form>, content: String) -> napi::Result<String> {
    enter(env, || Ok(form.for_type(Json::parse(content)?.root()).text().to_owned()))
}

/// The schema to ask the form again with, of all fields or of those that are named.
#[napi(catch_unwind)]
pub fn form_wire_again(
    env: Env,
    form: &External<Form>,
    answer: String,
    only: Option<Vec<String>>,
) -> napi::Result<String> {
    enter(env, || {
        let answer = Json::parse(answer)?;
        Ok(match only {
            Some(only) => form.wire_again(answer.root(), |name| only.iter().any(|it| it == name)),
            None => form.wire_with_defaults(answer.root()),
        })
    })
}
