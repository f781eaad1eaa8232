//! Reading requests. No input may panic; our JSON reader sees what another one sees; a refusal is
//! one short line of JSON; the ways into an engine agree with each other.
#![no_main]

#[path = "../../core/tests/json_oracle/mod.rs"]
mod json_oracle;

use std::sync::LazyLock;

use libfuzzer_sys::fuzz_target;
use mcp_elicit::{Call, Caller, Engine, Error, ErrorKind, Json, Method, Principal, Value};

static ENGINE: LazyLock<Engine> =
    LazyLock::new(|| Engine::builder().ephemeral().audience("fuzz").build().expect("an engine"));

// A request, and after a zero byte the lines of its headers.
fuzz_target!(|bytes: &[u8]| {
    let (request, headers) = match bytes.iter().position(|&byte| byte == 0) {
        Some(at) => (&bytes[..at], &bytes[at + 1..]),
        None => (bytes, &[][..]),
    };
    json_oracle::compare(request);

    let alone = Caller::new(Principal::none());
    let opened = ENGINE.open(request, &alone);
    let checked = ENGINE.check(request, &alone);
    for error in [opened.as_ref().err(), checked.as_ref().err()].into_iter().flatten() {
        check_refusal(error, request.len());
    }
    compare_with_parameters(request, opened.as_ref());

    let given = lines(headers);
    let caller = Caller::new(Principal::none())
        .http(given.iter().copied())
        .param_header("Region", ["region"])
        .param_header("Zone", ["a", "b"]);
    match (&opened, ENGINE.open(request, &caller)) {
        // Headers only ever add reasons to refuse.
        (Err(_), Ok(_)) => panic!("headers mended a request"),
        (_, Err(error)) => check_refusal(&error, request.len()),
        _ => {}
    }
    if let Ok(mut call) = opened {
        assert!(checked.is_ok(), "a call is no sound message");
        compare_with_headers(request, &call);
        let result = Json::parse(match call.method() {
            Method::CallTool => "{\"content\":[]}",
            Method::GetPrompt => "{\"messages\":[]}",
            Method::ReadResource => "{\"contents\":[]}",
        });
        let reply = call.complete(&result.expect("JSON")).expect("a reply");
        let sent = Json::parse_bytes(request, 64).expect("it was opened");
        let body = Json::parse(reply.body()).expect("a reply is JSON");
        assert_eq!(body.root().get("id").map(Value::raw), sent.root().get("id").map(Value::raw));
        assert!(!reply.body().contains('\n'));
    }
});

/// The wire form of a refusal is sound and does not grow with what was refused, but for the id
/// and the version that it must repeat.
fn check_refusal(error: &Error, request: usize) {
    let Some(reply) = error.reply() else { return };
    let body = Json::parse(reply.body()).expect("a refusal is JSON");
    assert!(!reply.body().contains(['\n', '\r']));
    let id = body.root().get("id").map_or(0, |id| id.raw().len());
    let repeated = if error.kind() == ErrorKind::UnsupportedVersion { 6 * request } else { 0 };
    assert!(reply.body().len() <= 8192 + id + repeated);
}

/// Parameters alone open exactly as they do in their message.
fn compare_with_parameters(request: &[u8], opened: Result<&Call, &Error>) {
    let Ok(sent) = Json::parse_bytes(request, 64) else { return };
    let method = sent.root().get("method").and_then(Value::as_str);
    let (Some(method), Some(params)) = (method, sent.root().get("params")) else { return };
    let caller = Caller::new(Principal::none());
    let again = ENGINE.open_params(&method, params.raw().as_bytes(), &caller);
    match (opened, &again) {
        (Ok(call), Ok(again)) => {
            assert_eq!(call.target(), again.target());
            assert_eq!(call.arguments_json(), again.arguments_json());
        }
        (Ok(_), Err(error)) => panic!("only the message opens: {error}"),
        // What is wrong around the parameters does not matter to them.
        (Err(error), Ok(_)) => assert_eq!(error.kind(), ErrorKind::InvalidRequest),
        (Err(error), Err(again)) => {
            assert!(error.kind() == again.kind() || error.kind() == ErrorKind::InvalidRequest);
        }
    }
}

/// Headers made from the body fit it, and one that is made from another body does not.
fn compare_with_headers(request: &[u8], call: &Call) {
    let method = call.method().name();
    let name = format!("=?base64?{}?=", base64(call.target().as_bytes()));
    let fitting = [
        ("mcp-protocol-version", call.protocol_version().as_bytes()),
        ("mcp-method", method.as_bytes()),
        ("mcp-name", name.as_bytes()),
    ];
    let caller = Caller::new(Principal::none()).http(fitting);
    assert!(ENGINE.open(request, &caller).is_ok());

    let other = format!("=?base64?{}?=", base64(format!("{}x", call.target()).as_bytes()));
    let [version, method, _] = fitting;
    let caller =
        Caller::new(Principal::none()).http([version, method, ("mcp-name", other.as_bytes())]);
    let error = ENGINE.open(request, &caller).err().expect("another name");
    assert_eq!(error.kind(), ErrorKind::HeaderMismatch);

    if call.method() == Method::CallTool {
        let region = call.arguments().and_then(|arguments| arguments.get_present("region"));
        let caller = Caller::new(Principal::none()).http(fitting).param_header("R", ["region"]);
        assert_eq!(ENGINE.open(request, &caller).is_ok(), region.is_none());
    }
}

fn lines(text: &[u8]) -> Vec<(&str, &[u8])> {
    text.split(|&byte| byte == b'\n')
        .filter_map(|line| {
            let colon = line.iter().position(|&byte| byte == b':')?;
            Some((std::str::from_utf8(&line[..colon]).ok()?, &line[colon + 1..]))
        })
        .collect()
}

fn base64(bytes: &[u8]) -> String {
    const DIGITS: &[u8; 64] = b"ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789+/";
    let mut text = String::new();
    for chunk in bytes.chunks(3) {
        let bits = chunk.iter().fold(0u32, |bits, &byte| bits << 8 | u32::from(byte))
            << (8 * (3 - chunk.len()));
        for digit in 0..4 {
            match digit <= chunk.len() {
                true => text.push(char::from(DIGITS[(bits >> (18 - 6 * digit) & 63) as usize])),
                false => text.push('='),
            }
        }
    }
    text
}
