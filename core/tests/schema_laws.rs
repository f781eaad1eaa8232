//! Laws of forms, on random schemas and answers.
#![allow(clippy::unwrap_used, clippy::expect_used, clippy::panic, reason = "a test may fail")]

use mcp_elicit::schema::{FieldKind, Form, FormOptions, Messages, Revision, explain};
use mcp_elicit::{Json, JsonType};
use proptest::prelude::*;
use proptest::strategy::ValueTree;
use proptest::test_runner::TestRunner;
use serde_json::Value;

mod schema_gen;
use schema_gen::{answer, any_json, formatted, lenient, schema, word};

fn options() -> FormOptions {
    FormOptions::new().allow_sensitive_name("random names")
}

fn json(value: &Value) -> Json {
    Json::parse(value.to_string()).unwrap()
}

/// A schema of the grammar and an answer to it.
fn asked() -> impl Strategy<Value = (Value, Value)> {
    schema().prop_flat_map(|schema| {
        let answer = answer(&schema);
        (Just(schema), answer)
    })
}

proptest! {
    #![proptest_config(ProptestConfig { failure_persistence: None, ..ProptestConfig::default() })]

    /// Parse then print is the identity on valid schemas.
    #[test]
    fn a_valid_schema_is_its_own_wire_text(schema in schema()) {
        let text = schema.to_string();
        if let Ok(form) = Form::parse_with(&text, &options()) {
            prop_assert_eq!(form.wire(), &*text);
            prop_assert_eq!(form.source(), &*text);
            let again = Form::parse_with(form.wire(), &options()).unwrap();
            prop_assert_eq!(again.warnings(), form.warnings());
        }
    }

    /// What is of the grammar, normalize takes too, and it says the same.
    #[test]
    fn normalize_agrees_with_parse((schema, content) in asked()) {
        let text = schema.to_string();
        if let Ok(strict) = Form::parse_with(&text, &options()) {
            let lenient = Form::normalize_with(&text, &options()).unwrap();
            let content = json(&content);
            let one = strict.validate(content.root());
            let two = lenient.validate(content.root());
            prop_assert_eq!(one.is_ok(), two.is_ok());
            if let (Err(one), Err(two)) = (one, two) {
                prop_assert_eq!(one, two);
            }
        }
    }

    /// Normalize is idempotent, a normalized schema parses strictly, and the report speaks of
    /// places that are there.
    #[test]
    fn normalize_is_idempotent(schema in lenient()) {
        let schema = json(&schema);
        let normalized = explain(schema.root(), &options());
        match normalized.form {
            Ok(form) => {
                let again = Form::normalize_with(form.source(), &options()).unwrap();
                prop_assert_eq!(again.source(), form.source());
                prop_assert_eq!(again.wire(), form.wire());
                let strict = Form::parse_with(form.wire(), &options()).unwrap();
                prop_assert_eq!(strict.wire(), form.wire());
            }
            Err(error) => prop_assert!(!error.faults().is_empty()),
        }
        for note in normalized.notes {
            prop_assert!(is_place(&schema, &note.path), "{}", note.path);
        }
    }

    /// What is enforced off the wire only ever refuses more.
    #[test]
    fn the_whole_schema_is_no_looser_than_its_wire_text(
        (schema, content) in lenient().prop_flat_map(|schema| {
            let answer = answer(&schema);
            (Just(schema), answer)
        })
    ) {
        if let Ok(form) = Form::normalize_with(&schema.to_string(), &options()) {
            let wire = Form::parse_with(form.wire(), &options()).unwrap();
            let content = json(&content);
            if form.validate(content.root()).is_ok() {
                prop_assert!(wire.validate(content.root()).is_ok());
            }
        }
    }

    /// What an answer keeps is an answer again, and says the same.
    #[test]
    fn what_is_kept_is_valid_and_kept((schema, content) in asked()) {
        let Ok(form) = Form::parse_with(&schema.to_string(), &options()) else { return Ok(()) };
        let content = json(&content);
        match form.validate(content.root()) {
            Ok(answer) => {
                let again = form.validate(answer.content.root()).unwrap();
                prop_assert_eq!(again.content.text(), answer.content.text());
                prop_assert!(again.dropped.is_empty());
                for entry in answer.content.root().entries() {
                    prop_assert!(form.field(&entry.key()).is_some());
                }
            }
            Err(faults) => {
                prop_assert!(!faults.is_empty());
                // No message repeats a text that a person gave; examples in messages are ours.
                let ours = |given: &str| Messages::catalogue().any(|(_, text)| text.contains(given));
                for entry in content.root().entries() {
                    let given = entry.value.as_str().filter(|text| text.len() > 8 && !ours(text));
                    for fault in &faults {
                        let repeated = given.as_ref().is_some_and(|given| fault.message.contains(&**given));
                        prop_assert!(!repeated, "{}", fault.message);
                    }
                }
            }
        }
    }

    /// Downgrade then validate accepts nothing that the original refuses.
    #[test]
    fn downgrade_loosens_nothing((schema, content) in asked()) {
        let Ok(form) = Form::parse_with(&schema.to_string(), &options()) else { return Ok(()) };
        for revision in Revision::ALL {
            let Ok(down) = form.downgrade(*revision) else {
                let many = form.fields().iter().any(|field| field.kind() == FieldKind::Choices);
                prop_assert!(many);
                continue;
            };
            let content = json(&content);
            let shown = Form::parse_with(down.form.wire(), &options()).unwrap();
            for asked in [&shown, &down.form] {
                prop_assert_eq!(
                    asked.validate(content.root()).is_ok(),
                    form.validate(content.root()).is_ok()
                );
            }
        }
    }

    /// Coerce of a printed value gives the value.
    #[test]
    fn coerce_reads_what_print_writes((schema, content) in asked()) {
        let Ok(form) = Form::parse_with(&schema.to_string(), &options()) else { return Ok(()) };
        let content = json(&content);
        let Ok(answer) = form.validate(content.root()) else { return Ok(()) };
        for entry in answer.content.root().entries() {
            let field = form.field(&entry.key()).unwrap();
            let printed = field.print(entry.value).unwrap();
            // An empty text is absent unless the schema says that it is an answer.
            if printed.is_empty() && field.min_length() != Some(0) && field.choices().is_empty() {
                prop_assert!(field.coerce(&printed).unwrap().is_none());
                continue;
            }
            let read = field.coerce(&printed).unwrap().unwrap();
            let (read, value) = (read.root(), entry.value);
            if value.json_type() == JsonType::Number {
                prop_assert_eq!(read.as_decimal(), value.as_decimal());
            } else {
                let texts = |v: mcp_elicit::Value<'_>| match v.as_str() {
                    Some(text) => vec![text.into_owned()],
                    None if v.is_array() => v.items().filter_map(|i| i.as_str()).map(Into::into).collect(),
                    None => vec![v.raw().to_owned()],
                };
                prop_assert_eq!(texts(read), texts(value));
            }
        }
    }

    /// What coerce gives is an answer, or it is a fault of that field; it never fails otherwise.
    #[test]
    fn coerce_gives_answers(schema in schema(), typed in prop_oneof![word(), formatted(), ".{0,8}", "[-+.0-9eE]{0,6}"]) {
        let Ok(form) = Form::parse_with(&schema.to_string(), &options()) else { return Ok(()) };
        let texts: Vec<(&str, &str)> =
            form.fields().iter().map(|field| (field.name(), &*typed)).collect();
        match form.coerce(texts) {
            Ok(content) => prop_assert!(form.validate(content.root()).is_ok()),
            Err(faults) => prop_assert!(!faults.is_empty()),
        }
    }

    /// Defaults are good answers to their fields, and filling them in changes nothing that is there.
    #[test]
    fn defaults_fit((schema, content) in asked()) {
        let Ok(form) = Form::parse_with(&schema.to_string(), &options()) else { return Ok(()) };
        let content = json(&content);
        let filled = form.with_defaults(content.root());
        for entry in content.root().entries() {
            prop_assert_eq!(filled.root().get(&entry.key()).unwrap().compact(), entry.value.compact());
        }
        for field in form.fields() {
            let there = content.root().get(field.name()).is_some();
            prop_assert_eq!(
                filled.root().get(field.name()).is_some(),
                there || field.default_value().is_some()
            );
        }
        let faults = form.validate(form.defaults().root()).err().unwrap_or_default();
        prop_assert!(faults.iter().all(|fault| fault.rule == "required"));
        if form.validate(content.root()).is_ok() {
            prop_assert!(form.validate(filled.root()).is_ok());
        }
    }

    /// The form that is asked again is of the grammar, has the same fields, and accepts the same.
    #[test]
    fn asked_again_it_is_the_same_form((schema, content) in asked()) {
        let Ok(form) = Form::parse_with(&schema.to_string(), &options()) else { return Ok(()) };
        let content = json(&content);
        let again = Form::parse_with(&form.wire_with_defaults(content.root()), &options()).unwrap();
        prop_assert_eq!(again.fields().len(), form.fields().len());
        prop_assert_eq!(
            again.validate(content.root()).is_ok(),
            form.validate(content.root()).is_ok()
        );
        for field in again.fields() {
            let given = content.root().get(field.name());
            if field.kind() == FieldKind::Boolean && given.is_some() {
                prop_assert!(field.default_value().is_none());
            }
        }
    }

    /// Nothing that is JSON makes the readers fail otherwise than by an error.
    #[test]
    fn any_json_is_read_or_refused(schema in any_json(), content in any_json()) {
        let (schema, content) = (json(&schema), json(&content));
        let _ = Form::from_json(&schema);
        let normalized = explain(schema.root(), &options());
        if let Ok(form) = normalized.form {
            let _ = form.validate(content.root());
        }
        let form = Form::parse(r#"{"type":"object","properties":{"a":{"type":"string"}}}"#).unwrap();
        let _ = form.validate(content.root());
        let _ = form.wire_with_defaults(content.root());
        let _ = form.with_defaults(content.root());
    }
}

