//! One suite for every store that comes with the crate.
#![allow(
    clippy::unwrap_used,
    clippy::panic,
    clippy::print_stdout,
    clippy::print_stderr,
    reason = "a test that fails says so"
)]

#[path = "stores/suite.rs"]
mod suite;

use mcp_elicit::store::{MemoryStore, Store, StoreError, StoreOp, StoreReply, is_key};
use suite::{put, sleep, suite};

#[test]
fn a_key_is_1_to_128_plain_characters() {
    let longest = "k".repeat(128);
    for key in ["a", "mcp-elicit:claim:aZ_09", longest.as_str()] {
        assert!(is_key(key), "{key}");
    }
    for key in ["", " ", "a b", "a/b", "a.b", "é", "a\0", "a\n", &format!("{longest}k")] {
        assert!(!is_key(key), "{key:?}");
    }
}

#[test]
fn memory() {
    suite(&MemoryStore::new(), &sleep);
}

#[test]
fn memory_is_bounded_and_makes_room_of_what_expired() {
    let store = MemoryStore::with_capacity(16 * 1000);
    let mut full = 0;
    for at in 0..100 {
        match store.execute(&put(&format!("key-{at}"), &[0; 500], 300)) {
            Ok(StoreReply::Done) => {}
            Err(StoreError::Full) => full += 1,
            other => panic!("{other:?}"),
        }
    }
    assert!(full >= 100 - 16, "{full} refused");
    sleep(400);
    for at in 0..16 {
        let reply = store.execute(&put(&format!("new-{at}"), &[0; 10], 300));
        assert_eq!(reply, Ok(StoreReply::Done));
    }
    let reply = store.execute(&put("huge", &[0; 2000], 300));
    assert_eq!(reply, Err(StoreError::Full));
}

#[cfg(feature = "sqlite")]
mod sqlite {
    use std::sync::Arc;
    use std::sync::atomic::{AtomicU64, AtomicUsize, Ordering};
    use std::time::Duration;

    use super::suite::get;
    use super::*;
    use mcp_elicit::store::SqliteStore;

    /// A folder of its own, gone when dropped.
    struct Folder(std::path::PathBuf);

    impl Folder {
        fn new(name: &str) -> Self {
            let path =
                std::env::temp_dir().join(format!("mcp-elicit-{name}-{}", std::process::id()));
            std::fs::create_dir_all(&path).unwrap();
            Self(path)
        }

        fn file(&self) -> std::path::PathBuf {
            self.0.join("store.db")
        }
    }

    impl Drop for Folder {
        fn drop(&mut self) {
            let _ = std::fs::remove_dir_all(&self.0);
        }
    }

    #[test]
    fn sqlite() {
        let folder = Folder::new("suite");
        let now = Arc::new(AtomicU64::new(1_800_000_000_000));
        let clock = now.clone();
        let clock = move || clock.load(Ordering::Relaxed);
        let store = SqliteStore::open_with(folder.file(), Duration::from_secs(5), clock).unwrap();
        let pass = |ms| {
            now.fetch_add(ms, Ordering::Relaxed);
        };
        suite(&store, &pass);
    }

    #[test]
    fn two_connections_share_a_file_and_it_outlives_them() {
        let folder = Folder::new("share");
        let (first, second) =
            (SqliteStore::open(folder.file()).unwrap(), SqliteStore::open(folder.file()).unwrap());
        for round in 0..20 {
            let done = AtomicUsize::new(0);
            std::thread::scope(|scope| {
                for store in [&first, &second] {
                    let done = &done;
                    scope.spawn(move || {
                        let op = put(&format!("race-{round}"), b"x", 60_000);
                        let reply = store.execute(&op).unwrap();
                        done.fetch_add(usize::from(reply == StoreReply::Done), Ordering::Relaxed);
                    });
                }
            });
            assert_eq!(done.into_inner(), 1);
        }
        drop((first, second));
        let again = SqliteStore::open(folder.file()).unwrap();
        assert_eq!(again.execute(&get("race-0")), Ok(StoreReply::Found(b"x".into())));
    }

    #[test]
    fn what_has_expired_is_swept() {
        let folder = Folder::new("sweep");
        let store = SqliteStore::open(folder.file()).unwrap();
        store.execute(&put("old", b"x", 1)).unwrap();
        sleep(10);
        for at in 0..600 {
            store.execute(&put(&format!("new-{at}"), b"x", 60_000)).unwrap();
        }
        let raw = rusqlite::Connection::open(folder.file()).unwrap();
        let count = "SELECT count(*) FROM mcp_elicit_store";
        assert_eq!(raw.query_row(count, [], |row| row.get::<_, i64>(0)).unwrap(), 600);
    }

    #[test]
    fn a_locked_file_is_a_time_out_and_a_file_that_is_none_unavailable() {
        let folder = Folder::new("faults");
        let clock = mcp_elicit::SystemClock;
        let limit = Duration::from_millis(100);
        let store = SqliteStore::open_with(folder.file(), limit, clock).unwrap();
        let other = rusqlite::Connection::open(folder.file()).unwrap();
        other.execute_batch("BEGIN IMMEDIATE").unwrap();
        assert_eq!(store.execute(&put("a", b"x", 1000)), Err(StoreError::TimedOut));
        assert_eq!(store.execute(&get("a")), Ok(StoreReply::Absent), "reading goes on");
        other.execute_batch("COMMIT").unwrap();
        assert_eq!(store.execute(&put("a", b"x", 1000)), Ok(StoreReply::Done), "it recovers");

        std::fs::write(folder.0.join("text"), "no database at all, but long enough").unwrap();
        let error = SqliteStore::open(folder.0.join("text")).unwrap_err();
        assert!(matches!(error, StoreError::Unavailable(_)), "{error:?}");
        assert!(SqliteStore::open(folder.0.join("no/such/folder/file")).is_err());
    }

