//! Runs what others wrote: the JSON Schema Test Suite for what a form can say, and every schema of
//! the protocol's own pages and examples.
//!
//! The files are not part of this repository. `MCP_ELICIT_OUTSIDE_VECTORS` names the folder that
//! holds `vectors/json-schema-test-suite` and `spec`; where it is not set nothing runs.
#![allow(clippy::unwrap_used, clippy::panic, clippy::print_stderr, reason = "a test may fail")]

use std::path::{Path, PathBuf};

use mcp_elicit::Json;
use mcp_elicit::schema::{Fate, Form};
use serde_json::{Value, json};

fn outside() -> Option<PathBuf> {
    let folder = std::env::var_os("MCP_ELICIT_OUTSIDE_VECTORS")?;
    // Cargo runs tests in the folder of their crate; the variable speaks of the repository's.
    let folder = Path::new(env!("CARGO_MANIFEST_DIR")).join("..").join(folder);
    assert!(folder.is_dir(), "MCP_ELICIT_OUTSIDE_VECTORS names no folder: {}", folder.display());
    Some(folder)
}

fn read(path: &Path) -> Value {
    serde_json::from_str(&std::fs::read_to_string(path).unwrap()).unwrap()
}

/// What becomes of a group of the suite.
enum Group {
    /// The schema of a form, and how the data becomes an answer.
    Runs { schema: Value, wrap: fn(&Value) -> Option<Value> },
    /// The schema must be refused with this rule.
    Refused { schema: Value, rule: &'static str },
    /// No form can say it.
    Outside(&'static str),
}

const FILES: &[&str] = &[
    "const",
    "date",
    "date-time",
    "default",
    "email",
    "enum",
    "maxItems",
    "maxLength",
    "maximum",
    "minItems",
    "minLength",
    "minimum",
    "required",
    "type",
    "uri",
];

/// A field `p` with what the suite says about a value.
fn field(schema: &Value, kind: Option<&str>) -> Value {
    let mut schema = schema.clone();
    if let Some(kind) = kind {
        schema["type"] = json!(kind);
    }
    json!({"type": "object", "properties": {"p": schema}, "required": ["p"]})
}

fn as_field(data: &Value) -> Option<Value> {
    // A field has a type, and null is meant by leaving it out: the suite's "ignores" tests of
    // keywords without a type do not hold for a form.
    Some(json!({"p": data}))
}

fn as_text(data: &Value) -> Option<Value> {
    data.is_string().then(|| json!({"p": data}))
}

fn as_number(data: &Value) -> Option<Value> {
    data.is_number().then(|| json!({"p": data}))
}

/// An array of numbers as a choice of texts.
fn as_choices(data: &Value) -> Option<Value> {
    let items: Vec<Value> = data.as_array()?.iter().map(|item| json!(item.to_string())).collect();
    Some(json!({"p": items}))
}

fn as_answer(data: &Value) -> Option<Value> {
    data.is_object().then(|| data.clone())
}

fn as_scalar(data: &Value) -> Option<Value> {
    (!data.is_null()).then(|| json!({"p": data}))
}

fn group(file: &str, about: &str, schema: &Value) -> Group {
    let runs = |schema: Value, wrap| Group::Runs { schema, wrap };
    match file {
        "email" | "uri" | "date" | "date-time" | "minLength" | "maxLength" => {
            runs(field(schema, Some("string")), as_text)
        }
        "minimum" | "maximum" => runs(field(schema, Some("number")), as_number),
        "minItems" | "maxItems" => {
            let mut schema = schema.clone();
            schema["items"] = json!({"type": "string", "enum": ["1", "2", "3", "4"]});
            runs(field(&schema, Some("array")), as_choices)
        }
        "type" => match schema["type"].as_str() {
            Some("object" | "array" | "null") => {
                Group::Outside("a field is a text, a number, a truth value or a choice")
            }
            Some(_) => runs(field(schema, None), as_field),
            None if about.contains("one item") => runs(field(schema, None), as_field),
            None => Group::Outside("a field has one type"),
        },
        "const" | "enum" if schema.get("properties").is_some() => runs(schema.clone(), as_answer),
        "const" | "enum" => {
            let values = match schema.get("const") {
                Some(value) => vec![value.clone()],
                None => schema["enum"].as_array().unwrap().clone(),
            };
            let kinds: Vec<_> = values.iter().filter(|v| !v.is_null()).map(discriminant).collect();
            if values.is_empty() {
                Group::Refused { schema: field(schema, None), rule: "field_type" }
            } else if values.iter().any(|value| value.is_object() || value.is_array()) {
                Group::Outside("an option is a text, a number or a truth value")
            } else if kinds.is_empty() {
                Group::Outside("null is meant by leaving the field out")
            } else if kinds.iter().any(|kind| *kind != kinds[0]) {
                Group::Outside("a field has one type")
            } else {
                runs(field(schema, None), as_scalar)
            }
        }
        "default" => Group::Refused { schema: schema.clone(), rule: "default" },
        "required" => {
            // The suite says nothing of the types of these properties; a field must have one.
            let mut properties = serde_json::Map::new();
            let named = schema.get("properties").and_then(Value::as_object);
            let names = named.into_iter().flat_map(|map| map.keys().cloned());
            let required = schema.get("required").and_then(Value::as_array);
            let required =
                required.into_iter().flatten().map(|name| name.as_str().unwrap().to_owned());
            for name in names.chain(required) {
                properties.insert(name, json!({"type": "number"}));
            }
            let mut schema = schema.clone();
            schema["properties"] = Value::Object(properties);
            runs(schema, |data| {
                let numbers =
                    |map: &serde_json::Map<String, Value>| map.values().all(Value::is_number);
                as_answer(data).filter(|data| data.as_object().is_some_and(numbers))
            })
        }
        _ => panic!("{file} is new: say what of it a form can say"),
    }
}

fn discriminant(value: &Value) -> std::mem::Discriminant<Value> {
    std::mem::discriminant(value)
}

/// Every case of the suite that a form can say comes out as the suite says.
#[test]
fn json_schema_test_suite() {
    let Some(outside) = outside() else { return };
    let folder = outside.join("vectors/json-schema-test-suite");
    let mut found: Vec<String> = std::fs::read_dir(&folder)
        .unwrap()
        .filter_map(|entry| {
            let name = entry.unwrap().file_name().into_string().unwrap();
            name.strip_suffix(".json").map(str::to_owned)
        })
        .collect();
    found.sort();
    assert_eq!(found, FILES, "the suite's files are not the ones known here");
    let (mut ran, mut skipped) = (0, 0);
    for file in FILES {
        for case in read(&folder.join(format!("{file}.json"))).as_array().unwrap() {
            let about = case["description"].as_str().unwrap();
            let mut schema = case["schema"].clone();
            schema.as_object_mut().unwrap().shift_remove("$schema");
            let tests = case["tests"].as_array().unwrap();
            match group(file, about, &schema) {
                Group::Outside(reason) => {
                    skipped += tests.len();
                    eprintln!("outside the grammar: {file}, {about}: {reason}");
                }
                Group::Refused { schema, rule } => {
                    ran += 1;
                    let error = Form::normalize(&schema.to_string()).unwrap_err();
                    assert_eq!(error.faults()[0].rule, rule, "{file}, {about}");
                }
                Group::Runs { schema, wrap } => {
                    let form = Form::normalize(&schema.to_string())
                        .unwrap_or_else(|error| panic!("{file}, {about}: {error}"));
                    for test in tests {
                        let Some(content) = wrap(&test["data"]) else {
                            skipped += 1;
                            continue;
                        };
                        ran += 1;
                        let json = Json::parse(content.to_string()).unwrap();
                        let accepted = form.validate(json.root()).is_ok();
                        let valid = test["valid"].as_bool().unwrap();
                        assert_eq!(accepted, valid, "{file}, {about}, {}", test["description"]);
                    }
                }
            }
        }
    }
    eprintln!("JSON Schema Test Suite: {ran} ran, {skipped} are outside the grammar");
    assert!(ran > 250, "only {ran} cases ran");
}

/// Every object in some JSON that is a `requestedSchema`.
fn requested_schemas(value: &Value, found: &mut Vec<Value>) {
    match value {
        Value::Object(map) => {
            for (key, value) in map {
                if key == "requestedSchema" && value.get("type").is_some_and(Value::is_string) {
                    found.push(value.clone());
                } else {
                    requested_schemas(value, found);
                }
            }
        }
        Value::Array(items) => items.iter().for_each(|item| requested_schemas(item, found)),
        _ => {}
    }
}

fn files(folder: &Path, found: &mut Vec<PathBuf>) {
    for entry in std::fs::read_dir(folder).unwrap() {
        let path = entry.unwrap().path();
        if path.is_dir() { files(&path, found) } else { found.push(path) }
    }
}

/// Every example of the protocol is a form: the schemas of fields, whole ones in requests, and
/// their answers.
#[test]
fn examples_of_the_protocol() {
    let Some(outside) = outside() else { return };
    let examples = outside.join("spec/2026-07-28/examples");
    let mut paths = Vec::new();
    files(&examples, &mut paths);
    let (mut fields, mut forms) = (0, 0);
    for path in &paths {
        let folder = path.parent().unwrap().file_name().unwrap().to_str().unwrap();
        let example = read(path);
        if folder.ends_with("Schema") {
            let schema = json!({"type": "object", "properties": {"p": example}});
            Form::parse(&schema.to_string()).unwrap_or_else(|error| panic!("{path:?}: {error}"));
            fields += 1;
        }
        let mut schemas = Vec::new();
        requested_schemas(&example, &mut schemas);
        for schema in schemas {
            let form = Form::parse(&schema.to_string());
            let form = form.unwrap_or_else(|error| panic!("{path:?}: {error}"));
            assert_eq!(form.wire(), schema.to_string(), "{path:?}");
            forms += 1;
        }
    }
    assert!(fields >= 7 && forms >= 4, "{fields} fields and {forms} forms found");
}

/// Every block of JSON on the elicitation pages that shows a schema: of all three revisions.
#[test]
fn pages_of_the_protocol() {
    let Some(outside) = outside() else { return };
    for (revision, least) in [("2026-07-28", 9), ("2025-11-25", 9), ("2025-06-18", 6)] {
        let page =
            std::fs::read_to_string(outside.join(format!("spec/{revision}/elicitation.mdx")));
        let mut shown = 0;
        for block in
            page.unwrap().split("```json").skip(1).filter_map(|rest| rest.split("```").next())
        {
            // Some blocks hold comments, or are the member of an object.
            let plain: Vec<&str> =
                block.lines().map(|line| line.split(" //").next().unwrap()).collect();
            let plain = plain.join("\n");
            let text = match plain.trim().strip_prefix("\"requestedSchema\":") {
                Some(_) => format!("{{{plain}}}"),
                None => plain,
            };
            let Ok(example) = serde_json::from_str::<Value>(&text) else { continue };
            let kind = example.get("type").and_then(Value::as_str);
            let mut schemas = Vec::new();
            if kind.is_some_and(|kind| kind != "object") {
                schemas.push(json!({"type": "object", "properties": {"p": example}}));
            }
            requested_schemas(&example, &mut schemas);
            for schema in schemas {
                shown += 1;
                check_shown(&schema, revision);
            }
        }
        assert!(shown >= least, "{revision} shows {shown} schemas");
    }
}

/// A schema that a page shows is of the grammar. 2025-11-25 shows a `pattern`, which its own
/// grammar does not have: strict parse refuses it, normalize enforces it off the wire.
fn check_shown(schema: &Value, revision: &str) {
    let text = schema.to_string();
    if schema["properties"]["p"].get("pattern").is_none() {
        Form::parse(&text).unwrap_or_else(|error| panic!("{revision}: {error}: {text}"));
        return;
    }
    assert_eq!(revision, "2025-11-25");
    let error = Form::parse(&text).unwrap_err();
    let faults: Vec<_> = error.faults().iter().map(|fault| (&*fault.path, fault.rule)).collect();
    // The page's own example contradicts itself: its default is no match of its pattern.
    assert_eq!(faults, [("/properties/p/pattern", "unknown_keyword")]);
    let error = Form::normalize(&text).unwrap_err();
    let faults: Vec<_> = error.faults().iter().map(|fault| (&*fault.path, fault.rule)).collect();
    assert_eq!(faults, [("/properties/p/default", "default")]);
    let mut schema = schema.clone();
    schema["properties"]["p"].as_object_mut().unwrap().shift_remove("default");
    let form = Form::normalize(&schema.to_string()).unwrap();
    assert!(!form.wire().contains("pattern"));
    let note = form.report().iter().find(|note| note.path == "/properties/p/pattern");
    assert_eq!(note.map(|note| note.fate), Some(Fate::Enforced));
}
