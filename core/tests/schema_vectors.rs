//! Runs `tests/vectors/schema-*.json`: the forms, in the words of `tests/vectors/README.md`.

use mcp_elicit::schema::{Form, FormOptions, SchemaLimits, UnknownFields, ValidateOptions};
use mcp_elicit::{Error, ErrorKind, Fault, Json};
use serde_json::Value;

fn cases(file: &str) -> Vec<Value> {
    let path = format!("{}/../tests/vectors/{file}", env!("CARGO_MANIFEST_DIR"));
    let text = std::fs::read_to_string(path).unwrap();
    let vectors: Value = serde_json::from_str(&text).unwrap();
    let cases = vectors["cases"].as_array().unwrap().clone();
    assert!(!cases.is_empty(), "{file} has no cases");
    cases
}

/// The text under `key`, as JSON, or under `keyText`, as it stands.
fn text(case: &Value, key: &str) -> Option<String> {
    match case.get(format!("{key}Text")) {
        Some(text) => Some(text.as_str().unwrap().to_owned()),
        None => case.get(key).map(Value::to_string),
    }
}

fn name(case: &Value) -> &str {
    case["name"].as_str().unwrap()
}

fn options(case: &Value) -> FormOptions {
    let mut options = FormOptions::new();
    if let Some(reason) = case.get("allowSensitiveName") {
        options = options.allow_sensitive_name(reason.as_str().unwrap());
    }
    if let Some(own) = case.get("limits") {
        let mut limits = SchemaLimits::default();
        if let Some(most) = own.get("properties") {
            limits.properties = most.as_u64().unwrap() as usize;
        }
        if let Some(most) = own.get("options") {
            limits.options = most.as_u64().unwrap() as usize;
        }
        options = options.limits(limits);
    }
    options
}

fn parse(case: &Value) -> Result<Form, Error> {
    Form::parse_with(&text(case, "schema").unwrap(), &options(case))
}

/// Compares paths and rules, and that each fault says something.
fn assert_faults(expected: &Value, faults: &[Fault], about: &str) {
    let expected: Vec<(String, String)> = expected
        .as_array()
        .unwrap()
        .iter()
        .map(|fault| {
            let member = |key: &str| fault[key].as_str().unwrap().to_owned();
            (member("path"), member("rule"))
        })
        .collect();
    let found: Vec<(String, String)> =
        faults.iter().map(|fault| (fault.path.clone(), fault.rule.to_owned())).collect();
    assert_eq!(found, expected, "{about}");
    assert!(faults.iter().all(|fault| !fault.message.is_empty()), "{about}");
}

#[test]
fn parse_vectors() {
    for case in cases("schema-parse.json") {
        let name = name(&case);
        match (case.get("faults"), parse(&case)) {
            (Some(expected), Err(error)) => {
                assert_eq!(error.kind(), ErrorKind::Schema, "{name}");
                assert_faults(expected, error.faults(), name);
            }
            (None, Ok(form)) => {
                let schema = Json::parse(text(&case, "schema").unwrap()).unwrap();
                let wire = case.get("wire").map(|wire| wire.as_str().unwrap().to_owned());
                assert_eq!(form.wire(), wire.unwrap_or_else(|| schema.compact()), "{name}");
                assert_eq!(form.source(), form.wire(), "{name}");
                let none = Value::Array(Vec::new());
                assert_faults(case.get("warnings").unwrap_or(&none), form.warnings(), name);
            }
            (Some(_), Ok(_)) => panic!("{name}: was accepted"),
            (None, Err(error)) => panic!("{name}: {:?}", error.faults()),
        }
    }
}

#[test]
fn validate_vectors() {
    for case in cases("schema-validate.json") {
        let form = parse(&case).unwrap();
        for answer in case["answers"].as_array().unwrap() {
            check_answer(&form, answer, name(&case));
        }
    }
}

fn check_answer(form: &Form, answer: &Value, name: &str) {
    let content = text(answer, "content").unwrap();
    let about = format!("{name}: {content}");
    let json = Json::parse(content).unwrap();
    let mut options = ValidateOptions::new();
    if answer.get("unknown").and_then(Value::as_str) == Some("refuse") {
        options = options.unknown(UnknownFields::Refuse);
    }
    match (answer.get("faults"), form.validate_with(json.root(), &options)) {
        (Some(expected), Err(faults)) => assert_faults(expected, &faults, &about),
        (None, Ok(found)) => {
            assert_eq!(found.content.text(), text(answer, "kept").unwrap(), "{about}");
            let dropped: Vec<&str> = match answer.get("dropped") {
                Some(names) => {
                    names.as_array().unwrap().iter().map(|name| name.as_str().unwrap()).collect()
                }
                None => Vec::new(),
            };
            assert_eq!(found.dropped, dropped, "{about}");
        }
        (Some(_), Ok(_)) => panic!("{about}: was accepted"),
        (None, Err(faults)) => panic!("{about}: {faults:?}"),
    }
}
