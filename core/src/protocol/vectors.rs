//! The vectors of all languages, driven through this module until an engine can.

use serde_json::Value as Want;

use super::*;
use crate::error::Result;

fn file(name: &str) -> Want {
    let path = concat!(env!("CARGO_MANIFEST_DIR"), "/../tests/vectors/");
    serde_json::from_str(&std::fs::read_to_string(format!("{path}{name}")).unwrap()).unwrap()
}

/// A text, or its parts: texts, repetitions, bytes in hex.
fn bytes(want: &Want) -> Vec<u8> {
    match want {
        Want::String(text) => text.as_bytes().to_vec(),
        Want::Array(parts) => parts.iter().flat_map(bytes).collect(),
        part => match part["hex"].as_str() {
            Some(hex) => (0..hex.len() / 2)
                .map(|at| u8::from_str_radix(&hex[2 * at..2 * at + 2], 16).unwrap())
                .collect(),
            None => part["repeat"]
                .as_str()
                .unwrap()
                .repeat(part["times"].to_string().parse().unwrap())
                .into_bytes(),
        },
    }
}

struct Given {
    headers: Option<Vec<(String, Vec<u8>)>>,
    params: Vec<(String, Vec<String>)>,
}

impl Given {
    fn of(case: &Want) -> Self {
        let headers = case["headers"].as_array().map(|all| {
            all.iter().map(|pair| (pair[0].as_str().unwrap().to_owned(), bytes(&pair[1]))).collect()
        });
        let text = |text: &Want| text.as_str().unwrap().to_owned();
        let path = |path: &Want| path.as_array().unwrap().iter().map(text).collect();
        let params = case["param_headers"].as_object();
        let params = params.into_iter().flatten().map(|(k, p)| (k.clone(), path(p))).collect();
        Self { headers, params }
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

fn check_error(name: &str, error: &Error, want: &Want) {
    let kind = error.kind();
    assert_eq!(kind.name(), want["kind"], "{name}: {error}");
    assert_eq!(error.code().to_string(), want["code"].to_string(), "{name}");
    assert_eq!(error.http_status().to_string(), want["http_status"].to_string(), "{name}");
    let id = (!want["id"].is_null()).then(|| String::from_utf8(bytes(&want["id"])).unwrap());
    assert_eq!(error.id(), id.as_deref(), "{name}");
    let mut data: Want = match error.data() {
        Some(data) => serde_json::from_str(data.text()).unwrap(),
        None => Want::Null,
    };
    let message = data.as_object_mut().and_then(|data| data.remove("message"));
    assert_eq!(data, want["data"], "{name}");
    if let Some(message) = message {
        assert!(message.as_str().is_some_and(|message| !message.is_empty()), "{name}");
        assert_eq!(error.faults().len(), 1, "{name}");
    }
}

fn check_request(case: &Want, opened: Result<Request>) {
    let name = case["name"].as_str().unwrap();
    match (opened, case.get("seen")) {
        (Ok(seen), Some(want)) => {
            assert_eq!(seen.method().name(), want["method"], "{name}");
            assert_eq!(seen.target(), want["target"], "{name}");
            let arguments = seen.arguments().map_or("{}".to_owned(), |value| value.compact());
            assert_eq!(arguments, want["arguments"], "{name}");
            let info = seen.client_info().map(|info| info.compact());
            assert_eq!(info.as_deref(), want["clientInfo"].as_str(), "{name}");
            let capabilities = seen.capabilities();
            assert_eq!(capabilities.elicits(Mode::Form), want["canElicitForm"], "{name}");
            assert_eq!(capabilities.elicits(Mode::Url), want["canElicitUrl"], "{name}");
        }
        (Err(error), None) => check_error(name, &error, &case["error"]),
        (Ok(_), None) => panic!("{name}: accepted"),
        (Err(error), Some(_)) => panic!("{name}: {error}"),
    }
}

#[test]
fn requests_are_seen_as_in_every_language() {
    let vectors = file("requests.json");
    let limits = RequestLimits::default();
    for case in vectors["open"].as_array().unwrap() {
        let given = Given::of(case);
        let request = bytes(&case["request"]);
        check_request(case, Request::parse(&request, &given.caller(), limits));
    }
    for case in vectors["open_params"].as_array().unwrap() {
        let given = Given::of(case);
        let params = bytes(&case["params"]);
        let method = case["method"].as_str().unwrap();
        check_request(case, Request::parse_params(method, &params, &given.caller(), limits));
    }
    for case in vectors["check"].as_array().unwrap() {
        let name = case["name"].as_str().unwrap();
        let given = Given::of(case);
        let request = bytes(&case["request"]);
        match (Envelope::parse(&request, &given.caller(), limits), case.get("seen")) {
            (Ok(seen), Some(want)) => {
                assert_eq!(seen.method(), want["method"], "{name}");
                assert_eq!(seen.id(), want["id"].as_str(), "{name}");
                let info = seen.client_info().map(|info| info.compact());
                assert_eq!(info.as_deref(), want["clientInfo"].as_str(), "{name}");
                assert_eq!(seen.capabilities().elicits(Mode::Form), want["canElicitForm"]);
                assert_eq!(seen.capabilities().elicits(Mode::Url), want["canElicitUrl"]);
            }
            (Err(error), None) => check_error(name, &error, &case["error"]),
            (Ok(_), None) => panic!("{name}: accepted"),
            (Err(error), Some(_)) => panic!("{name}: {error}"),
        }
    }
}

#[test]
fn capabilities_are_seen_as_in_every_language() {
    let vectors = file("capabilities.json");
    let template = vectors["request"].as_str().unwrap();
    for case in vectors["cases"].as_array().unwrap() {
        let name = case["name"].as_str().unwrap();
        let request = template.replace('@', case["capabilities"].as_str().unwrap());
        let caller = Caller::new(Principal::none());
        match (
            Request::parse(request.as_bytes(), &caller, RequestLimits::default()),
            case.get("seen"),
        ) {
            (Ok(seen), Some(want)) => {
                let seen = seen.capabilities();
                for (what, has) in [
                    ("form", seen.elicits(Mode::Form)),
                    ("url", seen.elicits(Mode::Url)),
                    ("sampling", seen.sampling()),
                    ("samplingTools", seen.sampling_tools()),
                    ("samplingContext", seen.sampling_context()),
                    ("roots", seen.roots()),
                ] {
                    assert_eq!(want[what], has, "{name}: {what}");
                }
            }
            (Err(error), None) => check_error(name, &error, &case["error"]),
            (Ok(_), None) => panic!("{name}: accepted"),
            (Err(error), Some(_)) => panic!("{name}: {error}"),
        }
    }
}
