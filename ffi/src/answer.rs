//! Answers to a form outside a call: for hosts, terminals, and tests of a form.
//!
//! What a form makes of content that is given, of texts that a person typed, and of what it knows
//! by itself.

use std::ffi::c_char;
use std::mem::MaybeUninit;

use mcp_elicit::schema::{Answer, Messages, UnknownFields, ValidateOptions};
use mcp_elicit::{Error, ErrorKind, Fault, Form, Json};

use crate::boundary::{self, Done, invalid_argument, need, place};
use crate::error::mcp_elicit_error;
use crate::fault::{Faults, mcp_elicit_fault};
use crate::form::mcp_elicit_form;
use crate::status::mcp_elicit_status;
use crate::text::{Text, give, mcp_elicit_text, optional_text, text};

/// What a form makes of an answer: its content, or everything that is wrong with it.
///
/// Free it with mcp_elicit_answer_free. It may hold what a person answered.
///
/// Thread-safety: immutable; any number of threads may use it at once.
pub struct mcp_elicit_answer {
    content: Option<Text>,
    dropped: Text,
    faults: Faults,
}

/// How an answer is checked or read, where the usual way will not do. Functions that take these
/// options take NULL for the usual way.
///
/// Make them with mcp_elicit_answer_options_new, free them with mcp_elicit_answer_options_free.
///
/// Thread-safety: any number of threads may use them at once while none changes them.
#[derive(Default)]
pub struct mcp_elicit_answer_options {
    messages: Messages,
    unknown: UnknownFields,
}

/// Options of the usual way, to be changed: members that the form does not have are dropped, the
/// messages are English and do not repeat what was answered.
///
/// They are yours: free them with mcp_elicit_answer_options_free. NULL only after a defect of this
/// library.
#[must_use]
#[unsafe(no_mangle)]
pub extern "C" fn mcp_elicit_answer_options_new() -> Option<Box<mcp_elicit_answer_options>> {
    boundary::value(None, || Some(Box::default()))
}

/// Frees options. NULL is allowed.
#[unsafe(no_mangle)]
pub extern "C" fn mcp_elicit_answer_options_free(options: Option<Box<mcp_elicit_answer_options>>) {
    boundary::value((), || drop(options));
}

/// Refuses members that the form does not have (`refuse` true), each a fault of rule
/// "additionalProperties"; usually they are dropped and named by mcp_elicit_answer_dropped.
///
/// Returns MCP_ELICIT_OK, or MCP_ELICIT_INVALID_ARGUMENT for NULL, which `*err` (if not NULL)
/// explains.
#[must_use]
#[unsafe(no_mangle)]
pub extern "C" fn mcp_elicit_answer_options_set_refuse_unknown(
    options: Option<&mut mcp_elicit_answer_options>,
    refuse: bool,
    err: Option<&mut MaybeUninit<Option<Box<mcp_elicit_error>>>>,
) -> mcp_elicit_status {
    boundary::status(err, || {
        let options = need(options, "options")?;
        options.unknown = if refuse { UnknownFields::Refuse } else { UnknownFields::Drop };
        Ok(())
    })
}

/// Replaces the texts that tell a person what is wrong: `messages` is a JSON object of keys and
/// texts, `messages_len` its length in bytes; MCP_ELICIT_NUL means NUL-terminated. Those that it
/// does not name stay English. `show_values` true adds to each what was answered, which then stands
/// wherever the message goes.
///
/// Returns MCP_ELICIT_OK, or MCP_ELICIT_INVALID_ARGUMENT, which `*err` (if not NULL) explains: it
/// is no such object, or names an unknown key.
#[must_use]
#[unsafe(no_mangle)]
pub unsafe extern "C" fn mcp_elicit_answer_options_set_messages(
    options: Option<&mut mcp_elicit_answer_options>,
    messages: *const c_char,
    messages_len: usize,
    show_values: bool,
    err: Option<&mut MaybeUninit<Option<Box<mcp_elicit_error>>>>,
) -> mcp_elicit_status {
    boundary::status(err, || {
        let options = need(options, "options")?;
        // SAFETY: the header asks for a text of this length.
        let messages = unsafe { json(messages, messages_len, "messages") }?;
        options.messages = Messages::from_json(&messages)?.show_values(show_values);
        Ok(())
    })
}

