//! The engine: opens calls and checks envelopes.

use std::ffi::c_char;
use std::mem::MaybeUninit;

use mcp_elicit::Engine;

use crate::boundary::{self, need, place};
use crate::call::mcp_elicit_call;
use crate::caller::mcp_elicit_caller;
use crate::config::mcp_elicit_engine_config;
use crate::envelope::mcp_elicit_envelope;
use crate::error::mcp_elicit_error;
use crate::status::mcp_elicit_status;
use crate::text::{bytes, text};

/// Configured once; opens a call for each request. Owns no socket, no thread and no event loop.
///
/// Make it with mcp_elicit_engine_new, free it with mcp_elicit_engine_free.
///
/// Thread-safety: immutable; any number of threads may use it at once.
pub struct mcp_elicit_engine {
    pub(crate) engine: Engine,
}

/// Makes an engine. `config` is only read: change it, make more engines of it, or free it.
///
/// On success `*engine` is yours: free it with mcp_elicit_engine_free.
///
/// Returns MCP_ELICIT_OK, or a status that `*err` (if not NULL) explains; free it with
/// mcp_elicit_error_free. MCP_ELICIT_CONFIG: keys or audience are missing, or a limit is out of
/// range.
#[must_use]
#[unsafe(no_mangle)]
pub extern "C" fn mcp_elicit_engine_new(
    config: Option<&mcp_elicit_engine_config>,
    engine: Option<&mut MaybeUninit<Option<Box<mcp_elicit_engine>>>>,
    err: Option<&mut MaybeUninit<Option<Box<mcp_elicit_error>>>>,
) -> mcp_elicit_status {
    boundary::status(err, || {
        let place = place(engine, None, "engine")?;
        let engine = need(config, "config")?.build()?;
        place.write(Some(Box::new(mcp_elicit_engine { engine })));
        Ok(())
    })
}

/// Frees an engine. NULL is allowed. Calls that it opened go on.
#[unsafe(no_mangle)]
pub extern "C" fn mcp_elicit_engine_free(engine: Option<Box<mcp_elicit_engine>>) {
    boundary::value((), || drop(engine));
}

/// Opens a call from a JSON-RPC request: one round of a flow.
///
/// `request` is the body as it came, `request_len` its length in bytes (MCP_ELICIT_NUL: it is
/// NUL-terminated). It is copied. Everything that can be wrong with it is found here: its JSON, its
/// `_meta`, its headers against its body, the shape of its answers, its `requestState` (basic,
/// "`_meta`"; streamable-http, "Server Validation"; mrtr, "Server Requirements"). `caller` says who
/// sends it and how it came; it is only read.
///
/// On success `*call` is yours: free it with mcp_elicit_call_free.
///
/// Returns MCP_ELICIT_OK, or a status that `*err` (if not NULL) explains; free it with
/// mcp_elicit_error_free. MCP_ELICIT_NOT_A_CALL: the method is none of tools/call, prompts/get and
/// resources/read; see mcp_elicit_engine_check. For every other status mcp_elicit_error_reply gives
/// what the peer must be told.
#[must_use]
#[unsafe(no_mangle)]
pub unsafe extern "C" fn mcp_elicit_engine_open(
    engine: Option<&mcp_elicit_engine>,
    request: *const c_char,
    request_len: usize,
    caller: Option<&mcp_elicit_caller>,
    call: Option<&mut MaybeUninit<Option<Box<mcp_elicit_call>>>>,
    err: Option<&mut MaybeUninit<Option<Box<mcp_elicit_error>>>>,
) -> mcp_elicit_status {
    boundary::status(err, || {
        let place = place(call, None, "call")?;
        let engine = &need(engine, "engine")?.engine;
        let caller = need(caller, "caller")?.core();
        // SAFETY: the header asks for `request_len` readable bytes.
        let request = unsafe { bytes(request, request_len, "request") }?;
        let call = engine.open(request, &caller)?;
        place.write(Some(Box::new(mcp_elicit_call::new(call, engine))));
        Ok(())
    })
}

/// Opens a call from parameters, for whoever has read the JSON-RPC message already. Its replies
/// are the result object or the error object alone.
///
/// `method` is the method's name, `params` the JSON of the request's `params`, `_meta` included;
/// lengths are in bytes, MCP_ELICIT_NUL means NUL-terminated. Headers that `caller` holds are
/// checked as in mcp_elicit_engine_open.
///
/// On success `*call` is yours: free it with mcp_elicit_call_free.
///
/// Returns as mcp_elicit_engine_open.
#[must_use]
#[unsafe(no_mangle)]
pub unsafe extern "C" fn mcp_elicit_engine_open_params(
    engine: Option<&mcp_elicit_engine>,
    method: *const c_char,
    method_len: usize,
    params: *const c_char,
    params_len: usize,
    caller: Option<&mcp_elicit_caller>,
    call: Option<&mut MaybeUninit<Option<Box<mcp_elicit_call>>>>,
    err: Option<&mut MaybeUninit<Option<Box<mcp_elicit_error>>>>,
) -> mcp_elicit_status {
    boundary::status(err, || {
        let place = place(call, None, "call")?;
        let engine = &need(engine, "engine")?.engine;
        let caller = need(caller, "caller")?.core();
        // SAFETY: the header asks for texts of these lengths.
        let (method, params) =
            unsafe { (text(method, method_len, "method")?, bytes(params, params_len, "params")?) };
        let call = engine.open_params(method, params, &caller)?;
        place.write(Some(Box::new(mcp_elicit_call::new(call, engine))));
        Ok(())
    })
}

/// Checks the envelope of any request as mcp_elicit_engine_open does: JSON, JSON-RPC, `_meta`,
/// version, headers. For the methods that a server answers by itself, such as server/discover and
/// tools/list, and for notifications.
///
/// `request` and `caller` as in mcp_elicit_engine_open.
///
/// On success `*envelope` is yours: free it with mcp_elicit_envelope_free.
///
/// Returns MCP_ELICIT_OK, or a status that `*err` (if not NULL) explains; free it with
/// mcp_elicit_error_free. mcp_elicit_error_reply gives what the peer must be told.
#[must_use]
#[unsafe(no_mangle)]
pub unsafe extern "C" fn mcp_elicit_engine_check(
    engine: Option<&mcp_elicit_engine>,
    request: *const c_char,
    request_len: usize,
    caller: Option<&mcp_elicit_caller>,
    envelope: Option<&mut MaybeUninit<Option<Box<mcp_elicit_envelope>>>>,
    err: Option<&mut MaybeUninit<Option<Box<mcp_elicit_error>>>>,
) -> mcp_elicit_status {
    boundary::status(err, || {
        let place = place(envelope, None, "envelope")?;
        let engine = &need(engine, "engine")?.engine;
        let caller = need(caller, "caller")?.core();
        // SAFETY: the header asks for `request_len` readable bytes.
        let request = unsafe { bytes(request, request_len, "request") }?;
        let envelope = engine.check(request, &caller)?;
        place.write(Some(Box::new(mcp_elicit_envelope::new(&envelope))));
        Ok(())
    })
}
