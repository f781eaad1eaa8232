//! Measures a form of five fields beside the `jsonschema` crate, in one process and one build:
//! compiling the schema, and judging its answer from the answer's bytes.
//!
//! Prints `name median_ns`, a line each.

use std::hint::black_box;
use std::time::Instant;

use mcp_elicit::{Form, Json};
use serde_json::Value;

const SCHEMA: &str = r#"{"type":"object","properties":{"name":{"type":"string","title":"Name","minLength":1,"maxLength":50},"email":{"type":"string","title":"Mail","format":"email"},"age":{"type":"integer","title":"Age","minimum":0,"maximum":150},"environment":{"type":"string","title":"Environment","enum":["dev","staging","prod"]},"notify":{"type":"boolean","title":"Notify"}},"required":["name","email","environment"]}"#;
const ANSWER: &str = r#"{"name":"Alice Example","email":"alice@example.com","age":34,"environment":"staging","notify":true}"#;

/// Median of the time one run of `work` takes, in nanoseconds.
fn median(batch: u32, mut work: impl FnMut()) -> f64 {
    let mut times: Vec<f64> = (0..301)
        .map(|_| {
            let start = Instant::now();
            for _ in 0..batch {
                work();
            }
            start.elapsed().as_nanos() as f64 / f64::from(batch)
        })
        .collect();
    times.sort_by(f64::total_cmp);
    times[times.len() / 2]
}

fn main() {
    let form = Form::parse(SCHEMA).expect("the schema is a form");
    let answer = Json::parse(ANSWER).expect("the answer is JSON");
    let schema: Value = serde_json::from_str(SCHEMA).expect("JSON");
    let options = || jsonschema::options().should_validate_formats(true);
    let other = options().build(&schema).expect("a schema");
    let value: Value = serde_json::from_str(ANSWER).expect("JSON");
    assert!(form.validate(answer.root()).is_ok() && other.is_valid(&value));

    let ours = [
        ("rust_compile", median(20, || drop(black_box(Form::parse(black_box(SCHEMA)))))),
        ("rust_normalize", median(20, || drop(black_box(Form::normalize(black_box(SCHEMA)))))),
        ("rust_validate", median(500, || drop(black_box(form.validate(black_box(answer.root())))))),
        (
            "rust_validate_bytes",
            median(500, || {
                let answer = Json::parse_bytes(black_box(ANSWER.as_bytes()), 64).expect("JSON");
                drop(black_box(form.validate(answer.root())));
            }),
        ),
    ];
    let theirs = [
        (
            "jsonschema_compile",
            median(20, || {
                let schema: Value = serde_json::from_str(black_box(SCHEMA)).expect("JSON");
                drop(black_box(options().build(&schema)));
            }),
        ),
        (
            "jsonschema_validate",
            median(500, || {
                black_box(other.is_valid(black_box(&value)));
            }),
        ),
        (
            "jsonschema_validate_bytes",
            median(500, || {
                let value: Value =
                    serde_json::from_slice(black_box(ANSWER.as_bytes())).expect("JSON");
                black_box(other.is_valid(&value));
            }),
        ),
    ];
    for (name, ns) in ours.into_iter().chain(theirs) {
        println!("{name} {ns:.0}");
    }
}
