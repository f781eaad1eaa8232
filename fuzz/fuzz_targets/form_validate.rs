//! Validate: the first line is a schema, the rest an answer. No input may panic; what is kept is
//! valid; what is enforced off the wire only refuses more.
#![no_main]

use libfuzzer_sys::fuzz_target;
use mcp_elicit::Json;
use mcp_elicit::schema::{Form, FormOptions};

fuzz_target!(|text: &str| {
    let Some((schema, content)) = text.split_once('\n') else { return };
    let options = FormOptions::new().allow_sensitive_name("fuzz");
    let (Ok(form), Ok(content)) = (Form::normalize_with(schema, &options), Json::parse(content))
    else {
        return;
    };
    let content = content.root();
    match form.validate(content) {
        Ok(answer) => {
            let again = form.validate(answer.content.root()).expect("what is kept is valid");
            assert_eq!(again.content.text(), answer.content.text());
            let wire = Form::parse_with(form.wire(), &options).expect("of the grammar");
            assert!(wire.validate(content).is_ok());
            assert!(form.validate(form.with_defaults(content).root()).is_ok());
        }
        Err(faults) => assert!((1..=200).contains(&faults.len())),
    }
    let again = Form::parse_with(&form.wire_with_defaults(content), &options).expect("asked again");
    assert_eq!(again.fields().len(), form.fields().len());
});
