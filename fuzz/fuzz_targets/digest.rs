//! Request digest: the canonical form is its own canonical form, however the text was spelled.
#![no_main]

use libfuzzer_sys::fuzz_target;

fuzz_target!(|bytes: &[u8]| mcp_elicit::fuzzing::digest(bytes));
