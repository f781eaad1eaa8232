//! A claim, beside the operation of the store that it needs: in memory, in SQLite, in Redis (where
//! `MCP_ELICIT_BENCH_REDIS` holds a `redis://` URL). The same store, one after the other.
//!
//! Prints `name median_ns`, a line each, as `round` does.
#![allow(
    clippy::unwrap_used,
    clippy::panic,
    clippy::print_stdout,
    clippy::print_stderr,
    reason = "a program that prints its measurements"
)]

use std::sync::Arc;
use std::time::Instant;

use mcp_elicit::store::{MemoryStore, Store, StoreOp, StoreReply};
use mcp_elicit::{Caller, ClaimOptions, Engine, Next, Principal};

const REQUEST: &str = r#"{"jsonrpc":"2.0","id":1,"method":"tools/call","params":{"name":"pay","_meta":{"io.modelcontextprotocol/protocolVersion":"2026-07-28","io.modelcontextprotocol/clientCapabilities":{"elicitation":{}}}}}"#;

fn median(mut times: Vec<u128>) -> u128 {
    times.sort_unstable();
    times[times.len() / 2]
}

fn measure(name: &str, store: impl Store + 'static, count: usize) {
    let store = Arc::new(store);
    let builder = Engine::builder().ephemeral().audience("bench").store(store.clone());
    let engine = builder.build().unwrap_or_else(|error| panic!("{error}"));
    let (mut claims, mut raws, mut alone) = (Vec::new(), Vec::new(), Vec::new());
    let options = ClaimOptions::new();
    let caller = Caller::new(Principal::single_user());
    // A new flow each time: another claim of the same flow would find what is there.
    let open = || engine.open(REQUEST.as_bytes(), &caller).unwrap_or_else(|e| panic!("{e}"));
    for at in 0..count {
        let (mut raw, mut claiming) = (open(), open());
        let start = Instant::now();
        let claimed = claiming.claim(&options);
        claims.push(start.elapsed().as_nanos());
        assert_eq!(claimed.map(|claimed| claimed.name()).ok(), Some("won"));

        // The same operation with the same bytes, and what the claim does beside it.
        let start = Instant::now();
        let next = raw.claim_start(&options);
        alone.push(start.elapsed().as_nanos());
        let Ok(Next::Need(StoreOp::PutIfAbsent { mut key, value, ttl_ms })) = next else {
            panic!("no put")
        };
        key.push_str(&at.to_string());
        let op = StoreOp::PutIfAbsent { key, value, ttl_ms };
        let start = Instant::now();
        let reply = store.execute(&op);
        raws.push(start.elapsed().as_nanos());
        assert_eq!(reply, Ok(StoreReply::Done));
    }
    println!("claim_{name} {}", median(claims));
    println!("claim_{name}_raw {}", median(raws));
    println!("claim_{name}_alone {}", median(alone));
}

fn main() {
    measure("memory", MemoryStore::new(), 20_000);
    #[cfg(feature = "sqlite")]
    {
        let file = std::env::temp_dir().join(format!("mcp-elicit-bench-{}", std::process::id()));
        match mcp_elicit::store::SqliteStore::open(&file) {
            Ok(store) => measure("sqlite", store, 300),
            Err(error) => panic!("{error}"),
        }
        for end in ["", "-wal", "-shm"] {
            let _ = std::fs::remove_file(format!("{}{end}", file.display()));
        }
    }
    #[cfg(feature = "redis")]
    if let Ok(url) = std::env::var("MCP_ELICIT_BENCH_REDIS") {
        match mcp_elicit::store::RedisStore::open(&url) {
            Ok(store) => measure("redis", store, 3_000),
            Err(error) => panic!("{error}"),
        }
    }
}