/// Checks an answer by every rule of its form, those that are enforced off the wire included
/// (elicitation, "Form Mode Security": servers validate what comes back). Nothing is converted and
/// nothing filled in: an absent required field is a fault also where it has a default.
///
/// `content` is a JSON object, `content_len` its length in bytes; MCP_ELICIT_NUL means
/// NUL-terminated. `options` may be NULL.
///
/// On success `*answer` is yours, also where there are faults: free it with mcp_elicit_answer_free.
///
/// Returns MCP_ELICIT_OK, or MCP_ELICIT_INVALID_ARGUMENT, which `*err` (if not NULL) explains:
/// NULL, or no JSON.
///
/// Thread-safety: any thread.
#[must_use]
#[unsafe(no_mangle)]
pub unsafe extern "C" fn mcp_elicit_form_validate(
    form: Option<&mcp_elicit_form>,
    content: *const c_char,
    content_len: usize,
    options: Option<&mcp_elicit_answer_options>,
    answer: Option<&mut MaybeUninit<Option<Box<mcp_elicit_answer>>>>,
    err: Option<&mut MaybeUninit<Option<Box<mcp_elicit_error>>>>,
) -> mcp_elicit_status {
    boundary::status(err, || {
        let place = place(answer, None, "answer")?;
        let form = need(form, "form")?;
        // SAFETY: the header asks for a text of this length.
        let content = unsafe { json(content, content_len, "content") }?;
        let judged = match options {
            None => form.form.validate(content.root()),
            Some(options) => {
                let how = ValidateOptions::new().unknown(options.unknown);
                form.form.validate_with(content.root(), &how.messages(options.messages.clone()))
            }
        };
        place.write(Some(Box::new(match judged {
            Ok(Answer { content, dropped }) => answered(Some(content), &dropped),
            Err(faults) => at_fault(&faults),
        })));
        Ok(())
    })
}

/// Reads a text as a person types it into one field: a number, one of the usual words for yes and
/// no, a choice by its value or title, several choices with commas between. Never a prefix of a
/// number, never an infinity. For hosts and terminals; an answer of a client is never converted.
///
/// `name` is the field's; lengths are in bytes, and MCP_ELICIT_NUL means NUL-terminated. `options`
/// may be NULL.
///
/// On success `*answer` is yours: free it with mcp_elicit_answer_free. Its content is the value as
/// JSON; without content and without faults the text was empty and the field is absent.
///
/// Returns MCP_ELICIT_OK, or MCP_ELICIT_INVALID_ARGUMENT, which `*err` (if not NULL) explains:
/// NULL, or the form has no such field.
///
/// Thread-safety: any thread.
#[must_use]
#[unsafe(no_mangle)]
pub unsafe extern "C" fn mcp_elicit_form_coerce(
    form: Option<&mcp_elicit_form>,
    name: *const c_char,
    name_len: usize,
    typed: *const c_char,
    typed_len: usize,
    options: Option<&mcp_elicit_answer_options>,
    answer: Option<&mut MaybeUninit<Option<Box<mcp_elicit_answer>>>>,
    err: Option<&mut MaybeUninit<Option<Box<mcp_elicit_error>>>>,
) -> mcp_elicit_status {
    boundary::status(err, || {
        let place = place(answer, None, "answer")?;
        let form = need(form, "form")?;
        // SAFETY: the header asks for texts of these lengths.
        let (name, typed) =
            unsafe { (text(name, name_len, "name")?, text(typed, typed_len, "typed")?) };
        let field = form.form.field(name).ok_or_else(no_field)?;
        let read = match options {
            None => field.coerce(typed),
            Some(options) => field.coerce_with(typed, &options.messages),
        };
        place.write(Some(Box::new(match read {
            Ok(value) => answered(value, &[]),
            Err(fault) => at_fault(&[fault]),
        })));
        Ok(())
    })
}

/// The text that mcp_elicit_form_coerce reads as `value` for a field: to show a default, for
/// example. `value` is JSON; lengths are in bytes, and MCP_ELICIT_NUL means NUL-terminated.
///
/// On success `*printed` is yours, NULL where the value is of another type than the field's: free
/// it with mcp_elicit_text_free.
///
/// Returns as mcp_elicit_form_coerce; also MCP_ELICIT_INVALID_ARGUMENT where `value` is no JSON.
///
/// Thread-safety: any thread.
#[must_use]
#[unsafe(no_mangle)]
pub unsafe extern "C" fn mcp_elicit_form_print(
    form: Option<&mcp_elicit_form>,
    name: *const c_char,
    name_len: usize,
    value: *const c_char,
    value_len: usize,
    printed: Option<&mut MaybeUninit<Option<Box<mcp_elicit_text>>>>,
    err: Option<&mut MaybeUninit<Option<Box<mcp_elicit_error>>>>,
) -> mcp_elicit_status {
    boundary::status(err, || {
        let place = place(printed, None, "printed")?;
        let form = need(form, "form")?;
        // SAFETY: the header asks for texts of these lengths.
        let (name, value) =
            unsafe { (text(name, name_len, "name")?, json(value, value_len, "value")?) };
        let field = form.form.field(name).ok_or_else(no_field)?;
        place.write(field.print(value.root()).map(mcp_elicit_text::boxed));
        Ok(())
    })
}

