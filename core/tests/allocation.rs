//! What a peer can make us allocate. Alone in its program, so that nobody else is counted.
//! Protocol: basic/patterns/mrtr, server requirement 4 (state is hostile until it is verified).
#![allow(clippy::unwrap_used, clippy::panic, reason = "a test that fails says so")]

use std::alloc::System;

use mcp_elicit::{Caller, Engine, ErrorKind, Limits, Principal};
use stats_alloc::{INSTRUMENTED_SYSTEM, Region, StatsAlloc};

#[global_allocator]
static COUNTED: &StatsAlloc<System> = &INSTRUMENTED_SYSTEM;

const MB: usize = 1 << 20;

/// A token of 5 MB is refused before anything of it is decoded: neither by an engine of the usual
/// limits, which does not read so long a request, nor by one that reads it, is memory taken for it.
#[test]
fn a_token_of_5_mb_takes_no_memory() {
    let request = format!(
        r#"{{"jsonrpc":"2.0","id":1,"method":"tools/call","params":{{"name":"pay","requestState":"me1.{}","_meta":{{"io.modelcontextprotocol/protocolVersion":"2026-07-28","io.modelcontextprotocol/clientCapabilities":{{"elicitation":{{}}}}}}}}}}"#,
        "A".repeat(5 * MB)
    );
    let caller = Caller::new(Principal::single_user());
    let open = |limits: Limits| {
        let engine = Engine::builder().ephemeral().audience("x").limits(limits).build().unwrap();
        let region = Region::new(COUNTED);
        let error = match engine.open(request.as_bytes(), &caller) {
            Err(error) => error.kind(),
            Ok(_) => panic!("taken up"),
        };
        let change = region.change();
        (error, change.bytes_allocated + change.bytes_reallocated.unsigned_abs())
    };
    let (error, taken) = open(Limits::default());
    assert_eq!(error, ErrorKind::InvalidRequest);
    assert!(taken < 64 << 10, "{taken} bytes");

    let mut limits = Limits::default();
    limits.request_bytes = 16 * MB;
    let (error, taken) = open(limits);
    assert_eq!(error, ErrorKind::InvalidState);
    // The request itself, once, and what reading it takes; the token would decode to 3.75 MB more.
    assert!(taken < request.len() + MB / 2, "{taken} bytes for {}", request.len());
}
