//! The client side: `tests/vectors/host.json`, whole flows against an engine, and whatever else a
//! server may send.
//!
//! `UPDATE_VECTORS=1` writes what came out into the file; read the difference before committing it.
// The helpers below are tests, too.
#![allow(clippy::unwrap_used, clippy::panic, clippy::print_stderr)]

use mcp_elicit::host::{Driver, EventStream, Heard, HostLimits, HttpReply, Response, Turn};
use mcp_elicit::{Caller, Engine, Error, ErrorKind, Form, Json, Principal, Stop};
use proptest::prelude::*;
use serde_json::{Value, json};

const FILE: &str = concat!(env!("CARGO_MANIFEST_DIR"), "/../tests/vectors/host.json");

/// A text, or its parts: texts, repetitions, bytes in hex.
fn bytes(given: &Value) -> Vec<u8> {
    match given {
        Value::String(text) => text.as_bytes().to_vec(),
        Value::Array(parts) => parts.iter().flat_map(bytes).collect(),
        part => match part["hex"].as_str() {
            Some(hex) => (0..hex.len() / 2)
                .map(|at| u8::from_str_radix(&hex[2 * at..2 * at + 2], 16).unwrap())
                .collect(),
            None => {
                let times = part["times"].as_u64().unwrap() as usize;
                part["repeat"].as_str().unwrap().repeat(times).into_bytes()
            }
        },
    }
}

fn text(bytes: &[u8]) -> Value {
    String::from_utf8(bytes.to_vec()).unwrap().into()
}

fn driver(case: &Value) -> Result<Driver, Error> {
    let json = |name: &str| case[name].as_str().map(|text| Json::parse(text).unwrap());
    let mut builder = Driver::builder(case["method"].as_str().unwrap(), &json("params").unwrap());
    let mut limits = HostLimits::default();
    if let Some(rounds) = case["rounds"].as_u64() {
        limits.rounds = rounds as u32;
    }
    if let Some(info) = json("client_info") {
        builder = builder.client_info(&info);
    }
    if let Some(capabilities) = json("capabilities") {
        builder = builder.capabilities(&capabilities);
    }
    if let Some(id) = case["first_id"].as_u64() {
        builder = builder.first_id(id);
    }
    for header in case["param_headers"].as_array().into_iter().flatten() {
        let path = header[1].as_array().unwrap().iter().map(|key| key.as_str().unwrap());
        builder = builder.param_header(header[0].as_str().unwrap(), path);
    }
    builder.http(case["http"] == true).limits(limits).build()
}

/// The turn in the words of the vectors.
fn show(turn: &Turn<'_>) -> Value {
    match turn {
        Turn::Send(message) => {
            let mut sent = json!({"id": message.id(), "body": message.body()});
            if !message.headers().is_empty() {
                sent["headers"] =
                    message.headers().iter().map(|(name, value)| json!([name, value])).collect();
            }
            json!({"send": sent})
        }
        Turn::Ask(questions) => {
            let questions: Vec<Value> = questions
                .iter()
                .map(|question| {
                    let mut shown = json!({
                        "key": question.key(),
                        "kind": question.kind().name(),
                        "round": question.round(),
                        "request": question.request().text(),
                    });
                    for (name, text) in [("message", question.message()), ("url", question.url())] {
                        if let Some(text) = text {
                            shown[name] = text.into();
                        }
                    }
                    if let Some(schema) = question.schema() {
                        shown["schema"] = schema.compact().into();
                    }
                    shown
                })
                .collect();
            json!({"ask": questions})
        }
        Turn::Done(result) => json!({"done": result.text()}),
        Turn::Failed(error) => json!({"failed": error.to_json()}),
        Turn::Abandoned => json!({"abandoned": true}),
        Turn::Broken(error) => json!({"broken": fault(error)}),
    }
}

fn fault(error: &Error) -> Value {
    assert_eq!(error.kind(), ErrorKind::InvalidReply);
    let [fault] = error.faults() else { panic!("one fault: {error}") };
    assert!(!fault.message.is_empty());
    json!({"path": fault.path, "rule": fault.rule})
}

