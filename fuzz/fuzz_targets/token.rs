//! Sealed states: no text opens but the one that was sealed, and none does harm.
#![no_main]

use libfuzzer_sys::fuzz_target;

fuzz_target!(|bytes: &[u8]| mcp_elicit::fuzzing::token(bytes));
