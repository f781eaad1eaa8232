//! Runs `tests/vectors/schema-*.json`: the forms, in the words of `tests/vectors/README.md`.
#![allow(clippy::unwrap_used, clippy::panic, reason = "a broken vector fails its test")]

use mcp_elicit::schema::{
    Fate, Form, FormOptions, Revision, SchemaLimits, UnknownFields, ValidateOptions, explain,
};
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

fn strings(value: Option<&Value>) -> Vec<&str> {
    match value {
        Some(list) => list.as_array().unwrap().iter().map(|item| item.as_str().unwrap()).collect(),
        None => Vec::new(),
    }
}

#[test]
fn normalize_vectors() {
    for file in ["schema-normalize.json", "schema-printed.json"] {
        for case in cases(file) {
            check_normalize(&case);
        }
    }
}

fn check_normalize(case: &Value) {
    let name = name(case);
    let schema = Json::parse(text(case, "schema").unwrap()).unwrap();
    let normalized = explain(schema.root(), &options(case));
    let of = |fate: Fate| -> Vec<&str> {
        let notes = normalized.notes.iter().filter(|note| note.fate == fate);
        notes.map(|note| note.path.as_str()).collect()
    };
    for note in &normalized.notes {
        let places = note.path.is_empty() || note.path.starts_with('/');
        assert!(places, "{name}: {}", note.path);
    }
    match (case.get("faults"), &normalized.form) {
        (Some(expected), Err(error)) => {
            assert_eq!(error.kind(), ErrorKind::Schema, "{name}");
            assert_faults(expected, error.faults(), name);
            let paths: Vec<&str> = error.faults().iter().map(|fault| &*fault.path).collect();
            assert_eq!(of(Fate::Refused), paths, "{name}");
        }
        (None, Ok(form)) => {
            assert_eq!(form.wire(), text(case, "wire").unwrap(), "{name}");
            assert_eq!(form.report(), normalized.notes, "{name}");
            for (fate, key) in [(Fate::Enforced, "enforced"), (Fate::Dropped, "dropped")] {
                if let Some(expected) = case.get(key) {
                    let (mut found, mut expected) = (of(fate), strings(Some(expected)));
                    found.sort_unstable();
                    expected.sort_unstable();
                    assert_eq!(found, expected, "{name}: {key}");
                }
            }
            check_laws(form, &options(case), name);
            for answer in case.get("answers").and_then(Value::as_array).into_iter().flatten() {
                check_answer(form, answer, name);
            }
            if let Some(nulls) = case.get("nulls") {
                let content = Json::parse(text(nulls, "content").unwrap()).unwrap();
                let found = form.for_type(content.root());
                assert_eq!(found.text(), text(nulls, "forType").unwrap(), "{name}");
            }
        }
        (Some(_), Ok(form)) => panic!("{name}: was accepted as {}", form.source()),
        (None, Err(error)) => panic!("{name}: {:?}", error.faults()),
    }
}

/// Normalize is idempotent, and what it writes is of the grammar.
fn check_laws(form: &Form, options: &FormOptions, name: &str) {
    let again = Form::normalize_with(form.source(), options).unwrap();
    assert_eq!(again.source(), form.source(), "{name}");
    assert_eq!(again.wire(), form.wire(), "{name}");
    let strict = Form::parse_with(form.wire(), options).unwrap();
    assert_eq!(strict.wire(), form.wire(), "{name}");
}

#[test]
fn coerce_vectors() {
    for case in cases("schema-coerce.json") {
        let name = name(&case);
        let schema = format!("{{\"type\":\"object\",\"properties\":{{\"f\":{}}}}}", case["field"]);
        let form = Form::parse(&schema).unwrap();
        let field = form.field("f").unwrap();
        for typed in case["texts"].as_array().unwrap() {
            let typed_text = typed["text"].as_str().unwrap();
            let about = format!("{name}: {typed_text:?}");
            match field.coerce(typed_text) {
                Ok(None) => assert_eq!(typed["absent"], true, "{about}"),
                Ok(Some(json)) => {
                    assert_eq!(Some(json.text()), text(typed, "value").as_deref(), "{about}");
                    let printed = field.print(json.root()).unwrap();
                    let again = field.coerce(&printed).unwrap().unwrap();
                    assert_eq!(again.text(), json.text(), "{about}: printed as {printed:?}");
                }
                Err(fault) => {
                    assert_eq!(typed["rule"], fault.rule, "{about}");
                    let path = typed.get("path").and_then(Value::as_str).unwrap_or("/f");
                    assert_eq!(fault.path, path, "{about}");
                    assert!(!fault.message.is_empty(), "{about}");
                }
            }
        }
    }
}

#[test]
fn default_vectors() {
    for case in cases("schema-defaults.json") {
        let name = name(&case);
        let form = parse(&case).unwrap();
        for filled in case.get("filled").and_then(Value::as_array).into_iter().flatten() {
            let content = Json::parse(text(filled, "content").unwrap()).unwrap();
            let found = form.with_defaults(content.root());
            assert_eq!(found.text(), text(filled, "result").unwrap(), "{name}");
        }
        for again in case.get("again").and_then(Value::as_array).into_iter().flatten() {
            let answer = Json::parse(text(again, "answer").unwrap()).unwrap();
            let wire = match again.get("only") {
                Some(only) => {
                    let only = strings(Some(only));
                    form.wire_again(answer.root(), |name| only.contains(&name))
                }
                None => form.wire_with_defaults(answer.root()),
            };
            assert_eq!(wire, text(again, "wire").unwrap(), "{name}");
            assert!(Form::parse_with(&wire, &options(&case)).is_ok(), "{name}");
        }
    }
}

#[test]
fn downgrade_vectors() {
    for case in cases("schema-downgrade.json") {
        let name = name(&case);
        let revision = Revision::by_name(case["revision"].as_str().unwrap()).unwrap();
        let schema = text(&case, "schema").unwrap();
        let form = match case.get("normalize") {
            Some(_) => Form::normalize(&schema).unwrap(),
            None => parse(&case).unwrap(),
        };
        match (case.get("faults"), form.downgrade(revision)) {
            (Some(expected), Err(error)) => assert_faults(expected, error.faults(), name),
            (None, Ok(down)) => {
                assert_eq!(down.form.wire(), text(&case, "wire").unwrap(), "{name}");
                let lost: Vec<&str> = down.lost.iter().map(|note| note.path.as_str()).collect();
                assert_eq!(lost, strings(case.get("lost")), "{name}");
                for answer in case.get("answers").and_then(Value::as_array).into_iter().flatten() {
                    check_answer(&down.form, answer, name);
                }
            }
            (_, other) => panic!("{name}: {:?}", other.map(|down| down.form)),
        }
    }
}