fn answers(step: &Value) -> Option<Vec<(String, Response)>> {
    let of = |value: &Value| match value.as_str() {
        Some("never") => Response::never(),
        Some(text) => Response::result(&Json::parse(text).unwrap()),
        None => Response::result(&Json::parse(value.to_string()).unwrap()),
    };
    let given = step.get("answer").or(step.get("answerText"))?.as_object().unwrap();
    Some(given.iter().map(|(key, value)| (key.clone(), of(value))).collect())
}

struct Vectors {
    update: bool,
    failures: usize,
}

impl Vectors {
    /// Compares what came out with what is written, or writes it down.
    fn check(&mut self, name: &Value, place: &mut Value, seen: Value) {
        if self.update {
            *place = seen;
        } else if *place != seen {
            self.failures += 1;
            eprintln!("{name}:\n  expected {place}\n  came out {seen}");
        }
    }
}

/// mrtr, "Client Requirements": every message byte for byte, and how each reply is read.
#[test]
fn the_driver_does_as_written() {
    let mut file: Value = serde_json::from_str(&std::fs::read_to_string(FILE).unwrap()).unwrap();
    let update = std::env::var_os("UPDATE_VECTORS").is_some();
    let mut vectors = Vectors { update, failures: 0 };
    for case in file["drivers"].as_array_mut().unwrap() {
        let name = case["name"].clone();
        let mut driver = driver(case).unwrap();
        let seen = show(&driver.turn());
        vectors.check(&name, &mut case["start"], seen);
        for step in case["steps"].as_array_mut().unwrap() {
            if let Some(answers) = answers(step) {
                driver.answer(answers).unwrap();
            } else {
                let heard = match driver.receive(&bytes(&step["receive"])) {
                    Ok(Heard::Notification) => "notification",
                    Ok(Heard::Reply) | Err(_) => "reply",
                };
                assert_eq!(step["heard"].as_str().unwrap_or("reply"), heard, "{name}");
            }
            let seen = show(&driver.turn());
            vectors.check(&name, &mut step["turn"], seen);
        }
    }
    for case in file["refused"].as_array().unwrap() {
        let error = driver(case).err().unwrap_or_else(|| panic!("{}: accepted", case["name"]));
        assert_eq!(error.kind(), ErrorKind::InvalidArgument, "{}", case["name"]);
    }
    for case in file["http"].as_array_mut().unwrap() {
        let name = case["name"].clone();
        let mut limits = HostLimits::default();
        if let Some(limit) = case["limit"].as_u64() {
            limits.reply_bytes = limit as usize;
        }
        let status = case["status"].as_u64().unwrap() as u16;
        let mut reply = HttpReply::new(status, case["content_type"].as_str(), &limits);
        let mut messages = Vec::new();
        let pieces: Vec<Vec<u8>> = case["pieces"].as_array().unwrap().iter().map(bytes).collect();
        let pushed = pieces.iter().try_for_each(|piece| {
            messages.extend(reply.push(piece)?);
            Ok(())
        });
        let end = match pushed {
            Ok(()) => match reply.finish() {
                Ok(message) => json!({"message": text(&message)}),
                Err(error) => json!({"broken": fault(&error)}),
            },
            Err(error) => json!({"broken": fault(&error)}),
        };
        let messages: Vec<Value> = messages.iter().map(|message| text(message)).collect();
        vectors.check(&name, &mut case["messages"], messages.into());
        vectors.check(&name, &mut case["end"], end);
    }
    if update {
        std::fs::write(FILE, format!("{}\n", serde_json::to_string_pretty(&file).unwrap()))
            .unwrap();
    }
    assert_eq!(vectors.failures, 0);
}

/// Whatever pieces a stream of events comes in, the messages are the same.
#[test]
fn pieces_do_not_matter() {
    let file: Value = serde_json::from_str(&std::fs::read_to_string(FILE).unwrap()).unwrap();
    for case in file["http"].as_array().unwrap().iter().filter(|case| case["limit"].is_null()) {
        if !case["content_type"].as_str().is_some_and(|kind| kind.starts_with("text/event")) {
            continue;
        }
        let mut stream = EventStream::new(&HostLimits::default());
        let whole = bytes(&case["pieces"]);
        let messages: Vec<Value> = whole
            .iter()
            .flat_map(|byte| stream.push(&[*byte]).unwrap())
            .map(|m| text(&m))
            .collect();
        assert_eq!(Value::from(messages), case["messages"], "{}", case["name"]);
    }
}

