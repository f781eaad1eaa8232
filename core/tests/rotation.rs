//! Keys that change while flows are under way: `[old]`, `[old, new]`, `[new, old]`, `[new]`, each
//! rolled out instance by instance under load, and no call fails.
//! Protocol: basic/patterns/mrtr ("any server instance with the key material can continue").
#![allow(clippy::unwrap_used, clippy::panic, reason = "a test that fails says so")]

use std::sync::atomic::{AtomicBool, AtomicUsize, Ordering};
use std::sync::{Arc, RwLock};

use mcp_elicit::store::MemoryStore;
use mcp_elicit::{
    Caller, ClaimOptions, Claimed, Engine, ErrorKind, Form, Json, Keyring, Principal, Reply,
};

const OLD: &str = "000102030405060708090a0b0c0d0e0f101112131415161718191a1b1c1d1e1f";
const NEW: &str = "f0f1f2f3f4f5f6f7f8f9fafbfcfdfeff000102030405060708090a0b0c0d0e0f";
const INSTANCES: usize = 3;
const CLIENTS: usize = 4;

struct Fleet {
    instances: Vec<RwLock<Engine>>,
    store: Arc<MemoryStore>,
    paid: AtomicUsize,
    /// Flows that each client has brought to their end.
    done: Vec<AtomicUsize>,
    stop: AtomicBool,
}

impl Fleet {
    fn new() -> Self {
        let store = Arc::new(MemoryStore::new());
        Self {
            instances: (0..INSTANCES).map(|_| RwLock::new(engine(&[OLD], &store))).collect(),
            store,
            paid: AtomicUsize::new(0),
            done: (0..CLIENTS).map(|_| AtomicUsize::new(0)).collect(),
            stop: AtomicBool::new(false),
        }
    }

    /// Gives the keys to one instance after the other, then waits until every flow that was begun
    /// before has come to its end.
    fn roll_out(&self, keys: &[&str]) {
        for instance in &self.instances {
            *instance.write().unwrap() = engine(keys, &self.store);
            self.wait_for(1);
        }
        self.wait_for(2);
    }

    /// Waits until each client has ended so many flows more.
    fn wait_for(&self, flows: usize) {
        let wanted = self.done.iter().map(|done| done.load(Ordering::Acquire) + flows);
        let wanted: Vec<_> = wanted.collect();
        for (done, wanted) in self.done.iter().zip(wanted) {
            while done.load(Ordering::Acquire) < wanted && !self.stop.load(Ordering::Acquire) {
                std::thread::yield_now();
            }
        }
    }

    /// A request, by the instance whose turn it is.
    fn serve(&self, turn: usize, request: &str) -> Reply {
        let engine = self.instances[turn % INSTANCES].read().unwrap().clone();
        let caller = Caller::new(Principal::new("https://login.example", "alice", "app").unwrap());
        let reply = engine.run(request, &caller, |call| {
            let form = r#"{"type":"object","properties":{"a":{"type":"string","title":"A"}}}"#;
            for key in ["first", "second"] {
                call.elicit_form(key, "Which?", &Form::parse(form)?)?.outcome()?;
            }
            match call.claim(&ClaimOptions::new().remember(true))? {
                Claimed::Won => {}
                Claimed::Recorded(result) => return Ok(result),
                other => panic!("{other:?}"),
            }
            let number = self.paid.fetch_add(1, Ordering::Relaxed);
            let result = format!(r#"{{"content":[],"structuredContent":{{"number":{number}}}}}"#);
            Ok(Json::parse(result)?)
        });
        reply.unwrap()
    }

    /// A flow of three rounds, each at another instance, the last request sent twice.
    fn flow(&self, turn: usize) {
        let mut rest = String::new();
        for (round, key) in ["first", "second"].into_iter().enumerate() {
            let reply = self.serve(turn + round, &request(&rest));
            assert_eq!(reply.kind().name(), "input_required", "{}", reply.body());
            let body: serde_json::Value = serde_json::from_str(reply.body()).unwrap();
            let state = body["result"]["requestState"].as_str().unwrap();
            rest = format!(
                r#""inputResponses":{{"{key}":{{"action":"accept","content":{{"a":"x"}}}}}},"requestState":"{state}","#
            );
        }
        let (last, again) = (request(&rest), self.serve(turn + 2, &request(&rest)));
        assert_eq!(again.kind().name(), "complete", "{}", again.body());
        assert_eq!(self.serve(turn + 3, &last).body(), again.body(), "a payment has one result");
    }
}

fn engine(keys: &[&str], store: &Arc<MemoryStore>) -> Engine {
    let keys = Keyring::from_text(&keys.join(",")).unwrap();
    Engine::builder().keys(keys).audience("payments").store(store.clone()).build().unwrap()
}

fn request(rest: &str) -> String {
    format!(
        r#"{{"jsonrpc":"2.0","id":1,"method":"tools/call","params":{{"name":"pay",{rest}"_meta":{{"io.modelcontextprotocol/protocolVersion":"2026-07-28","io.modelcontextprotocol/clientCapabilities":{{"elicitation":{{}}}}}}}}}}"#
    )
}

/// Says that it ends, however it ends: nobody waits for a client that has failed.
struct Ends<'f>(&'f AtomicBool);

impl Drop for Ends<'_> {
    fn drop(&mut self) {
        self.0.store(true, Ordering::Release);
    }
}

#[test]
fn keys_rotate_under_load_without_a_failed_call() {
    let fleet = Fleet::new();
    std::thread::scope(|scope| {
        for client in 0..CLIENTS {
            let fleet = &fleet;
            scope.spawn(move || {
                let _ends = Ends(&fleet.stop);
                let mut turn = client;
                while !fleet.stop.load(Ordering::Acquire) {
                    fleet.flow(turn);
                    turn += 1;
                    fleet.done[client].fetch_add(1, Ordering::Release);
                }
            });
        }
        let _ends = Ends(&fleet.stop);
        fleet.wait_for(2);
        for keys in [&[OLD, NEW][..], &[NEW, OLD], &[NEW]] {
            fleet.roll_out(keys);
        }
    });
    let flows: usize = fleet.done.iter().map(|done| done.load(Ordering::Relaxed)).sum();
    assert!(flows >= CLIENTS * 10, "{flows} flows");
    assert_eq!(fleet.paid.into_inner(), flows, "each flow has paid once");
}

/// The three roll-outs are there for a reason: with one of them a flow under way fails.
#[test]
fn a_key_that_is_replaced_at_once_fails_what_is_under_way() {
    let fleet = Fleet::new();
    let reply = fleet.serve(0, &request(""));
    let body: serde_json::Value = serde_json::from_str(reply.body()).unwrap();
    let state = body["result"]["requestState"].as_str().unwrap();
    let second = request(&format!(r#""inputResponses":{{}},"requestState":"{state}","#));
    assert_eq!(fleet.serve(1, &second).kind().name(), "input_required");
    *fleet.instances[2].write().unwrap() = engine(&[NEW], &fleet.store);
    assert_eq!(fleet.serve(2, &second).error_kind(), Some(ErrorKind::InvalidState));
}