/// An answer with the form's defaults where it has nothing: on the side of a host, never of a
/// server, since an empty accept is no consent. Nothing is invented, and nothing checked.
///
/// `content` is a JSON object or null, `content_len` its length in bytes; MCP_ELICIT_NUL means
/// NUL-terminated.
///
/// On success `*filled` is yours, JSON: free it with mcp_elicit_text_free.
///
/// Returns MCP_ELICIT_OK, or MCP_ELICIT_INVALID_ARGUMENT, which `*err` (if not NULL) explains.
///
/// Thread-safety: any thread.
#[must_use]
#[unsafe(no_mangle)]
pub unsafe extern "C" fn mcp_elicit_form_with_defaults(
    form: Option<&mcp_elicit_form>,
    content: *const c_char,
    content_len: usize,
    filled: Option<&mut MaybeUninit<Option<Box<mcp_elicit_text>>>>,
    err: Option<&mut MaybeUninit<Option<Box<mcp_elicit_error>>>>,
) -> mcp_elicit_status {
    // SAFETY: the header asks for a text of this length.
    unsafe {
        made_of(form, content, content_len, filled, err, |form, content| {
            Ok(form.with_defaults(content.root()).text().to_owned())
        })
    }
}

/// An answer as the type behind a normalized form reads it: with null under each absent field that
/// the type requires and lets be null. The form itself has no null.
///
/// Takes and returns as mcp_elicit_form_with_defaults.
///
/// Thread-safety: any thread.
#[must_use]
#[unsafe(no_mangle)]
pub unsafe extern "C" fn mcp_elicit_form_for_type(
    form: Option<&mcp_elicit_form>,
    content: *const c_char,
    content_len: usize,
    typed: Option<&mut MaybeUninit<Option<Box<mcp_elicit_text>>>>,
    err: Option<&mut MaybeUninit<Option<Box<mcp_elicit_error>>>>,
) -> mcp_elicit_status {
    // SAFETY: the header asks for a text of this length.
    unsafe {
        made_of(form, content, content_len, typed, err, |form, content| {
            Ok(form.for_type(content.root()).text().to_owned())
        })
    }
}

/// The wire text to ask a form again after an answer had faults: what was answered well becomes the
/// default, so that a person reviews all of it together. A truth value, and what may be a secret,
/// is left without. A call does this by itself; this is for those who ask without one.
///
/// `answer` is a JSON object, or null where there was none. `fields` is a JSON array of the names of those to ask, or NULL for
/// all. Lengths are in bytes; MCP_ELICIT_NUL means NUL-terminated.
///
/// On success `*wire` is yours: free it with mcp_elicit_text_free.
///
/// Returns MCP_ELICIT_OK, or MCP_ELICIT_INVALID_ARGUMENT, which `*err` (if not NULL) explains.
///
/// Thread-safety: any thread.
#[must_use]
#[unsafe(no_mangle)]
pub unsafe extern "C" fn mcp_elicit_form_wire_again(
    form: Option<&mcp_elicit_form>,
    answer: *const c_char,
    answer_len: usize,
    fields: *const c_char,
    fields_len: usize,
    wire: Option<&mut MaybeUninit<Option<Box<mcp_elicit_text>>>>,
    err: Option<&mut MaybeUninit<Option<Box<mcp_elicit_error>>>>,
) -> mcp_elicit_status {
    // SAFETY: the header asks for texts of these lengths.
    unsafe {
        made_of(form, answer, answer_len, wire, err, |form, answer| {
            let Some(fields) = optional_text(fields, fields_len, "fields")? else {
                return Ok(form.wire_with_defaults(answer.root()));
            };
            let fields = Json::parse(fields).map_err(Error::from)?;
            let names: Vec<_> = fields.root().items().map(|name| name.as_str()).collect();
            if !fields.root().is_array() || names.iter().any(Option::is_none) {
                return Err(invalid_argument("fields", "is no array of names"));
            }
            let asked = |name: &str| names.iter().any(|asked| asked.as_deref() == Some(name));
            Ok(form.wire_again(answer.root(), asked))
        })
    }
}

