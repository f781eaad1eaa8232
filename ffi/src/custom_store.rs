//! A store of the application's own: functions in C, and the answers that they give.
//!
//! Owns what can be checked of an answer from C. Nothing that comes back is trusted: an answer that
//! does not fit its operation is a store that failed.

use std::ffi::{c_char, c_void};
use std::mem::MaybeUninit;

use mcp_elicit::store::{MAX_VALUE_BYTES, Store, StoreError, StoreOp, StoreReply};

use crate::boundary::{self, invalid_argument, need, place};
use crate::callback::{Context, mcp_elicit_destroy_fn};
use crate::error::mcp_elicit_error;
use crate::status::mcp_elicit_status;
use crate::store::{hand_out, mcp_elicit_store, mcp_elicit_store_result};
use crate::text::{bytes, text};

/// The answer of a store: a result, and the value where one was found.
///
/// What an operation of a store gives is yours: free it with mcp_elicit_store_answer_free. What a
/// function of mcp_elicit_store_functions gets is lent: fill it, and do not keep or free it.
///
/// Thread-safety: one thread at a time.
pub struct mcp_elicit_store_answer {
    result: mcp_elicit_store_result,
    value: Option<Vec<u8>>,
    message: Option<String>,
}

impl mcp_elicit_store_answer {
    pub(crate) fn new(result: mcp_elicit_store_result, value: Option<Vec<u8>>) -> Self {
        Self { result, value, message: None }
    }
}

/// Frees an answer and the value in it. NULL is allowed.
#[unsafe(no_mangle)]
pub extern "C" fn mcp_elicit_store_answer_free(answer: Option<Box<mcp_elicit_store_answer>>) {
    boundary::value((), || drop(answer));
}

/// What was answered. MCP_ELICIT_STORE_NONE if `answer` is NULL, or one that is yet to be filled.
#[must_use]
#[unsafe(no_mangle)]
pub extern "C" fn mcp_elicit_store_answer_result(
    answer: Option<&mcp_elicit_store_answer>,
) -> mcp_elicit_store_result {
    const NONE: mcp_elicit_store_result = mcp_elicit_store_result::MCP_ELICIT_STORE_NONE;
    boundary::value(NONE, || answer.map_or(NONE, |answer| answer.result))
}

/// The value that was found. NULL if none was, or `answer` is NULL.
///
/// Owned by the answer. Any bytes, not NUL-terminated; `len` (may be NULL) receives how many.
#[must_use]
#[unsafe(no_mangle)]
pub extern "C" fn mcp_elicit_store_answer_value(
    answer: Option<&mcp_elicit_store_answer>,
    len: Option<&mut MaybeUninit<usize>>,
) -> *const u8 {
    boundary::value(std::ptr::null(), || {
        let value = answer.and_then(|answer| answer.value.as_deref());
        boundary::put(len, value.map_or(0, <[u8]>::len));
        value.map_or(std::ptr::null(), <[u8]>::as_ptr)
    })
}

/// In a function of mcp_elicit_store_functions: the value that was found, any bytes, `value_len` of
/// them, at most 16 MiB. They are copied. The function then returns MCP_ELICIT_STORE_FOUND.
///
/// Returns MCP_ELICIT_OK, or a status that `*err` (if not NULL) explains.
/// MCP_ELICIT_INVALID_ARGUMENT: it is longer, which no value of this library is.
#[must_use]
#[unsafe(no_mangle)]
pub unsafe extern "C" fn mcp_elicit_store_answer_set_value(
    answer: Option<&mut mcp_elicit_store_answer>,
    value: *const u8,
    value_len: usize,
    err: Option<&mut MaybeUninit<Option<Box<mcp_elicit_error>>>>,
) -> mcp_elicit_status {
    boundary::status(err, || {
        let answer = need(answer, "answer")?;
        // Before anything is read: a length that is none shows here.
        if value_len > MAX_VALUE_BYTES {
            return Err(invalid_argument("value", "is longer than 16 MiB"));
        }
        // SAFETY: the header asks for `value_len` readable bytes.
        answer.value = Some(unsafe { bytes(value.cast(), value_len, "value") }?.to_vec());
        Ok(())
    })
}

/// In a function of mcp_elicit_store_functions: why the store is not available, for the log hook
/// and the error, such as "connection refused". No address, no password, no value. The function
/// then returns MCP_ELICIT_STORE_UNAVAILABLE.
///
/// `message_len` is in bytes; MCP_ELICIT_NUL means NUL-terminated. It is copied; what is longer
/// than 1000 characters is cut.
///
/// Returns MCP_ELICIT_OK, or a status that `*err` (if not NULL) explains.
#[must_use]
#[unsafe(no_mangle)]
pub unsafe extern "C" fn mcp_elicit_store_answer_set_message(
    answer: Option<&mut mcp_elicit_store_answer>,
    message: *const c_char,
    message_len: usize,
    err: Option<&mut MaybeUninit<Option<Box<mcp_elicit_error>>>>,
) -> mcp_elicit_status {
    boundary::status(err, || {
        let answer = need(answer, "answer")?;
        // SAFETY: the header asks for a text of this length.
        let message = unsafe { text(message, message_len, "message") }?;
        answer.message = Some(message.chars().take(1000).collect());
        Ok(())
    })
}

