//! A `requestState` that is not as it was sent, and engines that are configured wrongly: what the
//! peer sees is the same for every cause.
//!
//! Other audiences, principals and requests, other keys and other kinds of token are in
//! `tokens.rs` (`tests/vectors/tokens.json`).
//! Protocol: basic/patterns/mrtr, server requirements 4 and 5.
#![allow(clippy::unwrap_used, clippy::panic, reason = "a test that fails says so")]

use std::sync::atomic::{AtomicUsize, Ordering};
use std::sync::{Arc, Mutex};

use mcp_elicit::store::{MemoryStore, Store, StoreOp, StoreReply};
use mcp_elicit::{
    Caller, ClaimOptions, Claimed, Engine, EngineBuilder, ErrorKind, Form, Json, Keyring, Limits,
    Next, Principal, Reply,
};

const KEYS: &str = "000102030405060708090a0b0c0d0e0f101112131415161718191a1b1c1d1e1f";
const FROZEN: &str = r#"{"jsonrpc":"2.0","id":1,"error":{"code":-32602,"message":"Invalid or expired requestState","data":{"reason":"invalid_request_state"}}}"#;

fn builder() -> EngineBuilder {
    Engine::builder().keys(Keyring::from_text(KEYS).unwrap()).audience("payments")
}

fn request(rest: &str) -> String {
    format!(
        r#"{{"jsonrpc":"2.0","id":1,"method":"tools/call","params":{{"name":"pay",{rest}"_meta":{{"io.modelcontextprotocol/protocolVersion":"2026-07-28","io.modelcontextprotocol/clientCapabilities":{{"elicitation":{{}}}}}}}}}}"#
    )
}

fn presented(state: &str) -> String {
    let state = serde_json::to_string(state).unwrap();
    request(&format!(
        r#""inputResponses":{{"sure":{{"action":"accept"}}}},"requestState":{state},"#
    ))
}

fn sure() -> Form {
    Form::parse(r#"{"type":"object","properties":{"a":{"type":"string","title":"A"}}}"#).unwrap()
}

fn caller() -> Caller<'static> {
    Caller::new(Principal::single_user())
}

/// The state of a new flow that has asked its question.
fn state(engine: &Engine) -> String {
    let mut call = engine.open(request("").as_bytes(), &caller()).unwrap();
    call.elicit_form("sure", "Pay?", &sure()).unwrap();
    let body: serde_json::Value = serde_json::from_str(call.suspend().unwrap().body()).unwrap();
    body["result"]["requestState"].as_str().unwrap().to_owned()
}

/// Byte for byte the same reply to each.
fn refused(engine: &Engine, state: &str) {
    let error = match engine.open(presented(state).as_bytes(), &caller()) {
        Err(error) => error,
        Ok(_) => panic!("taken up: {state:?}"),
    };
    assert_eq!(error.kind(), ErrorKind::InvalidState);
    assert_eq!(error.reply().unwrap().body(), FROZEN, "{state:?}");
}

/// Every character changed, added or taken away, every other alphabet and padding of base64: one
/// error for all of them, and the token itself is good to the end.
#[test]
fn whatever_was_changed_has_one_error() {
    let engine = builder().build().unwrap();
    let state = state(&engine);
    for at in 0..state.len() {
        let (head, tail) = (&state[..at], &state[at + 1..]);
        let here = &state[at..=at];
        for other in ["A", "z", "_", "+", "=", " "].into_iter().filter(|other| *other != here) {
            refused(&engine, &format!("{head}{other}{tail}"));
        }
        refused(&engine, &format!("{head}{tail}"));
        refused(&engine, &format!("{head}A{here}{tail}"));
    }
    for added in ["A", "AA", "AAAA", "=", "==", "\n", "\0", "é", "%3D"] {
        refused(&engine, &format!("{state}{added}"));
        refused(&engine, &format!("{added}{state}"));
    }
    let bytes = base64_simd::URL_SAFE_NO_PAD.decode_to_vec(&state[4..]).unwrap();
    for other in [base64_simd::URL_SAFE, base64_simd::STANDARD, base64_simd::STANDARD_NO_PAD] {
        let text = format!("me1.{}", other.encode_to_string(&bytes));
        if text != state {
            refused(&engine, &text);
        }
    }
    refused(&engine, "");
    assert!(engine.open(presented(&state).as_bytes(), &caller()).is_ok());
}

/// A value of the store is sealed by the same keys, and is no state.
#[test]
fn a_record_of_the_store_is_no_state() {
    let engine = builder().build().unwrap();
    let mut call = engine.open(presented(&state(&engine)).as_bytes(), &caller()).unwrap();
    let Next::Need(StoreOp::PutIfAbsent { value, .. }) =
        call.claim_start(&ClaimOptions::new()).unwrap()
    else {
        panic!("a claim begins with a put")
    };
    let text = base64_simd::URL_SAFE_NO_PAD.encode_to_string(value);
    refused(&engine, &format!("me1.{text}"));
    refused(&engine, &format!("ms1.{text}"));
}

