//! One middle round: a request of 1.2 KB comes in, its state is opened, an answered form is
//! validated, the next question is asked, the state is sealed, the reply goes out. Beside the
//! floor of the same build: one borrowed scan of the request, the random bytes, one seal and one
//! open, base64 both ways.
//!
//! Prints `name median_ns`, a line each; `scripts/bench.sh` puts the languages side by side.
//! `cargo bench -p mcp-elicit --bench round -- --request` prints the request that all of them use.
#![allow(
    clippy::unwrap_used,
    clippy::panic,
    clippy::print_stdout,
    clippy::print_stderr,
    reason = "a program that prints its measurements"
)]

use std::hint::black_box;
use std::time::Instant;

use mcp_elicit::{Caller, Engine, Form, Json, Keyring, Principal, Reply, Stop};
use xaes_256_gcm::aead::{AeadInOut, KeyInit};

const KEY: &str = "000102030405060708090a0b0c0d0e0f101112131415161718191a1b1c1d1e1f";
const TARGET: &str = include_str!("target.json");
const CONFIRM: &str = r#"{"type":"object","properties":{"sure":{"type":"boolean","title":"Are you sure?"}},"required":["sure"]}"#;

struct Bench {
    engine: Engine,
    target: Form,
    confirm: Form,
}

impl Bench {
    fn round(&self, request: &str) -> Reply {
        let caller = Caller::new(Principal::single_user());
        let reply = self.engine.run(request, &caller, |call| {
            let target = call.elicit_form("target", "Where shall it go?", &self.target)?;
            if !target.outcome()?.is_accept() {
                return Ok(Json::parse(r#"{"content":[]}"#)?);
            }
            let confirm = call.elicit_form("confirm", "Deploy now?", &self.confirm)?;
            confirm.outcome()?;
            Err(Stop::Suspend)
        });
        reply.unwrap_or_else(|error| panic!("{error}"))
    }
}

/// The request of the second round; `state` and `answers` are empty in the first.
fn request(rest: &str) -> String {
    format!(
        r#"{{"jsonrpc":"2.0","id":42,"method":"tools/call","params":{{"name":"deploy","arguments":{{"app":"billing","revision":"3f2c1d9e8b7a6f5e4d3c2b1a0f9e8d7c6b5a4f3e","replicas":3,"labels":["team:payments","tier:backend","region:eu-central-1"],"note":"Rolls out the new invoice numbering; see the change request for the plan to go back. Approved by the owners of the service; the warehouse has been told to expect both spellings until the end of the quarter, and the reports that count invoices by their number were run against a copy first."}},{rest}"_meta":{{"io.modelcontextprotocol/protocolVersion":"2026-07-28","io.modelcontextprotocol/clientInfo":{{"name":"bench","version":"1.0.0"}},"io.modelcontextprotocol/clientCapabilities":{{"elicitation":{{"form":{{}},"url":{{}}}}}}}}}}}}"#
    )
}

fn state_of(reply: &Reply) -> &str {
    let marker = "\"requestState\":\"";
    let Some(at) = reply.body().find(marker) else { panic!("no state in {}", reply.body()) };
    let rest = &reply.body()[at + marker.len()..];
    &rest[..rest.find('"').unwrap_or(0)]
}

/// Median of the time one run of `work` takes, in nanoseconds.
fn median(mut work: impl FnMut()) -> f64 {
    const BATCH: u32 = 200;
    let mut times: Vec<f64> = (0..301)
        .map(|_| {
            let start = Instant::now();
            for _ in 0..BATCH {
                work();
            }
            start.elapsed().as_nanos() as f64 / f64::from(BATCH)
        })
        .collect();
    times.sort_by(f64::total_cmp);
    times[times.len() / 2]
}

fn main() {
    let engine = Engine::builder()
        .keys(Keyring::from_text(KEY).unwrap_or_else(|error| panic!("{error}")))
        .audience("bench")
        .build()
        .unwrap_or_else(|error| panic!("{error}"));
    let form = |text| Form::parse(text).unwrap_or_else(|error| panic!("{error}"));
    let bench = Bench { engine, target: form(TARGET), confirm: form(CONFIRM) };

    let first = bench.round(&request(""));
    let state = state_of(&first).to_owned();
    let answers = r#""inputResponses":{"target":{"action":"accept","content":{"environment":"staging","notify":true,"contact":"ops@example.com","window":"2026-12-24","batch":25}}},"#;
    let middle = request(&format!("{answers}\"requestState\":\"{state}\","));
    if std::env::args().any(|arg| arg == "--request") {
        println!("{middle}");
        return;
    }
    assert_eq!(bench.round(&middle).kind().name(), "input_required");

    if std::env::args().any(|arg| arg == "--loop") {
        (0..400_000).for_each(|_| drop(black_box(bench.round(black_box(&middle)))));
        return;
    }
    let floor = floor(&middle, state.len());
    println!("request_bytes {}", middle.len());
    println!("floor {floor:.0}");
    let caller = Caller::new(Principal::single_user());
    let open = median(|| drop(black_box(bench.engine.open(middle.as_bytes(), &caller))));
    println!("rust_open {open:.0}");
    let compile = median(|| drop(black_box(Form::parse(TARGET))));
    println!("rust_form_parse {compile:.0}");
    let round = median(|| drop(black_box(bench.round(black_box(&middle)))));
    println!("rust_round {round:.0}");
}

fn floor(request: &str, state_len: usize) -> f64 {
    use base64_simd::URL_SAFE_NO_PAD as base64;
    let cipher = xaes_256_gcm::Xaes256Gcm::new(&[7; 32].into());
    let plain = vec![7u8; state_len * 3 / 4 - 44];
    median(|| {
        let scanned: serde::de::IgnoredAny =
            serde_json::from_str(black_box(request)).unwrap_or_else(|error| panic!("{error}"));
        black_box(scanned);
        let mut nonce = [0u8; 24];
        getrandom::fill(&mut nonce).unwrap_or_else(|error| panic!("{error}"));
        let mut sealed = plain.clone();
        let sealing = cipher.encrypt_in_place(&nonce.into(), b"", &mut sealed);
        assert!(sealing.is_ok());
        let text = base64.encode_to_string(&sealed);
        let mut opened = base64.decode_to_vec(&text).unwrap_or_default();
        let opening = cipher.decrypt_in_place(&nonce.into(), b"", &mut opened);
        assert!(opening.is_ok());
        black_box(opened);
    })
}
