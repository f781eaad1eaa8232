//! Coerce: the first line is a schema, the rest what a person types into each of its fields. No
//! input may panic; what is read is an answer, and reads the same when it is printed.
#![no_main]

use libfuzzer_sys::fuzz_target;
use mcp_elicit::Json;
use mcp_elicit::schema::{Form, FormOptions};

fuzz_target!(|text: &str| {
    let Some((schema, typed)) = text.split_once('\n') else { return };
    let options = FormOptions::new().allow_sensitive_name("fuzz");
    let Ok(form) = Form::normalize_with(schema, &options) else { return };
    for field in form.fields() {
        let Ok(Some(value)) = field.coerce(typed) else { continue };
        let mut name = String::new();
        mcp_elicit::json::quote_into(&mut name, field.name());
        let content = Json::parse(format!("{{{name}:{}}}", value.text())).expect("JSON");
        let faults = form.validate(content.root()).err().unwrap_or_default();
        assert!(faults.iter().all(|fault| fault.rule == "required"), "{faults:?}");
        let printed = field.print(value.root()).expect("a value of its type");
        let again = field.coerce(&printed).expect("what was printed").expect("is an answer");
        assert_eq!(again.text(), value.text());
    }
});
