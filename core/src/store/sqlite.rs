//! A store in a file, shared by the processes of one machine.
//!
//! Write-ahead log, every write on disk before it is answered: what was claimed stays claimed
//! through a crash of the process or of the machine.

use std::path::{Path, PathBuf};
use std::sync::atomic::{AtomicU32, Ordering};
use std::sync::{Mutex, PoisonError};
use std::time::{Duration, Instant};

use rusqlite::{Connection, ErrorCode, OpenFlags, OptionalExtension, params};

use super::{Store, StoreError, StoreOp, StoreReply, USUAL_TIME_LIMIT_MS};
use crate::env::{Clock, SystemClock};

/// What has expired is deleted once in so many writes.
const SWEEP_EVERY: u32 = 256;

/// No operation waits longer: a day.
const LONGEST: Duration = Duration::from_secs(24 * 3600);

/// What a file must hold; changes nothing where it does.
const TABLE: &str = "PRAGMA journal_mode = WAL;
    PRAGMA synchronous = FULL;
    CREATE TABLE IF NOT EXISTS mcp_elicit_store (
        key TEXT PRIMARY KEY NOT NULL,
        value BLOB NOT NULL,
        expires_ms INTEGER NOT NULL
    ) WITHOUT ROWID;
    CREATE INDEX IF NOT EXISTS mcp_elicit_store_expires ON mcp_elicit_store (expires_ms);";

/// A store in a SQLite file (feature `sqlite`, which builds SQLite in).
///
/// Shared by threads, which wait for one another, and by processes that open the same file; not by
/// machines: the file must not lie on a network drive. After a `fork` the child opens one of its
/// own: the parent's refuses to work there. Where the file is deleted or another is put in its place,
/// every operation fails, since other processes now see another store. Nothing else in the process
/// may open the file with a SQLite of its own: closing it there would drop the locks held here. An
/// operation waits up to the time limit for other threads and processes, then fails with
/// [`StoreError::TimedOut`].
pub struct SqliteStore {
    connection: Mutex<Connection>,
    writes: AtomicU32,
    clock: Box<dyn Clock>,
    time_limit: Duration,
    /// The process that opened it: SQLite's locks do not survive a fork.
    process: u32,
    place: Option<Place>,
}

/// Which file was opened, and where it lay.
struct Place {
    path: PathBuf,
    identity: (u64, u64),
}

impl SqliteStore {
    /// Opens or makes the file, with a time limit of two seconds.
    ///
    /// # Errors
    /// [`StoreError`] where the file cannot be opened or is no SQLite file.
    pub fn open(path: impl AsRef<Path>) -> Result<Self, StoreError> {
        Self::open_with(path, Duration::from_millis(USUAL_TIME_LIMIT_MS), SystemClock)
    }

    /// Opens or makes the file. Processes that share it need clocks that agree: expiry is wall
    /// time.
    ///
    /// # Errors
    /// As [`SqliteStore::open`]; also for what is no [path](SqliteStore::is_path).
    pub fn open_with(
        path: impl AsRef<Path>,
        time_limit: Duration,
        clock: impl Clock + 'static,
    ) -> Result<Self, StoreError> {
        let deadline = Instant::now() + time_limit.min(LONGEST);
        let path = path.as_ref();
        if !Self::is_path(path) {
            let message = "SQLite: the path is not that of a file";
            return Err(StoreError::Unavailable(message.to_owned()));
        }
        // Not as a URI: `file:x` is a file of that name, as it is in every other program.
        let flags = OpenFlags::default() - OpenFlags::SQLITE_OPEN_URI;
        let connection = Connection::open_with_flags(path, flags).map_err(failure)?;
        patiently(&connection, deadline, || connection.execute_batch(TABLE).map_err(failure))?;
        let place = Place::of(&connection);
        Ok(Self {
            connection: Mutex::new(connection),
            writes: AtomicU32::new(0),
            clock: Box::new(clock),
            time_limit,
            process: std::process::id(),
            place,
        })
    }

    /// Whether SQLite takes the path for that of a file: not an empty one or `:memory:`, of which it
    /// makes a database that nobody else can open, and none with a NUL.
    pub fn is_path(path: impl AsRef<Path>) -> bool {
        let names_a_file =
            |path: &str| !path.is_empty() && path != ":memory:" && !path.contains('\0');
        path.as_ref().to_str().is_none_or(names_a_file)
    }

    /// Carries out one operation with a time limit of its own, for whoever has waited already.
    ///
    /// # Errors
    /// As [`Store::execute`].
    pub fn execute_within(
        &self,
        op: &StoreOp,
        time_limit: Duration,
    ) -> Result<StoreReply, StoreError> {
        if std::process::id() != self.process {
            let message = "SQLite: opened before a fork; open the store again in each process";
            return Err(StoreError::Unavailable(message.to_owned()));
        }
        if self.place.as_ref().is_some_and(Place::is_lost) {
            let message = "SQLite: the file was deleted or replaced; open the store again";
            return Err(StoreError::Unavailable(message.to_owned()));
        }
        let time_limit = time_limit.min(LONGEST);
        let deadline = Instant::now() + time_limit;
        // Each operation is one statement or one transaction: a panic leaves nothing half done.
        let connection = self.connection.lock().unwrap_or_else(PoisonError::into_inner);
        if Instant::now() >= deadline && !time_limit.is_zero() {
            return Err(StoreError::TimedOut);
        }
        patiently(&connection, deadline, || self.carry_out(&connection, op))
    }

