//! A call: one request on its way through the engine. What it asks is in `ask`, what it keeps in
//! `step`.

use std::ffi::c_char;
use std::mem::MaybeUninit;
use std::sync::{Arc, OnceLock};

use mcp_elicit::{Ask, Call, End, Engine, Error, ErrorKind, Json, Mode, Reply};

use crate::boundary::{self, Done, need, place};
use crate::error::mcp_elicit_error;
use crate::outcome::mcp_elicit_outcome;
use crate::reply::mcp_elicit_reply;
use crate::status::mcp_elicit_status;
use crate::text::{Text, give, optional_text, text};

/// One client request passing through the engine: one round of a flow.
///
/// A handler runs again on every round. It asks its questions, each under a key that is the same
/// every time; those that were answered have their outcome at once, the others are open. Ask all
/// that can go out together, then look at mcp_elicit_call_is_pending. While a question is open,
/// finish with mcp_elicit_call_suspend: the client comes back with the answers, and the handler
/// runs again. Otherwise finish with mcp_elicit_call_complete, or with mcp_elicit_call_fail. A call
/// is finished once.
///
/// Made by mcp_elicit_engine_open or mcp_elicit_engine_open_params; free it with
/// mcp_elicit_call_free.
///
/// Thread-safety: one thread at a time; it may change hands between functions.
pub struct mcp_elicit_call {
    pub(crate) call: Call,
    pub(crate) engine: Engine,
    /// Shared, not boxed: C holds on to them while the call goes on.
    outcomes: Vec<Arc<mcp_elicit_outcome>>,
    target: OnceLock<Text>,
    arguments: OnceLock<Text>,
    flow_id: OnceLock<Text>,
    client_info: OnceLock<Option<Text>>,
    client_capabilities: OnceLock<Text>,
    /// Results of steps that C holds on to.
    pub(crate) steps: Vec<Text>,
    /// The result that a claim found recorded.
    pub(crate) recorded: OnceLock<Text>,
    pub(crate) idempotency_key: OnceLock<Text>,
    /// A panic broke off a function of this call: what it holds may be half done.
    broken: bool,
}

impl mcp_elicit_call {
    pub(crate) fn new(call: Call, engine: &Engine) -> Self {
        Self {
            call,
            engine: engine.clone(),
            outcomes: Vec::new(),
            target: OnceLock::new(),
            arguments: OnceLock::new(),
            flow_id: OnceLock::new(),
            client_info: OnceLock::new(),
            client_capabilities: OnceLock::new(),
            steps: Vec::new(),
            recorded: OnceLock::new(),
            idempotency_key: OnceLock::new(),
            broken: false,
        }
    }

    /// Does something that changes the call, unless an earlier change broke off.
    pub(crate) fn change<T>(&mut self, change: impl FnOnce(&mut Self) -> Done<T>) -> Done<T> {
        if self.broken {
            let message = "an earlier function of this call broke off: free the call";
            return Err(Error::new(ErrorKind::Internal, message).into());
        }
        self.broken = true;
        #[cfg(feature = "panic-test")]
        crate::panic_test::panic_if_armed(crate::panic_test::Place::Change);
        let done = change(self);
        self.broken = false;
        done
    }

    /// Keeps what became of a question for C to read.
    pub(crate) fn keep(&mut self, ask: Ask) -> *const mcp_elicit_outcome {
        let outcome = Arc::new(mcp_elicit_outcome::new(ask));
        let pointer = Arc::as_ptr(&outcome);
        self.outcomes.push(outcome);
        pointer
    }
}

/// Frees a call, its outcomes and everything that was read from them. NULL is allowed, and so is a
/// call that was not finished.
#[unsafe(no_mangle)]
pub extern "C" fn mcp_elicit_call_free(call: Option<Box<mcp_elicit_call>>) {
    boundary::value((), || drop(call));
}

/// The method: "tools/call", "prompts/get" or "resources/read". NULL if `call` is NULL. The text is
/// static.
#[must_use]
#[unsafe(no_mangle)]
pub extern "C" fn mcp_elicit_call_method(call: Option<&mcp_elicit_call>) -> *const c_char {
    use mcp_elicit::Method::{CallTool, GetPrompt, ReadResource};
    boundary::value(std::ptr::null(), || match call.map(|call| call.call.method()) {
        Some(CallTool) => c"tools/call".as_ptr(),
        Some(GetPrompt) => c"prompts/get".as_ptr(),
        Some(ReadResource) => c"resources/read".as_ptr(),
        None => std::ptr::null(),
    })
}