/// The laws say nothing where no schema is valid and no answer fits: enough of them are and do.
#[test]
fn enough_is_valid_and_enough_is_not() {
    let mut runner = TestRunner::deterministic();
    let (mut forms, mut fits, mut lenient_forms) = (0, 0, 0);
    for _ in 0..400 {
        let (schema, content) = asked().new_tree(&mut runner).unwrap().current();
        if let Ok(form) = Form::parse_with(&schema.to_string(), &options()) {
            forms += 1;
            fits += usize::from(form.validate(json(&content).root()).is_ok());
        }
        let schema = lenient().new_tree(&mut runner).unwrap().current();
        lenient_forms += usize::from(Form::normalize_with(&schema.to_string(), &options()).is_ok());
    }
    let enough = (80..=380).contains(&forms) && fits * 5 > forms && fits < forms;
    assert!(enough && (40..=380).contains(&lenient_forms), "{forms}, {fits}, {lenient_forms}");
}

/// Whether the pointer leads to something in the JSON, or to a member that could be added there.
fn is_place(json: &Json, pointer: &str) -> bool {
    let mut value = json.root();
    let mut tokens = pointer.split('/').skip(1).peekable();
    while let Some(token) = tokens.next() {
        let token = token.replace("~1", "/").replace("~0", "~");
        let next = match token.parse::<usize>() {
            Ok(at) if value.is_array() => value.items().nth(at),
            _ => value.get(&token),
        };
        match next {
            Some(next) => value = next,
            None => return tokens.peek().is_none(),
        }
    }
    true
}