    /// SQLite would make of each a database that nobody else sees, or another file than is named.
    #[test]
    fn a_path_is_that_of_a_file_and_no_uri() {
        for path in ["", ":memory:", "a\0b"] {
            let error = SqliteStore::open(path).unwrap_err();
            assert!(matches!(error, StoreError::Unavailable(_)), "{path:?}: {error:?}");
        }
        let folder = Folder::new("uri");
        let path = folder.0.join("file:x?mode=memory");
        drop(SqliteStore::open(&path).unwrap());
        assert!(path.exists());
    }

    /// Whoever opens the path now sees another store: here and there the same claim would be won.
    #[cfg(unix)]
    #[test]
    fn a_file_that_was_deleted_or_replaced_is_unavailable() {
        let folder = Folder::new("deleted");
        let store = SqliteStore::open(folder.file()).unwrap();
        store.execute(&put("a", b"x", 60_000)).unwrap();
        let lost = |reply| assert!(matches!(reply, Err(StoreError::Unavailable(_))), "{reply:?}");
        for file in ["store.db", "store.db-wal", "store.db-shm"] {
            std::fs::remove_file(folder.0.join(file)).unwrap();
        }
        lost(store.execute(&put("a", b"x", 60_000)));
        let other = SqliteStore::open(folder.file()).unwrap();
        assert_eq!(other.execute(&put("a", b"y", 60_000)), Ok(StoreReply::Done));
        lost(store.execute(&put("a", b"x", 60_000)));
        lost(store.execute(&get("a")));
    }

    #[test]
    fn an_operation_can_have_less_time_than_its_store() {
        let folder = Folder::new("within");
        let hours = Duration::from_secs(u64::MAX); // more than any clock counts
        let store = SqliteStore::open_with(folder.file(), hours, mcp_elicit::SystemClock).unwrap();
        let other = rusqlite::Connection::open(folder.file()).unwrap();
        other.execute_batch("BEGIN IMMEDIATE").unwrap();
        for limit in [Duration::ZERO, Duration::from_millis(20)] {
            let late = store.execute_within(&put("a", b"x", 1000), limit);
            assert_eq!(late, Err(StoreError::TimedOut));
        }
        other.execute_batch("COMMIT").unwrap();
        assert_eq!(store.execute(&get("a")), Ok(StoreReply::Absent));
        assert_eq!(store.execute(&put("a", b"x", 1000)), Ok(StoreReply::Done));
    }

    /// A disk of 256 KiB, where the system lets us have one.
    struct SmallDisk(Folder);

    impl SmallDisk {
        fn mount(name: &str) -> Option<Self> {
            let folder = Folder::new(name);
            let mount = std::process::Command::new("mount")
                .args(["-t", "tmpfs", "-o", "size=256k", "tmpfs"])
                .arg(&folder.0)
                .output();
            mount.is_ok_and(|output| output.status.success()).then(|| Self(folder))
        }
    }

    impl Drop for SmallDisk {
        fn drop(&mut self) {
            let _ = std::process::Command::new("umount").arg(&self.0.0).output();
        }
    }

    #[test]
    fn a_full_disk_is_full_and_nothing_is_put() {
        let Some(disk) = SmallDisk::mount("full") else {
            assert!(std::env::var_os("CI").is_none(), "CI must let this test mount a disk");
            return eprintln!("SKIPPED: this test needs to mount a small disk (root)");
        };
        let store = SqliteStore::open(disk.0.file()).unwrap();
        store.execute(&put("first", b"x", 60_000)).unwrap();
        let replies: Vec<_> =
            (0..64).map(|at| store.execute(&put(&format!("k{at}"), &[1; 8000], 60_000))).collect();
        let refused = replies.iter().position(|reply| reply == &Err(StoreError::Full)).unwrap();
        assert_eq!(store.execute(&get("first")), Ok(StoreReply::Found(b"x".into())));
        assert_eq!(store.execute(&get(&format!("k{refused}"))), Ok(StoreReply::Absent));
    }
}

/// Opening and closing go on while others open and close: whoever closes last takes the log away,
/// whoever opens then makes it anew.
#[cfg(feature = "sqlite")]
#[test]
fn a_file_is_opened_and_closed_by_many_at_once() {
    let folder = std::env::temp_dir().join(format!("mcp-elicit-open-{}", std::process::id()));
    std::fs::create_dir_all(&folder).unwrap();
    let file = folder.join("claims.db");
    std::thread::scope(|scope| {
        for worker in 0..6 {
            let file = &file;
            scope.spawn(move || {
                for round in 0..40 {
                    let store = mcp_elicit::store::SqliteStore::open_with(
                        file,
                        std::time::Duration::from_secs(60),
                        mcp_elicit::SystemClock,
                    )
                    .unwrap();
                    let op = StoreOp::PutIfAbsent {
                        key: format!("key-{worker}-{round}"),
                        value: b"x".to_vec(),
                        ttl_ms: 60_000,
                    };
                    assert_eq!(store.execute(&op), Ok(StoreReply::Done));
                }
            });
        }
    });
    std::fs::remove_dir_all(&folder).unwrap();
}