/// The name of the tool or prompt, or the URI of the resource. NULL if `call` is NULL.
///
/// Owned by the call, NUL-terminated; `len` (may be NULL) receives its length in bytes.
#[must_use]
#[unsafe(no_mangle)]
pub extern "C" fn mcp_elicit_call_target(
    call: Option<&mcp_elicit_call>,
    len: Option<&mut MaybeUninit<usize>>,
) -> *const c_char {
    boundary::value(std::ptr::null(), || {
        let text = |call: &'_ mcp_elicit_call| Text::new(call.call.target());
        give(call.map(|call| call.target.get_or_init(|| text(call))), len)
    })
}

/// The arguments as a JSON object, as the engine read them: bind and run these, not what another
/// reader made of the body. "{}" where there are none. NULL if `call` is NULL.
///
/// Owned by the call, NUL-terminated; `len` (may be NULL) receives its length in bytes.
#[must_use]
#[unsafe(no_mangle)]
pub extern "C" fn mcp_elicit_call_arguments(
    call: Option<&mcp_elicit_call>,
    len: Option<&mut MaybeUninit<usize>>,
) -> *const c_char {
    boundary::value(std::ptr::null(), || {
        let text = |call: &mcp_elicit_call| Text::new(call.call.arguments_json());
        give(call.map(|call| call.arguments.get_or_init(|| text(call))), len)
    })
}

/// The name of the flow: the same in all its rounds, unguessable, no secret. 22 characters of the
/// base64url alphabet. NULL if `call` is NULL.
///
/// Owned by the call, NUL-terminated.
#[must_use]
#[unsafe(no_mangle)]
pub extern "C" fn mcp_elicit_call_flow_id(call: Option<&mcp_elicit_call>) -> *const c_char {
    boundary::value(std::ptr::null(), || {
        let text = |call: &mcp_elicit_call| Text::new(call.call.flow_id());
        give(call.map(|call| call.flow_id.get_or_init(|| text(call))), None)
    })
}

/// Which round of the flow this is; the first is 1. 0 if `call` is NULL.
#[must_use]
#[unsafe(no_mangle)]
pub extern "C" fn mcp_elicit_call_round(call: Option<&mcp_elicit_call>) -> u32 {
    boundary::value(0, || call.map_or(0, |call| call.call.round()))
}

/// What the client says of itself, as JSON; not verified (basic, "Per-request protocol fields").
/// NULL if it says nothing, or `call` is NULL.
///
/// Owned by the call, NUL-terminated; `len` (may be NULL) receives its length in bytes.
#[must_use]
#[unsafe(no_mangle)]
pub extern "C" fn mcp_elicit_call_client_info(
    call: Option<&mcp_elicit_call>,
    len: Option<&mut MaybeUninit<usize>>,
) -> *const c_char {
    boundary::value(std::ptr::null(), || {
        let text =
            |call: &mcp_elicit_call| call.call.client_info().map(|info| Text::new(info.compact()));
        give(call.and_then(|call| call.client_info.get_or_init(|| text(call)).as_ref()), len)
    })
}

/// The capabilities that the client declared on this request, as a JSON object. NULL if `call` is
/// NULL.
///
/// Owned by the call, NUL-terminated; `len` (may be NULL) receives its length in bytes.
#[must_use]
#[unsafe(no_mangle)]
pub extern "C" fn mcp_elicit_call_client_capabilities(
    call: Option<&mcp_elicit_call>,
    len: Option<&mut MaybeUninit<usize>>,
) -> *const c_char {
    boundary::value(std::ptr::null(), || {
        let text = |call: &mcp_elicit_call| Text::new(call.call.client_capabilities().compact());
        give(call.map(|call| call.client_capabilities.get_or_init(|| text(call))), len)
    })
}

/// How a question reaches the person (elicitation, "Elicitation Requests").
#[repr(u32)]
pub enum mcp_elicit_mode {
    /// The client shows a form and sends the answers.
    MCP_ELICIT_MODE_FORM = 1,
    /// The client shows a link; what happens there does not pass through it.
    MCP_ELICIT_MODE_URL = 2,
}

/// Whether the client declared that it can show this kind of question: `mode` is one of
/// mcp_elicit_mode. False for any other number, and if `call` is NULL.
///
/// Asking all the same is an error for the client, which mcp_elicit_call_suspend replies.
#[must_use]
#[unsafe(no_mangle)]
pub extern "C" fn mcp_elicit_call_can_elicit(call: Option<&mcp_elicit_call>, mode: u32) -> bool {
    boundary::value(false, || match (call, mode_of(mode)) {
        (Some(call), Some(mode)) => call.call.can_elicit(mode),
        _ => false,
    })
}

/// The mode that a number of C's stands for.
pub(crate) fn mode_of(mode: u32) -> Option<Mode> {
    const FORM: u32 = mcp_elicit_mode::MCP_ELICIT_MODE_FORM as u32;
    const URL: u32 = mcp_elicit_mode::MCP_ELICIT_MODE_URL as u32;
    match mode {
        FORM => Some(Mode::Form),
        URL => Some(Mode::Url),
        _ => None,
    }
}

