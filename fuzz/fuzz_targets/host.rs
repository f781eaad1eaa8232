//! The client side: whatever a server sends, in whatever pieces, the driver never panics, keeps to
//! its bound and ends.
//!
//! The input is a sequence of messages, each ended by a byte that JSON never holds (0xFF). The
//! first byte of the input says how: over HTTP, as a stream of events, who answers.
#![no_main]

use libfuzzer_sys::fuzz_target;
use mcp_elicit::Json;
use mcp_elicit::host::{Driver, EventStream, HostLimits, HttpReply, Response, Turn};

const ROUNDS: u32 = 6;

fn limits() -> HostLimits {
    let mut limits = HostLimits::default();
    limits.rounds = ROUNDS;
    limits.reply_bytes = 4096;
    limits
}

fn driver(http: bool) -> Driver {
    let json = |text: &str| Json::parse(text).expect("written here");
    Driver::builder("tools/call", &json(r#"{"name":"deploy","arguments":{"app":"web"}}"#))
        .capabilities(&json(r#"{"elicitation":{"form":{},"url":{}},"sampling":{},"roots":{}}"#))
        .http(http)
        .limits(limits())
        .build()
        .expect("sound parts")
}

fuzz_target!(|bytes: &[u8]| {
    let Some((&how, rest)) = bytes.split_first() else { return };
    let http = how & 1 == 1;
    let mut driver = driver(http);
    let mut last_id = 0;
    for message in rest.split(|&byte| byte == 0xFF) {
        match driver.turn() {
            Turn::Send(sent) => {
                assert!(sent.id() >= last_id && sent.id() <= u64::from(ROUNDS));
                last_id = sent.id();
                assert!(Json::parse_with_depth(sent.body(), 256).is_ok());
                assert!(!sent.body().contains('\n'));
                assert_eq!(sent.headers().is_empty(), !http);
            }
            Turn::Ask(questions) => {
                let answers: Vec<(String, Response)> = questions
                    .iter()
                    .enumerate()
                    .filter(|(at, _)| how >> (at % 7 + 1) & 1 == 1)
                    .map(|(_, question)| {
                        drop(question.to_json());
                        drop(question.form());
                        (question.key().to_owned(), Response::decline())
                    })
                    .collect();
                driver.answer(answers).expect("answers to what was asked");
                continue;
            }
            _ => {
                let end = driver.turn().name();
                assert!(driver.receive(message).is_err());
                assert_eq!(driver.turn().name(), end);
                return;
            }
        }
        let _ = driver.receive(message);
    }
    assert!(driver.round() <= ROUNDS);

    // The pieces that a stream comes in do not change what it says.
    let mut whole = EventStream::new(&limits());
    let mut pieces = EventStream::new(&limits());
    let at_once = whole.push(rest).ok();
    let mut one_by_one = Some(Vec::new());
    for byte in rest {
        match (pieces.push(&[*byte]), &mut one_by_one) {
            (Ok(messages), Some(all)) => all.extend(messages),
            _ => {
                one_by_one = None;
                break;
            }
        }
    }
    assert_eq!(at_once, one_by_one);
    let kind = if how & 2 == 2 { "text/event-stream" } else { "application/json" };
    let mut reply = HttpReply::new(u16::from(how) * 3, Some(kind), &limits());
    if rest.chunks(7).all(|piece| reply.push(piece).is_ok()) {
        let _ = reply.finish();
    }
});