/// The functions of a store of your own, which this library copies. Set `size` to
/// sizeof(mcp_elicit_store_functions): later versions add members at the end.
///
/// Each operation is about one key, a NUL-terminated text of 1 to 128 bytes of `a-z A-Z 0-9 : - _`,
/// and must be atomic among all that share the store. Keys and values are lent for the call. A
/// function returns one of mcp_elicit_store_result: what its comment names, or
/// MCP_ELICIT_STORE_UNAVAILABLE, MCP_ELICIT_STORE_TIMED_OUT or MCP_ELICIT_STORE_FULL where it
/// failed. Any other number is a store that failed. Values are compared byte for byte; one whose
/// time is over is not there.
///
/// Thread-safety: the functions are called by the threads that call the engine, by several at a
/// time, in the middle of that thread's call into the library, which waits for them: return within
/// a time limit of your own, two seconds are usual. They must not unwind (no longjmp, no C++
/// exception) and must not call into this library but for mcp_elicit_store_answer_set_value,
/// mcp_elicit_store_answer_set_message and the functions of errors.
#[repr(C)]
#[derive(Clone, Copy)]
pub struct mcp_elicit_store_functions {
    /// sizeof(mcp_elicit_store_functions).
    pub size: usize,
    /// Goes to each function.
    pub context: *mut c_void,
    /// MCP_ELICIT_STORE_FOUND with the value, or MCP_ELICIT_STORE_ABSENT.
    pub get: Option<
        unsafe extern "C" fn(
            context: *mut c_void,
            key: *const c_char,
            answer: *mut mcp_elicit_store_answer,
        ) -> u32,
    >,
    /// Puts a value where there is none, for `ttl_ms` milliseconds (up to UINT64_MAX, which is as
    /// good as for ever): MCP_ELICIT_STORE_DONE. Where there is one: MCP_ELICIT_STORE_FOUND with
    /// it.
    pub put_if_absent: Option<
        unsafe extern "C" fn(
            context: *mut c_void,
            key: *const c_char,
            value: *const u8,
            value_len: usize,
            ttl_ms: u64,
            answer: *mut mcp_elicit_store_answer,
        ) -> u32,
    >,
    /// Puts a value in place of `expected`, for `ttl_ms` milliseconds from now:
    /// MCP_ELICIT_STORE_DONE. Where another is there, or none: MCP_ELICIT_STORE_CONFLICT.
    pub compare_and_set: Option<
        unsafe extern "C" fn(
            context: *mut c_void,
            key: *const c_char,
            expected: *const u8,
            expected_len: usize,
            value: *const u8,
            value_len: usize,
            ttl_ms: u64,
            answer: *mut mcp_elicit_store_answer,
        ) -> u32,
    >,
    /// Deletes a value where it is `expected`: MCP_ELICIT_STORE_DONE. Where another is there, or
    /// none: MCP_ELICIT_STORE_CONFLICT.
    pub compare_and_delete: Option<
        unsafe extern "C" fn(
            context: *mut c_void,
            key: *const c_char,
            expected: *const u8,
            expected_len: usize,
            answer: *mut mcp_elicit_store_answer,
        ) -> u32,
    >,
    /// Frees the context (may be NULL): called once, by whichever thread gives up the last thing
    /// that can still use the store.
    pub destroy: mcp_elicit_destroy_fn,
}

/// More is no size of this struct in any version.
const LARGEST: usize = 4096;

/// The functions of a store, all of them there, and the context that they get.
struct Custom {
    functions: Functions,
    context: Context,
}

struct Functions {
    get: unsafe extern "C" fn(*mut c_void, *const c_char, *mut mcp_elicit_store_answer) -> u32,
    put_if_absent: unsafe extern "C" fn(
        *mut c_void,
        *const c_char,
        *const u8,
        usize,
        u64,
        *mut mcp_elicit_store_answer,
    ) -> u32,
    compare_and_set: unsafe extern "C" fn(
        *mut c_void,
        *const c_char,
        *const u8,
        usize,
        *const u8,
        usize,
        u64,
        *mut mcp_elicit_store_answer,
    ) -> u32,
    compare_and_delete: unsafe extern "C" fn(
        *mut c_void,
        *const c_char,
        *const u8,
        usize,
        *mut mcp_elicit_store_answer,
    ) -> u32,
}

