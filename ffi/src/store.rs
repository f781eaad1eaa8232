//! Stores: what comes with the library, and their operations. A store of the application's own is
//! in `custom_store`.

use std::ffi::c_char;
use std::mem::MaybeUninit;
use std::sync::Arc;
use std::time::Duration;

use mcp_elicit::store::{
    LONGEST_TIME_LIMIT_MS, MAX_VALUE_BYTES, MemoryStore, Store, StoreError, StoreOp, StoreReply,
    USUAL_TIME_LIMIT_MS, is_key,
};
use mcp_elicit::{Error, ErrorKind};

use crate::boundary::{self, Done, Failure, invalid_argument, need, place};
use crate::config::mcp_elicit_engine_config;
use crate::custom_store::mcp_elicit_store_answer;
use crate::error::mcp_elicit_error;
use crate::status::mcp_elicit_status;
use crate::text::{bytes, text};

/// A key-value place with expiry, for what cannot be stateless: claims.
///
/// All instances of a service share one. What is put there is sealed: a store is trusted to keep
/// time and to compare, and with nothing else. Made by the functions below; give it to
/// mcp_elicit_engine_config_set_store; free it with mcp_elicit_store_free.
///
/// An operation blocks the thread that calls the engine, up to the time limit of the store. A store
/// that is down, slow or full is MCP_ELICIT_STORE, which mcp_elicit_error_is_retryable.
///
/// Thread-safety: any number of threads may use it at once. After a fork the child opens a SQLite
/// store of its own: the parent's refuses to work there.
pub struct mcp_elicit_store {
    pub(crate) store: Arc<dyn Store>,
}

/// What a store answers to an operation. Later versions can add answers.
#[repr(u32)]
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum mcp_elicit_store_result {
    /// None: what is returned where there is no answer.
    MCP_ELICIT_STORE_NONE = 0,
    /// There is a value, which is in the answer.
    MCP_ELICIT_STORE_FOUND = 1,
    /// There is none.
    MCP_ELICIT_STORE_ABSENT = 2,
    /// It was done.
    MCP_ELICIT_STORE_DONE = 3,
    /// It was not done: something else is there, or nothing.
    MCP_ELICIT_STORE_CONFLICT = 4,
    /// Only from a store of your own: it is down, or could not be reached.
    MCP_ELICIT_STORE_UNAVAILABLE = 10,
    /// Only from a store of your own: it did not answer in time.
    MCP_ELICIT_STORE_TIMED_OUT = 11,
    /// Only from a store of your own: it takes no more.
    MCP_ELICIT_STORE_FULL = 12,
}

fn time_limit(ms: u64) -> Done<Duration> {
    match ms {
        0 => Ok(Duration::from_millis(USUAL_TIME_LIMIT_MS)),
        1..=LONGEST_TIME_LIMIT_MS => Ok(Duration::from_millis(ms)),
        _ => Err(invalid_argument("time_limit_ms", "is more than an hour")),
    }
}

fn failure(error: &StoreError) -> Failure {
    Error::new(ErrorKind::Store, error.to_string()).into()
}

#[cfg(not(all(feature = "sqlite", feature = "redis")))]
fn not_built_in(feature: &str) -> Failure {
    let message = format!("this library was built without its feature \"{feature}\"");
    Error::new(ErrorKind::Config, message).into()
}

/// What is new is the caller's.
pub(crate) fn hand_out(
    place: &mut MaybeUninit<Option<Box<mcp_elicit_store>>>,
    store: impl Store + 'static,
) {
    place.write(Some(Box::new(mcp_elicit_store { store: Arc::new(store) })));
}

/// A store in this process, gone with it: for one instance of a service, and for tests.
///
/// `capacity` is about how many bytes it holds at most, keys and values counted; 0 means the usual
/// 64 MiB. A value can be as large as a sixteenth of it. What has expired makes room; where nothing
/// has, it is full. Never waits for anything but other threads.
///
/// On success `*store` is yours: free it with mcp_elicit_store_free.
///
/// Returns MCP_ELICIT_OK, or a status that `*err` (if not NULL) explains.
///
/// Thread-safety: any thread.
#[must_use]
#[unsafe(no_mangle)]
pub extern "C" fn mcp_elicit_store_new_memory(
    capacity: usize,
    store: Option<&mut MaybeUninit<Option<Box<mcp_elicit_store>>>>,
    err: Option<&mut MaybeUninit<Option<Box<mcp_elicit_error>>>>,
) -> mcp_elicit_status {
    boundary::status(err, || {
        let place = place(store, None, "store")?;
        match capacity {
            0 => hand_out(place, MemoryStore::new()),
            _ => hand_out(place, MemoryStore::with_capacity(capacity)),
        }
        Ok(())
    })
}

