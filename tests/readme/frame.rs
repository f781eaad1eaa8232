//! What stands around the Rust example of README.md: one request in, one reply out.
use std::io::{Read, Write};

use mcp_elicit::{Caller, Engine, Form, Json, Principal};

const FORM: &str = include_str!("../form.json");

fn text(words: &str) -> Json {
    let words = Json::string(words);
    Json::parse(format!(r#"{{"content":[{{"type":"text","text":{}}}]}}"#, words.text())).expect("JSON")
}

fn main() -> mcp_elicit::Result<()> {
    let mut request = Vec::new();
    std::io::stdin().read_to_end(&mut request).expect("a request");
    let principal = Principal::new("https://login.example", "ada", "desktop")?;
    let caller = Caller::new(principal);
    // README
    let out = format!(r#"{{"status":{},"body":{}}}"#, reply.status(), reply.body());
    std::io::stdout().write_all(out.as_bytes()).expect("written");
    Ok(())
}