/// A store of your own.
///
/// `functions` is copied. On success `*store` is yours: free it with mcp_elicit_store_free. The
/// context is freed with `destroy` when store, configurations, engines and calls that have it are
/// gone; unless this returns MCP_ELICIT_OK it stays yours.
///
/// Returns MCP_ELICIT_OK, or a status that `*err` (if not NULL) explains.
/// MCP_ELICIT_INVALID_ARGUMENT: `size` is not that of the struct, or an operation is NULL.
///
/// Thread-safety: any thread.
#[must_use]
#[unsafe(no_mangle)]
pub unsafe extern "C" fn mcp_elicit_store_new_custom(
    functions: *const mcp_elicit_store_functions,
    store: Option<&mut MaybeUninit<Option<Box<mcp_elicit_store>>>>,
    err: Option<&mut MaybeUninit<Option<Box<mcp_elicit_error>>>>,
) -> mcp_elicit_status {
    boundary::status(err, || {
        let place = place(store, None, "store")?;
        let pointer = need(std::ptr::NonNull::new(functions.cast_mut()), "functions")?;
        // SAFETY: whatever version the caller was compiled with, the struct begins with its size.
        let size = unsafe { pointer.cast::<usize>().read_unaligned() };
        if !(size_of::<mcp_elicit_store_functions>()..=LARGEST).contains(&size) {
            return Err(invalid_argument("functions", "has a size that is not its own"));
        }
        // SAFETY: the caller vouches for `size` readable bytes, which are not fewer than these.
        let given = unsafe { pointer.read_unaligned() };
        let missing = |name| invalid_argument("functions", &format!("has no {name}"));
        let functions = Functions {
            get: given.get.ok_or_else(|| missing("get"))?,
            put_if_absent: given.put_if_absent.ok_or_else(|| missing("put_if_absent"))?,
            compare_and_set: given.compare_and_set.ok_or_else(|| missing("compare_and_set"))?,
            compare_and_delete: given
                .compare_and_delete
                .ok_or_else(|| missing("compare_and_delete"))?,
        };
        hand_out(place, Custom { functions, context: Context::new(given.context, given.destroy) });
        Ok(())
    })
}

impl Store for Custom {
    fn execute(&self, op: &StoreOp) -> Result<StoreReply, StoreError> {
        let Functions { get, put_if_absent, compare_and_set, compare_and_delete } = self.functions;
        let context = self.context.pointer();
        let mut text = op.key().as_bytes().to_vec();
        text.push(0);
        let key = text.as_ptr().cast::<c_char>();
        let mut answer =
            mcp_elicit_store_answer::new(mcp_elicit_store_result::MCP_ELICIT_STORE_NONE, None);
        let lent = &raw mut answer;
        // SAFETY: the application gave functions and context together, for calls by any thread, by
        // several at once; the context lives as long as this. Key, values and answer live until the
        // call is over, and each length is that of its value.
        let result = unsafe {
            match op {
                StoreOp::Get { .. } => get(context, key, lent),
                StoreOp::PutIfAbsent { value, ttl_ms, .. } => {
                    put_if_absent(context, key, value.as_ptr(), value.len(), *ttl_ms, lent)
                }
                StoreOp::CompareAndSet { expected, value, ttl_ms, .. } => compare_and_set(
                    context,
                    key,
                    expected.as_ptr(),
                    expected.len(),
                    value.as_ptr(),
                    value.len(),
                    *ttl_ms,
                    lent,
                ),
                StoreOp::CompareAndDelete { expected, .. } => {
                    compare_and_delete(context, key, expected.as_ptr(), expected.len(), lent)
                }
                _ => return Err(failed("the store does not know this operation")),
            }
        };
        reply(op, result, answer)
    }
}

fn failed(cause: &str) -> StoreError {
    StoreError::Unavailable(cause.to_owned())
}

/// What an answer of the application's means, if it can be one to this operation.
fn reply(
    op: &StoreOp,
    result: u32,
    answer: mcp_elicit_store_answer,
) -> Result<StoreReply, StoreError> {
    const FOUND: u32 = mcp_elicit_store_result::MCP_ELICIT_STORE_FOUND as u32;
    const ABSENT: u32 = mcp_elicit_store_result::MCP_ELICIT_STORE_ABSENT as u32;
    const DONE: u32 = mcp_elicit_store_result::MCP_ELICIT_STORE_DONE as u32;
    const CONFLICT: u32 = mcp_elicit_store_result::MCP_ELICIT_STORE_CONFLICT as u32;
    const UNAVAILABLE: u32 = mcp_elicit_store_result::MCP_ELICIT_STORE_UNAVAILABLE as u32;
    const TIMED_OUT: u32 = mcp_elicit_store_result::MCP_ELICIT_STORE_TIMED_OUT as u32;
    const FULL: u32 = mcp_elicit_store_result::MCP_ELICIT_STORE_FULL as u32;
    let reads = matches!(op, StoreOp::Get { .. });
    let puts = matches!(op, StoreOp::PutIfAbsent { .. });
    match result {
        FOUND if reads || puts => match answer.value {
            Some(value) => Ok(StoreReply::Found(value)),
            None => Err(failed("it says that it found a value, and gives none")),
        },
        ABSENT if reads => Ok(StoreReply::Absent),
        DONE if !reads => Ok(StoreReply::Done),
        CONFLICT if !reads && !puts => Ok(StoreReply::Conflict),
        UNAVAILABLE => Err(match answer.message {
            Some(message) => StoreError::Unavailable(message),
            None => failed("it does not say why"),
        }),
        TIMED_OUT => Err(StoreError::TimedOut),
        FULL => Err(StoreError::Full),
        _ => Err(failed(&format!("{result} is no answer to {}", op.name()))),
    }
}
