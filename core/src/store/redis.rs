//! A store in Redis, or what speaks its protocol: shared by a fleet.
//!
//! One round trip an operation, one key an operation, so that a cluster's proxy can route it. What
//! must be atomic is a script of a few lines.

use std::fmt;
use std::sync::{Mutex, MutexGuard, PoisonError};
use std::time::{Duration, Instant};

use redis::{Client, Cmd, Connection, ConnectionLike, RedisError, Value};

use super::{Store, StoreError, StoreOp, StoreReply, USUAL_TIME_LIMIT_MS};

/// Puts a value where there is none. Where it is there already, an earlier try put it.
const PUT_IF_ABSENT: &str = "local found = redis.call('GET', KEYS[1])
if found and not (ARGV[3] == '1' and found == ARGV[1]) then return found end
redis.call('SET', KEYS[1], ARGV[1], 'PX', ARGV[2])
return 1";

/// Puts a value in place of another. Where it is there already, an earlier try put it.
const COMPARE_AND_SET: &str = "local found = redis.call('GET', KEYS[1])
if found ~= ARGV[1] and not (ARGV[4] == '1' and found == ARGV[2]) then return 0 end
redis.call('SET', KEYS[1], ARGV[2], 'PX', ARGV[3])
return 1";

const COMPARE_AND_DELETE: &str = "if redis.call('GET', KEYS[1]) ~= ARGV[1] then return 0 end
redis.call('DEL', KEYS[1])
return 1";

/// Connections that are kept while nobody uses them.
const IDLE: usize = 16;

/// Longest expiry that is sent: ten years.
const LONGEST_MS: u64 = 3650 * 24 * 3_600_000;

/// A store in Redis 2.8 or later (feature `redis`), by `redis://` or `rediss://`.
///
/// Shared by threads: each operation has a connection to itself, taken from a small pool. A
/// connection that broke is replaced and the operation repeated once, which changes nothing where
/// the first try got through. Evicting servers (`maxmemory-policy` other than `noeviction`) can
/// lose claims.
pub struct RedisStore {
    client: Client,
    time_limit: Duration,
    idle: Mutex<Vec<Connection>>,
}

impl RedisStore {
    /// A store at `url`, such as `redis://127.0.0.1:6379/0` or
    /// `rediss://user:password@host:6380/0`, with a time limit of two seconds an operation. Does
    /// not connect yet.
    ///
    /// # Errors
    /// [`StoreError::Unavailable`] where the url is none. The message does not repeat it.
    pub fn open(url: &str) -> Result<Self, StoreError> {
        Self::open_with(url, Duration::from_millis(USUAL_TIME_LIMIT_MS))
    }

    /// A store with a time limit of its own: connecting, one repetition and all. What is left of it
    /// bounds each wait for the server, so that one which sends its answer in many small pieces,
    /// each in time, can take longer.
    ///
    /// # Errors
    /// As [`RedisStore::open`].
    pub fn open_with(url: &str, time_limit: Duration) -> Result<Self, StoreError> {
        let client = Client::open(url).map_err(|_| {
            StoreError::Unavailable("the address is no redis:// or rediss:// URL".to_owned())
        })?;
        Ok(Self { client, time_limit, idle: Mutex::default() })
    }

    fn idle(&self) -> MutexGuard<'_, Vec<Connection>> {
        self.idle.lock().unwrap_or_else(PoisonError::into_inner)
    }

    /// What is left of the time until `deadline`.
    fn left(deadline: Instant) -> Result<Duration, StoreError> {
        let left = deadline.saturating_duration_since(Instant::now());
        if left.is_zero() { Err(StoreError::TimedOut) } else { Ok(left) }
    }

    fn connect(&self, deadline: Instant) -> Result<Connection, StoreError> {
        self.client.get_connection_with_timeout(Self::left(deadline)?).map_err(|e| failure(&e))
    }

    fn run(
        &self,
        mut connection: Connection,
        op: &StoreOp,
        repeated: bool,
        deadline: Instant,
    ) -> Result<Value, Failed> {
        let left = Some(Self::left(deadline).map_err(Failed::Final)?);
        let timed =
            connection.set_read_timeout(left).and_then(|()| connection.set_write_timeout(left));
        let value = timed.and_then(|()| command(op, repeated).query::<Value>(&mut connection));
        match value {
            Ok(value) => {
                let mut idle = self.idle();
                if idle.len() < IDLE && connection.is_open() {
                    idle.push(connection);
                }
                Ok(value)
            }
            // The connection may still hold an answer that nobody waits for: it is dropped.
            Err(error) if error.is_timeout() => Err(Failed::Final(StoreError::TimedOut)),
            Err(error) if error.is_io_error() || error.is_connection_dropped() => {
                Err(Failed::Connection(failure(&error)))
            }
            Err(error) => Err(Failed::Final(failure(&error))),
        }
    }
}

