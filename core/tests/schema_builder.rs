//! The builder writes what a person would write.
#![allow(clippy::unwrap_used, reason = "a test may fail")]

use mcp_elicit::schema::{AnyField, Choice, FieldKind, Form, FormOptions, Numeral};
use mcp_elicit::{ErrorKind, Json};

#[test]
fn every_kind_of_field_with_all_it_takes() {
    let form = Form::builder()
        .string("name", |f| {
            f.title("Name")
                .description("Your \"name\"")
                .required()
                .min_length(1)
                .max_length(9)
                .default("Ann")
        })
        .string("mail", |f| f.title("Mail").format("email"))
        .integer("age", |f| f.title("Age").minimum(0).maximum(150u8).default(40))
        .number("rate", |f| f.title("Rate").minimum(0.5).maximum(1.5))
        .boolean("news", |f| f.title("News").required().default(false))
        .choice("env", ["dev", "prod"], |f| f.title("Environment").required().default("dev"))
        .choice("color", [Choice::titled("#f00", "Red"), "#0f0".into()], |f| f.title("Color"))
        .choices("tags", ["a", "b"], |f| f.title("Tags").min_items(1).max_items(2).default(["a"]))
        .choices("rights", [Choice::titled("r", "Read")], |f| f.title("Rights"))
        .build()
        .unwrap();
    assert_eq!(
        form.wire(),
        concat!(
            r##"{"type":"object","properties":{"##,
            r##""name":{"type":"string","title":"Name","description":"Your \"name\"","minLength":1,"maxLength":9,"default":"Ann"},"##,
            r##""mail":{"type":"string","title":"Mail","format":"email"},"##,
            r##""age":{"type":"integer","title":"Age","minimum":0,"maximum":150,"default":40},"##,
            r##""rate":{"type":"number","title":"Rate","minimum":0.5,"maximum":1.5},"##,
            r##""news":{"type":"boolean","title":"News","default":false},"##,
            r##""env":{"type":"string","enum":["dev","prod"],"title":"Environment","default":"dev"},"##,
            r##""color":{"type":"string","oneOf":[{"const":"#f00","title":"Red"},{"const":"#0f0","title":"#0f0"}],"title":"Color"},"##,
            r##""tags":{"type":"array","items":{"type":"string","enum":["a","b"]},"title":"Tags","minItems":1,"maxItems":2,"default":["a"]},"##,
            r##""rights":{"type":"array","items":{"anyOf":[{"const":"r","title":"Read"}]},"title":"Rights"}},"##,
            r##""required":["name","news","env"]}"##
        )
    );
    assert_eq!(Form::parse(form.wire()).unwrap(), form);
    let kinds: Vec<FieldKind> = form.fields().iter().map(|field| field.kind()).collect();
    assert_eq!(
        kinds,
        [
            FieldKind::String,
            FieldKind::String,
            FieldKind::Integer,
            FieldKind::Number,
            FieldKind::Boolean,
            FieldKind::Choice,
            FieldKind::Choice,
            FieldKind::Choices,
            FieldKind::Choices
        ]
    );
}

