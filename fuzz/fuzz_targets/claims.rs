//! Claims of a sealed state: decoding is total, and accepts one encoding of each value.
#![no_main]

use libfuzzer_sys::fuzz_target;

fuzz_target!(|bytes: &[u8]| mcp_elicit::fuzzing::claims(bytes));
