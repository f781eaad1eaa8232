//! Claims: an effect happens at most once a flow (mrtr, server requirement 5, warning: "Servers for
//! which a given `requestState` must be consumed at most once MUST enforce that invariant
//! server-side").
#![allow(
    clippy::unwrap_used,
    clippy::panic,
    clippy::print_stdout,
    clippy::print_stderr,
    reason = "a test that fails says so"
)]

use std::sync::atomic::{AtomicBool, AtomicU64, AtomicUsize, Ordering};
use std::sync::{Arc, Mutex};

use mcp_elicit::store::{MAX_VALUE_BYTES, MemoryStore, Store, StoreError, StoreOp, StoreReply};
use mcp_elicit::{
    Call, Caller, ClaimOptions, Claimed, End, Engine, Error, ErrorKind, Event, Form, Json, Keyring,
    Next, Principal, Rng, Stop, SystemRng,
};

const KEYS: &str = "000102030405060708090a0b0c0d0e0f101112131415161718191a1b1c1d1e1f";
const NOW: u64 = 1_800_000_000_000;

struct World {
    engine: Engine,
    now: Arc<AtomicU64>,
    log: Arc<Mutex<Vec<String>>>,
}

fn world(store: impl Store + 'static) -> World {
    let (now, log) = (Arc::new(AtomicU64::new(NOW)), Arc::new(Mutex::new(Vec::new())));
    let (clock, sink) = (now.clone(), log.clone());
    let engine = Engine::builder()
        .keys(Keyring::from_text(KEYS).unwrap())
        .audience("payments")
        .clock(move || clock.load(Ordering::Relaxed))
        .log(move |event: &Event<'_>| sink.lock().unwrap().push(event.name.to_owned()))
        .store(store)
        .build()
        .unwrap();
    World { engine, now, log }
}

fn request(rest: &str) -> String {
    format!(
        r#"{{"jsonrpc":"2.0","id":1,"method":"tools/call","params":{{"name":"pay",{rest}"_meta":{{"io.modelcontextprotocol/protocolVersion":"2026-07-28","io.modelcontextprotocol/clientCapabilities":{{"elicitation":{{}}}}}}}}}}"#
    )
}

impl World {
    /// The request of the second round of a new flow, in which the person has said yes.
    fn begin(&self) -> String {
        let reply = self
            .engine
            .run(request(""), &Caller::new(Principal::single_user()), |call| {
                call.elicit_form("sure", "Pay?", &sure())?.outcome()?;
                unreachable!("nobody has answered")
            })
            .unwrap();
        let body: serde_json::Value = serde_json::from_str(reply.body()).unwrap();
        let state = body["result"]["requestState"].as_str().unwrap();
        request(&format!(
            r#""inputResponses":{{"sure":{{"action":"accept"}}}},"requestState":"{state}","#
        ))
    }

    fn open(&self, request: &str) -> Call {
        let caller = Caller::new(Principal::single_user());
        let mut call = self.engine.open(request.as_bytes(), &caller).unwrap();
        assert!(call.elicit_form("sure", "Pay?", &sure()).unwrap().outcome().unwrap().is_accept());
        call
    }

    fn claim(&self, request: &str, options: &ClaimOptions) -> (Call, &'static str) {
        let mut call = self.open(request);
        let claimed = call.claim(options).unwrap().name();
        (call, claimed)
    }
}

fn sure() -> Form {
    Form::parse(r#"{"type":"object","properties":{"note":{"type":"string","title":"Note"}}}"#)
        .unwrap()
}

fn paid() -> Json {
    Json::parse(r#"{"content":[{"type":"text","text":"Paid."}]}"#).unwrap()
}

#[test]
fn the_first_claim_of_a_flow_wins_and_a_later_one_finds_it_done() {
    let world = world(MemoryStore::new());
    let request = world.begin();
    let usual = ClaimOptions::new();
    let (mut winner, claimed) = world.claim(&request, &usual);
    assert_eq!(claimed, "won");
    assert_eq!(winner.claim(&usual).unwrap().name(), "won", "the same answer in the same call");
    assert_eq!(world.claim(&request, &usual).1, "in_progress");
    winner.complete(&paid()).unwrap();
    assert_eq!(world.claim(&request, &usual).1, "already");
    let another = world.begin();
    assert_eq!(world.claim(&another, &usual).1, "won", "another flow");
}

#[test]
fn a_remembered_result_is_given_again() {
    let world = world(MemoryStore::new());
    for by_option in [true, false] {
        let request = world.begin();
        let (mut winner, _) = world.claim(&request, &ClaimOptions::new().remember(by_option));
        let first = match by_option {
            true => winner.complete(&paid()),
            false => winner.complete_and_remember(&paid()),
        };
        let again = world
            .engine
            .run(&request, &Caller::new(Principal::single_user()), |call| {
                match call.claim(&ClaimOptions::new())? {
                    Claimed::Recorded(result) => Ok(result),
                    other => panic!("{other:?}"),
                }
            })
            .unwrap();
        assert_eq!(again.body(), first.unwrap().body());
    }
}

#[test]
fn a_winner_that_died_leaves_an_unknown_outcome_and_is_not_freed() {
    let world = world(MemoryStore::new());
    let request = world.begin();
    let options = ClaimOptions::new().wait_ms(5_000);
    drop(world.claim(&request, &options));
    world.now.fetch_add(4_999, Ordering::Relaxed);
    assert_eq!(world.claim(&request, &options).1, "in_progress");
    world.now.fetch_add(1, Ordering::Relaxed);
    assert_eq!(world.claim(&request, &options).1, "unknown");
    assert_eq!(world.claim(&request, &options).1, "unknown", "for ever");
}

#[test]
fn a_lease_frees_the_claim_of_a_winner_that_died() {
    let world = world(MemoryStore::new());
    let request = world.begin();
    let options = ClaimOptions::new().lease_ms(5_000);
    let (mut late, _) = world.claim(&request, &options);
    world.now.fetch_add(5_000, Ordering::Relaxed);
    let (mut second, claimed) = world.claim(&request, &options);
    assert_eq!(claimed, "won");
    assert_eq!(world.claim(&request, &options).1, "in_progress");
    // The first one comes to its end after all: its result goes out, the record is not its own.
    late.complete_and_remember(&paid()).unwrap();
    assert_eq!(world.log.lock().unwrap().as_slice(), ["claim_not_finished"]);
    assert_eq!(world.claim(&request, &options).1, "in_progress");
    second.complete(&paid()).unwrap();
    assert_eq!(world.claim(&request, &options).1, "already");
}

#[test]
fn a_claim_given_back_can_be_won_again() {
    let world = world(MemoryStore::new());
    let request = world.begin();
    let (mut winner, _) = world.claim(&request, &ClaimOptions::new());
    winner.release_claim().unwrap();
    assert!(!winner.has_claim());
    winner.release_claim().unwrap();
    assert_eq!(world.claim(&request, &ClaimOptions::new()).1, "won");
}

#[test]
fn of_many_at_once_one_wins() {
    let world = world(MemoryStore::new());
    for _ in 0..50 {
        let request = world.begin();
        let won = AtomicUsize::new(0);
        std::thread::scope(|scope| {
            for _ in 0..8 {
                scope.spawn(|| {
                    let (call, claimed) = world.claim(&request, &ClaimOptions::new());
                    won.fetch_add(usize::from(claimed == "won"), Ordering::Relaxed);
                    drop(call);
                });
            }
        });
        assert_eq!(won.into_inner(), 1);
    }
}

#[test]
fn the_idempotency_key_is_the_flows() {
    let world = world(MemoryStore::new());
    let request = world.begin();
    let key = world.open(&request).idempotency_key();
    assert_eq!(key.len(), 43);
    assert_eq!(world.open(&request).idempotency_key(), key);
    assert_ne!(world.open(&world.begin()).idempotency_key(), key);
    assert!(!key.contains(world.open(&request).flow_id()));
}

/// Answers with what it is given, or fails.
struct Scripted(Mutex<Vec<Result<StoreReply, StoreError>>>);

impl Store for Scripted {
    fn execute(&self, _: &StoreOp) -> Result<StoreReply, StoreError> {
        self.0.lock().unwrap().remove(0)
    }
}

fn scripted(replies: Vec<Result<StoreReply, StoreError>>) -> Scripted {
    Scripted(Mutex::new(replies))
}

#[test]
fn a_store_that_fails_is_a_retryable_error_and_nothing_is_claimed() {
    for (failure, name) in [
        (StoreError::Unavailable("connection refused".into()), "unavailable"),
        (StoreError::TimedOut, "timed_out"),
        (StoreError::Full, "full"),
    ] {
        assert_eq!(failure.name(), name);
        let world = world(scripted(vec![Err(failure)]));
        let request = world.begin();
        let caller = Caller::new(Principal::single_user());
        let reply = world.engine.run(&request, &caller, |call| {
            let error = call.claim(&ClaimOptions::new()).unwrap_err();
            assert!(error.is_retryable() && !call.has_claim());
            Err(Stop::Error(error))
        });
        let reply = reply.unwrap();
        assert_eq!((reply.error_kind(), reply.status()), (Some(ErrorKind::Store), 200));
        assert_eq!(world.log.lock().unwrap().as_slice(), ["store_failed"]);
    }
}

#[test]
fn a_store_that_fails_after_the_effect_does_not_hold_the_result_back() {
    let world = world(scripted(vec![Ok(StoreReply::Done), Err(StoreError::TimedOut)]));
    let request = world.begin();
    let (mut winner, claimed) = world.claim(&request, &ClaimOptions::new());
    assert_eq!(claimed, "won");
    assert!(winner.complete(&paid()).unwrap().body().contains("Paid."));
    assert_eq!(world.log.lock().unwrap().as_slice(), ["store_failed", "claim_not_finished"]);
}

#[test]
fn a_record_of_another_flow_or_of_nobody_does_not_count() {
    let store = Arc::new(MemoryStore::new());
    let world = world(store.clone());
    let (first, second) = (world.begin(), world.begin());
    let record = |request: &str| {
        let mut call = world.open(request);
        match call.claim_start(&ClaimOptions::new()).unwrap() {
            Next::Need(StoreOp::PutIfAbsent { key, value, ttl_ms }) => (key, value, ttl_ms),
            other => panic!("{other:?}"),
        }
    };
    let (first_key, value, ttl_ms) = record(&first);
    let (second_key, ..) = record(&second);
    assert!(first_key.len() <= 128 && first_key != second_key);
    // The flow has an hour; records outlive it by twice the skew.
    assert_eq!(ttl_ms, 3_600_000 + 2 * 60_000);
    for value in [value, b"rubbish".to_vec(), Vec::new()] {
        let put = StoreOp::PutIfAbsent { key: second_key.clone(), value: value.clone(), ttl_ms };
        store.execute(&put).unwrap();
        let error = world.open(&second).claim(&ClaimOptions::new()).unwrap_err();
        assert_eq!(error.kind(), ErrorKind::Store);
        let delete = StoreOp::CompareAndDelete { key: second_key.clone(), expected: value };
        assert_eq!(store.execute(&delete).unwrap(), StoreReply::Done);
    }
    assert_eq!(world.claim(&second, &ClaimOptions::new()).1, "won");
}

#[test]
fn the_sequences_can_be_run_by_somebody_else() {
    let store = MemoryStore::new();
    let world = world(scripted(Vec::new()));
    let request = world.begin();
    let mut call = world.open(&request);
    let Next::Need(op) = call.claim_start(&ClaimOptions::new()).unwrap() else { panic!() };
    let answer = store.execute(&op).unwrap();
    let Next::Done(Claimed::Won) = call.claim_next(answer.clone()).unwrap() else { panic!() };
    assert_eq!(call.claim_next(answer).unwrap_err().kind(), ErrorKind::InvalidArgument);
    let Next::Need(op) = call.complete_start(&paid(), false).unwrap() else { panic!() };
    let answer = store.execute(&op).unwrap();
    let Next::Done(reply) = call.complete_next(answer).unwrap() else { panic!() };
    assert!(reply.body().contains("Paid."));
}

#[test]
fn nothing_can_be_claimed_past_the_deadline_without_time_or_without_a_store() {
    let world = world(MemoryStore::new());
    let mut call = world.open(&world.begin());
    let options = ClaimOptions::new().wait_ms(3_600_000);
    assert_eq!(call.claim(&options).unwrap_err().kind(), ErrorKind::InvalidArgument);
    let options = ClaimOptions::new().lease_ms(0);
    assert_eq!(call.claim(&options).unwrap_err().kind(), ErrorKind::InvalidArgument);
    world.now.fetch_add(3_600_000, Ordering::Relaxed);
    assert_eq!(call.claim(&ClaimOptions::new()).unwrap_err().kind(), ErrorKind::Limit);

    let bare = Engine::builder().ephemeral().audience("payments").build().unwrap();
    let caller = Caller::new(Principal::single_user());
    let mut call = bare.open(request("").as_bytes(), &caller).unwrap();
    assert_eq!(call.claim(&ClaimOptions::new()).unwrap_err().kind(), ErrorKind::Config);
}

/// An instance whose clock is behind still takes states of the flow: it must find the record.
#[test]
fn what_is_completed_past_the_deadline_stays_done() {
    let world = world(MemoryStore::new());
    let round = world.begin();
    let (mut winner, mut late) = (world.open(&round), world.open(&round));
    world.now.fetch_add(3_599_000, Ordering::Relaxed);
    assert!(matches!(winner.claim(&ClaimOptions::new()).unwrap(), Claimed::Won));
    world.now.fetch_add(2_000, Ordering::Relaxed);
    winner.complete(&paid()).unwrap();
    world.now.fetch_sub(31_000, Ordering::Relaxed);
    std::thread::sleep(std::time::Duration::from_millis(20));
    let late = late.claim(&ClaimOptions::new().wait_ms(1)).unwrap();
    assert!(matches!(late, Claimed::Already), "{}", late.name());
}

/// A put whose answer was lost is found again by the call that made it, and by no other.
#[test]
fn a_claim_whose_answer_was_lost_is_found_by_its_own_call() {
    let store = MemoryStore::new();
    let world = world(scripted(Vec::new()));
    let request = world.begin();
    let options = ClaimOptions::new();
    let mut call = world.open(&request);
    let Next::Need(op) = call.claim_start(&options).unwrap() else { panic!() };
    assert_eq!(store.execute(&op).unwrap(), StoreReply::Done);
    let error = call.store_failed(&StoreError::TimedOut);
    assert!(error.is_retryable() && !call.has_claim());
    assert_eq!(world.log.lock().unwrap().as_slice(), ["store_failed"]);

    let mut other = world.open(&request);
    let Next::Need(op) = other.claim_start(&options).unwrap() else { panic!() };
    let Next::Done(claimed) = other.claim_next(store.execute(&op).unwrap()).unwrap() else {
        panic!()
    };
    assert_eq!(claimed.name(), "in_progress");

    let Next::Need(op) = call.claim_start(&options).unwrap() else { panic!() };
    let Next::Done(claimed) = call.claim_next(store.execute(&op).unwrap()).unwrap() else {
        panic!()
    };
    assert_eq!(claimed.name(), "won");
}

#[test]
fn a_claim_that_could_not_be_given_back_is_still_to_be_finished() {
    let replies = vec![Ok(StoreReply::Done), Err(StoreError::TimedOut), Ok(StoreReply::Done)];
    let world = world(scripted(replies));
    let (mut call, _) = world.claim(&world.begin(), &ClaimOptions::new());
    assert_eq!(call.release_claim().unwrap_err().kind(), ErrorKind::Store);
    assert!(call.has_claim());
    call.release_claim().unwrap();
    assert!(!call.has_claim());
}

#[test]
fn two_tasks_of_one_call_that_claim_at_once_get_one_answer() {
    let store = MemoryStore::new();
    let world = world(scripted(Vec::new()));
    let mut call = world.open(&world.begin());
    let options = ClaimOptions::new();
    let (Next::Need(first), Next::Need(second)) =
        (call.claim_start(&options).unwrap(), call.claim_start(&options).unwrap())
    else {
        panic!()
    };
    for op in [second, first] {
        let Next::Done(claimed) = call.claim_next(store.execute(&op).unwrap()).unwrap() else {
            panic!()
        };
        assert_eq!(claimed.name(), "won");
    }
    assert_eq!(call.claim_next(StoreReply::Done).unwrap_err().kind(), ErrorKind::InvalidArgument);
}

#[test]
fn the_end_of_a_handler_can_be_settled_by_somebody_elses_store() {
    let store = MemoryStore::new();
    let world = world(scripted(Vec::new()));
    let request = world.begin();
    for (status, fails) in [("won", true), ("in_progress", false)] {
        let mut call = world.open(&request);
        let Next::Need(op) = call.claim_start(&ClaimOptions::new()).unwrap() else { panic!() };
        let Next::Done(claimed) = call.claim_next(store.execute(&op).unwrap()).unwrap() else {
            panic!()
        };
        assert_eq!(claimed.name(), status);
        match call.settle_start(End::Result(paid())).unwrap() {
            Next::Need(_) if fails => {
                drop(call.store_failed(&StoreError::TimedOut));
                let reply = call.complete_without_store("no answer").unwrap();
                assert!(reply.body().contains("Paid."));
            }
            Next::Done(Some(reply)) if !fails => assert!(reply.body().contains("Paid.")),
            other => panic!("{other:?}"),
        }
    }
}

/// What no store of ours holds: longer than any record.
#[test]
fn a_result_too_long_for_a_store_is_finished_without_it() {
    let world = world(MemoryStore::with_capacity(1 << 30));
    let request = world.begin();
    let (mut call, _) = world.claim(&request, &ClaimOptions::new());
    let long = format!(r#"{{"content":[],"_meta":{{"x":"{}"}}}}"#, "x".repeat(MAX_VALUE_BYTES));
    call.complete_and_remember(&Json::parse(long).unwrap()).unwrap();
    assert_eq!(world.log.lock().unwrap().as_slice(), ["result_not_recorded"]);
    assert_eq!(world.claim(&request, &ClaimOptions::new()).1, "already");
}

/// Randomness of the system's that counts, and fails when it is told to.
#[derive(Clone, Default)]
struct Drawn {
    times: Arc<AtomicUsize>,
    fails: Arc<AtomicBool>,
}

impl Rng for Drawn {
    fn fill(&self, out: &mut [u8]) -> mcp_elicit::Result<()> {
        if self.fails.load(Ordering::Relaxed) {
            return Err(Error::new(ErrorKind::Internal, "nothing to give"));
        }
        self.times.fetch_add(1, Ordering::Relaxed);
        SystemRng.fill(out)
    }
}

/// An engine that draws from it, and a call that has won its claim.
fn winner(drawn: &Drawn) -> Call {
    let engine = Engine::builder()
        .keys(Keyring::from_text(KEYS).unwrap())
        .audience("payments")
        .rng(drawn.clone())
        .store(MemoryStore::with_capacity(1 << 30))
        .build()
        .unwrap();
    let caller = Caller::new(Principal::single_user());
    let mut call = engine.open(request("").as_bytes(), &caller).unwrap();
    assert_eq!(call.claim(&ClaimOptions::new()).unwrap().name(), "won");
    call
}

/// Sealing costs as much as a result is long: what cannot be recorded is never sealed.
#[test]
fn a_result_too_long_for_a_store_is_not_sealed() {
    let drawn = Drawn::default();
    let mut call = winner(&drawn);
    let before = drawn.times.load(Ordering::Relaxed);
    let long = format!(r#"{{"content":[],"x":"{}"}}"#, "x".repeat(MAX_VALUE_BYTES));
    call.complete_and_remember(&Json::parse(long).unwrap()).unwrap();
    assert_eq!(drawn.times.load(Ordering::Relaxed) - before, 1);
}

/// The longest record that fits is kept, and one byte more is not.
#[test]
fn the_limit_of_a_recorded_result_is_that_of_a_value() {
    // Version, time and state; key id, nonce and tag.
    let around = r#"{"content":[],"x":""}"#.len() + 10 + 44;
    for (over, found) in [(0, "recorded"), (1, "already")] {
        let world = world(MemoryStore::with_capacity(1 << 30));
        let request = world.begin();
        let (mut call, _) = world.claim(&request, &ClaimOptions::new());
        let filler = "x".repeat(MAX_VALUE_BYTES - around + over);
        let result = Json::parse(format!(r#"{{"content":[],"x":"{filler}"}}"#)).unwrap();
        call.complete_and_remember(&result).unwrap();
        assert_eq!(world.claim(&request, &ClaimOptions::new()).1, found);
    }
}

/// A completion that could not be sealed has done nothing: the same call can complete once more.
#[test]
fn a_completion_without_randomness_can_be_tried_again() {
    let drawn = Drawn::default();
    let mut call = winner(&drawn);
    drawn.fails.store(true, Ordering::Relaxed);
    assert_eq!(call.complete(&paid()).unwrap_err().kind(), ErrorKind::Internal);
    assert!(call.has_claim() && !call.is_finished());
    drawn.fails.store(false, Ordering::Relaxed);
    assert!(call.complete(&paid()).unwrap().body().contains("Paid."));
}

/// An effect may not run before what it waits for is answered: a handler that reads no outcome, or
/// swallows the signal of one, cannot claim.
#[test]
fn nothing_is_claimed_while_a_question_is_open() {
    let world = world(MemoryStore::new());
    let caller = Caller::new(Principal::single_user());
    let mut call = world.engine.open(request("").as_bytes(), &caller).unwrap();
    call.elicit_form("sure", "Pay?", &sure()).unwrap();
    let refused = call.claim(&ClaimOptions::new()).unwrap_err();
    assert_eq!(refused.kind(), ErrorKind::QuestionOpen);
    let reply = call.suspend().unwrap();
    assert!(reply.body().contains("input_required"));
    assert!(world.log.lock().unwrap().is_empty());
}

/// A call that asks after it claimed leaves its claim behind, which the operator hears.
#[test]
fn a_claim_that_is_left_open_is_told() {
    let world = world(MemoryStore::new());
    let second = world.begin();
    let (mut call, claimed) = world.claim(&second, &ClaimOptions::new());
    assert_eq!(claimed, "won");
    call.elicit_form("more", "More?", &sure()).unwrap();
    call.suspend().unwrap();
    assert_eq!(world.log.lock().unwrap().as_slice(), ["claim_left_open"]);
    let (mut late, claimed) = world.claim(&second, &ClaimOptions::new());
    assert_eq!(claimed, "in_progress");
    late.fail(7, "later", None).unwrap();
    assert_eq!(world.log.lock().unwrap().len(), 1, "it had none of its own");
}
