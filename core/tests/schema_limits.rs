//! Schemas and answers that would take for ever, or all memory, if nothing stopped them.
#![allow(clippy::unwrap_used, reason = "a test may fail")]

use mcp_elicit::Json;
use mcp_elicit::schema::{Form, FormOptions, SchemaLimits, explain};

fn rules(text: &str) -> Vec<&'static str> {
    let error = Form::normalize(text).unwrap_err();
    error.faults().iter().map(|fault| fault.rule).collect()
}

/// Definitions that each refer to the next one twice: two to the power of `count` references if
/// all were followed.
fn doubling(count: usize, step: impl Fn(usize) -> String, end: &str) -> String {
    let mut defs: Vec<String> =
        (0..count).map(|at| format!("\"D{at}\":{}", step(at + 1))).collect();
    defs.push(format!("\"D{count}\":{end}"));
    defs.join(",")
}

/// Too much work is stopped by its amount, too deep a schema by its depth, and told of once.
#[test]
fn references_that_double() {
    let refer = |at: usize| format!("{{\"$ref\":\"#/$defs/D{at}\"}}");
    for (count, rule) in [(15, "too_many_options"), (30, "reference")] {
        for join in ["allOf", "anyOf", "oneOf"] {
            let double = |at| format!("{{\"{join}\":[{0},{0}]}}", refer(at));
            let defs = doubling(count, double, "{\"const\":\"a\"}");
            let field = format!(
                "{{\"type\":\"object\",\"properties\":{{\"a\":{}}},\"$defs\":{{{defs}}}}}",
                refer(0)
            );
            assert!(rules(&field).contains(&rule), "{count} {join}: {:?}", rules(&field));
            assert!(rules(&field).len() < 10, "{count} {join}: {:?}", rules(&field));
        }
        let object = "{\"type\":\"object\",\"properties\":{\"a\":{\"type\":\"string\"}}}";
        let defs = doubling(count, |at| format!("{{\"allOf\":[{0},{0}]}}", refer(at)), object);
        let root = format!("{{\"$ref\":\"#/$defs/D0\",\"$defs\":{{{defs}}}}}");
        assert!(rules(&root).contains(&rule), "{count}: {:?}", rules(&root));
        assert!(rules(&root).len() < 10, "{count}: {:?}", rules(&root));
    }
}

#[test]
fn references_that_go_round() {
    for schema in [
        r##"{"$ref":"#"}"##,
        r##"{"allOf":[{"$ref":"#"}]}"##,
        r##"{"type":"object","properties":{"a":{"$ref":"#/properties/a"}}}"##,
        r##"{"type":"object","properties":{"a":{"allOf":[{"$ref":"#/properties/b"}]},"b":{"anyOf":[{"$ref":"#/properties/a"}]}}}"##,
    ] {
        assert!(rules(schema).contains(&"reference"), "{schema}");
    }
}

#[test]
fn large_lists() {
    let options: Vec<String> = (0..200_000).map(|n| format!("\"{n}\"")).collect();
    let schema = format!(
        "{{\"type\":\"object\",\"properties\":{{\"a\":{{\"type\":\"string\",\"enum\":[{}]}}}}}}",
        options.join(",")
    );
    assert_eq!(rules(&schema), ["too_many_options"]);
    let error = Form::parse(&schema).unwrap_err();
    assert_eq!(error.faults()[0].rule, "too_many_options");

    // With a limit that lets them in they are found in time.
    let limits = SchemaLimits { properties: 64, options: 50_000 };
    let schema = format!(
        "{{\"type\":\"object\",\"properties\":{{\"a\":{{\"type\":\"array\",\"items\":{{\"type\":\"string\",\"enum\":[{}]}}}}}}}}",
        options[..50_000].join(",")
    );
    let form = Form::parse_with(&schema, &FormOptions::new().limits(limits)).unwrap();
    let all = Json::parse(format!("{{\"a\":[{}]}}", options[..50_000].join(","))).unwrap();
    assert!(form.validate(all.root()).is_ok());

    let fields: Vec<String> =
        (0..5000).map(|n| format!("\"f{n}\":{{\"type\":\"boolean\"}}")).collect();
    let schema = format!("{{\"type\":\"object\",\"properties\":{{{}}}}}", fields.join(","));
    assert_eq!(rules(&schema), ["too_many_properties"]);
    let limits = SchemaLimits { properties: 5000, options: 1000 };
    let form = Form::parse_with(&schema, &FormOptions::new().limits(limits)).unwrap();
    let answers: Vec<String> = (0..5000).rev().map(|n| format!("\"f{n}\":true")).collect();
    let content = Json::parse(format!("{{{}}}", answers.join(","))).unwrap();
    assert!(form.validate(content.root()).is_ok());
}

#[test]
fn faults_of_a_schema_are_named_up_to_a_limit() {
    let junk: Vec<String> = (0..5000).map(|n| format!("\"k{n}\":1")).collect();
    let schema = format!("{{\"type\":\"object\",\"properties\":{{}},{}}}", junk.join(","));
    assert_eq!(Form::parse(&schema).unwrap_err().faults().len(), 200);
    let json = Json::parse(schema).unwrap();
    assert!(explain(json.root(), &FormOptions::new()).form.is_ok());
}

/// A pattern that makes other engines backtrack for ever is decided in linear time.
#[test]
fn patterns_that_backtrack_elsewhere() {
    let form = Form::normalize(
        r#"{"type":"object","properties":{"a":{"type":"string","pattern":"^(a+)+$"},"b":{"type":"string","pattern":"^(a|a?)+b$"}}}"#,
    )
    .unwrap();
    let text = "a".repeat(20_000);
    let content = Json::parse(format!("{{\"a\":\"{text}!\",\"b\":\"{text}\"}}")).unwrap();
    let faults = form.validate(content.root()).unwrap_err();
    assert_eq!(faults.len(), 2);
}

/// Numbers with huge exponents cost no more than their text.
#[test]
fn numbers_with_huge_exponents() {
    let form = Form::normalize(
        r#"{"type":"object","properties":{"i":{"type":"integer","minimum":-1e308,"maximum":1e308},"n":{"type":"number","multipleOf":1e-300},"m":{"type":"number","exclusiveMinimum":1e-400}}}"#,
    )
    .unwrap();
    for (content, valid) in [
        (r#"{"i":1e308,"n":1e-299}"#, true),
        (r#"{"i":1e309}"#, false),
        (r#"{"i":1e999999999999999999999}"#, false),
        (r#"{"n":1e-999999999999999999999}"#, false),
        (r#"{"n":0e999999999999999999999}"#, true),
        (r#"{"m":1e-399}"#, true),
        (r#"{"m":1e-401}"#, false),
    ] {
        let content = Json::parse(content).unwrap();
        assert_eq!(form.validate(content.root()).is_ok(), valid, "{}", content.text());
    }
}
