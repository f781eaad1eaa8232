//! What every store must do, whatever it keeps its values in.
#![allow(dead_code, reason = "each test takes what it needs")]
#![allow(
    clippy::unwrap_used,
    clippy::panic,
    clippy::print_stdout,
    clippy::print_stderr,
    reason = "a test that fails says so"
)]

use std::sync::atomic::{AtomicUsize, Ordering};
use std::time::Duration;

use mcp_elicit::store::{Store, StoreOp, StoreReply};

pub(crate) fn get(key: &str) -> StoreOp {
    StoreOp::Get { key: key.into() }
}

pub(crate) fn put(key: &str, value: &[u8], ttl_ms: u64) -> StoreOp {
    StoreOp::PutIfAbsent { key: key.into(), value: value.into(), ttl_ms }
}

pub(crate) fn set(key: &str, expected: &[u8], value: &[u8], ttl_ms: u64) -> StoreOp {
    let (expected, value) = (expected.into(), value.into());
    StoreOp::CompareAndSet { key: key.into(), expected, value, ttl_ms }
}

pub(crate) fn delete(key: &str, expected: &[u8]) -> StoreOp {
    StoreOp::CompareAndDelete { key: key.into(), expected: expected.into() }
}

/// What every store must do. `pass` lets so many milliseconds go by.
pub(crate) fn suite(store: &dyn Store, pass: &dyn Fn(u64)) {
    let is = |op: StoreOp, reply: StoreReply| {
        assert_eq!(store.execute(&op).unwrap(), reply, "{op:?}");
    };
    let found = |value: &[u8]| StoreReply::Found(value.into());
    const HOUR: u64 = 3_600_000;

    is(get("a"), StoreReply::Absent);
    is(put("a", b"one", HOUR), StoreReply::Done);
    is(get("a"), found(b"one"));
    is(put("a", b"two", HOUR), found(b"one"));
    is(get("b"), StoreReply::Absent);

    is(set("a", b"two", b"three", HOUR), StoreReply::Conflict);
    is(set("b", b"", b"three", HOUR), StoreReply::Conflict);
    is(set("a", b"one", b"", HOUR), StoreReply::Done);
    is(get("a"), found(b""));
    is(set("a", b"", b"\x00\xff\r\n", HOUR), StoreReply::Done);
    is(get("a"), found(b"\x00\xff\r\n"));

    is(delete("a", b"other"), StoreReply::Conflict);
    is(delete("a", b"\x00\xff\r\n"), StoreReply::Done);
    is(delete("a", b"\x00\xff\r\n"), StoreReply::Conflict);
    is(get("a"), StoreReply::Absent);

    is(put("short", b"x", 300), StoreReply::Done);
    is(put("longer", b"x", 300), StoreReply::Done);
    is(set("longer", b"x", b"y", HOUR), StoreReply::Done);
    pass(400);
    is(get("short"), StoreReply::Absent);
    is(set("short", b"x", b"y", HOUR), StoreReply::Conflict);
    is(delete("short", b"x"), StoreReply::Conflict);
    is(put("short", b"again", HOUR), StoreReply::Done);
    is(get("short"), found(b"again"));
    is(get("longer"), found(b"y"));

    let large = vec![7; 100_000];
    is(put("large", &large, HOUR), StoreReply::Done);
    is(get("large"), found(&large));
    is(put("for ever", b"x", u64::MAX), StoreReply::Done);
    is(get("for ever"), found(b"x"));
    one_puts(store);
}

/// Of many at once, one puts.
fn one_puts(store: &dyn Store) {
    for round in 0..20 {
        let done = AtomicUsize::new(0);
        std::thread::scope(|scope| {
            for thread in 0..4 {
                let done = &done;
                scope.spawn(move || {
                    let op = put(&format!("race-{round}"), &[thread], 60_000);
                    let reply = store.execute(&op).unwrap();
                    done.fetch_add(usize::from(reply == StoreReply::Done), Ordering::Relaxed);
                });
            }
        });
        assert_eq!(done.into_inner(), 1);
    }
}

pub(crate) fn sleep(ms: u64) {
    std::thread::sleep(Duration::from_millis(ms));
}