/// A store in a SQLite file, which the processes of one machine share: what was claimed stays
/// claimed when a process is killed. The file is made where there is none, with two others beside
/// it ("-wal", "-shm"). It must not lie on a network drive.
///
/// `path` is UTF-8; `path_len` is in bytes, MCP_ELICIT_NUL means NUL-terminated. `time_limit_ms` is
/// how long a write waits for other processes, in milliseconds; 0 means the usual two seconds, an
/// hour is the most.
///
/// On success `*store` is yours: free it with mcp_elicit_store_free.
///
/// Returns MCP_ELICIT_OK, or a status that `*err` (if not NULL) explains. MCP_ELICIT_STORE: the
/// file cannot be opened, or is no SQLite file. MCP_ELICIT_CONFIG: the library was built without
/// its feature "sqlite".
///
/// Thread-safety: any thread.
#[must_use]
#[unsafe(no_mangle)]
pub unsafe extern "C" fn mcp_elicit_store_new_sqlite(
    path: *const c_char,
    path_len: usize,
    time_limit_ms: u64,
    store: Option<&mut MaybeUninit<Option<Box<mcp_elicit_store>>>>,
    err: Option<&mut MaybeUninit<Option<Box<mcp_elicit_error>>>>,
) -> mcp_elicit_status {
    boundary::status(err, || {
        let place = place(store, None, "store")?;
        // SAFETY: the header asks for a text of this length.
        let path = unsafe { text(path, path_len, "path") }?;
        open_sqlite(path, time_limit(time_limit_ms)?, place)
    })
}

#[cfg(feature = "sqlite")]
fn open_sqlite(
    path: &str,
    time_limit: Duration,
    place: &mut MaybeUninit<Option<Box<mcp_elicit_store>>>,
) -> Done {
    if !mcp_elicit::store::SqliteStore::is_path(path) {
        return Err(invalid_argument("path", "is not that of a file"));
    }
    let clock = mcp_elicit::SystemClock;
    let store = mcp_elicit::store::SqliteStore::open_with(path, time_limit, clock);
    hand_out(place, store.map_err(|error| failure(&error))?);
    Ok(())
}

#[cfg(not(feature = "sqlite"))]
fn open_sqlite(_: &str, _: Duration, _: &mut MaybeUninit<Option<Box<mcp_elicit_store>>>) -> Done {
    Err(not_built_in("sqlite"))
}

/// A store in Redis 2.8 or later, or what speaks its protocol: shared by a fleet. Does not connect
/// yet; connects again by itself. Evicting servers (`maxmemory-policy` other than `noeviction`) can
/// lose claims.
///
/// `url` is such as "redis://127.0.0.1:6379/0" or "rediss://user:password@host:6380/0"; `url_len`
/// is in bytes, MCP_ELICIT_NUL means NUL-terminated. No message repeats it. `time_limit_ms` is the
/// time of a whole operation, connecting included, in milliseconds; 0 means the usual two seconds,
/// an hour is the most. Looking up the name of a host is the system's, with the system's time.
///
/// On success `*store` is yours: free it with mcp_elicit_store_free.
///
/// Returns MCP_ELICIT_OK, or a status that `*err` (if not NULL) explains.
/// MCP_ELICIT_INVALID_ARGUMENT: `url` is no such URL. MCP_ELICIT_CONFIG: the library was built
/// without its feature "redis" (cargo build --features redis).
///
/// Thread-safety: any thread.
#[must_use]
#[unsafe(no_mangle)]
pub unsafe extern "C" fn mcp_elicit_store_new_redis(
    url: *const c_char,
    url_len: usize,
    time_limit_ms: u64,
    store: Option<&mut MaybeUninit<Option<Box<mcp_elicit_store>>>>,
    err: Option<&mut MaybeUninit<Option<Box<mcp_elicit_error>>>>,
) -> mcp_elicit_status {
    boundary::status(err, || {
        let place = place(store, None, "store")?;
        // SAFETY: the header asks for a text of this length.
        let url = unsafe { text(url, url_len, "url") }?;
        open_redis(url, time_limit(time_limit_ms)?, place)
    })
}

