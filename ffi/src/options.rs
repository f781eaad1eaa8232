//! The options of an ask: opaque, so that they can grow.

use std::borrow::Cow;
use std::ffi::{c_char, c_int};
use std::mem::MaybeUninit;

use mcp_elicit::schema::{FormOptions, Messages, SchemaLimits};
use mcp_elicit::{AskOptions, Error, Json, Policy};

use crate::boundary::{self, Done, invalid_argument, need};
use crate::error::mcp_elicit_error;
use crate::status::mcp_elicit_status;
use crate::text::text;

/// How a question is asked, where the usual way will not do. Functions that take options take NULL
/// for the usual way. Options that contradict each other, or the question, are
/// MCP_ELICIT_INVALID_ASK when the question is asked.
///
/// Make them with mcp_elicit_ask_options_new, free them with mcp_elicit_ask_options_free; they may
/// serve any number of questions.
///
/// Thread-safety: any number of threads may ask with them at once while none changes them.
pub struct mcp_elicit_ask_options {
    ask: AskOptions,
    form: FormOptions,
    /// What `ask` takes at once and C gives one by one.
    arguments: Vec<String>,
}

/// What to do where nobody can be asked, for mcp_elicit_ask_options_set_unavailable and
/// mcp_elicit_ask_options_set_on_cancel.
#[repr(u32)]
pub enum mcp_elicit_policy {
    /// Reply -32021 and name the capability that the client lacks. The usual way.
    MCP_ELICIT_POLICY_ERROR = 1,
    /// Complete the tool call with isError and a text that names the argument to give, for a model
    /// to read. Only in tools/call, and only for an ask that takes arguments.
    MCP_ELICIT_POLICY_TOOL_ERROR = 2,
    /// Take the defaults of the schema, where they make a valid answer.
    MCP_ELICIT_POLICY_DEFAULTS = 3,
    /// Give the outcome MCP_ELICIT_ACTION_UNAVAILABLE.
    MCP_ELICIT_POLICY_OUTCOME = 4,
}

/// The policy that a number of C's stands for.
fn policy_of(number: u32) -> Done<Policy> {
    const ERROR: u32 = mcp_elicit_policy::MCP_ELICIT_POLICY_ERROR as u32;
    const TOOL_ERROR: u32 = mcp_elicit_policy::MCP_ELICIT_POLICY_TOOL_ERROR as u32;
    const DEFAULTS: u32 = mcp_elicit_policy::MCP_ELICIT_POLICY_DEFAULTS as u32;
    const OUTCOME: u32 = mcp_elicit_policy::MCP_ELICIT_POLICY_OUTCOME as u32;
    match number {
        ERROR => Ok(Policy::Error),
        TOOL_ERROR => Ok(Policy::ToolError),
        DEFAULTS => Ok(Policy::Defaults),
        OUTCOME => Ok(Policy::Outcome),
        _ => Err(invalid_argument("policy", "is none of mcp_elicit_policy")),
    }
}

/// The options of the core for an ask.
pub(crate) fn for_ask(options: Option<&mcp_elicit_ask_options>) -> Cow<'_, AskOptions> {
    match options {
        Some(options) => Cow::Borrowed(&options.ask),
        None => Cow::Owned(AskOptions::new()),
    }
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
        Some(Box::new(mcp_elicit_ask_options {
            ask: AskOptions::new(),
            form: FormOptions::new(),
            arguments: Vec::new(),
        }))
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

/// What to do where the client cannot be asked this kind of question: `policy` is one of
/// mcp_elicit_policy.
///
/// Returns MCP_ELICIT_OK, or a status that `*err` (if not NULL) explains.
#[must_use]
#[unsafe(no_mangle)]
pub extern "C" fn mcp_elicit_ask_options_set_unavailable(
    options: Option<&mut mcp_elicit_ask_options>,
    policy: u32,
    err: Option<&mut MaybeUninit<Option<Box<mcp_elicit_error>>>>,
) -> mcp_elicit_status {
    boundary::status(err, || {
        let policy = policy_of(policy)?;
        change(options, |options| options.unavailable(policy))
    })
}