/// Whether the call has given its reply. False if `call` is NULL.
#[must_use]
#[unsafe(no_mangle)]
pub extern "C" fn mcp_elicit_call_is_finished(call: Option<&mcp_elicit_call>) -> bool {
    boundary::value(false, || call.is_some_and(|call| call.call.is_finished()))
}

/// Whether a question of this round is open: the call can then only be suspended or failed. False
/// if `call` is NULL.
#[must_use]
#[unsafe(no_mangle)]
pub extern "C" fn mcp_elicit_call_is_pending(call: Option<&mcp_elicit_call>) -> bool {
    boundary::value(true, || call.is_some_and(|call| call.call.is_pending()))
}

/// Finishes a round: the reply sends the open questions and the sealed state to the client, which
/// comes back with the answers (mrtr, "InputRequiredResult").
///
/// Where the client lacks a capability for one of them, the reply is that error (-32021) with
/// everything that it lacks; where an ask says MCP_ELICIT_POLICY_TOOL_ERROR, a result with isError.
///
/// On success `*reply` is yours: free it with mcp_elicit_reply_free.
///
/// Returns MCP_ELICIT_OK, or a status that `*err` (if not NULL) explains; free it with
/// mcp_elicit_error_free, and tell the peer what mcp_elicit_error_reply gives.
/// MCP_ELICIT_NOTHING_ASKED: no question is open. MCP_ELICIT_LIMIT: too many rounds, or the state
/// is too long. MCP_ELICIT_FINISHED: the call was finished before.
#[must_use]
#[unsafe(no_mangle)]
pub extern "C" fn mcp_elicit_call_suspend(
    call: Option<&mut mcp_elicit_call>,
    reply: Option<&mut MaybeUninit<Option<Box<mcp_elicit_reply>>>>,
    err: Option<&mut MaybeUninit<Option<Box<mcp_elicit_error>>>>,
) -> mcp_elicit_status {
    boundary::status(err, || finish(call, reply, |call| Ok(call.suspend()?)))
}

/// Finishes a round for work that goes on elsewhere: the reply sends the sealed state alone, the
/// client comes back by itself, and the handler runs again. Clients may come back at once, so wait
/// a little before. Questions that are open go out with it.
///
/// On success `*reply` is yours: free it with mcp_elicit_reply_free.
///
/// Returns as mcp_elicit_call_suspend, without MCP_ELICIT_NOTHING_ASKED.
#[must_use]
#[unsafe(no_mangle)]
pub extern "C" fn mcp_elicit_call_retry_later(
    call: Option<&mut mcp_elicit_call>,
    reply: Option<&mut MaybeUninit<Option<Box<mcp_elicit_reply>>>>,
    err: Option<&mut MaybeUninit<Option<Box<mcp_elicit_error>>>>,
) -> mcp_elicit_status {
    boundary::status(err, || finish(call, reply, |call| Ok(call.retry_later()?)))
}

/// Finishes the flow with a result: a JSON object as the method wants it, with "content" for a
/// tool, "messages" for a prompt, "contents" for a resource. The reply adds resultType "complete"
/// and, where the engine knows it, who the server is; for a resource ttlMs 0 and cacheScope
/// "private" where the result says nothing else.
///
/// On success `*reply` is yours: free it with mcp_elicit_reply_free.
///
/// Returns MCP_ELICIT_OK, or a status that `*err` (if not NULL) explains; free it with
/// mcp_elicit_error_free. MCP_ELICIT_QUESTION_OPEN: a question is open; suspend instead.
/// MCP_ELICIT_INVALID_RESULT: `result` is no JSON object, or not of the shape of the method.
/// MCP_ELICIT_FINISHED: the call was finished before.
///
/// A claim that the call has won is finished with it, through the store: later calls of the flow
/// find MCP_ELICIT_CLAIM_ALREADY, or the result, as the claim options say. Where the store fails
/// now the reply is given all the same, and the log hook hears it ("claim_not_finished").
#[must_use]
#[unsafe(no_mangle)]
pub unsafe extern "C" fn mcp_elicit_call_complete(
    call: Option<&mut mcp_elicit_call>,
    result: *const c_char,
    result_len: usize,
    reply: Option<&mut MaybeUninit<Option<Box<mcp_elicit_reply>>>>,
    err: Option<&mut MaybeUninit<Option<Box<mcp_elicit_error>>>>,
) -> mcp_elicit_status {
    boundary::status(err, || {
        finish(call, reply, |call| {
            // SAFETY: the header asks for a text of this length.
            let result = unsafe { text(result, result_len, "result") }?;
            Ok(call.complete(&own_json(result)?)?)
        })
    })
}

