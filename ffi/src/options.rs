//! The options of an ask: opaque, so that they can grow.

use std::ffi::{c_char, c_int};
use std::mem::MaybeUninit;

use mcp_elicit::AskOptions;
use mcp_elicit::schema::{FormOptions, SchemaLimits};

use crate::boundary::{self, need};
use crate::error::mcp_elicit_error;
use crate::status::mcp_elicit_status;
use crate::text::text;

/// How a question is asked, where the usual way will not do. Functions that take options take NULL
/// for the usual way.
///
/// Make them with mcp_elicit_ask_options_new, free them with mcp_elicit_ask_options_free; they may
/// serve any number of questions.
///
/// Thread-safety: any number of threads may ask with them at once while none changes them.
pub struct mcp_elicit_ask_options {
    ask: AskOptions,
    form: FormOptions,
}

/// The options of the core for an ask.
pub(crate) fn for_ask(options: Option<&mcp_elicit_ask_options>) -> AskOptions {
    options.map(|options| options.ask.clone()).unwrap_or_default()
}

/// The options of the core for reading a schema.
pub(crate) fn for_form(
    options: Option<&mcp_elicit_ask_options>,
    limits: SchemaLimits,
) -> FormOptions {
    options.map(|options| options.form.clone()).unwrap_or_default().limits(limits)
}

/// Options of the usual way, to be changed.
///
/// They are yours: free them with mcp_elicit_ask_options_free. NULL only after a defect of this
/// library.
#[must_use]
#[unsafe(no_mangle)]
pub extern "C" fn mcp_elicit_ask_options_new() -> Option<Box<mcp_elicit_ask_options>> {
    boundary::value(None, || {
        Some(Box::new(mcp_elicit_ask_options { ask: AskOptions::new(), form: FormOptions::new() }))
    })
}

/// Frees options. NULL is allowed.
#[unsafe(no_mangle)]
pub extern "C" fn mcp_elicit_ask_options_free(options: Option<Box<mcp_elicit_ask_options>>) {
    boundary::value((), || drop(options));
}

/// Lets a link be `http` to a host other than this machine (`allow` not 0). For development: the
/// protocol wants https (elicitation, "Safe URL Handling").
///
/// Returns MCP_ELICIT_OK, or a status that `*err` (if not NULL) explains.
#[must_use]
#[unsafe(no_mangle)]
pub extern "C" fn mcp_elicit_ask_options_set_allow_insecure_http(
    options: Option<&mut mcp_elicit_ask_options>,
    allow: c_int,
    err: Option<&mut MaybeUninit<Option<Box<mcp_elicit_error>>>>,
) -> mcp_elicit_status {
    boundary::status(err, || change(options, |options| options.allow_insecure_http(allow != 0)))
}

/// Takes an answer that came with the first request, before the question was ever asked (`accept`
/// not 0). Counts only where the request carries no `requestState`. The person may have answered
/// other words than these.
///
/// Returns MCP_ELICIT_OK, or a status that `*err` (if not NULL) explains.
#[must_use]
#[unsafe(no_mangle)]
pub extern "C" fn mcp_elicit_ask_options_set_accept_unasked(
    options: Option<&mut mcp_elicit_ask_options>,
    accept: c_int,
    err: Option<&mut MaybeUninit<Option<Box<mcp_elicit_error>>>>,
) -> mcp_elicit_status {
    boundary::status(err, || change(options, |options| options.accept_unasked(accept != 0)))
}

/// Lets fields of a form look like secrets, such as one called "token_count", for `reason`, which
/// becomes a warning of the form. The protocol forbids a form to ask for a secret (elicitation, "Form
/// Mode Security"): this is for names that only look so. Counts where a schema is read.
///
/// `reason_len` is in bytes; MCP_ELICIT_NUL means NUL-terminated. It is copied.
///
/// Returns MCP_ELICIT_OK, or a status that `*err` (if not NULL) explains.
#[must_use]
#[unsafe(no_mangle)]
pub unsafe extern "C" fn mcp_elicit_ask_options_set_allow_sensitive_name(
    options: Option<&mut mcp_elicit_ask_options>,
    reason: *const c_char,
    reason_len: usize,
    err: Option<&mut MaybeUninit<Option<Box<mcp_elicit_error>>>>,
) -> mcp_elicit_status {
    boundary::status(err, || {
        let options = need(options, "options")?;
        // SAFETY: the header asks for a text of this length.
        let reason = unsafe { text(reason, reason_len, "reason") }?;
        options.form = std::mem::take(&mut options.form).allow_sensitive_name(reason);
        Ok(())
    })
}

fn change(
    options: Option<&mut mcp_elicit_ask_options>,
    change: impl FnOnce(AskOptions) -> AskOptions,
) -> boundary::Done {
    let options = need(options, "options")?;
    options.ask = change(std::mem::take(&mut options.ask));
    Ok(())
}
