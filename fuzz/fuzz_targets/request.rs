//! Reading requests: no input may panic, and our JSON reader sees what another one sees.
#![no_main]

#[path = "../../core/tests/json_oracle/mod.rs"]
mod json_oracle;

use libfuzzer_sys::fuzz_target;

fuzz_target!(|bytes: &[u8]| json_oracle::compare(bytes));
