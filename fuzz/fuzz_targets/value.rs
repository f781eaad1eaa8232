//! Values of a store: nothing opens but what was sealed for its place, and records read back.
#![no_main]

use libfuzzer_sys::fuzz_target;

fuzz_target!(|bytes: &[u8]| mcp_elicit::fuzzing::value(bytes));
