//! Stores: a key-value place with expiry, for what cannot be stateless.
//!
//! Owns the operations as data and the drivers that come with the crate. A sequence that needs a
//! store says which operation it needs, is given the answer, and goes on; whoever runs it does the
//! I/O in its own way. Every value is sealed before it comes here: a store is trusted to keep
//! time and to compare, and with nothing else.

/// What the store in memory is made of. The model of the claim (`claim::model`) runs its source over
/// other locks.
mod locks {
    pub(super) use std::sync::{Mutex, MutexGuard};
}
mod memory;
#[cfg(feature = "redis")]
mod redis;
#[cfg(feature = "sqlite")]
mod sqlite;

use std::fmt;

use crate::error::{Error, ErrorKind};

pub use memory::MemoryStore;
#[cfg(feature = "redis")]
pub use redis::RedisStore;
#[cfg(feature = "sqlite")]
pub use sqlite::SqliteStore;

/// Length of the longest value that is put into a store, or taken for one of ours: 16 MiB.
pub const MAX_VALUE_BYTES: usize = 16 << 20;

/// How long an operation may take where nothing else is said, in milliseconds.
pub const USUAL_TIME_LIMIT_MS: u64 = 2_000;

/// The longest time limit of an operation that a store of ours takes, in milliseconds: an hour. More
/// is a mistake in units.
pub const LONGEST_TIME_LIMIT_MS: u64 = 3_600_000;

/// Length of the longest key, in bytes.
pub const MAX_KEY_BYTES: usize = 128;

/// Whether a store must take `key`: 1 to 128 characters of `a-z A-Z 0-9 : - _`. All of ours are.
pub fn is_key(key: &str) -> bool {
    let fits = |byte: u8| byte.is_ascii_alphanumeric() || matches!(byte, b':' | b'-' | b'_');
    (1..=MAX_KEY_BYTES).contains(&key.len()) && key.bytes().all(fits)
}

/// One operation: one round trip, one key.
///
/// `Debug` shows the key and the length of a value, never the value.
#[derive(Clone, PartialEq, Eq)]
#[non_exhaustive]
pub enum StoreOp {
    /// Answers [`StoreReply::Found`] with the value, or [`StoreReply::Absent`].
    Get {
        /// Where to look.
        key: String,
    },
    /// Puts a value where there is none: [`StoreReply::Done`]. Where there is one it stays, and
    /// the answer is [`StoreReply::Found`] with it. Atomic.
    PutIfAbsent {
        /// Where to put it.
        key: String,
        /// What to put there.
        value: Vec<u8>,
        /// For how many milliseconds.
        ttl_ms: u64,
    },
    /// Puts a value in place of `expected`, compared byte for byte: [`StoreReply::Done`].
    /// [`StoreReply::Conflict`] where there is another value or none. Atomic.
    CompareAndSet {
        /// Where to put it.
        key: String,
        /// What must be there.
        expected: Vec<u8>,
        /// What to put there.
        value: Vec<u8>,
        /// For how many milliseconds from now.
        ttl_ms: u64,
    },
    /// Deletes the value where it is `expected`: [`StoreReply::Done`]; otherwise
    /// [`StoreReply::Conflict`]. Atomic.
    CompareAndDelete {
        /// Where to delete.
        key: String,
        /// What must be there.
        expected: Vec<u8>,
    },
}

impl StoreOp {
    /// The key it is about, which [`is_key`].
    pub fn key(&self) -> &str {
        match self {
            Self::Get { key }
            | Self::PutIfAbsent { key, .. }
            | Self::CompareAndSet { key, .. }
            | Self::CompareAndDelete { key, .. } => key,
        }
    }

    /// A stable name: `get`, `put_if_absent`, `compare_and_set`, `compare_and_delete`.
    pub const fn name(&self) -> &'static str {
        match self {
            Self::Get { .. } => "get",
            Self::PutIfAbsent { .. } => "put_if_absent",
            Self::CompareAndSet { .. } => "compare_and_set",
            Self::CompareAndDelete { .. } => "compare_and_delete",
        }
    }
}

impl fmt::Debug for StoreOp {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "StoreOp({} {})", self.name(), self.key())
    }
}

/// The answer to a [`StoreOp`]. `Debug` does not show the value.
#[derive(Clone, PartialEq, Eq)]
#[non_exhaustive]
pub enum StoreReply {
    /// There is this value.
    Found(Vec<u8>),
    /// There is none.
    Absent,
    /// It was done.
    Done,
    /// It was not done: something else is there.
    Conflict,
}

impl fmt::Debug for StoreReply {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Self::Found(value) => write!(f, "Found({} bytes)", value.len()),
            Self::Absent => f.write_str("Absent"),
            Self::Done => f.write_str("Done"),
            Self::Conflict => f.write_str("Conflict"),
        }
    }
}

/// Why a store did not answer. Whether an operation that failed was carried out is not known.
#[derive(Clone, Debug, PartialEq, Eq)]
#[non_exhaustive]
pub enum StoreError {
    /// It is down, or could not be reached.
    Unavailable(String),
    /// It did not answer in time.
    TimedOut,
    /// It takes no more.
    Full,
}

/// What comes before the cause.
const UNAVAILABLE: &str = "the store is not available: ";

impl StoreError {
    /// The failure that an error of kind [`ErrorKind::Store`] tells of; None for other kinds. For
    /// languages where the methods of our own stores throw such an error.
    pub fn of(error: &Error) -> Option<Self> {
        if error.kind() != ErrorKind::Store {
            return None;
        }
        let message = error.message();
        let known = [Self::TimedOut, Self::Full].into_iter().find(|it| it.to_string() == message);
        let cause = || message.strip_prefix(UNAVAILABLE).unwrap_or(message).to_owned();
        Some(known.unwrap_or_else(|| Self::Unavailable(cause())))
    }

    /// `unavailable`, `timed_out` or `full`.
    pub const fn name(&self) -> &'static str {
        match self {
            Self::Unavailable(_) => "unavailable",
            Self::TimedOut => "timed_out",
            Self::Full => "full",
        }
    }
}

impl fmt::Display for StoreError {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Self::Unavailable(cause) => write!(f, "{UNAVAILABLE}{cause}"),
            Self::TimedOut => f.write_str("the store did not answer in time"),
            Self::Full => f.write_str("the store is full"),
        }
    }
}

impl std::error::Error for StoreError {}

/// A store that blocks the thread that calls it. Shared by threads.
///
/// For a client that awaits, run the sequences of [`Call`](crate::Call) yourself.
pub trait Store: Send + Sync {
    /// Carries out one operation. Returns within a time limit of its own; two seconds are usual.
    ///
    /// # Errors
    /// [`StoreError`] where it could not.
    fn execute(&self, op: &StoreOp) -> Result<StoreReply, StoreError>;
}

impl<S: Store + ?Sized> Store for std::sync::Arc<S> {
    fn execute(&self, op: &StoreOp) -> Result<StoreReply, StoreError> {
        (**self).execute(op)
    }
}
