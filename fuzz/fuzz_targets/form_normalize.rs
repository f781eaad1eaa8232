//! Normalize: no input may panic; what comes out is of the grammar and normalizes to itself.
#![no_main]

use libfuzzer_sys::fuzz_target;
use mcp_elicit::Json;
use mcp_elicit::schema::{Fate, Form, FormOptions, explain};

fuzz_target!(|text: &str| {
    let Ok(json) = Json::parse(text) else { return };
    let options = FormOptions::new().allow_sensitive_name("fuzz");
    let normalized = explain(json.root(), &options);
    match normalized.form {
        Ok(form) => {
            let again = Form::normalize_with(form.source(), &options).expect("idempotent");
            assert_eq!(again.source(), form.source());
            assert_eq!(again.wire(), form.wire());
            let strict = Form::parse_with(form.wire(), &options).expect("of the grammar");
            assert_eq!(strict.wire(), form.wire());
        }
        Err(error) => {
            let refused = normalized.notes.iter().filter(|note| note.fate == Fate::Refused);
            assert_eq!(refused.count(), error.faults().len());
        }
    }
});