/// Why a try failed.
enum Failed {
    /// Another connection may do.
    Connection(StoreError),
    Final(StoreError),
}

impl Store for RedisStore {
    fn execute(&self, op: &StoreOp) -> Result<StoreReply, StoreError> {
        let deadline = Instant::now() + self.time_limit;
        let kept = self.idle().pop();
        let was_kept = kept.is_some();
        let connection = match kept {
            Some(connection) => connection,
            None => self.connect(deadline)?,
        };
        let value = match self.run(connection, op, false, deadline) {
            Ok(value) => value,
            Err(Failed::Final(error)) => return Err(error),
            Err(Failed::Connection(_)) => {
                // A kept connection that broke says that the others are old too.
                if was_kept {
                    self.idle().clear();
                }
                let connection = self.connect(deadline)?;
                match self.run(connection, op, true, deadline) {
                    Ok(value) => value,
                    Err(Failed::Final(error) | Failed::Connection(error)) => return Err(error),
                }
            }
        };
        reply(op, value)
    }
}

fn command(op: &StoreOp, repeated: bool) -> Cmd {
    let life = |ttl_ms: &u64| (*ttl_ms).clamp(1, LONGEST_MS);
    let script = |text: &str, key: &str| {
        let mut command = redis::cmd("EVAL");
        command.arg(text).arg(1).arg(key);
        command
    };
    match op {
        StoreOp::Get { key } => {
            let mut command = redis::cmd("GET");
            command.arg(key);
            command
        }
        StoreOp::PutIfAbsent { key, value, ttl_ms } => {
            let mut command = script(PUT_IF_ABSENT, key);
            command.arg(value).arg(life(ttl_ms)).arg(i32::from(repeated));
            command
        }
        StoreOp::CompareAndSet { key, expected, value, ttl_ms } => {
            let mut command = script(COMPARE_AND_SET, key);
            command.arg(expected).arg(value).arg(life(ttl_ms)).arg(i32::from(repeated));
            command
        }
        StoreOp::CompareAndDelete { key, expected } => {
            let mut command = script(COMPARE_AND_DELETE, key);
            command.arg(expected);
            command
        }
    }
}

fn reply(op: &StoreOp, value: Value) -> Result<StoreReply, StoreError> {
    match (op, value) {
        (StoreOp::Get { .. }, Value::Nil) => Ok(StoreReply::Absent),
        (StoreOp::Get { .. } | StoreOp::PutIfAbsent { .. }, Value::BulkString(value)) => {
            Ok(StoreReply::Found(value))
        }
        (StoreOp::Get { .. }, _) => Err(strange()),
        (_, Value::Int(1)) => Ok(StoreReply::Done),
        (_, Value::Int(0)) => Ok(StoreReply::Conflict),
        _ => Err(strange()),
    }
}

fn strange() -> StoreError {
    StoreError::Unavailable("Redis: an answer of another type than was asked for".to_owned())
}

/// Says what kind of failure it was; never an address, a password or a value.
fn failure(error: &RedisError) -> StoreError {
    if error.is_timeout() {
        return StoreError::TimedOut;
    }
    match error.code() {
        Some("OOM") => StoreError::Full,
        Some(code) => StoreError::Unavailable(format!("Redis: {code}")),
        None => StoreError::Unavailable(format!("Redis: {}", error.category())),
    }
}

impl fmt::Debug for RedisStore {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_struct("RedisStore").field("time_limit", &self.time_limit).finish_non_exhaustive()
    }
}
