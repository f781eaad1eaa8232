//! Reading requests: what the vectors cannot reach.

use super::*;
use crate::error::Error;

const META: &str = r#"{"io.modelcontextprotocol/protocolVersion":"2026-07-28","io.modelcontextprotocol/clientCapabilities":{"elicitation":{}}}"#;

fn stdio() -> Caller<'static> {
    Caller::new(Principal::single_user())
}

fn open(text: &str, caller: &Caller<'_>) -> Result<Request, Error> {
    Request::parse(text.as_bytes(), caller, RequestLimits::default())
}

fn call(params: &str) -> String {
    format!(
        r#"{{"jsonrpc":"2.0","id":1,"method":"tools/call","params":{{"_meta":{META}{params}}}}}"#
    )
}

#[test]
fn a_call_is_read_whole() {
    let text = call(
        r#","name":"de\u0070loy","arguments":{"a":1.0},"inputResponses":{"k":{"action":"accept"}},"requestState":"me1.x""#,
    );
    let request = open(&text, &stdio()).unwrap();
    assert_eq!(request.id(), Some("1"));
    assert_eq!(request.method(), Method::CallTool);
    assert_eq!(request.target(), "deploy");
    assert_eq!(request.arguments().unwrap().raw(), r#"{"a":1.0}"#);
    assert_eq!(request.input_responses().unwrap().raw(), r#"{"k":{"action":"accept"}}"#);
    assert_eq!(request.request_state().unwrap(), "me1.x");
    assert!(request.capabilities().elicits(Mode::Form));
    assert!(!request.capabilities().elicits(Mode::Url));
    assert!(!request.is_bare());
}

/// Replies to parameters alone are bare, and pointers are still those of the whole message.
#[test]
fn parameters_alone_are_read_as_in_a_message() {
    let limits = RequestLimits::default();
    let params = format!(r#"{{"_meta":{META},"name":"deploy"}}"#);
    let request = Request::parse_params("tools/call", params.as_bytes(), &stdio(), limits).unwrap();
    assert!(request.is_bare());
    assert_eq!(request.id(), None);
    assert_eq!(request.target(), "deploy");

    let params = format!(r#"{{"_meta":{META},"name":"deploy","arguments":{{"a":1,"a":2}}}}"#);
    let error =
        Request::parse_params("tools/call", params.as_bytes(), &stdio(), limits).err().unwrap();
    assert_eq!(error.kind(), ErrorKind::InvalidRequest);
    assert_eq!(error.faults()[0].path, "/params/arguments/a");
    assert!(error.is_bare());
}

/// The message around the parameters is one level of its depth.
#[test]
fn the_depth_limit_is_the_same_for_a_message_and_for_its_parameters() {
    let limits = RequestLimits { depth: 5, ..RequestLimits::default() };
    for (nesting, fits) in [(2, true), (3, false)] {
        let arguments = format!("{}{}", "{\"a\":".repeat(nesting), "0") + &"}".repeat(nesting);
        let params = format!(r#"{{"_meta":{META},"name":"x","arguments":{{"n":{arguments}}}}}"#);
        let message =
            format!(r#"{{"jsonrpc":"2.0","id":1,"method":"tools/call","params":{params}}}"#);
        assert_eq!(Request::parse(message.as_bytes(), &stdio(), limits).is_ok(), fits);
        let alone = Request::parse_params("tools/call", params.as_bytes(), &stdio(), limits);
        assert_eq!(alone.is_ok(), fits);
    }
}

/// What the peer chose is sent back only up to a bound.
#[test]
fn a_refusal_does_not_grow_with_the_request() {
    let key = "k".repeat(100_000);
    let text = call(&format!(r#","name":"x","inputResponses":{{"{key}":1}}"#));
    let error = open(&text, &stdio()).err().unwrap();
    assert_eq!(error.faults()[0].path, "/params/inputResponses");
    assert!(error.message().len() < 1000);

    let text = format!(r#"{{"jsonrpc":"2.0","id":1,"method":"{key}"}}"#);
    assert!(open(&text, &stdio()).err().unwrap().message().len() < 1000);
}

/// A slip in the server's own declaration would leave a header unchecked.
#[test]
fn parameter_headers_that_cannot_be_are_the_servers_fault() {
    let text = call(r#","name":"x""#);
    let http = || {
        stdio().http([
            ("mcp-protocol-version", b"2026-07-28".as_slice()),
            ("mcp-method", b"tools/call"),
            ("mcp-name", b"x"),
        ])
    };
    let cases = [
        http().param_header("", ["a"]),
        http().param_header("a b", ["a"]),
        http().param_header("Région", ["a"]),
        http().param_header("A", []),
        http().param_header("A", ["a"]).param_header("a", ["b"]),
    ];
    for caller in cases {
        let error = open(&text, &caller).err().unwrap();
        assert_eq!(error.kind(), ErrorKind::InvalidArgument);
    }
    assert!(open(&text, &http().param_header("A", ["a"])).is_ok());
}

#[test]
fn principals_are_equal_by_kind_issuer_subject_and_client() {
    let alice = || Principal::new("https://login.example", "alice", "cli").unwrap();
    assert_eq!(alice(), alice());
    assert_ne!(alice(), Principal::new("https://login.example", "alice", "web").unwrap());
    assert_ne!(Principal::none(), Principal::single_user());
    assert_eq!(alice().kind(), PrincipalKind::User);
    assert_eq!(alice().subject(), Some("alice"));
    assert_eq!(Principal::none().subject(), None);
    assert!(!format!("{:?}", alice()).contains("alice"));
    for (issuer, subject, client) in [("", "a", "b"), ("a", "", "b"), ("a", "b", "")] {
        let error = Principal::new(issuer, subject, client).err().unwrap();
        assert_eq!(error.kind(), ErrorKind::InvalidArgument);
    }
}
