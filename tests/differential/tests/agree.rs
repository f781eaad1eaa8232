//! Random schemas of the grammar, random answers: our verdict equals that of the `jsonschema`
//! crate with formats asserted.
//!
//! The deliberate differences:
//! - options are chosen once: `uniqueItems` is added to what the other one reads;
//! - a number past every double is a fault: the generator makes none;
//! - the year 0000 is a year (RFC 3339), and what follows from other readings of formats, listed in
//!   [`read_otherwise`].

use mcp_elicit::Json;
use mcp_elicit::schema::{Form, FormOptions};
use proptest::prelude::*;
use serde_json::{Value, json};

#[path = "../../../core/tests/schema_gen/mod.rs"]
mod schema_gen;

fn asked() -> impl Strategy<Value = (Value, Value)> {
    schema_gen::schema().prop_flat_map(|schema| {
        let answer = schema_gen::answer(&schema);
        (Just(schema), answer)
    })
}

/// What the other validator reads: no choice twice.
fn unique(schema: &Value) -> Value {
    let mut schema = schema.clone();
    for (_, field) in schema["properties"].as_object_mut().into_iter().flatten() {
        if field["type"] == "array" {
            field["uniqueItems"] = json!(true);
        }
    }
    schema
}

/// Whether some text of the answer is one that the two are known to read otherwise.
fn read_otherwise(schema: &Value, content: &Value) -> bool {
    let _ = (schema, content);
    false
}

proptest! {
    #![proptest_config(ProptestConfig { failure_persistence: None, ..ProptestConfig::default() })]

    #[test]
    fn our_verdict_is_theirs((schema, content) in asked()) {
        let options = FormOptions::new().allow_sensitive_name("random names");
        let Ok(form) = Form::parse_with(&schema.to_string(), &options) else { return Ok(()) };
        if read_otherwise(&schema, &content) {
            return Ok(());
        }
        let other = jsonschema::options()
            .should_validate_formats(true)
            .build(&unique(&schema))
            .expect("a form is a JSON Schema");
        let json = Json::parse(content.to_string()).expect("JSON");
        let ours = form.validate(json.root());
        prop_assert_eq!(ours.is_ok(), other.is_valid(&content), "{:?}", ours);
    }
}
