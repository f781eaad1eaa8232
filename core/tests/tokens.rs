//! Sealed states as an engine meets them, from `tests/vectors/tokens.json`: what is presented opens,
//! or is refused with one error for every cause, and the log hook hears which it was.
//!
//! What the tokens say, byte for byte, is tested beside the code (`core/src/seal`).
//! Protocol: basic/patterns/mrtr, server requirements 4 and 5.
#![allow(clippy::unwrap_used, clippy::panic, reason = "a test that fails says so")]

use std::sync::{Arc, Mutex};

use mcp_elicit::{
    Caller, Engine, Error, ErrorKind, Event, Form, Keyring, Limits, Principal, Refusal, StateFormat,
};
use serde_json::{Map, Value, json};

const FILE: &str = concat!(env!("CARGO_MANIFEST_DIR"), "/../tests/vectors/tokens.json");

type Heard = Arc<Mutex<Vec<(String, String, String)>>>;

fn text(value: &Value) -> &str {
    value.as_str().unwrap_or_else(|| panic!("not a text: {value}"))
}

fn number<N: TryFrom<u64>>(value: &Value) -> N {
    let number = value.as_u64().unwrap_or_else(|| panic!("not a number: {value}"));
    N::try_from(number).unwrap_or_else(|_| panic!("too large: {number}"))
}

/// A text, or its parts joined.
fn joined(value: &Value) -> String {
    let Some(parts) = value.as_array() else { return text(value).to_owned() };
    let part = |part: &Value| match part.as_str() {
        Some(text) => text.to_owned(),
        None => text(&part["repeat"]).repeat(number(&part["times"])),
    };
    parts.iter().map(part).collect()
}

/// The file's context with what the vector changes.
fn context(file: &Value, vector: &Value) -> Map<String, Value> {
    let mut context = file["context"].as_object().unwrap().clone();
    for (name, value) in vector["with"].as_object().unwrap() {
        assert!(context.insert(name.clone(), value.clone()).is_some(), "{name}");
    }
    context
}

fn engine(file: &Value, context: &Map<String, Value>, heard: &Heard) -> Engine {
    let keys: Vec<_> = context["keys"].as_array().unwrap().iter().map(text).collect();
    let keys: Vec<_> = keys.iter().map(|name| text(&file["keys"][name])).collect();
    let mut limits = Limits::default();
    // Past the largest token: it is the token's length that must be found too large.
    limits.request_bytes = 16 << 20;
    limits.token_bytes = number(&context["max_len"]);
    limits.question_rounds = number(&context["question_rounds"]);
    limits.clock_skew_ms = number(&context["clock_skew_ms"]);
    let (now, heard) = (number(&context["now_ms"]), heard.clone());
    Engine::builder()
        .keys(Keyring::from_text(&keys.join(",")).unwrap())
        .audience(text(&context["audience"]))
        .limits(limits)
        .clock(move || now)
        .log(move |event: &Event<'_>| {
            let event = [event.name, event.reason, event.flow_id].map(str::to_owned);
            heard.lock().unwrap().push(event.into());
        })
        .build()
        .unwrap()
}

fn principal(value: &Value) -> Principal {
    match value {
        Value::String(kind) if kind == "none" => Principal::none(),
        Value::String(kind) if kind == "single_user" => Principal::single_user(),
        parts => Principal::new(text(&parts[0]), text(&parts[1]), text(&parts[2])).unwrap(),
    }
}

/// The request of a context, carrying a state.
fn request(context: &Map<String, Value>, token: &str) -> String {
    let request = &context["request"];
    let (method, target) = (text(&request["method"]), &request["target"]);
    let named = if method == "resources/read" { "uri" } else { "name" };
    let arguments = match &request["arguments"] {
        Value::Null => String::new(),
        arguments => format!(r#","arguments":{}"#, text(arguments)),
    };
    format!(
        r#"{{"jsonrpc":"2.0","id":7,"method":"{method}","params":{{"{named}":{target},
        "requestState":{},"_meta":{{"io.modelcontextprotocol/protocolVersion":"2026-07-28",
        "io.modelcontextprotocol/clientCapabilities":{{"elicitation":{{}}}}}}{arguments}}}}}"#,
        json!(token)
    )
}

fn flow_id(hex: &Value) -> String {
    let digits = text(hex).as_bytes().chunks(2);
    let bytes = digits.map(|pair| u8::from_str_radix(str::from_utf8(pair).unwrap(), 16).unwrap());
    base64_simd::URL_SAFE_NO_PAD.encode_to_string(bytes.collect::<Vec<_>>())
}

fn file() -> Value {
    serde_json::from_str(&std::fs::read_to_string(FILE).unwrap()).unwrap()
}