/// The content that counts, as JSON without white space between tokens. NULL where there are
/// faults, where the field is absent, or `answer` is NULL.
///
/// Owned by the answer, NUL-terminated; `len` (may be NULL) receives its length in bytes.
#[must_use]
#[unsafe(no_mangle)]
pub extern "C" fn mcp_elicit_answer_content(
    answer: Option<&mcp_elicit_answer>,
    len: Option<&mut MaybeUninit<usize>>,
) -> *const c_char {
    boundary::value(std::ptr::null(), || {
        give(answer.and_then(|answer| answer.content.as_ref()), len)
    })
}

/// The names of members that the form does not have and that were dropped, as a JSON array; no more
/// than 200. NULL if `answer` is NULL.
///
/// Owned by the answer, NUL-terminated; `len` (may be NULL) receives its length in bytes.
#[must_use]
#[unsafe(no_mangle)]
pub extern "C" fn mcp_elicit_answer_dropped(
    answer: Option<&mcp_elicit_answer>,
    len: Option<&mut MaybeUninit<usize>>,
) -> *const c_char {
    boundary::value(std::ptr::null(), || give(answer.map(|answer| &answer.dropped), len))
}

/// How many faults the answer has; it counts where there are none. 0 if `answer` is NULL.
#[must_use]
#[unsafe(no_mangle)]
pub extern "C" fn mcp_elicit_answer_fault_count(answer: Option<&mcp_elicit_answer>) -> usize {
    boundary::value(0, || answer.map_or(0, |answer| answer.faults.each.len()))
}

/// The fault at `index`, counted from 0. NULL if there is none, or `answer` is NULL.
///
/// Owned by the answer.
#[must_use]
#[unsafe(no_mangle)]
pub extern "C" fn mcp_elicit_answer_fault(
    answer: Option<&mcp_elicit_answer>,
    index: usize,
) -> Option<&mcp_elicit_fault> {
    boundary::value(None, || answer?.faults.each.get(index))
}

/// Frees an answer and everything that was read from it. NULL is allowed.
#[unsafe(no_mangle)]
pub extern "C" fn mcp_elicit_answer_free(answer: Option<Box<mcp_elicit_answer>>) {
    boundary::value((), || drop(answer));
}

fn answered(content: Option<Json>, dropped: &[String]) -> mcp_elicit_answer {
    let mut names = String::from("[");
    for (at, name) in dropped.iter().enumerate() {
        if at > 0 {
            names.push(',');
        }
        names.push_str(Json::string(name).text());
    }
    names.push(']');
    mcp_elicit_answer {
        content: content.map(|content| Text::new(content.text())),
        dropped: Text::new(names),
        faults: Faults::new(&[]),
    }
}

fn at_fault(faults: &[Fault]) -> mcp_elicit_answer {
    mcp_elicit_answer { content: None, dropped: Text::new("[]"), faults: Faults::new(faults) }
}

fn no_field() -> Error {
    Error::new(ErrorKind::InvalidArgument, "the form has no field of this name")
}

/// The JSON that C hands in.
///
/// # Safety
/// As [`text`].
unsafe fn json(pointer: *const c_char, len: usize, name: &'static str) -> Done<Json> {
    // SAFETY: the same promise.
    Ok(Json::parse(unsafe { text(pointer, len, name) }?).map_err(Error::from)?)
}

/// What a form makes of a JSON object, or of null.
///
/// # Safety
/// As [`text`], for `content`.
unsafe fn made_of(
    form: Option<&mcp_elicit_form>,
    content: *const c_char,
    content_len: usize,
    made: Option<&mut MaybeUninit<Option<Box<mcp_elicit_text>>>>,
    err: Option<&mut MaybeUninit<Option<Box<mcp_elicit_error>>>>,
    make: impl FnOnce(&Form, &Json) -> Done<String>,
) -> mcp_elicit_status {
    boundary::status(err, || {
        let place = place(made, None, "the place for the result")?;
        let form = need(form, "form")?;
        // SAFETY: the same promise.
        let content = unsafe { json(content, content_len, "content") }?;
        if !content.root().is_object() && !content.root().is_null() {
            return Err(invalid_argument("content", "is neither a JSON object nor null"));
        }
        place.write(Some(mcp_elicit_text::boxed(make(&form.form, &content)?)));
        Ok(())
    })
}
