//! Messages to a person: worded by a catalogue that can be replaced, without what was given.
#![allow(clippy::unwrap_used, reason = "a test may fail")]

use mcp_elicit::schema::{Form, Messages, RULES, Scope, UnknownFields, ValidateOptions};
use mcp_elicit::{ErrorKind, Json};

fn form() -> Form {
    Form::normalize(
        r#"{"type":"object","properties":{
            "name":{"type":"string","title":"Your name","minLength":1,"maxLength":3,"pattern":"^[A-Z]"},
            "age":{"type":"integer","minimum":0,"maximum":150,"multipleOf":2},
            "rate":{"type":"number","exclusiveMinimum":0,"exclusiveMaximum":1},
            "mail":{"type":"string","format":"email"},
            "env":{"type":"string","title":"Environment","oneOf":[{"const":"d","title":"Dev {limit}"},{"const":"p","title":"Prod"}]},
            "tags":{"type":"array","items":{"enum":["a","b","c"]},"minItems":1,"maxItems":2},
            "ok":{"type":"boolean"}},
            "required":["ok"]}"#,
    )
    .unwrap()
}

fn messages(content: &str, messages: Messages) -> Vec<String> {
    let content = Json::parse(content).unwrap();
    let options = ValidateOptions::new().messages(messages).unknown(UnknownFields::Refuse);
    let faults = form().validate_with(content.root(), &options).unwrap_err();
    faults.into_iter().map(|fault| fault.message).collect()
}

const WRONG: &str =
    r#"{"name":"secret","age":151,"rate":1,"mail":"me","env":"x","tags":["z"],"other":1}"#;

/// The English text under `key`, filled in.
fn said(key: &str, field: &str, limit: &str) -> String {
    let (_, text) = Messages::catalogue().find(|(known, _)| *known == key).unwrap();
    // What is filled in is not read again: the field goes last.
    text.replace("{limit}", limit).replace("{choices}", limit).replace("{field}", field)
}

#[test]
fn a_message_names_the_field_and_what_it_takes() {
    assert_eq!(
        messages(WRONG, Messages::new()),
        [
            said("maxLength", "Your name", "3"),
            said("pattern", "Your name", "^[A-Z]"),
            said("maximum", "age", "150"),
            said("multipleOf", "age", "2"),
            said("exclusiveMaximum", "rate", "1"),
            said("format.email", "mail", ""),
            said("enum", "Environment", "Dev {limit}, Prod"),
            said("enum", "tags", "a, b, c"),
            said("additionalProperties", "other", ""),
            said("required", "ok", ""),
        ]
    );
    assert_eq!(
        messages(r#"{"name":"","tags":[],"ok":1}"#, Messages::new()),
        [
            said("minLength.one", "Your name", "1"),
            said("pattern", "Your name", "^[A-Z]"),
            said("minItems.one", "tags", "1"),
            said("type.boolean", "ok", ""),
        ]
    );
}

#[test]
fn what_was_given_is_repeated_only_when_asked_for_and_shortened() {
    assert!(messages(WRONG, Messages::new()).iter().all(|message| !message.contains("secret")));
    let shown = messages(WRONG, Messages::new().show_values(true));
    assert!(shown[0].starts_with(&said("maxLength", "Your name", "3")));
    assert!(shown[0].contains("\"secret\""));
    let long = format!(r#"{{"name":"{}","ok":true}}"#, "x".repeat(5000));
    let shown = messages(&long, Messages::new().show_values(true));
    assert!(shown[0].len() < 200, "{}", shown[0]);
}

#[test]
fn texts_are_replaced_by_key() {
    let german = Messages::from_json(
        &Json::parse(
            r#"{"required":"{field} fehlt.","maximum":"{field}: höchstens {limit}","enum":"{field}: {choices} {unknown} {","maxLength":""}"#,
        )
        .unwrap(),
    )
    .unwrap();
    let said = messages(WRONG, german);
    assert!(said.contains(&"ok fehlt.".to_owned()));
    assert!(said.contains(&"age: höchstens 150".to_owned()));
    assert!(said.contains(&"Environment: Dev {limit}, Prod {unknown} {".to_owned()));
    assert!(said.contains(&String::new()));
    assert!(said.contains(&self::said("format.email", "mail", "")));

    for wrong in [r#"{"nothing":"x"}"#, r#"{"required":1}"#, "[]"] {
        let error = Messages::from_json(&Json::parse(wrong).unwrap()).unwrap_err();
        assert_eq!(error.kind(), ErrorKind::InvalidArgument);
    }
}

/// Each rule about answers has a text, and each text belongs to a rule or to what stands around.
#[test]
fn the_catalogue_and_the_rules_speak_of_the_same() {
    let keys: Vec<&str> = Messages::catalogue().map(|(key, _)| key).collect();
    for rule in RULES.iter().filter(|rule| rule.scope == Scope::Answer) {
        let of_rule = |key: &&str| key.split('.').next() == Some(rule.id);
        assert!(keys.iter().any(of_rule), "{}", rule.id);
    }
    for key in keys {
        let rule = key.split('.').next().unwrap();
        let known = RULES.iter().any(|r| r.id == rule && r.scope == Scope::Answer);
        assert!(known || matches!(rule, "answer" | "value" | "reask"), "{key}");
    }
}

/// A hostile answer does not make a report many times its size.
#[test]
fn faults_are_named_up_to_a_limit() {
    let many = format!(r#"{{"tags":[{}],"ok":true}}"#, vec!["\"z\""; 5000].join(","));
    assert_eq!(messages(&many, Messages::new()).len(), 200);
    let names: Vec<String> = (0..5000).map(|n| format!("\"n{n}\":0")).collect();
    let content = Json::parse(format!("{{{},\"ok\":true}}", names.join(","))).unwrap();
    let answer = form().validate(content.root()).unwrap();
    assert_eq!(answer.dropped.len(), 200);
    assert_eq!(answer.content.text(), r#"{"ok":true}"#);
}
