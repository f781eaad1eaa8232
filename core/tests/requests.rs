//! `tests/vectors/requests.json` and `capabilities.json` through an engine: the same that C, Python
//! and Node run. The format is in `tests/vectors/README.md`.

// Clippy lets only functions marked as tests panic; their helpers do it for them.
#![allow(clippy::unwrap_used, clippy::panic)]

use mcp_elicit::{
    Call, Caller, Capabilities, Engine, Envelope, Error, ErrorKind, Json, Mode, Principal, Value,
};
use serde_json::Value as Want;

fn file(name: &str) -> Want {
    let path = concat!(env!("CARGO_MANIFEST_DIR"), "/../tests/vectors/");
    serde_json::from_str(&std::fs::read_to_string(format!("{path}{name}")).unwrap()).unwrap()
}

fn engine() -> Engine {
    Engine::builder().ephemeral().audience("vectors").build().unwrap()
}

fn cases<'w>(file: &'w Want, list: &str) -> impl Iterator<Item = (&'w str, &'w Want)> {
    let cases = file[list].as_array().unwrap();
    assert!(!cases.is_empty());
    cases.iter().map(|case| (case["name"].as_str().unwrap(), case))
}

/// A text, or its parts: texts, repetitions, bytes in hex.
fn bytes(want: &Want) -> Vec<u8> {
    match want {
        Want::String(text) => text.as_bytes().to_vec(),
        Want::Array(parts) => parts.iter().flat_map(bytes).collect(),
        part => match part["hex"].as_str() {
            Some(hex) => (0..hex.len())
                .step_by(2)
                .map(|at| u8::from_str_radix(&hex[at..at + 2], 16).unwrap())
                .collect(),
            None => {
                let times = part["times"].as_u64().unwrap() as usize;
                part["repeat"].as_str().unwrap().repeat(times).into_bytes()
            }
        },
    }
}

/// What a case says of the caller.
struct Given {
    headers: Option<Vec<(String, Vec<u8>)>>,
    params: Vec<(String, Vec<String>)>,
}

impl Given {
    fn of(case: &Want) -> Self {
        let text = |text: &Want| text.as_str().unwrap().to_owned();
        let headers = match &case["headers"] {
            Want::Null => None,
            headers => {
                let headers = headers.as_array().unwrap().iter();
                Some(headers.map(|pair| (text(&pair[0]), bytes(&pair[1]))).collect())
            }
        };
        let path = |path: &Want| path.as_array().unwrap().iter().map(text).collect();
        let params = case.get("param_headers").map(|params| params.as_object().unwrap());
        let params = params.into_iter().flatten();
        Self { headers, params: params.map(|(name, at)| (name.clone(), path(at))).collect() }
    }

    fn caller(&self) -> Caller<'_> {
        let mut caller = Caller::new(Principal::none());
        if let Some(headers) = &self.headers {
            caller = caller.http(headers.iter().map(|(name, value)| (name.as_str(), &value[..])));
        }
        for (name, path) in &self.params {
            caller = caller.param_header(name, path.iter().map(String::as_str));
        }
        caller
    }
}

fn number(value: impl ToString) -> Want {
    serde_json::from_str(&value.to_string()).unwrap()
}

fn check_error(name: &str, error: &Error, want: &Want) {
    // What is taken apart and put together again, as in another process, has the same reply.
    let again = Error::from_parts(error.parts());
    let reply =
        |error: &Error| error.reply().map(|reply| (reply.body().to_owned(), reply.status()));
    assert_eq!((again.kind(), reply(&again)), (error.kind(), reply(error)), "{name}");
    assert_eq!(again.to_string(), error.to_string(), "{name}");
    assert_eq!(ErrorKind::from_name(error.kind().name()), Some(error.kind()), "{name}");
    assert_eq!(error.kind().name(), want["kind"], "{name}: {error}");
    assert_eq!(number(error.code()), want["code"], "{name}");
    assert_eq!(number(error.http_status()), want["http_status"], "{name}");
    assert_eq!(without_message(error.data(), name), want["data"], "{name}");

    let Some(reply) = error.reply() else {
        assert_eq!(error.kind(), ErrorKind::NotACall, "{name}");
        return;
    };
    assert_eq!(number(reply.status()), want["http_status"], "{name}");
    let body = Json::parse(reply.body()).unwrap();
    let id = body.root().get("id").map(Value::raw);
    let wanted = (!want["id"].is_null()).then(|| String::from_utf8(bytes(&want["id"])).unwrap());
    assert_eq!(id, wanted.as_deref(), "{name}");
    // Parameters alone are answered by the error object alone.
    let told = body.root().get("error").unwrap_or(body.root());
    assert_eq!(told.get("code").unwrap().raw(), want["code"].to_string(), "{name}");
    let data = told.get("data").map(Value::to_json);
    assert_eq!(without_message(data.as_ref(), name), want["data"], "{name}");
}

/// The data of an error; its sentence must be there and is not compared.
fn without_message(data: Option<&Json>, name: &str) -> Want {
    let Some(data) = data else { return Want::Null };
    let mut data: Want = serde_json::from_str(data.text()).unwrap();
    if data.get("path").is_some() {
        let message = data.as_object_mut().unwrap().remove("message").unwrap();
        assert!(!message.as_str().unwrap().is_empty(), "{name}");
    }
    data
}

/// Either both sides see something, or both refuse it for the same reason.
fn judge<T>(name: &str, case: &Want, got: Result<T, Error>, check: impl FnOnce(T, &Want)) {
    match (got, case.get("seen"), case.get("error")) {
        (Ok(seen), Some(want), None) => check(seen, want),
        (Err(error), None, Some(want)) => check_error(name, &error, want),
        (Ok(_), None, Some(_)) => panic!("{name}: accepted"),
        (Err(error), Some(_), None) => panic!("{name}: refused: {error}"),
        _ => panic!("{name}: neither seen nor error"),
    }
}

