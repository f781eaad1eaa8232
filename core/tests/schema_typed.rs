//! Forms of Rust types, as `schemars` prints them, and answers as these types.
#![allow(clippy::unwrap_used, reason = "a test may fail")]

use std::collections::BTreeSet;

use mcp_elicit::schema::{Fate, FieldKind, Form, FormOptions};
use mcp_elicit::{ErrorKind, Json};
use schemars::JsonSchema;
use serde::Deserialize;

#[derive(JsonSchema, Deserialize, Debug, PartialEq, Eq, PartialOrd, Ord)]
#[serde(rename_all = "lowercase")]
enum Size {
    Small,
    Large,
}

#[derive(JsonSchema, Deserialize, Debug, PartialEq)]
enum Speed {
    /// As fast as it goes
    Fast,
    Slow,
}

#[derive(JsonSchema, Deserialize, Debug, PartialEq)]
struct Order {
    /// Who orders
    #[schemars(title = "Name", length(min = 1, max = 40), regex(pattern = r"^[A-Z]"))]
    name: String,
    #[schemars(email)]
    mail: String,
    #[schemars(range(min = 1, max = 9))]
    count: i32,
    weight: f64,
    level: u8,
    size: Size,
    #[serde(default = "slow")]
    speed: Speed,
    note: Option<String>,
    extras: BTreeSet<Size>,
    gift: bool,
}

fn slow() -> Speed {
    Speed::Slow
}

#[test]
fn a_type_is_asked_and_answered() {
    let form = Form::of::<Order>().unwrap();
    let kinds: Vec<(&str, FieldKind, bool)> =
        form.fields().iter().map(|f| (f.name(), f.kind(), f.is_required())).collect();
    for (name, kind, required) in [
        ("name", FieldKind::String, true),
        ("mail", FieldKind::String, true),
        ("count", FieldKind::Integer, true),
        ("weight", FieldKind::Number, true),
        ("level", FieldKind::Integer, true),
        ("size", FieldKind::Choice, true),
        ("speed", FieldKind::Choice, false),
        ("note", FieldKind::String, false),
        ("extras", FieldKind::Choices, true),
        ("gift", FieldKind::Boolean, true),
    ] {
        assert!(kinds.contains(&(name, kind, required)), "{name}");
    }
    let enforced: Vec<&str> = form
        .report()
        .iter()
        .filter(|note| note.fate == Fate::Enforced)
        .map(|note| &*note.path)
        .collect();
    assert!(enforced.contains(&"/properties/name/pattern"));
    assert!(!form.wire().contains("pattern"));

    let content = Json::parse(
        r#"{"name":"Ann","mail":"ann@example.com","count":2,"weight":1.5,"level":3,"size":"small","extras":["large"],"gift":false}"#,
    );
    let answer = form.validate(content.unwrap().root()).unwrap();
    let order: Order = form.read(&answer).unwrap();
    assert_eq!(order.name, "Ann");
    assert_eq!(order.size, Size::Small);
    assert_eq!(order.speed, Speed::Slow);
    assert_eq!(order.note, None);
    assert_eq!(order.extras, BTreeSet::from([Size::Large]));

    let content = Json::parse(
        r#"{"name":"ann","mail":"x","count":10,"weight":"1","level":256,"size":"medium","extras":["large","large"]}"#,
    );
    let faults = form.validate(content.unwrap().root()).unwrap_err();
    let faults: Vec<(&str, &str)> = faults.iter().map(|f| (&*f.path, f.rule)).collect();
    assert_eq!(
        faults,
        [
            ("/name", "pattern"),
            ("/mail", "format"),
            ("/count", "maximum"),
            ("/weight", "type"),
            ("/level", "maximum"),
            ("/size", "enum"),
            ("/extras/1", "uniqueItems"),
            ("/gift", "required"),
        ]
    );
}

#[derive(JsonSchema, Deserialize)]
struct Nested {
    #[allow(dead_code)]
    inner: Inner,
    #[allow(dead_code)]
    tags: Vec<String>,
}

#[derive(JsonSchema, Deserialize)]
struct Inner {
    #[allow(dead_code)]
    x: i32,
}

#[test]
fn what_a_form_cannot_carry_is_refused_by_its_place() {
    let error = Form::of::<Nested>().unwrap_err();
    assert_eq!(error.kind(), ErrorKind::Schema);
    let faults: Vec<(&str, &str)> = error.faults().iter().map(|f| (&*f.path, f.rule)).collect();
    assert_eq!(
        faults,
        [("/$defs/Inner/type", "not_flat"), ("/properties/tags/items", "not_a_choice")]
    );
}

#[derive(JsonSchema, Deserialize)]
struct Login {
    #[allow(dead_code)]
    password: String,
}

#[test]
fn a_secret_is_allowed_with_a_reason_only() {
    assert!(Form::of::<Login>().is_err());
    let options = FormOptions::new().allow_sensitive_name("the word of a game");
    assert!(Form::of_with::<Login>(&options).is_ok());
}
