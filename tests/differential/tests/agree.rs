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

fn printed() -> impl Strategy<Value = (Value, Value)> {
    schema_gen::lenient().prop_flat_map(|schema| {
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

/// Whether some text of the answer, or a default, is one that the two are known to read otherwise:
/// - an email address at a host with two hyphens in third and fourth place: RFC 5321 has the name,
///   IDNA reserves it;
/// - a number with a point or an exponent that no double is: we compare what is written, the other
///   one the nearest double.
fn read_otherwise(schema: &Value, content: &Value) -> bool {
    let fields = schema["properties"].as_object();
    fields.into_iter().flatten().any(|(name, field)| {
        let texts = [&content[name], &field["default"]];
        let mut texts = texts.into_iter().filter_map(Value::as_str);
        match field["format"].as_str() {
            Some("email") => texts.any(|text| {
                let host = text.rsplit('@').next().unwrap_or("");
                host.split('.').any(|label| label.get(2..4) == Some("--"))
            }),
            _ => {
                let numbers = ["minimum", "maximum", "default"].map(|key| &field[key]);
                numbers.into_iter().chain([&content[name]]).any(is_rounded)
            }
        }
    })
}

/// Whether a number is written with a point or an exponent and more digits than a double keeps.
fn is_rounded(value: &Value) -> bool {
    let text = match value {
        Value::Number(number) => number.to_string(),
        _ => return false,
    };
    let digits = text.bytes().filter(u8::is_ascii_digit).count();
    let large = value.as_f64().is_some_and(|number| number.abs() >= 9_007_199_254_740_992.0);
    text.contains(['.', 'e', 'E']) && (digits > 15 || large)
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

    /// The whole schema of a form that was normalized is JSON Schema too.
    #[test]
    fn our_verdict_off_the_wire_is_theirs((schema, content) in printed()) {
        let options = FormOptions::new().allow_sensitive_name("random names");
        let Ok(form) = Form::normalize_with(&schema.to_string(), &options) else { return Ok(()) };
        let source: Value = serde_json::from_str(form.source()).expect("JSON");
        if read_otherwise(&source, &content) {
            return Ok(());
        }
        let other = jsonschema::options()
            .should_validate_formats(true)
            .build(&unique(&source))
            .expect("a whole schema is a JSON Schema");
        let json = Json::parse(content.to_string()).expect("JSON");
        let ours = form.validate(json.root());
        prop_assert_eq!(ours.is_ok(), other.is_valid(&content), "{:?} {}", ours, form.source());
    }
}
