//! The stores of the core, as handles, and the core's operations as JavaScript sees them.
//!
//! `lib/store*.js` decides on which thread an operation is carried out: in memory at once, in a
//! SQLite file on a worker that the store owns.

use std::cell::RefCell;
use std::path::PathBuf;
use std::time::Duration;

use mcp_elicit::store::{LONGEST_TIME_LIMIT_MS, MAX_VALUE_BYTES, USUAL_TIME_LIMIT_MS, is_key};
use mcp_elicit::store::{MemoryStore, SqliteStore, Store, StoreError, StoreOp, StoreReply};
use mcp_elicit::{Error, ErrorKind, Result, SystemClock};
use napi::Env;
use napi::bindgen_prelude::{Buffer, External, Uint8Array};
use napi_derive::napi;

use crate::boundary::enter;

/// An operation that is to be carried out.
#[napi(object)]
pub struct Operation {
    /// The core's name for it.
    pub name: String,
    /// Where.
    pub key: String,
    /// What must be there.
    pub expected: Option<Uint8Array>,
    /// What to put there.
    pub value: Option<Uint8Array>,
    /// For how many milliseconds.
    pub ttl_ms: Option<f64>,
}

/// What an operation came to.
#[napi(object)]
pub struct Answer {
    /// `found`, `absent`, `done` or `conflict`; `unavailable`, `timed_out` or `full` where it
    /// failed.
    pub said: String,
    /// The value that was found.
    pub value: Option<Buffer>,
    /// Why it is not available.
    pub cause: Option<String>,
}

/// The core's time limits of an operation, in milliseconds.
#[napi(object)]
pub struct TimeLimits {
    /// Where nothing else is said.
    pub usual: f64,
    /// The most that is taken.
    pub longest: f64,
}

/// How long an operation may take.
#[napi(catch_unwind)]
pub fn time_limits_ms() -> TimeLimits {
    TimeLimits { usual: USUAL_TIME_LIMIT_MS as f64, longest: LONGEST_TIME_LIMIT_MS as f64 }
}

/// Whether a store must take the key.
#[napi(catch_unwind)]
pub fn is_store_key(key: String) -> bool {
    is_key(&key)
}

/// Milliseconds as JavaScript counts them: saturates, and drops a fraction.
fn milliseconds(count: f64) -> u64 {
    count as u64
}

impl From<StoreOp> for Operation {
    fn from(op: StoreOp) -> Self {
        let (name, key) = (op.name().to_owned(), op.key().to_owned());
        let (expected, value, ttl_ms) = match op {
            StoreOp::PutIfAbsent { value, ttl_ms, .. } => (None, Some(value), Some(ttl_ms)),
            StoreOp::CompareAndSet { expected, value, ttl_ms, .. } => {
                (Some(expected), Some(value), Some(ttl_ms))
            }
            StoreOp::CompareAndDelete { expected, .. } => (Some(expected), None, None),
            _ => (None, None, None),
        };
        Self {
            name,
            key,
            expected: expected.map(Uint8Array::from),
            value: value.map(Uint8Array::from),
            ttl_ms: ttl_ms.map(|ttl_ms| ttl_ms as f64),
        }
    }
}

impl TryFrom<Operation> for StoreOp {
    type Error = Error;

    fn try_from(op: Operation) -> Result<Self> {
        let bytes = |bytes: Option<Uint8Array>| bytes.map(|bytes| bytes.to_vec());
        let ttl_ms = op.ttl_ms.map(milliseconds);
        let given = (op.name.as_str(), bytes(op.expected), bytes(op.value), ttl_ms);
        let key = op.key;
        Ok(match given {
            ("get", ..) => Self::Get { key },
            ("put_if_absent", _, Some(value), Some(ttl_ms)) => {
                Self::PutIfAbsent { key, value, ttl_ms }
            }
            ("compare_and_set", Some(expected), Some(value), Some(ttl_ms)) => {
                Self::CompareAndSet { key, expected, value, ttl_ms }
            }
            ("compare_and_delete", Some(expected), ..) => Self::CompareAndDelete { key, expected },
            _ => return Err(Error::new(ErrorKind::Internal, "no such operation of a store")),
        })
    }
}