fn form() -> Form {
    Form::parse(
        r#"{"type":"object","required":["environment"],"properties":{
            "environment":{"type":"string","enum":["dev","prod"]},"note":{"type":"string"}}}"#,
    )
    .unwrap()
}

/// Our own two ends: the driver's messages are what an engine wants, over HTTP too.
#[test]
fn the_driver_and_the_engine_understand_each_other() {
    let engine = Engine::builder().ephemeral().audience("test").build().unwrap();
    for http in [false, true] {
        let params = r#"{"name":"日本 語","arguments":{"region":" ü ","n":7,"on":false}}"#;
        let mut driver = Driver::builder("tools/call", &Json::parse(params).unwrap())
            .client_info(&Json::parse(r#"{"name":"desk","version":"1"}"#).unwrap())
            .capabilities(&Json::parse(r#"{"elicitation":{"form":{},"url":{}}}"#).unwrap())
            .http(http)
            .param_header("Region", ["region"])
            .param_header("N", ["n"])
            .param_header("On", ["on"])
            .build()
            .unwrap();
        let mut asked = Vec::new();
        let result = loop {
            match driver.turn() {
                Turn::Send(message) => {
                    let mut caller = Caller::new(Principal::single_user());
                    if http {
                        let headers = message.headers().iter();
                        caller = caller
                            .http(headers.map(|(name, value)| (name.as_str(), value.as_bytes())))
                            .param_header("Region", ["region"])
                            .param_header("N", ["n"])
                            .param_header("On", ["on"]);
                    }
                    let reply = engine
                        .run(message.body(), &caller, |call| -> Result<Json, Stop> {
                            let target = call.elicit_form("target", "Where?", &form())?;
                            let url = "https://example.com/";
                            let login =
                                call.elicit_url("login", "Sign in.", url, call.round() > 1)?;
                            let content = target.outcome()?.content().map(Json::compact);
                            login.outcome()?;
                            let sure = call.elicit_form("sure", "Really?", &form())?;
                            let sure = sure.outcome()?.action().name();
                            let text = format!("{} {sure}", content.unwrap_or_default());
                            let text = Json::string(&text);
                            let block = format!(r#"{{"type":"text","text":{}}}"#, text.text());
                            Ok(Json::parse(format!(r#"{{"content":[{block}]}}"#))?)
                        })
                        .unwrap();
                    let body = reply.into_body();
                    driver.receive(body.as_bytes()).unwrap();
                }
                Turn::Ask(questions) => {
                    let answers: Vec<(String, Response)> = questions
                        .iter()
                        .map(|question| {
                            let response = match question.key() {
                                "target" => Response::accept(
                                    &Json::parse(r#"{"environment":"dev"}"#).unwrap(),
                                ),
                                "login" => Response::accept_without_content(),
                                _ => Response::decline(),
                            };
                            (question.key().to_owned(), response)
                        })
                        .collect();
                    asked.extend(answers.iter().map(|(key, _)| key.clone()));
                    driver.answer(answers).unwrap();
                }
                Turn::Done(result) => break result.clone(),
                other => panic!("{other:?}"),
            }
        };
        assert_eq!(asked, ["target", "login", "sure"]);
        assert_eq!(driver.round(), 3);
        let text = result.root().get("content").unwrap().items().next().unwrap();
        let text = text.get("text").unwrap().as_str().unwrap().into_owned();
        assert_eq!(text, r#"{"environment":"dev"} decline"#);
    }
}

fn tool() -> Driver {
    Driver::builder("tools/call", &Json::parse(r#"{"name":"x"}"#).unwrap())
        .capabilities(&Json::parse(r#"{"elicitation":{}}"#).unwrap())
        .limits({
            let mut limits = HostLimits::default();
            limits.rounds = 4;
            limits
        })
        .build()
        .unwrap()
}

const ASKS: &str = r#"{"jsonrpc":"2.0","id":1,"result":{"resultType":"input_required","requestState":"s","inputRequests":{"a":{"method":"elicitation/create","params":{"message":"m","requestedSchema":{"type":"object","properties":{}}}},"b":{"method":"elicitation/create","params":{"message":"m","requestedSchema":{"type":"object","properties":{}}}}}}}"#;

/// A mistake of the host's own changes nothing: it can be mended.
#[test]
fn wrong_answers_are_refused_and_can_be_given_again() {
    let mut driver = tool();
    let kind = |result: mcp_elicit::Result<()>| result.err().map(|error| error.kind());
    let none: [(&str, Response); 0] = [];
    assert_eq!(kind(driver.answer(none)), Some(ErrorKind::InvalidArgument));
    driver.receive(ASKS.as_bytes()).unwrap();
    let waiting = driver.receive(ASKS.as_bytes()).map(drop);
    assert_eq!(kind(waiting), Some(ErrorKind::InvalidArgument));
    let array = Response::result(&Json::parse("[]").unwrap());
    for wrong in [
        vec![("c", Response::decline())],
        vec![("a", Response::decline()), ("a", Response::cancel())],
        vec![("a", Response::decline()), ("b", array)],
    ] {
        assert_eq!(kind(driver.answer(wrong)), Some(ErrorKind::InvalidArgument));
        assert!(matches!(driver.turn(), Turn::Ask(questions) if questions.len() == 2));
    }
    driver.answer([("b", Response::decline())]).unwrap();
    let Turn::Send(message) = driver.turn() else { panic!() };
    assert!(message.body().contains(r#""inputResponses":{"b":{"action":"decline"}},"#));
}

/// What a person answered, and what a server asked, does not leak into logs by `Debug`.
#[test]
fn debug_says_where_it_stands_and_nothing_of_the_content() {
    let mut driver = tool();
    driver.receive(ASKS.as_bytes()).unwrap();
    let secret = Json::parse(r#"{"note":"sesame"}"#).unwrap();
    let response = Response::accept(&secret);
    let said = format!("{response:?} {driver:?} {:?}", driver.turn());
    assert!(!said.contains("sesame"), "{said}");
    driver.answer([("a", response)]).unwrap();
    let said = format!("{driver:?} {:?}", driver.turn());
    assert!(said.contains("round 2") && !said.contains("sesame"), "{said}");
}

/// Something like a reply, with everything about it possibly wrong.
fn replies() -> impl Strategy<Value = String> {
    let scalar = prop_oneof![
        Just("null".to_owned()),
        Just("1".to_owned()),
        Just("\"complete\"".to_owned()),
        Just("\"input_required\"".to_owned()),
        Just("\"2.0\"".to_owned()),
        Just("\"elicitation/create\"".to_owned()),
        Just("\"url\"".to_owned()),
        "[0-9]{1,3}",
        "\"[a-z\\\\/]{0,3}\"",
    ];
    let key = prop_oneof![
        "(jsonrpc|id|result|error|method|params|code|message|data)",
        "(resultType|inputRequests|requestState|mode|url|requestedSchema|a|b)",
    ];
    scalar.prop_recursive(6, 48, 6, move |inner| {
        prop_oneof![
            prop::collection::vec(inner.clone(), 0..4)
                .prop_map(|all| format!("[{}]", all.join(","))),
            prop::collection::vec((key.clone(), inner), 0..6).prop_map(|members| {
                let members: Vec<String> =
                    members.iter().map(|(key, value)| format!("\"{key}\":{value}")).collect();
                format!("{{{}}}", members.join(","))
            }),
        ]
    })
}

/// A message whose outside is right, so that the inside is reached.
fn framed() -> impl Strategy<Value = Vec<u8>> {
    let question = prop_oneof![
        3 => Just(r#"{"method":"elicitation/create","params":{"message":"m","requestedSchema":{}}}"#.to_owned()),
        1 => replies(),
    ];
    let questions = prop::collection::vec(question, 0..3).prop_map(|all| {
        let all: Vec<String> =
            all.iter().enumerate().map(|(at, question)| format!("\"k{at}\":{question}")).collect();
        format!("{{{}}}", all.join(","))
    });
    let asking = (questions, any::<bool>(), 1..6u64).prop_map(|(questions, state, id)| {
        let state = if state { r#","requestState":"s""# } else { "" };
        let result =
            format!(r#"{{"resultType":"input_required","inputRequests":{questions}{state}}}"#);
        format!(r#"{{"jsonrpc":"2.0","id":{id},"result":{result}}}"#)
    });
    let any_result =
        replies().prop_map(|inside| format!(r#"{{"jsonrpc":"2.0","id":1,"result":{inside}}}"#));
    prop_oneof![
        4 => asking.prop_map(String::into_bytes),
        2 => any_result.prop_map(String::into_bytes),
        2 => replies().prop_map(String::into_bytes),
        1 => prop::collection::vec(any::<u8>(), 0..64),
    ]
}

proptest! {
    /// Whatever a server sends: no panic, no request past the bound, an end that stays the end,
    /// no id twice, a state only where one came.
    #[test]
    fn whatever_comes_back_the_driver_ends(
        replies in prop::collection::vec(framed(), 1..12),
        answered in any::<u8>(),
    ) {
        let mut driver = tool();
        let mut sent = Vec::new();
        let mut came_with_state = false;
        for reply in replies {
            // The ids that a server should echo are not known to the strategy.
            let reply = String::from_utf8(reply).map_or_else(|error| error.into_bytes(), |text| {
                text.replace("\"id\":1,", &format!("\"id\":{},", driver.round())).into_bytes()
            });
            match driver.turn() {
                Turn::Send(message) => {
                    prop_assert!(!sent.contains(&message.id()) || sent.last() == Some(&message.id()));
                    if sent.last() != Some(&message.id()) {
                        sent.push(message.id());
                        let has_state = message.body().contains("\"requestState\":");
                        prop_assert_eq!(has_state, came_with_state);
                    }
                    prop_assert!(Json::parse(message.body()).is_ok());
                    prop_assert!(!message.body().contains('\n'));
                }
                Turn::Ask(_) => {}
                _ => {
                    let before = driver.turn().name();
                    prop_assert!(driver.receive(&reply).is_err());
                    prop_assert_eq!(driver.turn().name(), before);
                    continue;
                }
            }
            if driver.receive(&reply).is_ok() {
                came_with_state = String::from_utf8_lossy(&reply).contains("\"requestState\":\"s\"");
            }
            if let Turn::Ask(questions) = driver.turn() {
                let answers: Vec<(String, Response)> = questions
                    .iter()
                    .enumerate()
                    .filter(|(at, _)| answered >> (at % 8) & 1 == 1)
                    .map(|(_, question)| (question.key().to_owned(), Response::decline()))
                    .collect();
                driver.answer(answers).unwrap();
            }
        }
        prop_assert!(driver.round() <= 4 && sent.len() <= 4);
    }

    /// No bytes make the reading of an HTTP body panic, and no message is longer than the limit.
    #[test]
    fn whatever_body_comes_is_read(
        pieces in prop::collection::vec(
            prop_oneof![
                prop::collection::vec(any::<u8>(), 0..40),
                "(data: ?|event: message|:|\r|\n|\r\n|x){0,12}".prop_map(String::into_bytes),
            ],
            0..12,
        ),
        events in any::<bool>(),
    ) {
        let mut limits = HostLimits::default();
        limits.reply_bytes = 64;
        let kind = if events { "text/event-stream" } else { "application/json" };
        let mut reply = HttpReply::new(200, Some(kind), &limits);
        for piece in pieces {
            match reply.push(&piece) {
                Ok(messages) => prop_assert!(messages.iter().all(|m| m.len() <= 64 + 8)),
                Err(error) => {
                    prop_assert_eq!(error.kind(), ErrorKind::InvalidReply);
                    return Ok(());
                }
            }
        }
        let _ = reply.finish();
    }
}