fn compact(value: Option<Value<'_>>) -> Want {
    value.map_or(Want::Null, |value| Want::String(value.compact()))
}

fn check_call(name: &str, call: &Call, want: &Want) {
    assert_eq!(call.method().name(), want["method"], "{name}");
    assert_eq!(call.target(), want["target"], "{name}");
    assert_eq!(call.arguments_json(), want["arguments"], "{name}");
    assert_eq!(compact(call.arguments()).as_str().unwrap_or("{}"), want["arguments"], "{name}");
    assert_eq!(compact(call.client_info()), want["clientInfo"], "{name}");
    assert_eq!(call.can_elicit(Mode::Form), want["canElicitForm"], "{name}");
    assert_eq!(call.can_elicit(Mode::Url), want["canElicitUrl"], "{name}");
}

fn check_envelope(name: &str, envelope: &Envelope, want: &Want) {
    assert_eq!(envelope.method(), want["method"], "{name}");
    assert_eq!(envelope.id(), want["id"].as_str(), "{name}");
    assert_eq!(compact(envelope.client_info()), want["clientInfo"], "{name}");
    let capabilities = envelope.capabilities();
    assert_eq!(capabilities.elicits(Mode::Form), want["canElicitForm"], "{name}");
    assert_eq!(capabilities.elicits(Mode::Url), want["canElicitUrl"], "{name}");
}

#[test]
fn messages_are_opened_or_refused() {
    let (engine, vectors) = (engine(), file("requests.json"));
    for (name, case) in cases(&vectors, "open") {
        let given = Given::of(case);
        let call = engine.open(&bytes(&case["request"]), &given.caller());
        judge(name, case, call, |call, want| check_call(name, &call, want));
    }
}

#[test]
fn parameters_alone_are_opened_or_refused() {
    let (engine, vectors) = (engine(), file("requests.json"));
    for (name, case) in cases(&vectors, "open_params") {
        let given = Given::of(case);
        let method = case["method"].as_str().unwrap();
        let call = engine.open_params(method, &bytes(&case["params"]), &given.caller());
        judge(name, case, call, |call, want| check_call(name, &call, want));
    }
}

#[test]
fn messages_of_any_method_are_checked() {
    let (engine, vectors) = (engine(), file("requests.json"));
    for (name, case) in cases(&vectors, "check") {
        let given = Given::of(case);
        let envelope = engine.check(&bytes(&case["request"]), &given.caller());
        judge(name, case, envelope, |envelope, want| check_envelope(name, &envelope, want));
    }
}

/// versioning, "Backward Compatibility": the message may be all that an older client can show.
#[test]
fn an_older_client_learns_which_version_is_spoken() {
    let (engine, vectors) = (engine(), file("requests.json"));
    let older = |(name, _): &(&str, &Want)| name.starts_with("initialize of an earlier revision");
    assert!(cases(&vectors, "check").filter(older).count() > 1);
    for (name, case) in cases(&vectors, "check").filter(older) {
        let given = Given::of(case);
        let error = engine.check(&bytes(&case["request"]), &given.caller()).err().unwrap();
        assert!(error.wire_message().contains(mcp_elicit::PROTOCOL_VERSION), "{name}");
    }
}

/// What opens as a call passes the check that is for any method.
#[test]
fn a_call_is_a_sound_message() {
    let (engine, vectors) = (engine(), file("requests.json"));
    for (name, case) in cases(&vectors, "open").filter(|(_, case)| case.get("seen").is_some()) {
        let given = Given::of(case);
        let envelope = engine.check(&bytes(&case["request"]), &given.caller()).unwrap();
        assert_eq!(envelope.method(), case["seen"]["method"], "{name}");
    }
}

#[test]
fn capabilities_are_seen() {
    let (engine, vectors) = (engine(), file("capabilities.json"));
    let template = vectors["request"].as_str().unwrap();
    let caller = Caller::new(Principal::none());
    for (name, case) in cases(&vectors, "cases") {
        let request = template.replace('@', case["capabilities"].as_str().unwrap());
        judge(name, case, engine.open(request.as_bytes(), &caller), |call, want| {
            assert_eq!(call.can_elicit(Mode::Form), want["form"], "{name}");
            assert_eq!(call.can_elicit(Mode::Url), want["url"], "{name}");
        });
        judge(name, case, engine.check(request.as_bytes(), &caller), |envelope, want| {
            let seen: Capabilities = envelope.capabilities();
            for (what, has) in [
                ("form", seen.elicits(Mode::Form)),
                ("url", seen.elicits(Mode::Url)),
                ("sampling", seen.sampling()),
                ("samplingTools", seen.sampling_tools()),
                ("samplingContext", seen.sampling_context()),
                ("roots", seen.roots()),
            ] {
                assert_eq!(has, want[what], "{name}: {what}");
            }
        });
    }
}

/// A reply is one line and says what to send, even where a request holds what a line cannot.
#[test]
fn refusals_are_one_line_of_json() {
    let (engine, vectors) = (engine(), file("requests.json"));
    for (name, case) in cases(&vectors, "open") {
        let given = Given::of(case);
        let Err(error) = engine.open(&bytes(&case["request"]), &given.caller()) else { continue };
        let Some(reply) = error.reply() else { continue };
        assert!(!reply.body().contains(['\n', '\r']), "{name}");
        let body = Json::parse(reply.body()).unwrap();
        let error = body.root().get("error").unwrap();
        assert!(error.get("message").unwrap().as_str().unwrap().len() > 10, "{name}");
    }
}
