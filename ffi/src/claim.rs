//! Claims: an effect that happens at most once a flow, through the engine's store.

use std::ffi::{c_char, c_int};
use std::mem::MaybeUninit;

use mcp_elicit::{ClaimOptions, Claimed, Error, ErrorKind};

use crate::boundary::{self, Done, need, place, put};
use crate::call::{finish, mcp_elicit_call, own_json};
use crate::error::mcp_elicit_error;
use crate::reply::mcp_elicit_reply;
use crate::status::mcp_elicit_status;
use crate::text::{Text, give, text};

/// How a claim is taken, where the usual way will not do. mcp_elicit_call_claim takes NULL for the
/// usual way: a winner that dies leaves an outcome that is unknown.
///
/// Make them with mcp_elicit_claim_options_new, free them with mcp_elicit_claim_options_free; they
/// may serve any number of claims.
///
/// Thread-safety: any number of threads may claim with them at once while none changes them.
pub struct mcp_elicit_claim_options {
    options: ClaimOptions,
}

/// What became of a claim. Later versions can add to these.
#[repr(u32)]
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum mcp_elicit_claim {
    /// None: what stands where claiming failed.
    MCP_ELICIT_CLAIM_NONE = 0,
    /// This call is the first: do it now.
    MCP_ELICIT_CLAIM_WON = 1,
    /// It was done by an earlier call, which left no result.
    MCP_ELICIT_CLAIM_ALREADY = 2,
    /// It was done by an earlier call, whose result is given: complete with it.
    MCP_ELICIT_CLAIM_RECORDED = 3,
    /// Another call is at it. Come back later (mcp_elicit_call_retry_later), or say so.
    MCP_ELICIT_CLAIM_IN_PROGRESS = 4,
    /// Another call was at it and did not come to an end: whether it was done is not known. Find
    /// out, for example from the provider by the idempotency key, or say so.
    MCP_ELICIT_CLAIM_UNKNOWN = 5,
}

/// Options of the usual way, to be changed.
///
/// They are yours: free them with mcp_elicit_claim_options_free. NULL only after a defect of this
/// library.
#[must_use]
#[unsafe(no_mangle)]
pub extern "C" fn mcp_elicit_claim_options_new() -> Option<Box<mcp_elicit_claim_options>> {
    boundary::value(None, || {
        Some(Box::new(mcp_elicit_claim_options { options: ClaimOptions::new() }))
    })
}

/// Frees options. NULL is allowed.
#[unsafe(no_mangle)]
pub extern "C" fn mcp_elicit_claim_options_free(options: Option<Box<mcp_elicit_claim_options>>) {
    boundary::value((), || drop(options));
}

/// How long another call may be at work before its outcome counts as unknown, in milliseconds.
/// Usually that of mcp_elicit_engine_config_set_claim_wait_ms. Must be below the life of a flow,
/// which mcp_elicit_call_claim checks.
///
/// Returns MCP_ELICIT_OK, or a status that `*err` (if not NULL) explains.
#[must_use]
#[unsafe(no_mangle)]
pub extern "C" fn mcp_elicit_claim_options_set_wait_ms(
    options: Option<&mut mcp_elicit_claim_options>,
    wait_ms: u64,
    err: Option<&mut MaybeUninit<Option<Box<mcp_elicit_error>>>>,
) -> mcp_elicit_status {
    boundary::status(err, || change(options, |options| options.wait_ms(wait_ms)))
}

/// Frees the claim of a winner that has not finished after so many milliseconds, so that the next
/// call wins. The effect can then happen more than once (at least once): only for effects that bear
/// it, or whose provider honours the idempotency key. At least 1, which mcp_elicit_call_claim checks.
///
/// Returns MCP_ELICIT_OK, or a status that `*err` (if not NULL) explains.
#[must_use]
#[unsafe(no_mangle)]
pub extern "C" fn mcp_elicit_claim_options_set_lease_ms(
    options: Option<&mut mcp_elicit_claim_options>,
    lease_ms: u64,
    err: Option<&mut MaybeUninit<Option<Box<mcp_elicit_error>>>>,
) -> mcp_elicit_status {
    boundary::status(err, || change(options, |options| options.lease_ms(lease_ms)))
}

/// Records the result when the call is completed (`remember` not 0), so that a client that lost the
/// reply gets it again.
///
/// Returns MCP_ELICIT_OK, or a status that `*err` (if not NULL) explains.
#[must_use]
#[unsafe(no_mangle)]
pub extern "C" fn mcp_elicit_claim_options_set_remember(
    options: Option<&mut mcp_elicit_claim_options>,
    remember: c_int,
    err: Option<&mut MaybeUninit<Option<Box<mcp_elicit_error>>>>,
) -> mcp_elicit_status {
    boundary::status(err, || change(options, |options| options.remember(remember != 0)))
}