/// mrtr, server requirement 4: state that we sealed is taken up where it counts.
#[test]
fn a_good_state_is_taken_up() {
    let file = file();
    for vector in file["opens"].as_array().unwrap() {
        let (context, heard) = (context(&file, vector), Heard::default());
        let caller = Caller::new(principal(&context["principal"]));
        let request = request(&context, text(&vector["token"]));
        let call = engine(&file, &context, &heard).open(request.as_bytes(), &caller).unwrap();
        let claims = &vector["claims"];
        assert_eq!(call.flow_id(), flow_id(&claims["flow_id"]), "{}", vector["name"]);
        let round: u32 = number(&claims["round"]);
        assert_eq!(call.round(), round.saturating_add(1), "{}", vector["name"]);
        assert!(heard.lock().unwrap().is_empty(), "{}", vector["name"]);
    }
}

/// Every cause has the same error on the wire; the log hook hears which it was.
#[test]
fn a_refusal_does_not_say_why_but_to_the_log() {
    let file = file();
    for vector in file["refused"].as_array().unwrap() {
        let (name, context, heard) = (&vector["name"], context(&file, vector), Heard::default());
        let caller = Caller::new(principal(&context["principal"]));
        let request = request(&context, &joined(&vector["token"]));
        let error = match engine(&file, &context, &heard).open(request.as_bytes(), &caller) {
            Err(error) => error,
            Ok(_) => panic!("{name}: taken up"),
        };
        assert_frozen(&error);
        let heard = heard.lock().unwrap();
        let [(event, reason, flow)] = heard.as_slice() else { panic!("{name}: {heard:?}") };
        assert_eq!((event.as_str(), reason.as_str()), ("state_refused", text(&vector["refusal"])));
        // Only a state that one of our keys has sealed can name its flow.
        let opened = ["other", "expired", "deadline", "not_yet", "too_many"];
        let named = opened.iter().any(|start| reason.starts_with(start));
        assert_eq!(!flow.is_empty(), named, "{name}");
    }
}

fn assert_frozen(error: &Error) {
    assert_eq!(error.kind(), ErrorKind::InvalidState);
    let reply = error.reply().unwrap();
    assert_eq!(reply.status(), 200);
    assert_eq!(
        serde_json::from_str::<Value>(reply.body()).unwrap(),
        json!({"jsonrpc": "2.0", "id": 7, "error": {
            "code": -32602,
            "message": "Invalid or expired requestState",
            "data": {"reason": "invalid_request_state"},
        }})
    );
}

/// A cause has one name, and it is in the vectors.
#[test]
fn every_cause_is_proven() {
    let file = file();
    let refused = file["refused"].as_array().unwrap();
    for refusal in Refusal::ALL {
        assert!(refused.iter().any(|vector| vector["refusal"] == refusal.name()), "{refusal:?}");
    }
}

/// What one format has sealed the other goes on with, and the signed one can be read.
#[test]
fn a_fleet_can_change_its_format() {
    let form = Form::parse(r#"{"type":"object","properties":{"a":{"type":"string"}}}"#).unwrap();
    let engine = |format| {
        let keys = Keyring::from_text(&"0123456789abcdef".repeat(4)).unwrap();
        let builder = Engine::builder().keys(keys).audience("deployer");
        builder.state_format(format).clock(|| 1_800_000_000_000).build().unwrap()
    };
    let caller = Caller::new(Principal::single_user());
    let context = json!({"request": {"method": "tools/call", "target": "x", "arguments": null}});
    let context = context.as_object().unwrap();
    let ask = |format: StateFormat, request: &str| {
        let mut call = engine(format).open(request.as_bytes(), &caller).unwrap();
        call.elicit_form("first", "One?", &form).unwrap();
        let round = call.round();
        let reply: Value = serde_json::from_str(call.suspend().unwrap().body()).unwrap();
        (round, text(&reply["result"]["requestState"]).to_owned())
    };
    let first = request(context, "").replace(r#""requestState":"","#, "");
    let (encrypted, signed) = (StateFormat::Encrypted, StateFormat::Signed);
    for (formats, prefixes) in
        [([encrypted, signed], "me1. ms1."), ([signed, encrypted], "ms1. me1.")]
    {
        let (one, state) = ask(formats[0], &first);
        let (two, again) = ask(formats[1], &request(context, &state));
        assert_eq!((one, two), (1, 2));
        assert_eq!(format!("{} {}", &state[..4], &again[..4]), prefixes);
        for state in [state, again] {
            let bytes = base64_simd::URL_SAFE_NO_PAD.decode_to_vec(&state[4..]).unwrap();
            let readable = bytes.windows(8).any(|window| window == b"deployer");
            assert_eq!(readable, state.starts_with("ms1."));
        }
    }
}
