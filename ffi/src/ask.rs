//! Asking: a form, a link, either of them as JSON, a model, the roots.

use std::ffi::{c_char, c_int};
use std::mem::MaybeUninit;

use mcp_elicit::{ElicitRequest, Error, Form, Json};

use crate::boundary::{self, need, place};
use crate::call::mcp_elicit_call;
use crate::error::mcp_elicit_error;
use crate::form::mcp_elicit_form;
use crate::options::{for_ask, for_form, mcp_elicit_ask_options};
use crate::outcome::mcp_elicit_outcome;
use crate::status::mcp_elicit_status;
use crate::text::text;

/// Asks a form question, or gives its outcome when it was answered in an earlier round.
///
/// `key` names the question; use the same key on every round. `message` says why it is asked.
/// `schema` is a requestedSchema as JSON (see mcp_elicit_schema_check). Lengths are in bytes;
/// MCP_ELICIT_NUL means the text is NUL-terminated. `options` may be NULL.
///
/// On success `*outcome` is owned by the call and lives as long as it.
///
/// Returns MCP_ELICIT_OK, or a status that `*err` (if not NULL) explains; free it with
/// mcp_elicit_error_free. MCP_ELICIT_SCHEMA: the form cannot be asked. MCP_ELICIT_INVALID_ASK: the
/// key or message cannot be used. MCP_ELICIT_CONFLICT: the key was used for another question in
/// this round.
///
/// Thread-safety: a call belongs to one thread at a time; an engine to any number.
#[must_use]
#[unsafe(no_mangle)]
pub unsafe extern "C" fn mcp_elicit_call_elicit_form(
    call: Option<&mut mcp_elicit_call>,
    key: *const c_char,
    key_len: usize,
    message: *const c_char,
    message_len: usize,
    schema: *const c_char,
    schema_len: usize,
    options: Option<&mcp_elicit_ask_options>,
    outcome: Option<&mut MaybeUninit<*const mcp_elicit_outcome>>,
    err: Option<&mut MaybeUninit<Option<Box<mcp_elicit_error>>>>,
) -> mcp_elicit_status {
    boundary::status(err, || {
        let place = place(outcome, std::ptr::null(), "outcome")?;
        let call = need(call, "call")?;
        // SAFETY: the header asks for texts of these lengths.
        let (key, message, schema) = unsafe {
            (
                text(key, key_len, "key")?,
                text(message, message_len, "message")?,
                text(schema, schema_len, "schema")?,
            )
        };
        place.write(call.change(|call| {
            let form = for_form(options, call.engine.limits().schema());
            let form = Form::parse_with(schema, &form)?;
            let ask = call.call.elicit_form_with(key, message, &form, &for_ask(options))?;
            Ok(call.keep(ask))
        })?);
        Ok(())
    })
}

/// Asks a form question as mcp_elicit_call_elicit_form, with a form that was read before.
///
/// `form` is only read. The rest, ownership of `*outcome` included, as there.
#[must_use]
#[unsafe(no_mangle)]
pub unsafe extern "C" fn mcp_elicit_call_elicit_compiled_form(
    call: Option<&mut mcp_elicit_call>,
    key: *const c_char,
    key_len: usize,
    message: *const c_char,
    message_len: usize,
    form: Option<&mcp_elicit_form>,
    options: Option<&mcp_elicit_ask_options>,
    outcome: Option<&mut MaybeUninit<*const mcp_elicit_outcome>>,
    err: Option<&mut MaybeUninit<Option<Box<mcp_elicit_error>>>>,
) -> mcp_elicit_status {
    boundary::status(err, || {
        let place = place(outcome, std::ptr::null(), "outcome")?;
        let (call, form) = (need(call, "call")?, need(form, "form")?);
        // SAFETY: the header asks for texts of these lengths.
        let (key, message) =
            unsafe { (text(key, key_len, "key")?, text(message, message_len, "message")?) };
        place.write(call.change(|call| {
            let ask = call.call.elicit_form_with(key, message, &form.form, &for_ask(options))?;
            Ok(call.keep(ask))
        })?);
        Ok(())
    })
}

/// Asks the person to visit a link, or gives the outcome when the visit was made.
///
/// `key`, `message` and `options` as in mcp_elicit_call_elicit_form. `url` is an absolute https URL
/// (http for this machine); it counts on the first round alone, and later rounds show the same.
///
/// `done` is your word whether the visit is done (not 0), from your own records: a client's accept
/// only means that the person agreed to go. Accepted and not done asks again with the very link
/// that was given first. Done without having been asked is accepted with source
/// MCP_ELICIT_SOURCE_GRANT, and needs no capability.
///
/// On success `*outcome` is owned by the call and lives as long as it.
///
/// Returns as mcp_elicit_call_elicit_form; MCP_ELICIT_INVALID_ASK also for a link that may not be
/// asked (elicitation, "Safe URL Handling").
#[must_use]
#[unsafe(no_mangle)]
pub unsafe extern "C" fn mcp_elicit_call_elicit_url(
    call: Option<&mut mcp_elicit_call>,
    key: *const c_char,
    key_len: usize,
    message: *const c_char,
    message_len: usize,
    url: *const c_char,
    url_len: usize,
    done: c_int,
    options: Option<&mcp_elicit_ask_options>,
    outcome: Option<&mut MaybeUninit<*const mcp_elicit_outcome>>,
    err: Option<&mut MaybeUninit<Option<Box<mcp_elicit_error>>>>,
) -> mcp_elicit_status {
    boundary::status(err, || {
        let place = place(outcome, std::ptr::null(), "outcome")?;
        let call = need(call, "call")?;
        // SAFETY: the header asks for texts of these lengths.
        let (key, message, url) = unsafe {
            (
                text(key, key_len, "key")?,
                text(message, message_len, "message")?,
                text(url, url_len, "url")?,
            )
        };
        place.write(call.change(|call| {
            let options = for_ask(options);
            let ask = call.call.elicit_url_with(key, message, url, done != 0, &options)?;
            Ok(call.keep(ask))
        })?);
        Ok(())
    })
}