#[cfg(feature = "redis")]
fn open_redis(
    url: &str,
    time_limit: Duration,
    place: &mut MaybeUninit<Option<Box<mcp_elicit_store>>>,
) -> Done {
    // It connects when it is used: all that can be wrong now is the URL.
    let store = mcp_elicit::store::RedisStore::open_with(url, time_limit)
        .map_err(|_| invalid_argument("url", "is no redis:// or rediss:// URL"))?;
    hand_out(place, store);
    Ok(())
}

#[cfg(not(feature = "redis"))]
fn open_redis(_: &str, _: Duration, _: &mut MaybeUninit<Option<Box<mcp_elicit_store>>>) -> Done {
    Err(not_built_in("redis"))
}

/// Frees a store. NULL is allowed. Configurations and engines that have it go on.
#[unsafe(no_mangle)]
pub extern "C" fn mcp_elicit_store_free(store: Option<Box<mcp_elicit_store>>) {
    boundary::value((), || drop(store));
}

/// Where the engines of this configuration keep their claims. Only handlers that claim need one:
/// mcp_elicit_call_claim. NULL: nowhere, as when nothing is set.
///
/// `store` is shared, not taken: free it when you need it no more.
///
/// Returns MCP_ELICIT_OK, or a status that `*err` (if not NULL) explains.
#[must_use]
#[unsafe(no_mangle)]
pub extern "C" fn mcp_elicit_engine_config_set_store(
    config: Option<&mut mcp_elicit_engine_config>,
    store: Option<&mcp_elicit_store>,
    err: Option<&mut MaybeUninit<Option<Box<mcp_elicit_error>>>>,
) -> mcp_elicit_status {
    boundary::status(err, || {
        need(config, "config")?.store = store.map(|store| Arc::clone(&store.store));
        Ok(())
    })
}

/// Looks up a value. For tests of a store, and for bindings on this ABI: engines do this by
/// themselves.
///
/// `key` is a text of 1 to 128 bytes of `a-z A-Z 0-9 : - _`; `key_len` is in bytes, MCP_ELICIT_NUL
/// means NUL-terminated. On success `*answer` is yours: free it with mcp_elicit_store_answer_free.
/// Its result is MCP_ELICIT_STORE_FOUND or MCP_ELICIT_STORE_ABSENT.
///
/// Returns MCP_ELICIT_OK, or a status that `*err` (if not NULL) explains. MCP_ELICIT_STORE: the
/// store did not answer, or not in time.
///
/// Thread-safety: any thread. Blocks up to the time limit of the store.
#[must_use]
#[unsafe(no_mangle)]
pub unsafe extern "C" fn mcp_elicit_store_get(
    store: Option<&mcp_elicit_store>,
    key: *const c_char,
    key_len: usize,
    answer: Option<&mut MaybeUninit<Option<Box<mcp_elicit_store_answer>>>>,
    err: Option<&mut MaybeUninit<Option<Box<mcp_elicit_error>>>>,
) -> mcp_elicit_status {
    boundary::status(err, || {
        execute(store, answer, || {
            // SAFETY: the header asks for a text of this length.
            Ok(StoreOp::Get { key: own_key(unsafe { text(key, key_len, "key") }?)? })
        })
    })
}

/// Puts a value where there is none, for `ttl_ms` milliseconds: MCP_ELICIT_STORE_DONE. Where there
/// is one it stays: MCP_ELICIT_STORE_FOUND, with it. Of several at once one is done.
///
/// `value` is any bytes, `value_len` of them, at most 16 MiB. They are copied. The rest as
/// mcp_elicit_store_get. MCP_ELICIT_STORE: the store did not answer, or not in time, or is full;
/// whether it was done is then not known.
#[must_use]
#[unsafe(no_mangle)]
pub unsafe extern "C" fn mcp_elicit_store_put_if_absent(
    store: Option<&mcp_elicit_store>,
    key: *const c_char,
    key_len: usize,
    value: *const u8,
    value_len: usize,
    ttl_ms: u64,
    answer: Option<&mut MaybeUninit<Option<Box<mcp_elicit_store_answer>>>>,
    err: Option<&mut MaybeUninit<Option<Box<mcp_elicit_error>>>>,
) -> mcp_elicit_status {
    boundary::status(err, || {
        execute(store, answer, || {
            // SAFETY: the header asks for texts and bytes of these lengths.
            let (key, value) =
                unsafe { (text(key, key_len, "key")?, bytes(value.cast(), value_len, "value")?) };
            let (key, value) = (own_key(key)?, own_value(value, "value")?);
            Ok(StoreOp::PutIfAbsent { key, value, ttl_ms })
        })
    })
}

