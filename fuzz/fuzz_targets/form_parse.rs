//! Strict parse: no input may panic, and what is read is read again as the same form.
#![no_main]

use libfuzzer_sys::fuzz_target;
use mcp_elicit::schema::{Form, RULES, Scope};

fuzz_target!(|text: &str| match Form::parse(text) {
    Ok(form) => {
        let again = Form::parse(form.wire()).expect("the wire text is of the grammar");
        assert_eq!(again.wire(), form.wire());
        assert_eq!(form.source(), form.wire());
        assert!(!form.wire().contains('\n'));
        let lenient = Form::normalize(text).expect("what is strict is lenient too");
        assert_eq!(lenient.fields().len(), form.fields().len());
        for warning in form.warnings() {
            assert!(RULES.iter().any(|r| r.id == warning.rule && r.scope == Scope::Warning));
        }
    }
    Err(error) => {
        assert!(!error.faults().is_empty());
        for fault in error.faults() {
            assert!(RULES.iter().any(|rule| rule.id == fault.rule && rule.scope == Scope::Schema));
        }
    }
});