/// What to do where the answer is cancel, for hosts without a person that declare elicitation and
/// cancel everything: `policy` is one of mcp_elicit_policy but MCP_ELICIT_POLICY_ERROR. Usually a
/// cancel is a cancel. Defaults that make no valid answer leave the cancel.
///
/// Returns MCP_ELICIT_OK, or a status that `*err` (if not NULL) explains.
#[must_use]
#[unsafe(no_mangle)]
pub extern "C" fn mcp_elicit_ask_options_set_on_cancel(
    options: Option<&mut mcp_elicit_ask_options>,
    policy: u32,
    err: Option<&mut MaybeUninit<Option<Box<mcp_elicit_error>>>>,
) -> mcp_elicit_status {
    boundary::status(err, || {
        let policy = policy_of(policy)?;
        change(options, |options| options.on_cancel(policy))
    })
}

/// Names a field of a form that the model may give as argument of the call, under the same name;
/// call it for each. What the model gives and the form accepts is not asked again; what the form
/// does not accept counts as not given.
///
/// `field_len` is in bytes; MCP_ELICIT_NUL means NUL-terminated. It is copied.
///
/// Returns MCP_ELICIT_OK, or a status that `*err` (if not NULL) explains.
#[must_use]
#[unsafe(no_mangle)]
pub unsafe extern "C" fn mcp_elicit_ask_options_add_argument(
    options: Option<&mut mcp_elicit_ask_options>,
    field: *const c_char,
    field_len: usize,
    err: Option<&mut MaybeUninit<Option<Box<mcp_elicit_error>>>>,
) -> mcp_elicit_status {
    boundary::status(err, || {
        let options = need(options, "options")?;
        // SAFETY: the header asks for a text of this length.
        let field = unsafe { text(field, field_len, "field") }?;
        options.arguments.push(field.to_owned());
        let arguments = options.arguments.clone();
        change(Some(options), |options| options.arguments(arguments))
    })
}

/// Takes nothing but the person's own answer to this question (`only` not 0): no argument, no
/// default, no earlier visit, no answer that was not asked for. The way to guard anything
/// dangerous.
///
/// Returns MCP_ELICIT_OK, or a status that `*err` (if not NULL) explains.
#[must_use]
#[unsafe(no_mangle)]
pub extern "C" fn mcp_elicit_ask_options_set_human_only(
    options: Option<&mut mcp_elicit_ask_options>,
    only: c_int,
    err: Option<&mut MaybeUninit<Option<Box<mcp_elicit_error>>>>,
) -> mcp_elicit_status {
    boundary::status(err, || change(options, |options| options.human_only(only != 0)))
}

/// After an invalid answer asks for the wrong fields alone and keeps the others (`only` not 0).
/// Usually the whole form goes out again, so that it is reviewed together.
///
/// Returns MCP_ELICIT_OK, or a status that `*err` (if not NULL) explains.
#[must_use]
#[unsafe(no_mangle)]
pub extern "C" fn mcp_elicit_ask_options_set_reask_invalid_only(
    options: Option<&mut mcp_elicit_ask_options>,
    only: c_int,
    err: Option<&mut MaybeUninit<Option<Box<mcp_elicit_error>>>>,
) -> mcp_elicit_status {
    boundary::status(err, || change(options, |options| options.reask_invalid_only(only != 0)))
}

/// The texts that tell a person what was wrong with an answer, for example in their own language:
/// `messages` is a JSON object of keys and texts. Those that it does not name stay English.
///
/// `messages_len` is in bytes; MCP_ELICIT_NUL means NUL-terminated.
///
/// Returns MCP_ELICIT_OK, or a status that `*err` (if not NULL) explains.
/// MCP_ELICIT_INVALID_ARGUMENT: it is no such object, or names a key that there is not.
#[must_use]
#[unsafe(no_mangle)]
pub unsafe extern "C" fn mcp_elicit_ask_options_set_messages(
    options: Option<&mut mcp_elicit_ask_options>,
    messages: *const c_char,
    messages_len: usize,
    err: Option<&mut MaybeUninit<Option<Box<mcp_elicit_error>>>>,
) -> mcp_elicit_status {
    boundary::status(err, || {
        let options = need(options, "options")?;
        // SAFETY: the header asks for a text of this length.
        let messages = unsafe { text(messages, messages_len, "messages") }?;
        let messages = Messages::from_json(&Json::parse(messages).map_err(Error::from)?)?;
        change(Some(options), |options| options.messages(messages))
    })
}

/// Lets fields of a form look like secrets, such as one called "token_count", for `reason`, which
/// becomes a warning of the form. The protocol forbids a form to ask for a secret (elicitation,
/// "Form Mode Security"): this is for names that only look so. Counts where a schema is read.
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
) -> Done {
    let options = need(options, "options")?;
    options.ask = change(std::mem::take(&mut options.ask));
    Ok(())
}
