//! What must not hang, overflow or grow without bound, whoever sends it.
#![allow(clippy::unwrap_used, clippy::panic, reason = "a test that fails says so")]

use std::sync::{Arc, Mutex, OnceLock};

use mcp_elicit::{AskOptions, Caller, Engine, Event, Form, Json, Limits, Principal};

fn request(rest: &str) -> String {
    format!(
        r#"{{"jsonrpc":"2.0","id":1,"method":"tools/call","params":{{"name":"deploy","arguments":{{"age":30}},{rest}"_meta":{{"io.modelcontextprotocol/protocolVersion":"2026-07-28","io.modelcontextprotocol/clientCapabilities":{{"elicitation":{{}}}}}}}}}}"#
    )
}

/// A hook that uses the engine it hears from does not hear of that: there is no end of the stack.
#[test]
fn a_log_hook_may_use_its_engine() {
    static ENGINE: OnceLock<Engine> = OnceLock::new();
    let heard = Arc::new(Mutex::new(0));
    let count = heard.clone();
    let forged = request(r#""requestState":"none","#);
    let again = forged.clone();
    let engine = Engine::builder()
        .keys(mcp_elicit::Keyring::from_text(&mcp_elicit::keygen().unwrap()).unwrap())
        .audience("hooks")
        .log(move |_: &Event<'_>| {
            *count.lock().unwrap() += 1;
            if let Some(engine) = ENGINE.get() {
                let caller = Caller::new(Principal::none());
                assert!(engine.open(again.as_bytes(), &caller).is_err());
            }
        })
        .build()
        .unwrap();
    assert!(ENGINE.set(engine.clone()).is_ok());
    let caller = Caller::new(Principal::none());
    for times in 1..=2 {
        assert!(engine.open(forged.as_bytes(), &caller).is_err());
        assert_eq!(*heard.lock().unwrap(), times);
    }
}

/// A content of very many members is put together with what the arguments gave in one pass.
#[test]
fn very_many_members_are_merged_in_one_pass() {
    let engine = Engine::builder().ephemeral().audience("many").build().unwrap();
    let caller = Caller::new(Principal::single_user());
    let form = Form::parse(
        r#"{"type":"object","required":["name"],"properties":{
            "age":{"type":"integer","title":"Age"},"name":{"type":"string","title":"Name"}}}"#,
    )
    .unwrap();
    let options = AskOptions::new().arguments(["age"]);
    let run = |text: &str| {
        engine
            .run(text, &caller, |call| {
                let who = call.elicit_form_with("who", "Who?", &form, &options)?;
                let content = who.outcome()?.content().map(Json::compact).unwrap_or_default();
                Ok(Json::parse(format!(r#"{{"content":[],"structuredContent":{content}}}"#))?)
            })
            .unwrap()
            .into_body()
    };
    let first = run(&request(""));
    let state = first.split(r#""requestState":""#).nth(1).unwrap().split('"').next().unwrap();
    let many: String = (0..250_000).map(|at| format!(r#""k{at}":0,"#)).collect();
    let answer = format!(
        r#""inputResponses":{{"who":{{"action":"accept","content":{{{many}"age":7,"name":"Ann"}}}}}},"requestState":"{state}","#
    );
    let second = run(&request(&answer));
    assert!(second.contains(r#""structuredContent":{"age":30,"name":"Ann"}"#), "{second:.200}");
}

/// A flow shorter than the wait of a claim is fine where nothing can be claimed.
#[test]
fn a_short_flow_needs_no_shorter_claims_without_a_store() {
    let mut limits = Limits::default();
    (limits.round_ttl_ms, limits.flow_ttl_ms) = (500, 1000);
    let builder = || Engine::builder().ephemeral().audience("short").limits(limits.clone());
    assert!(builder().build().is_ok());
    let store = mcp_elicit::store::MemoryStore::new();
    assert!(builder().store(store).build().is_err());
}

/// A clock or a random source that uses its engine gets its time and bytes from the system
/// meanwhile: there is no end of the stack here either.
#[test]
fn a_clock_and_a_random_source_may_use_their_engine() {
    static ENGINE: OnceLock<Engine> = OnceLock::new();
    fn open() {
        if let Some(engine) = ENGINE.get() {
            let caller = Caller::new(Principal::none());
            assert!(engine.open(request("").as_bytes(), &caller).is_ok());
        }
    }
    struct Source;
    impl mcp_elicit::Rng for Source {
        fn fill(&self, out: &mut [u8]) -> mcp_elicit::Result<()> {
            open();
            mcp_elicit::SystemRng.fill(out)
        }
    }
    let engine = Engine::builder()
        .keys(mcp_elicit::Keyring::from_text(&mcp_elicit::keygen().unwrap()).unwrap())
        .audience("hooks")
        .clock(|| {
            open();
            1_800_000_000_000
        })
        .rng(Source)
        .build()
        .unwrap();
    assert!(ENGINE.set(engine).is_ok());
    open();
}

/// What is wrong with a form is said once, not on every flow, and does not grow without bound.
#[test]
fn a_form_is_warned_of_once() {
    let heard = Arc::new(Mutex::new(0));
    let count = heard.clone();
    let engine = Engine::builder()
        .ephemeral()
        .audience("warnings")
        .log(move |event: &Event<'_>| {
            if event.name == "form_warning" {
                *count.lock().unwrap() += 1;
            }
        })
        .build()
        .unwrap();
    let caller = Caller::new(Principal::single_user());
    let ask = |message: &str, name: &str| {
        let schema =
            format!(r#"{{"type":"object","properties":{{"{name}":{{"type":"string"}}}}}}"#);
        let form = Form::parse(&schema).unwrap();
        let run = engine.run(request(""), &caller, |call| {
            call.elicit_form("who", message, &form)?.outcome()?;
            Ok(Json::parse(r#"{"content":[]}"#)?)
        });
        assert!(run.unwrap().body().contains("input_required"));
    };
    for _ in 0..3 {
        ask("Who?", "who");
    }
    assert_eq!(*heard.lock().unwrap(), 1, "the field has no title");
    ask("Who? See https://example.com/who.", "who");
    ask("Who? See https://example.com/who.", "who");
    assert_eq!(*heard.lock().unwrap(), 3, "a link in the message is news");
    for at in 0..1000 {
        ask("Who?", &format!("field{at}"));
    }
    assert!(*heard.lock().unwrap() < 300);
}