/// Finishes the flow with an error of the application's own: a JSON-RPC code, a message for the
/// peer, and `data` as JSON (may be NULL). An error that the model should read is no such error,
/// but a result with isError (tools, "Error Handling").
///
/// On success `*reply` is yours: free it with mcp_elicit_reply_free.
///
/// Returns MCP_ELICIT_OK, or a status that `*err` (if not NULL) explains; free it with
/// mcp_elicit_error_free. MCP_ELICIT_INVALID_RESULT: the protocol reserves the code (basic, "Error
/// Codes"), or `data` is not JSON. MCP_ELICIT_FINISHED: the call was finished before.
#[must_use]
#[unsafe(no_mangle)]
pub unsafe extern "C" fn mcp_elicit_call_fail(
    call: Option<&mut mcp_elicit_call>,
    code: i32,
    message: *const c_char,
    message_len: usize,
    data: *const c_char,
    data_len: usize,
    reply: Option<&mut MaybeUninit<Option<Box<mcp_elicit_reply>>>>,
    err: Option<&mut MaybeUninit<Option<Box<mcp_elicit_error>>>>,
) -> mcp_elicit_status {
    boundary::status(err, || {
        finish(call, reply, |call| {
            // SAFETY: the header asks for texts of these lengths, or NULL.
            let (message, data) = unsafe {
                (text(message, message_len, "message")?, optional_text(data, data_len, "data")?)
            };
            Ok(call.fail(code, message, data.map(own_json).transpose()?)?)
        })
    })
}

/// Finishes a call by the way its handler ended, as `run` does in the other languages: for whoever
/// builds a `run`, or a binding, on this ABI. It cannot finish by accident while a question is
/// open.
///
/// `ended` is what the handler came to:
/// MCP_ELICIT_OK: a result, `result` as in mcp_elicit_call_complete; while a question is open the
/// reply asks it all the same, and the log hook hears that ("question_left_open").
/// MCP_ELICIT_PENDING: it read an outcome that is pending.
/// Any other: `failure` is the error of this library that it stopped at, or NULL for an exception
/// of the application's own. Where it read a pending outcome before, the reply asks, and the log
/// hook hears that ("suspension_swallowed").
///
/// `failure` is only read. On success `*reply` is yours: free it with mcp_elicit_reply_free. It is
/// NULL where an exception of the application's own should go on its way.
///
/// Returns MCP_ELICIT_OK, or a status that `*err` (if not NULL) explains: something of the server's
/// own must be mended. What the peer must be told is a reply.
#[must_use]
#[unsafe(no_mangle)]
pub unsafe extern "C" fn mcp_elicit_call_settle(
    call: Option<&mut mcp_elicit_call>,
    ended: u32,
    result: *const c_char,
    result_len: usize,
    failure: Option<&mcp_elicit_error>,
    reply: Option<&mut MaybeUninit<Option<Box<mcp_elicit_reply>>>>,
    err: Option<&mut MaybeUninit<Option<Box<mcp_elicit_error>>>>,
) -> mcp_elicit_status {
    const OK: u32 = mcp_elicit_status::MCP_ELICIT_OK as u32;
    const PENDING: u32 = mcp_elicit_status::MCP_ELICIT_PENDING as u32;
    boundary::status(err, || {
        let place = place(reply, None, "reply")?;
        let call = need(call, "call")?;
        let end = match (ended, failure) {
            // SAFETY: the header asks for a text of this length.
            (OK, _) => End::Result(own_json(unsafe { text(result, result_len, "result") }?)?),
            (PENDING, _) => End::Suspended,
            (_, Some(failure)) => End::Failed(failure.error.clone()),
            (_, None) => End::Raised,
        };
        let reply = call.change(|call| Ok(call.call.settle(end)?))?;
        place.write(reply.map(|reply| Box::new(mcp_elicit_reply::new(reply))));
        Ok(())
    })
}

/// What the application gives as JSON to be sent.
pub(crate) fn own_json(text: &str) -> Result<Json, Error> {
    Json::parse(text).map_err(|fault| Error::new(ErrorKind::InvalidResult, fault.to_string()))
}

/// Finishes a call and hands out the reply.
pub(crate) fn finish(
    call: Option<&mut mcp_elicit_call>,
    reply: Option<&mut MaybeUninit<Option<Box<mcp_elicit_reply>>>>,
    finish: impl FnOnce(&mut Call) -> Done<Reply>,
) -> Done {
    let place = place(reply, None, "reply")?;
    let reply = need(call, "call")?.change(|call| finish(&mut call.call))?;
    place.write(Some(Box::new(mcp_elicit_reply::new(reply))));
    Ok(())
}