    fn carry_out(&self, connection: &Connection, op: &StoreOp) -> Result<StoreReply, StoreError> {
        let now = i64::try_from(self.clock.now_ms()).unwrap_or(i64::MAX);
        let until = |ttl_ms: u64| now.saturating_add(i64::try_from(ttl_ms).unwrap_or(i64::MAX));
        let done = match op {
            StoreOp::Get { key } => {
                let found = get(connection, key, now).map_err(failure)?;
                return Ok(found.map_or(StoreReply::Absent, StoreReply::Found));
            }
            StoreOp::PutIfAbsent { key, value, ttl_ms } => loop {
                // One statement, so that of two processes one puts.
                let put = connection
                    .prepare_cached(
                        "INSERT INTO mcp_elicit_store VALUES (?1, ?2, ?3)
                         ON CONFLICT (key) DO UPDATE
                             SET value = excluded.value, expires_ms = excluded.expires_ms
                             WHERE expires_ms <= ?4",
                    )
                    .and_then(|mut put| put.execute(params![key, value, until(*ttl_ms), now]))
                    .map_err(failure)?;
                if put == 1 {
                    break true;
                }
                // Gone since then, by another's deletion: it is ours to put after all.
                if let Some(found) = get(connection, key, now).map_err(failure)? {
                    return Ok(StoreReply::Found(found));
                }
            },
            StoreOp::CompareAndSet { key, expected, value, ttl_ms } => {
                connection
                    .prepare_cached(
                        "UPDATE mcp_elicit_store SET value = ?1, expires_ms = ?2
                         WHERE key = ?3 AND value = ?4 AND expires_ms > ?5",
                    )
                    .and_then(|mut set| {
                        set.execute(params![value, until(*ttl_ms), key, expected, now])
                    })
                    .map_err(failure)?
                    == 1
            }
            StoreOp::CompareAndDelete { key, expected } => {
                connection
                    .prepare_cached(
                        "DELETE FROM mcp_elicit_store
                         WHERE key = ?1 AND value = ?2 AND expires_ms > ?3",
                    )
                    .and_then(|mut delete| delete.execute(params![key, expected, now]))
                    .map_err(failure)?
                    == 1
            }
        };
        if self.writes.fetch_add(1, Ordering::Relaxed) % SWEEP_EVERY == SWEEP_EVERY - 1 {
            // What it is for was done: a sweep that fails is tried again later.
            let sweep = "DELETE FROM mcp_elicit_store WHERE expires_ms <= ?1";
            let _ = connection.execute(sweep, params![now]);
        }
        Ok(if done { StoreReply::Done } else { StoreReply::Conflict })
    }
}

impl Place {
    /// None where files have no identity.
    fn of(connection: &Connection) -> Option<Self> {
        let path = PathBuf::from(connection.path().filter(|path| !path.is_empty())?);
        let identity = identity(&path)?;
        Some(Self { path, identity })
    }

    fn is_lost(&self) -> bool {
        identity(&self.path) != Some(self.identity)
    }
}

#[cfg(unix)]
fn identity(path: &Path) -> Option<(u64, u64)> {
    use std::os::unix::fs::MetadataExt as _;

    std::fs::metadata(path).ok().map(|file| (file.dev(), file.ino()))
}

#[cfg(not(unix))]
fn identity(_: &Path) -> Option<(u64, u64)> {
    None
}

impl Store for SqliteStore {
    fn execute(&self, op: &StoreOp) -> Result<StoreReply, StoreError> {
        self.execute_within(op, self.time_limit)
    }
}

/// Does some work until it is done or the time is over. Whoever is in the way is waited for by
/// SQLite itself, but for a process that closes the file and takes the log away: that one it reports
/// as busy at once.
fn patiently<T>(
    connection: &Connection,
    deadline: Instant,
    mut work: impl FnMut() -> Result<T, StoreError>,
) -> Result<T, StoreError> {
    loop {
        let left = deadline.saturating_duration_since(Instant::now());
        connection.busy_timeout(left).map_err(failure)?;
        match work() {
            Err(StoreError::TimedOut) if Instant::now() < deadline => {
                std::thread::sleep(Duration::from_millis(1));
            }
            done => return done,
        }
    }
}

fn get(connection: &Connection, key: &str, now: i64) -> rusqlite::Result<Option<Vec<u8>>> {
    connection
        .prepare_cached("SELECT value FROM mcp_elicit_store WHERE key = ?1 AND expires_ms > ?2")?
        .query_row(params![key, now], |row| row.get(0))
        .optional()
}

/// Says what kind of failure it was; never a path or a value.
fn failure(error: rusqlite::Error) -> StoreError {
    match error.sqlite_error_code() {
        Some(ErrorCode::DatabaseBusy | ErrorCode::DatabaseLocked) => StoreError::TimedOut,
        Some(ErrorCode::DiskFull) => StoreError::Full,
        Some(code) => StoreError::Unavailable(format!("SQLite: {code:?}")),
        None => StoreError::Unavailable("SQLite: the file is not as it was made".to_owned()),
    }
}

impl std::fmt::Debug for SqliteStore {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        f.debug_struct("SqliteStore").finish_non_exhaustive()
    }
}