/// Puts a value in place of `expected`, for `ttl_ms` milliseconds from now: MCP_ELICIT_STORE_DONE.
/// Where another is there, or none: MCP_ELICIT_STORE_CONFLICT. Of several at once one is done.
///
/// As mcp_elicit_store_put_if_absent; `expected` is given like `value`.
#[must_use]
#[unsafe(no_mangle)]
pub unsafe extern "C" fn mcp_elicit_store_compare_and_set(
    store: Option<&mcp_elicit_store>,
    key: *const c_char,
    key_len: usize,
    expected: *const u8,
    expected_len: usize,
    value: *const u8,
    value_len: usize,
    ttl_ms: u64,
    answer: Option<&mut MaybeUninit<Option<Box<mcp_elicit_store_answer>>>>,
    err: Option<&mut MaybeUninit<Option<Box<mcp_elicit_error>>>>,
) -> mcp_elicit_status {
    boundary::status(err, || {
        execute(store, answer, || {
            // SAFETY: the header asks for texts and bytes of these lengths.
            let (key, expected, value) = unsafe {
                (
                    text(key, key_len, "key")?,
                    bytes(expected.cast(), expected_len, "expected")?,
                    bytes(value.cast(), value_len, "value")?,
                )
            };
            let key = own_key(key)?;
            let (expected, value) = (own_value(expected, "expected")?, own_value(value, "value")?);
            Ok(StoreOp::CompareAndSet { key, expected, value, ttl_ms })
        })
    })
}

/// Deletes a value where it is `expected`: MCP_ELICIT_STORE_DONE. Where another is there, or none:
/// MCP_ELICIT_STORE_CONFLICT.
///
/// As mcp_elicit_store_compare_and_set.
#[must_use]
#[unsafe(no_mangle)]
pub unsafe extern "C" fn mcp_elicit_store_compare_and_delete(
    store: Option<&mcp_elicit_store>,
    key: *const c_char,
    key_len: usize,
    expected: *const u8,
    expected_len: usize,
    answer: Option<&mut MaybeUninit<Option<Box<mcp_elicit_store_answer>>>>,
    err: Option<&mut MaybeUninit<Option<Box<mcp_elicit_error>>>>,
) -> mcp_elicit_status {
    boundary::status(err, || {
        execute(store, answer, || {
            // SAFETY: the header asks for texts and bytes of these lengths.
            let (key, expected) = unsafe {
                (text(key, key_len, "key")?, bytes(expected.cast(), expected_len, "expected")?)
            };
            let (key, expected) = (own_key(key)?, own_value(expected, "expected")?);
            Ok(StoreOp::CompareAndDelete { key, expected })
        })
    })
}

/// A key as the core's operations have it.
fn own_key(key: &str) -> Done<String> {
    match is_key(key) {
        true => Ok(key.to_owned()),
        false => Err(invalid_argument("key", "is not 1 to 128 of a-z A-Z 0-9 : - _")),
    }
}

fn own_value(value: &[u8], name: &str) -> Done<Vec<u8>> {
    match value.len() <= MAX_VALUE_BYTES {
        true => Ok(value.to_vec()),
        false => Err(invalid_argument(name, "is longer than 16 MiB")),
    }
}

fn execute(
    store: Option<&mcp_elicit_store>,
    answer: Option<&mut MaybeUninit<Option<Box<mcp_elicit_store_answer>>>>,
    op: impl FnOnce() -> Done<StoreOp>,
) -> Done {
    let place = place(answer, None, "answer")?;
    let store = need(store, "store")?;
    let reply = store.store.execute(&op()?).map_err(|error| failure(&error))?;
    let (result, value) = match reply {
        StoreReply::Found(value) => (mcp_elicit_store_result::MCP_ELICIT_STORE_FOUND, Some(value)),
        StoreReply::Absent => (mcp_elicit_store_result::MCP_ELICIT_STORE_ABSENT, None),
        StoreReply::Done => (mcp_elicit_store_result::MCP_ELICIT_STORE_DONE, None),
        StoreReply::Conflict => (mcp_elicit_store_result::MCP_ELICIT_STORE_CONFLICT, None),
        _ => {
            let error = StoreError::Unavailable("an answer that is not known here".to_owned());
            return Err(failure(&error));
        }
    };
    place.write(Some(Box::new(mcp_elicit_store_answer::new(result, value))));
    Ok(())
}