impl From<std::result::Result<StoreReply, StoreError>> for Answer {
    fn from(result: std::result::Result<StoreReply, StoreError>) -> Self {
        let mut answer = Self { said: String::new(), value: None, cause: None };
        let said = match result {
            Ok(StoreReply::Found(value)) => {
                answer.value = Some(value.into());
                "found"
            }
            Ok(StoreReply::Absent) => "absent",
            Ok(StoreReply::Done) => "done",
            Ok(StoreReply::Conflict) => "conflict",
            Ok(_) => "unavailable",
            Err(error) => {
                let name = error.name();
                if let StoreError::Unavailable(cause) = error {
                    answer.cause = Some(cause);
                }
                name
            }
        };
        said.clone_into(&mut answer.said);
        answer
    }
}

impl Answer {
    /// The answer as the core takes it.
    pub(crate) fn reply(self) -> std::result::Result<StoreReply, StoreError> {
        match (self.said.as_str(), self.value) {
            ("found", Some(value)) if value.len() > MAX_VALUE_BYTES => {
                Err(StoreError::Unavailable("a value longer than any of ours".to_owned()))
            }
            ("found", Some(value)) => Ok(StoreReply::Found(value.to_vec())),
            ("absent", _) => Ok(StoreReply::Absent),
            ("done", _) => Ok(StoreReply::Done),
            ("conflict", _) => Ok(StoreReply::Conflict),
            ("timed_out", _) => Err(StoreError::TimedOut),
            ("full", _) => Err(StoreError::Full),
            _ => Err(StoreError::Unavailable(self.cause.unwrap_or_default())),
        }
    }
}

/// Stands in the core for a store that JavaScript awaits: the core drives it by sequences only.
pub(crate) struct Awaited;

impl Store for Awaited {
    fn execute(&self, _op: &StoreOp) -> std::result::Result<StoreReply, StoreError> {
        Err(StoreError::Unavailable("it is awaited".to_owned()))
    }
}

/// Makes a store in memory, of so many bytes.
#[napi(catch_unwind)]
pub fn memory_store(env: Env, capacity: f64) -> napi::Result<External<MemoryStore>> {
    enter(env, || Ok(External::new(MemoryStore::with_capacity(capacity as usize))))
}

/// Carries out an operation in memory.
#[napi(catch_unwind)]
pub fn memory_execute(
    env: Env,
    store: &External<MemoryStore>,
    operation: Operation,
) -> napi::Result<Answer> {
    enter(env, || Ok(store.execute(&operation.try_into()?).into()))
}

/// A SQLite file, which is opened when it is first needed and again while that fails.
pub struct SqliteFile {
    path: PathBuf,
    time_limit: Duration,
    store: RefCell<Option<SqliteStore>>,
}

impl SqliteFile {
    fn execute(
        &self,
        op: &StoreOp,
        time_limit: Duration,
    ) -> std::result::Result<StoreReply, StoreError> {
        let mut opened = self.store.borrow_mut();
        let store = match &mut *opened {
            Some(store) => store,
            none => {
                let store = SqliteStore::open_with(&self.path, self.time_limit, SystemClock)?;
                none.insert(store)
            }
        };
        store.execute_within(op, time_limit)
    }
}

/// Names a file, with the time limit of an operation in milliseconds.
#[napi(catch_unwind)]
pub fn sqlite_file(
    env: Env,
    path: String,
    time_limit_ms: u32,
) -> napi::Result<External<SqliteFile>> {
    enter(env, || {
        let time_limit = Duration::from_millis(u64::from(time_limit_ms));
        let store = RefCell::default();
        Ok(External::new(SqliteFile { path: path.into(), time_limit, store }))
    })
}

/// Carries out an operation in a file; this thread waits, at most so many milliseconds for others.
#[napi(catch_unwind)]
pub fn sqlite_execute(
    env: Env,
    file: &External<SqliteFile>,
    operation: Operation,
    left_ms: f64,
) -> napi::Result<Answer> {
    enter(env, || {
        let left = Duration::from_millis(milliseconds(left_ms));
        Ok(file.execute(&operation.try_into()?, left).into())
    })
}

/// Closes a file; another operation would open it again.
#[napi(catch_unwind)]
pub fn sqlite_close(env: Env, file: &External<SqliteFile>) -> napi::Result<()> {
    enter(env, || {
        file.store.take();
        Ok(())
    })
}