/// A flow or a round of no time is a mistake, as is one of more than a year: minus one and the like
/// in the numbers of other languages.
#[test]
fn a_life_of_nothing_or_of_more_than_a_year_is_refused() {
    const YEAR: u64 = 366 * 24 * 3_600_000;
    type Set = fn(&mut Limits, u64);
    let lives: [Set; 2] = [|l, ms| l.round_ttl_ms = ms, |l, ms| l.flow_ttl_ms = ms];
    for set in lives {
        let build = |ms| {
            let mut limits = Limits::default();
            set(&mut limits, ms);
            builder().limits(limits).build().map(drop).map_err(|error| error.kind())
        };
        for wrong in [0, YEAR + 1, u64::MAX, i64::MAX as u64] {
            assert_eq!(build(wrong), Err(ErrorKind::Config), "{wrong}");
        }
        assert_eq!((build(1), build(YEAR)), (Ok(()), Ok(())));
    }
}

/// Pays, and says how often it has.
fn pay(engine: &Engine, request: &str, paid: &AtomicUsize, claims: bool) -> Reply {
    let run = engine.run(request, &caller(), |call| {
        call.elicit_form("sure", "Pay?", &sure())?.outcome()?;
        if claims {
            match call.claim(&ClaimOptions::new().remember(true))? {
                Claimed::Won => {}
                Claimed::Recorded(result) => return Ok(result),
                other => panic!("{other:?}"),
            }
        }
        let times = paid.fetch_add(1, Ordering::Relaxed) + 1;
        Ok(Json::parse(format!(r#"{{"content":[],"structuredContent":{{"times":{times}}}}}"#))?)
    });
    run.unwrap()
}

/// The exact request once more, after it was answered: served again where nobody claims, as
/// security.md says, and answered from the record where somebody does.
#[test]
fn an_exact_replay_is_served_again_or_answered_from_the_record() {
    let engine = builder().store(MemoryStore::new()).build().unwrap();
    for (claims, wanted) in [(false, 2), (true, 1)] {
        let (request, paid) = (presented(&state(&engine)), AtomicUsize::new(0));
        let first = pay(&engine, &request, &paid, claims);
        let again = pay(&engine, &request, &paid, claims);
        assert_eq!(paid.into_inner(), wanted);
        assert_eq!(first.body() == again.body(), claims);
    }
}

/// A store that keeps what it was asked, for its time.
#[derive(Default)]
struct Asked(MemoryStore, Mutex<Vec<u64>>);

impl Store for Asked {
    fn execute(&self, op: &StoreOp) -> Result<StoreReply, mcp_elicit::store::StoreError> {
        if let StoreOp::PutIfAbsent { ttl_ms, .. } | StoreOp::CompareAndSet { ttl_ms, .. } = op {
            self.1.lock().unwrap().push(*ttl_ms);
        }
        self.0.execute(op)
    }
}

/// Clocks that jump, and instances whose clocks stand apart: nobody wins what is claimed, whatever
/// the time is said to be, and no state lives longer than its record.
#[test]
fn a_clock_that_jumps_frees_no_claim() {
    use std::sync::atomic::AtomicU64;
    const NOW: u64 = 1_800_000_000_000;
    const HOUR: u64 = 3_600_000;
    let now = Arc::new(AtomicU64::new(NOW));
    let store = Arc::new(Asked::default());
    let clock = now.clone();
    let clock = move || clock.load(Ordering::Relaxed);
    let mut limits = Limits::default();
    limits.round_ttl_ms = HOUR;
    let engine = builder().clock(clock).store(store.clone()).limits(limits).build().unwrap();
    let request = presented(&state(&engine));
    let claim = |at: u64| -> mcp_elicit::Result<&'static str> {
        now.store(at, Ordering::Relaxed);
        let mut call = engine.open(request.as_bytes(), &caller())?;
        Ok(call.claim(&ClaimOptions::new())?.name())
    };
    let refused = |at| claim(at).unwrap_err().kind();
    assert_eq!(claim(NOW + 30_000).unwrap(), "won");
    // Back before it was claimed, as far as a state may come from the future.
    assert_eq!(claim(NOW).unwrap(), "in_progress");
    assert_eq!(claim(NOW - 60_000).unwrap(), "in_progress");
    assert_eq!(refused(NOW - 60_001), ErrorKind::InvalidState);
    assert_eq!(refused(0), ErrorKind::InvalidState);
    assert_eq!(claim(NOW + 89_999).unwrap(), "in_progress");
    assert_eq!(claim(NOW + 90_000).unwrap(), "unknown");
    assert_eq!(claim(NOW + HOUR - 1).unwrap(), "unknown");
    assert_eq!(refused(NOW + HOUR), ErrorKind::InvalidState);
    assert_eq!(refused(u64::MAX), ErrorKind::InvalidState);
    // And back again: the record is still there, and still not free.
    assert_eq!(claim(NOW).unwrap(), "in_progress");
    // Each record was put for what was left of the flow and twice the skew.
    let asked = store.1.lock().unwrap().clone();
    assert_eq!(asked[0], HOUR - 30_000 + 120_000);
    assert!(asked.iter().all(|ttl_ms| *ttl_ms <= HOUR + 60_000 + 120_000), "{asked:?}");
}