/// Asks a question that is given as JSON: an `elicitation/create` request or its `params`, of
/// either mode. `done` counts for a link alone.
///
/// The rest as in mcp_elicit_call_elicit_form and mcp_elicit_call_elicit_url.
#[must_use]
#[unsafe(no_mangle)]
pub unsafe extern "C" fn mcp_elicit_call_elicit(
    call: Option<&mut mcp_elicit_call>,
    key: *const c_char,
    key_len: usize,
    request: *const c_char,
    request_len: usize,
    done: c_int,
    options: Option<&mcp_elicit_ask_options>,
    outcome: Option<&mut MaybeUninit<*const mcp_elicit_outcome>>,
    err: Option<&mut MaybeUninit<Option<Box<mcp_elicit_error>>>>,
) -> mcp_elicit_status {
    boundary::status(err, || {
        let place = place(outcome, std::ptr::null(), "outcome")?;
        let call = need(call, "call")?;
        // SAFETY: the header asks for texts of these lengths.
        let (key, request) =
            unsafe { (text(key, key_len, "key")?, text(request, request_len, "request")?) };
        place.write(call.change(|call| {
            let json = Json::parse_with_depth(request, call.engine.limits().depth);
            let form = for_form(options, call.engine.limits().schema());
            let request = ElicitRequest::from_json_with(&json.map_err(Error::from)?, &form)?;
            let ask = call.call.elicit(key, &request, done != 0, &for_ask(options))?;
            Ok(call.keep(ask))
        })?);
        Ok(())
    })
}

/// Asks the client's model for a turn, or gives what it said: the action is
/// MCP_ELICIT_ACTION_ANSWER, the content a CreateMessageResult.
///
/// `params` are the parameters of `sampling/createMessage` as JSON, passed through when they are
/// sound (sampling, "Message Content Constraints"). Parameters with tools need a client that
/// declares `sampling.tools`. Deprecated by the revision, which advises to talk to a model provider
/// directly.
///
/// `key`, `options` and `*outcome` as in mcp_elicit_call_elicit_form.
///
/// Returns as mcp_elicit_call_elicit_form. MCP_ELICIT_INVALID_ASK: the parameters cannot be sent;
/// see mcp_elicit_error_fault.
#[must_use]
#[unsafe(no_mangle)]
pub unsafe extern "C" fn mcp_elicit_call_create_message(
    call: Option<&mut mcp_elicit_call>,
    key: *const c_char,
    key_len: usize,
    params: *const c_char,
    params_len: usize,
    options: Option<&mcp_elicit_ask_options>,
    outcome: Option<&mut MaybeUninit<*const mcp_elicit_outcome>>,
    err: Option<&mut MaybeUninit<Option<Box<mcp_elicit_error>>>>,
) -> mcp_elicit_status {
    boundary::status(err, || {
        let place = place(outcome, std::ptr::null(), "outcome")?;
        let call = need(call, "call")?;
        // SAFETY: the header asks for texts of these lengths.
        let (key, params) =
            unsafe { (text(key, key_len, "key")?, text(params, params_len, "params")?) };
        place.write(call.change(|call| {
            let params = Json::parse_with_depth(params, call.engine.limits().depth);
            let ask =
                call.call.create_message(key, &params.map_err(Error::from)?, &for_ask(options))?;
            Ok(call.keep(ask))
        })?);
        Ok(())
    })
}

/// Asks the client for the folders that it works in, or gives them: the action is
/// MCP_ELICIT_ACTION_ANSWER, the content a ListRootsResult. Each `uri` is a file:// URI; do not
/// trust it further. Deprecated by the revision, which advises arguments or configuration.
///
/// `key`, `options` and `*outcome` as in mcp_elicit_call_elicit_form.
///
/// Returns as mcp_elicit_call_elicit_form.
#[must_use]
#[unsafe(no_mangle)]
pub unsafe extern "C" fn mcp_elicit_call_list_roots(
    call: Option<&mut mcp_elicit_call>,
    key: *const c_char,
    key_len: usize,
    options: Option<&mcp_elicit_ask_options>,
    outcome: Option<&mut MaybeUninit<*const mcp_elicit_outcome>>,
    err: Option<&mut MaybeUninit<Option<Box<mcp_elicit_error>>>>,
) -> mcp_elicit_status {
    boundary::status(err, || {
        let place = place(outcome, std::ptr::null(), "outcome")?;
        let call = need(call, "call")?;
        // SAFETY: the header asks for a text of this length.
        let key = unsafe { text(key, key_len, "key") }?;
        place.write(call.change(|call| {
            let ask = call.call.list_roots(key, &for_ask(options))?;
            Ok(call.keep(ask))
        })?);
        Ok(())
    })
}