/// What hosts do not know stays off the wire and is in the whole schema.
#[test]
fn rules_off_the_wire() {
    let form = Form::builder()
        .string("id", |f| f.title("Id").format("uuid"))
        .string("word", |f| f.title("Word").pattern("^[a-z]+$"))
        .number("rate", |f| f.title("Rate").more_than(0).less_than(1.0).multiple_of(0.25))
        .build()
        .unwrap();
    assert_eq!(
        form.wire(),
        r#"{"type":"object","properties":{"id":{"type":"string","title":"Id"},"word":{"type":"string","title":"Word"},"rate":{"type":"number","title":"Rate"}}}"#
    );
    assert!(form.source().contains(r#""pattern":"^[a-z]+$""#));
    let content = Json::parse(r#"{"id":"1","word":"A","rate":1}"#).unwrap();
    let faults = form.validate(content.root()).unwrap_err();
    let rules: Vec<&str> = faults.iter().map(|fault| fault.rule).collect();
    assert_eq!(rules, ["format", "pattern", "exclusiveMaximum"]);
}

/// The last of a keyword that is set twice counts; two fields of one name are a fault.
#[test]
fn what_is_said_twice() {
    let form = Form::builder().boolean("a", |f| f.title("A").title("B")).build().unwrap();
    assert_eq!(form.fields()[0].title(), Some("B"));
    let twice = Form::builder().boolean("a", |f| f).boolean("a", |f| f).build().unwrap_err();
    assert_eq!(twice.kind(), ErrorKind::Schema);
    assert_eq!(twice.faults()[0].path, "/properties/a");
}

/// The builder has no rules of its own: what it may say is judged as any other schema.
#[test]
fn faults_of_what_was_built() {
    let error = Form::builder()
        .string("password", |f| f)
        .number("n", |f| f.minimum(f64::NAN).maximum(f64::INFINITY))
        .integer("i", |f| f.minimum(2).maximum(1))
        .choice("c", [] as [&str; 0], |f| f)
        .choice("d", ["x"], |f| f.default("y"))
        .build()
        .unwrap_err();
    let faults: Vec<(&str, &str)> = error.faults().iter().map(|f| (&*f.path, f.rule)).collect();
    assert_eq!(
        faults,
        [
            ("/properties/password", "sensitive_field"),
            ("/properties/n/minimum", "keyword_type"),
            ("/properties/n/maximum", "keyword_type"),
            ("/properties/i/minimum", "number_bounds"),
            ("/properties/c/enum", "no_options"),
            ("/properties/d/default", "default"),
        ]
    );
    let options = FormOptions::new().allow_sensitive_name("a word of a game");
    assert!(Form::builder().options(options).string("password", |f| f).build().is_ok());
}

/// A field whose kind is a value is written as the one whose kind is a method.
#[test]
fn fields_of_any_kind_are_the_fields_of_each_kind() {
    let json = |text: &str| Json::parse(text).unwrap();
    let any = |kind| AnyField::new(kind).title("T").description("D");
    let form = Form::builder()
        .field(
            "s",
            any(FieldKind::String)
                .required()
                .min_length(1)
                .max_length(9)
                .pattern("^a")
                .default(json(r#""a""#).root()),
        )
        .field("f", any(FieldKind::String).format("email"))
        .field("i", any(FieldKind::Integer).minimum(1).maximum(9).multiple_of(2))
        .field(
            "n",
            any(FieldKind::Number).more_than(0.5).less_than("1.50".parse::<Numeral>().unwrap()),
        )
        .field("b", any(FieldKind::Boolean).default(json(" true ").root()))
        .field("c", any(FieldKind::Choice).option("x").option(Choice::titled("y", "Y")))
        .field(
            "m",
            any(FieldKind::Choices)
                .option("x")
                .option("y")
                .min_items(1)
                .max_items(2)
                .default(json(r#"[ "x" ]"#).root()),
        )
        .build()
        .unwrap();
    let same = Form::builder()
        .string("s", |f| {
            f.title("T")
                .description("D")
                .required()
                .min_length(1)
                .max_length(9)
                .pattern("^a")
                .default("a")
        })
        .string("f", |f| f.title("T").description("D").format("email"))
        .integer("i", |f| f.title("T").description("D").minimum(1).maximum(9).multiple_of(2))
        .number("n", |f| {
            f.title("T")
                .description("D")
                .more_than(0.5)
                .less_than("1.50".parse::<Numeral>().unwrap())
        })
        .boolean("b", |f| f.title("T").description("D").default(true))
        .choice("c", ["x".into(), Choice::titled("y", "Y")], |f| f.title("T").description("D"))
        .choices("m", ["x", "y"], |f| {
            f.title("T").description("D").min_items(1).max_items(2).default(["x"])
        })
        .build()
        .unwrap();
    assert_eq!(form, same);
    assert_eq!(form.wire(), same.wire());
    assert!(form.source().contains(r#""exclusiveMaximum":1.50"#));
}

/// One judge of forms: what does not go with the kind is a fault of its keyword.
#[test]
fn keywords_that_do_not_go_with_the_kind_are_faults() {
    let error = Form::builder()
        .field("a", AnyField::new(FieldKind::Integer).title("A").min_length(1))
        .field("b", AnyField::new(FieldKind::String).title("B").option("x"))
        .field("c", AnyField::new(FieldKind::Boolean).title("C").option("x"))
        .field("d", AnyField::new(FieldKind::Choice).title("D"))
        .field("e", AnyField::new(FieldKind::Choices).title("E").pattern("x"))
        .build()
        .unwrap_err();
    assert_eq!(error.kind(), ErrorKind::Schema);
    let paths: Vec<&str> = error.faults().iter().map(|fault| &*fault.path).collect();
    assert_eq!(
        paths,
        [
            "/properties/a/minLength",
            "/properties/b/items",
            "/properties/c/items",
            "/properties/d/enum",
            "/properties/e/items/enum",
            "/properties/e/pattern",
        ]
    );
}

#[test]
fn a_numeral_is_the_text_of_a_json_number() {
    for text in ["", " 1", "1 ", "01", "1.", ".5", "+1", "NaN", "1,\"x\":2", "1}"] {
        let error = text.parse::<Numeral>().unwrap_err();
        assert_eq!(error.kind(), ErrorKind::InvalidArgument, "{text}");
    }
    for text in ["0", "-0.50", "1e3", "123456789012345678901234567890"] {
        text.parse::<Numeral>().unwrap();
    }
}
