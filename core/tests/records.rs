//! Records of claims, from `tests/vectors/records.json`, which is made without this library: what a
//! fleet in several languages finds in the store that it shares.
#![allow(
    clippy::unwrap_used,
    clippy::panic,
    clippy::print_stdout,
    clippy::print_stderr,
    reason = "a test that fails says so"
)]

use std::sync::{Arc, Mutex};

use mcp_elicit::store::{MemoryStore, Store, StoreOp, StoreReply};
use mcp_elicit::{
    Call, Caller, ClaimOptions, Claimed, Engine, Json, Keyring, Limits, Principal, Result, Rng,
};
use serde_json::Value;

const FOLDER: &str = concat!(env!("CARGO_MANIFEST_DIR"), "/../tests/vectors/");

fn read(name: &str) -> Value {
    serde_json::from_str(&std::fs::read_to_string(format!("{FOLDER}{name}")).unwrap()).unwrap()
}

fn vectors() -> Value {
    read("records.json")
}

fn text(value: &Value) -> &str {
    value.as_str().unwrap()
}

fn bytes(hex: &Value) -> Vec<u8> {
    let hex = text(hex).as_bytes();
    hex.chunks(2)
        .map(|pair| u8::from_str_radix(std::str::from_utf8(pair).unwrap(), 16).unwrap())
        .collect()
}

/// Successive bytes 0 to 255.
#[derive(Default)]
struct Counter(Mutex<u8>);

impl Rng for Counter {
    fn fill(&self, out: &mut [u8]) -> Result<()> {
        let mut next = self.0.lock().unwrap();
        for byte in out {
            *byte = *next;
            *next = next.wrapping_add(1);
        }
        Ok(())
    }
}

/// The call of the file's request, at an engine of its own with this store.
fn open(vectors: &Value, keys: &Value, store: Arc<MemoryStore>) -> Call {
    let config = &vectors["engine"];
    let named = keys.as_array().unwrap_or_else(|| config["keys"].as_array().unwrap());
    let secrets: Vec<_> = named.iter().map(|name| bytes(&vectors["keys"][text(name)])).collect();
    let secrets: Vec<&[u8]> = secrets.iter().map(Vec::as_slice).collect();
    let now = config["now_ms"].as_u64().unwrap();
    let mut limits = Limits::default();
    limits.claim_wait_ms = config["claim_wait_ms"].as_u64().unwrap();
    let engine = Engine::builder()
        .keys(Keyring::new(&secrets).unwrap())
        .audience(text(&config["audience"]))
        .limits(limits)
        .clock(move || now)
        .rng(Counter::default())
        .store(store)
        .build()
        .unwrap();
    let who = config["principal"].as_array().unwrap();
    let who = Principal::new(text(&who[0]), text(&who[1]), text(&who[2])).unwrap();
    engine.open(vectors["request"].to_string().as_bytes(), &Caller::new(who)).unwrap()
}

fn stored(vectors: &Value, store: &MemoryStore) -> Option<Vec<u8>> {
    match store.execute(&StoreOp::Get { key: text(&vectors["store_key"]).into() }).unwrap() {
        StoreReply::Found(value) => Some(value),
        _ => None,
    }
}

#[test]
fn what_is_found_means_the_same_in_every_language() {
    let vectors = vectors();
    assert!(vectors["found"].as_array().unwrap().len() > 15);
    find(&vectors);
}

/// During an upgrade both versions share a store: what the older one put means the same.
#[test]
fn records_of_every_version_are_found() {
    let names = std::fs::read_dir(FOLDER).unwrap().map(|entry| entry.unwrap().file_name());
    let names = names.map(|name| name.into_string().unwrap());
    let kept: Vec<_> = names.filter(|name| name.starts_with("records-")).collect();
    assert!(!kept.is_empty());
    kept.iter().for_each(|name| find(&read(name)));
}

/// Each value in the store, and what a claim makes of it.
fn find(vectors: &Value) {
    for case in vectors["found"].as_array().unwrap() {
        let store = Arc::new(MemoryStore::new());
        let key = text(&vectors["store_key"]).into();
        let put = StoreOp::PutIfAbsent { key, value: bytes(&case["value"]), ttl_ms: 60_000 };
        assert_eq!(store.execute(&put), Ok(StoreReply::Done));
        let mut call = open(vectors, &case["keys"], store.clone());
        let (outcome, result) = match call.claim(&ClaimOptions::new()) {
            Ok(Claimed::Recorded(result)) => ("recorded", Some(result.root().raw().to_owned())),
            Ok(claimed) => (claimed.name(), None),
            Err(error) => (error.kind().name(), None),
        };
        assert_eq!(outcome, text(&case["outcome"]), "{}", case["name"]);
        assert_eq!(result.as_deref(), case["result"].as_str(), "{}", case["name"]);
        assert_eq!(stored(vectors, &store), Some(bytes(&case["value"])), "it stays as it is");
        assert_eq!(call.idempotency_key(), text(&vectors["idempotency_key"]));
    }
}

#[test]
fn what_is_put_is_what_every_language_puts() {
    let vectors = vectors();
    for case in vectors["taken"].as_array().unwrap() {
        let store = Arc::new(MemoryStore::new());
        let mut call = open(&vectors, &Value::Null, store.clone());
        assert_eq!(call.claim(&ClaimOptions::new()).unwrap().name(), "won");
        assert_eq!(stored(&vectors, &store), Some(bytes(&case["claimed"])), "{}", case["name"]);
        let result = Json::parse(text(&vectors["result"])).unwrap();
        match case["remember"].as_bool().unwrap() {
            true => call.complete_and_remember(&result),
            false => call.complete(&result),
        }
        .unwrap();
        assert_eq!(stored(&vectors, &store), Some(bytes(&case["after"])), "{}", case["name"]);
    }
}