/// Claims the effect of this flow: the first claim wins, across threads, processes and languages
/// that share a store. Call it just before the effect (mrtr, server requirement 5, warning).
///
/// `options` may be NULL. `*claimed` is what became of it. Where it is MCP_ELICIT_CLAIM_RECORDED
/// `*result` is the recorded result as JSON, owned by the call, NUL-terminated, for
/// mcp_elicit_call_complete; otherwise NULL. `result` and `result_len`, which receives its length
/// in bytes, may be NULL.
///
/// Only the state ties the calls of a flow together: a request without one begins a flow of its own
/// each time that it is sent. Claim in a round that came back.
///
/// Asked again in the same call it gives the same answer, but for MCP_ELICIT_CLAIM_IN_PROGRESS;
/// after an error of the store it asks the store again, and finds what this call may have put
/// there. What has won is finished by mcp_elicit_call_complete,
/// mcp_elicit_call_complete_and_remember or mcp_elicit_call_settle.
///
/// Returns MCP_ELICIT_OK, or a status that `*err` (if not NULL) explains. MCP_ELICIT_STORE: the
/// store did not answer, or its record does not open; the effect must not be run, and nothing is
/// claimed twice. MCP_ELICIT_CONFIG: the engine has no store. MCP_ELICIT_LIMIT: the flow has passed
/// its deadline. MCP_ELICIT_INVALID_ARGUMENT: the wait of `options` is not below the life of a
/// flow, or the lease is 0. MCP_ELICIT_QUESTION_OPEN: a question is open. MCP_ELICIT_FINISHED: the
/// call was finished before.
///
/// Thread-safety: one thread a call; different calls of one flow may claim at once. Blocks for one
/// or two operations of the store, each up to its time limit.
#[must_use]
#[unsafe(no_mangle)]
pub extern "C" fn mcp_elicit_call_claim(
    call: Option<&mut mcp_elicit_call>,
    options: Option<&mcp_elicit_claim_options>,
    claimed: Option<&mut MaybeUninit<mcp_elicit_claim>>,
    mut result: Option<&mut MaybeUninit<*const c_char>>,
    mut result_len: Option<&mut MaybeUninit<usize>>,
    err: Option<&mut MaybeUninit<Option<Box<mcp_elicit_error>>>>,
) -> mcp_elicit_status {
    use mcp_elicit_claim::*;
    boundary::status(err, || {
        put(result.as_deref_mut(), std::ptr::null());
        put(result_len.as_deref_mut(), 0);
        let place = place(claimed, MCP_ELICIT_CLAIM_NONE, "claimed")?;
        let call = need(call, "call")?;
        let options = options.map(|options| options.options.clone()).unwrap_or_default();
        place.write(call.change(|call| {
            Ok(match call.call.claim(&options)? {
                Claimed::Won => MCP_ELICIT_CLAIM_WON,
                Claimed::Already => MCP_ELICIT_CLAIM_ALREADY,
                Claimed::Recorded(recorded) => {
                    // Settled: it stays the same as long as the call lives.
                    let text = call.recorded.get_or_init(|| Text::new(recorded.compact()));
                    put(result, text.give(result_len));
                    MCP_ELICIT_CLAIM_RECORDED
                }
                Claimed::InProgress => MCP_ELICIT_CLAIM_IN_PROGRESS,
                Claimed::Unknown => MCP_ELICIT_CLAIM_UNKNOWN,
                _ => {
                    let message = "a claim came to an end that is not known here";
                    return Err(Error::new(ErrorKind::Internal, message).into());
                }
            })
        })?);
        Ok(())
    })
}

/// Whether the call has won a claim that is not finished. False if `call` is NULL.
#[must_use]
#[unsafe(no_mangle)]
pub extern "C" fn mcp_elicit_call_has_claim(call: Option<&mcp_elicit_call>) -> bool {
    boundary::value(false, || call.is_some_and(|call| call.call.has_claim()))
}

/// A name for the effect of this flow: the same in every call of the flow, whoever wins the claim,
/// and of no other flow. For the provider behind it ("idempotency key"). 43 characters of the
/// base64url alphabet; no secret, and does not tell the flow id. NULL if `call` is NULL.
///
/// Owned by the call, NUL-terminated.
#[must_use]
#[unsafe(no_mangle)]
pub extern "C" fn mcp_elicit_call_idempotency_key(call: Option<&mcp_elicit_call>) -> *const c_char {
    boundary::value(std::ptr::null(), || {
        let text = |call: &mcp_elicit_call| Text::new(call.call.idempotency_key());
        give(call.map(|call| call.idempotency_key.get_or_init(|| text(call))), None)
    })
}

/// Gives the claim back where the effect certainly did not happen, so that a later call can win it.
/// Nothing where this call has none.
///
/// Returns MCP_ELICIT_OK, or a status that `*err` (if not NULL) explains. MCP_ELICIT_STORE: the
/// store did not answer; the claim stays this call's.
///
/// Thread-safety: one thread a call. Blocks for one operation of the store, up to its time limit.
#[must_use]
#[unsafe(no_mangle)]
pub extern "C" fn mcp_elicit_call_release_claim(
    call: Option<&mut mcp_elicit_call>,
    err: Option<&mut MaybeUninit<Option<Box<mcp_elicit_error>>>>,
) -> mcp_elicit_status {
    boundary::status(err, || need(call, "call")?.change(|call| Ok(call.call.release_claim()?)))
}

/// As mcp_elicit_call_complete, and records the result of a claimed effect, so that a client that
/// lost this reply gets it again: a later call of the flow finds MCP_ELICIT_CLAIM_RECORDED. The
/// same as mcp_elicit_call_complete where nothing was claimed. A result of more than 16 MiB is not
/// recorded, and the log hook hears it ("result_not_recorded").
///
/// Returns as mcp_elicit_call_complete.
///
/// Thread-safety: one thread a call. Blocks for one operation of the store, up to its time limit.
#[must_use]
#[unsafe(no_mangle)]
pub unsafe extern "C" fn mcp_elicit_call_complete_and_remember(
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
            Ok(call.complete_and_remember(&own_json(result)?)?)
        })
    })
}

fn change(
    options: Option<&mut mcp_elicit_claim_options>,
    change: impl FnOnce(ClaimOptions) -> ClaimOptions,
) -> Done {
    let options = need(options, "options")?;
    options.options = change(std::mem::take(&mut options.options));
    Ok(())
}
