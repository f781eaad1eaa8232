//! The test host: what a script says, what is recorded, and that its attacks bite.
// The helpers below are tests, too.
#![allow(clippy::unwrap_used, clippy::panic)]

use std::sync::{Arc, Mutex};

use mcp_elicit::host::{Driver, QuestionKind, Response};
use mcp_elicit::testing::{
    Answer, Attack, Direction, FlowEnd, Host, Play, Received, Script, Settings, Step, Tamper,
    TestClock, accept, agree, cancel, decide, decline, never, result,
};
use mcp_elicit::{
    Call, Engine, Error, ErrorKind, Event, Form, Json, Keyring, Principal, Result, Stop,
};

const KEY: &str = "000102030405060708090a0b0c0d0e0f101112131415161718191a1b1c1d1e1f";

fn form() -> Form {
    Form::parse(
        r#"{"type":"object","required":["environment"],"properties":{
            "environment":{"type":"string","enum":["dev","staging","prod"]},
            "notify":{"type":"boolean","default":false}}}"#,
    )
    .unwrap()
}

fn text(words: &str) -> Result<Json, Stop> {
    let words = Json::string(words);
    let block = format!(r#"{{"type":"text","text":{}}}"#, words.text());
    Ok(Json::parse(format!(r#"{{"content":[{block}]}}"#))?)
}

fn deploy(call: &mut Call) -> Result<Json, Stop> {
    let target = call.elicit_form("target", "Which environment?", &form())?;
    let Some(content) = target.outcome()?.content() else {
        return text(&format!("Nothing was deployed ({}).", target.outcome()?.action().name()));
    };
    let environment = content.root().get("environment").unwrap().as_str().unwrap();
    if environment == "prod" {
        let sure = call.elicit_url("sure", "Confirm.", "https://example.com/", call.round() > 3)?;
        sure.outcome()?;
    }
    text(&format!("Deployed to {environment}."))
}

struct Bench {
    engine: Engine,
    clock: TestClock,
    log: Arc<Mutex<Vec<String>>>,
}

fn bench() -> Bench {
    let clock = TestClock::new();
    let log: Arc<Mutex<Vec<String>>> = Arc::default();
    let heard = log.clone();
    let engine = Engine::builder()
        .keys(Keyring::from_text(KEY).unwrap())
        .audience("deployer")
        .clock(clock.clone())
        .log(move |event: &Event<'_>| heard.lock().unwrap().push(event.reason.to_owned()))
        .build()
        .unwrap();
    Bench { engine, clock, log }
}

#[test]
fn one_line_tests_a_tool() {
    let Bench { engine, .. } = bench();
    let dev = || accept(r#"{"environment":"dev"}"#);
    let say =
        |answer: Answer| Host::new(&engine, deploy).answer("target", answer).call("deploy", "{}");
    assert_eq!(say(dev()).text().unwrap(), "Deployed to dev.");
    assert_eq!(say(decline()).text().unwrap(), "Nothing was deployed (decline).");
    assert_eq!(say(cancel()).text().unwrap(), "Nothing was deployed (cancel).");
    assert_eq!(say(accept(serde_json::json!({"environment": "staging"}))).rounds(), 2);
    assert!(matches!(say(never()).end(), FlowEnd::Abandoned));
    assert_eq!(say(result(r#"{"action":"decline"}"#)).end().name(), "complete");
    let by_function = decide(|question| {
        assert_eq!(question.kind(), QuestionKind::Form);
        assert_eq!(question.message(), Some("Which environment?"));
        assert_eq!(question.form().unwrap().fields().len(), 2);
        Response::decline()
    });
    assert_eq!(say(by_function).text().unwrap(), "Nothing was deployed (decline).");
}

/// Several answers under a key are said in turn, and the last one stays.
#[test]
fn answers_under_one_key_are_said_in_turn() {
    let Bench { engine, .. } = bench();
    let mut host = Host::new(&engine, deploy)
        .answer("target", accept(r#"{"environment":"moon"}"#))
        .answer("target", accept(r#"{"environment":"prod"}"#))
        .otherwise(agree());
    for _ in 0..2 {
        let flow = host.call("deploy", "{}");
        assert_eq!(flow.text().unwrap(), "Deployed to prod.");
        let keys: Vec<(&str, u32)> =
            flow.questions().iter().map(|asked| (asked.key(), asked.round())).collect();
        assert_eq!(keys, [("target", 1), ("target", 2), ("sure", 3)]);
        assert_eq!(flow.question("sure").unwrap().url(), Some("https://example.com/"));
        assert!(flow.question("other").is_none());
    }
}

#[test]
fn every_message_is_recorded_in_order_and_ids_never_repeat() {
    let Bench { engine, .. } = bench();
    let mut host = Host::new(&engine, deploy).answer("target", decline()).http(true);
    let mut ids = Vec::new();
    for _ in 0..2 {
        let flow = host.call("deploy", r#"{"app":"web"}"#);
        let ways: Vec<Direction> =
            flow.messages().iter().map(|message| message.direction).collect();
        use Direction::{Received, Sent};
        assert_eq!(ways, [Sent, Received, Sent, Received]);
        assert_eq!(flow.status(), Some(200));
        assert_eq!(flow.reply(), flow.messages()[3].text);
        let names: Vec<&str> =
            flow.messages()[0].headers.iter().map(|(name, _)| name.as_str()).collect();
        assert!(names.contains(&"Mcp-Name"), "{names:?}");
        for message in flow.messages() {
            let message = Json::parse(message.text.as_str()).unwrap();
            ids.push(message.root().get("id").unwrap().raw().to_owned());
        }
        let transcript = flow.transcript();
        let lines: Vec<&str> = transcript.lines().collect();
        assert_eq!(lines.len(), 4);
        assert!(lines[0].starts_with("-> {\"jsonrpc\""), "{transcript}");
        assert!(lines[1].starts_with("<- HTTP 200 {"), "{transcript}");
    }
    assert_eq!(ids, ["1", "1", "2", "2", "3", "3", "4", "4"]);
}

#[test]
fn what_the_client_can_is_what_it_says() {
    let Bench { engine, .. } = bench();
    let mut host = Host::new(&engine, deploy).capabilities("{}");
    let flow = host.call("deploy", "{}");
    assert_eq!(flow.error().unwrap().code(), -32021);
    let error = flow.text().unwrap_err();
    assert_eq!((error.kind(), error.code()), (ErrorKind::Application, -32021));
    assert_eq!(
        error.data().unwrap().text(),
        r#"{"requiredCapabilities":{"elicitation":{"form":{}}}}"#
    );
}

#[test]
fn who_the_client_is() {
    let Bench { engine, .. } = bench();
    let whoami = |call: &mut Call| -> Result<Json, Stop> {
        text(&call.client_info().map_or("nobody".to_owned(), |info| info.compact()))
    };
    let said = Host::new(&engine, whoami).call("x", "{}").text().unwrap();
    assert!(said.starts_with(r#"{"name":"mcp-elicit test host""#), "{said}");
    let mine = r#"{"name":"mine","version":"1"}"#;
    assert_eq!(Host::new(&engine, whoami).client_info(mine).call("x", "{}").text().unwrap(), mine);
    let none = Host::new(&engine, whoami).client_info("null").call("x", "{}");
    assert_eq!(none.text().unwrap(), "nobody");
}

#[test]
fn the_first_round_alone() {
    let Bench { engine, .. } = bench();
    let mut host = Host::new(&engine, deploy).first_round_only();
    let flow = host.call("deploy", "{}");
    assert!(matches!(flow.end(), FlowEnd::FirstRound));
    assert_eq!((flow.rounds(), flow.questions().len()), (1, 1));
    assert!(flow.reply().contains("\"resultType\":\"input_required\""));
    assert_eq!(flow.text().unwrap_err().kind(), ErrorKind::InvalidArgument);
}

/// A test that does not know of a question fails with the question's words.
#[test]
fn an_unexpected_question_fails_the_flow() {
    let Bench { engine, .. } = bench();
    let mut host = Host::new(&engine, deploy).answer("other", decline());
    let flow = host.call("deploy", "{}");
    let error = flow.text().unwrap_err();
    assert_eq!(error.faults()[0].rule, "unscripted");
    assert!(error.message().contains("Which environment?"), "{error}");
    assert_eq!(flow.rounds(), 1);
}

#[test]
fn what_is_no_json_fails_the_flow() {
    let Bench { engine, .. } = bench();
    let mut host = Host::new(&engine, deploy).answer("target", accept("{environment"));
    for flow in [host.call("deploy", "{}"), host.call("deploy", "{"), host.call("deploy", "[")] {
        assert_eq!(flow.text().unwrap_err().kind(), ErrorKind::InvalidArgument);
    }
    let mut host = Host::new(&engine, deploy).capabilities("nothing");
    assert_eq!(host.call("deploy", "{}").text().unwrap_err().kind(), ErrorKind::InvalidArgument);
}

/// The server's own fault is the test's to see, as the error that it is.
#[test]
fn the_handlers_own_fault_reaches_the_test() {
    let Bench { engine, .. } = bench();
    let handler = |call: &mut Call| -> Result<Json, Stop> {
        call.elicit_form("", "", &form())?;
        text("never")
    };
    let error = Host::new(&engine, handler).call("x", "{}").text().unwrap_err();
    assert_eq!(error.kind(), ErrorKind::InvalidAsk);
}

#[test]
fn text_and_result_of_every_method() {
    let Bench { engine, .. } = bench();
    let handler = |call: &mut Call| -> Result<Json, Stop> {
        Ok(Json::parse(match call.target() {
            "tool" => {
                r#"{"content":[{"type":"text","text":"a"},{"type":"image","data":""},
                    {"type":"text","text":"b"}],"isError":true}"#
            }
            "prompt" => r#"{"messages":[{"role":"user","content":{"type":"text","text":"c"}}]}"#,
            _ => r#"{"contents":[{"uri":"file:///x","text":"d"}]}"#,
        })?)
    };
    let mut host = Host::new(&engine, handler);
    let tool = host.call("tool", "{}");
    assert_eq!(tool.text().unwrap(), "a\nb");
    assert!(tool.is_tool_error());
    assert_eq!(host.prompt("prompt", "{}").text().unwrap(), "c");
    let read = host.read("file:///x");
    assert_eq!(read.text().unwrap(), "d");
    assert_eq!(read.result().unwrap().root().get("ttlMs").unwrap().raw(), "0");
}

/// A function that sends the request on: headers, principal, event streams, failures.
#[test]
fn any_callable_is_a_server() {
    let events = "event: message\ndata: {\"jsonrpc\":\"2.0\",\"method\":\"notifications/progress\"}\n\n\
                  data: {\"jsonrpc\":\"2.0\",\"id\":1,\"result\":{\"tools\":[]}}\n\n";
    let mut seen = Vec::new();
    let mut host = Host::callable(|sent| {
        seen.extend(sent.headers().iter().map(|(name, _)| name.clone()));
        assert_eq!(sent.principal().subject(), Some("bob"));
        Ok(Received::http(200, Some("text/event-stream"), events))
    })
    .http(true)
    .header("Authorization", "Bearer x")
    .principal(Principal::new("https://login.example", "bob", "cli").unwrap());
    let flow = host.request("tools/list", "{}");
    assert_eq!(flow.result().unwrap().text(), r#"{"tools":[]}"#);
    assert_eq!(flow.messages().len(), 3);
    drop(host);
    assert!(seen.iter().any(|name| name == "Authorization"));

    let mut down = Host::callable(|_| Err("connection refused".into()));
    let error = down.call("x", "{}").text().unwrap_err();
    assert_eq!((error.kind(), error.faults()[0].rule), (ErrorKind::InvalidReply, "no_reply"));
    assert!(error.message().contains("connection refused"));

    let mut refusing = Host::callable(|_| Ok(Received::http(401, None, ""))).http(true);
    let flow = refusing.call("x", "{}");
    assert_eq!(flow.text().unwrap_err().faults()[0].rule, "http_status");
    assert_eq!(flow.status(), Some(401));

    let mut dumb = Host::callable(|_| Ok("{}".to_owned().into()));
    assert_eq!(dumb.call("x", "{}").text().unwrap_err().kind(), ErrorKind::InvalidReply);
}

#[test]
fn a_flow_without_end_has_one() {
    let Bench { engine, .. } = bench();
    let handler = |_: &mut Call| -> Result<Json, Stop> { Err(Stop::RetryLater) };
    let flow = Host::new(&engine, handler).rounds(5).call("x", "{}");
    assert_eq!(flow.text().unwrap_err().faults()[0].rule, "rounds");
    assert_eq!(flow.rounds(), 5);
}

/// A handler that said that it wants to be run again is run again, however it ends.
#[test]
fn the_wish_to_be_run_again_stands_whatever_the_end_is() {
    let Bench { engine, log, .. } = bench();
    let swallowed = |end: fn() -> Result<Json, Stop>| {
        let handler = move |call: &mut Call| -> Result<Json, Stop> {
            if call.round() == 1 {
                call.end_to_retry()?;
                return end();
            }
            text("done")
        };
        let flow = Host::new(&engine, handler).call("x", "{}");
        assert_eq!((flow.text().unwrap().as_str(), flow.rounds()), ("done", 2));
        std::mem::take(&mut *log.lock().unwrap())
    };
    assert!(swallowed(|| Err(Stop::RetryLater)).is_empty());
    assert!(swallowed(|| Err(Stop::Suspend)).is_empty());
    assert_eq!(swallowed(|| text("early")), ["result"]);
    assert_eq!(swallowed(|| Err(Error::application(4000, "no", None).into())), ["exception"]);
}

/// mrtr, server requirements 4 and 5: our engine stands every attack, and the log hook says why.
#[test]
fn the_engine_stands_every_attack() {
    let Bench { engine, clock, log } = bench();
    let mut host = Host::new(&engine, deploy)
        .answer("target", accept(r#"{"environment":"dev"}"#))
        .other_target("destroy")
        .clock(&clock);
    let flow = host.call("deploy", r#"{"app":"web"}"#);
    log.lock().unwrap().clear();
    let attacked = host.attack_all(&flow).unwrap();
    let names: Vec<&str> = attacked.iter().map(|attacked| attacked.attack.name()).collect();
    assert_eq!(
        names,
        [
            "tamper_first",
            "tamper_middle",
            "tamper_last",
            "tamper_cut",
            "tamper_appended",
            "tamper_padded",
            "tamper_spaced",
            "tamper_doubled",
            "tamper_emptied",
            "unasked",
            "other_arguments",
            "other_target",
            "other_principal",
            "expired",
        ]
    );
    for attacked in &attacked {
        assert!(attacked.held(), "{attacked}\n{}", attacked.flow.transcript());
        if attacked.attack.name() != "unasked" {
            assert_eq!(attacked.flow.error().unwrap().message(), "Invalid or expired requestState");
        }
    }
    let reasons = log.lock().unwrap();
    for reason in ["malformed", "forged", "other_request", "other_principal", "deadline_passed"] {
        assert!(reasons.iter().any(|heard| heard == reason), "{reason}: {reasons:?}");
    }
    drop(reasons);
    // The clock stands where it stood: the flow can still be played.
    let replayed = host.attack(&flow, &Attack::Replay).unwrap();
    assert_eq!(replayed.text().unwrap(), "Deployed to dev.");
    assert_eq!(Attack::Replay.held(&replayed), None);
}

/// A server that believes its client: every attack that it should stand is seen to bite.
#[test]
fn a_server_that_trusts_its_client_is_found_out() {
    let mut host = Host::callable(|sent| {
        let request = Json::parse_bytes(sent.body(), 64)?;
        let params = request.root().get("params").unwrap();
        let id = request.root().get("id").unwrap().raw();
        let result = if params.get("inputResponses").is_some() {
            r#"{"resultType":"complete","content":[{"type":"text","text":"Done."}]}"#
        } else {
            r#"{"resultType":"input_required","requestState":"plain","inputRequests":{"target":
                {"method":"elicitation/create","params":{"message":"Which?","requestedSchema":{
                "type":"object","properties":{}}}}}}"#
        };
        Ok(format!(r#"{{"jsonrpc":"2.0","id":{id},"result":{result}}}"#).into())
    })
    .answer("target", agree())
    .other_principal(Principal::none())
    .other_target("destroy");
    let flow = host.call("deploy", "{}");
    assert_eq!(flow.text().unwrap(), "Done.");
    let attacked = host.attack_all(&flow).unwrap();
    assert_eq!(attacked.len(), 13);
    for attacked in attacked {
        assert!(!attacked.held(), "{attacked}");
    }
}

/// The forged requests, byte for byte where it matters.
#[test]
fn attacks_change_what_they_say_and_nothing_else() {
    let Bench { engine, .. } = bench();
    let mut host =
        Host::new(&engine, deploy).http(true).answer("target", accept(r#"{"environment":"dev"}"#));
    let flow = host.call("deploy", r#"{"app":"web"}"#);
    let state = |text: &str| {
        let params = Json::parse(text).unwrap().root().get("params").unwrap().to_json();
        let state = params.root().get("requestState").and_then(|state| state.as_str());
        let state = state.map(|state| state.into_owned());
        (params, state)
    };
    let (honest, real) = state(&flow.messages()[2].text);
    let real = real.unwrap();
    let expected = |how| match how {
        Tamper::Cut => real[..real.len() - 1].to_owned(),
        Tamper::Appended => format!("{real}A"),
        Tamper::Padded => format!("{real}="),
        Tamper::Spaced => format!("{real} "),
        Tamper::Doubled => format!("{real}{real}"),
        Tamper::Emptied => String::new(),
        _ => real.clone(),
    };
    for how in Tamper::ALL {
        let attacked = host.attack(&flow, &Attack::Tamper(how)).unwrap();
        let (params, sent) = state(&attacked.messages()[0].text);
        let sent = sent.unwrap();
        assert_ne!(sent, real);
        match how {
            Tamper::First | Tamper::Middle | Tamper::Last => {
                let differ = sent.bytes().zip(real.bytes()).filter(|(a, b)| a != b).count();
                assert_eq!((differ, sent.len()), (1, real.len()));
            }
            _ => assert_eq!(sent, expected(how)),
        }
        for member in ["name", "arguments", "inputResponses", "_meta"] {
            let of = |params: &Json| params.root().get(member).unwrap().compact();
            assert_eq!(of(&params), of(&honest));
        }
    }
    let moved = host.attack(&flow, &Attack::OtherTarget("other tool ü".to_owned())).unwrap();
    let (params, sent) = state(&moved.messages()[0].text);
    assert_eq!(sent.as_ref(), Some(&real));
    assert_eq!(params.root().get("name").unwrap().as_str().unwrap(), "other tool ü");
    let name = moved.messages()[0].headers.iter().find(|(name, _)| name == "Mcp-Name");
    assert_eq!(name.unwrap().1, "=?base64?b3RoZXIgdG9vbCDDvA==?=");
    let other = Attack::OtherArguments(Json::parse(r#"{"app":"db"}"#).unwrap());
    let (params, _) = state(&host.attack(&flow, &other).unwrap().messages()[0].text);
    assert_eq!(params.root().get("arguments").unwrap().compact(), r#"{"app":"db"}"#);
    let (params, sent) = state(&host.attack(&flow, &Attack::Unasked).unwrap().messages()[0].text);
    assert_eq!(sent, None);
    assert_eq!(
        params.root().get("inputResponses").unwrap().compact(),
        r#"{"target":{"action":"accept","content":{"environment":"dev"}}}"#
    );
}

#[test]
fn attacks_that_a_flow_or_a_host_has_not_the_means_for_say_so() {
    let Bench { engine, .. } = bench();
    let kind = |result: Result<_>| result.err().map(|error| error.kind());
    let refused = Some(ErrorKind::InvalidArgument);
    let mut plain = Host::new(&engine, |_: &mut Call| text("Done."));
    let flow = plain.call("x", "{}");
    assert_eq!(kind(plain.attack(&flow, &Attack::Replay)), refused);
    assert_eq!(kind(plain.attack(&flow, &Attack::Unasked)), refused);
    let broken = plain.call("x", "[");
    assert_eq!(kind(plain.attack(&broken, &Attack::Replay)), refused);
    let mut asking = Host::new(&engine, deploy).first_round_only();
    let flow = asking.call("x", "{}");
    assert_eq!(kind(asking.attack(&flow, &Attack::Expired)), refused);
    // The state of a flow that stopped after its first round will do.
    let cut = asking.attack(&flow, &Attack::Tamper(Tamper::Cut)).unwrap();
    assert_eq!(cut.error().unwrap().code(), -32602);
    let resource = asking.read("file:///x");
    let arguments = Attack::OtherArguments(Json::parse("{}").unwrap());
    assert_eq!(kind(asking.attack(&resource, &arguments)), refused);
}

#[test]
fn attacks_have_names() {
    let Bench { engine, .. } = bench();
    let mut host = Host::new(&engine, deploy).answer("target", decline());
    let flow = host.call("deploy", "{}");
    for attack in Attack::usual(&flow) {
        let with = match &attack {
            Attack::OtherArguments(arguments) => Some(arguments.text().to_owned()),
            _ => None,
        };
        assert_eq!(
            Attack::from_name(attack.name(), with.as_deref()).unwrap().name(),
            attack.name()
        );
    }
    for (name, with) in [
        ("nothing", None),
        ("other_target", None),
        ("other_arguments", Some("{")),
        ("replay", Some("x")),
    ] {
        assert_eq!(Attack::from_name(name, with).unwrap_err().kind(), ErrorKind::InvalidArgument);
    }
}

/// What the bindings do: a play whose functions are held by number.
#[test]
fn a_play_can_be_driven_by_hand() {
    let Bench { engine, .. } = bench();
    let mut script: Script<usize> = Script::new();
    script.add("target", Answer::Function(7));
    let params = Json::parse(r#"{"name":"deploy"}"#).unwrap();
    let settings = Settings::default();
    let mut play = Play::new("tools/call", &params, 5, &settings, script).unwrap();
    let mut decided = 0;
    loop {
        match play.step() {
            Step::Send(message) => {
                let caller = mcp_elicit::Caller::new(Principal::single_user());
                let reply = engine.run(message.body(), &caller, deploy).unwrap();
                play.begin_response(reply.status(), Some("application/json"));
                for piece in reply.body().as_bytes().chunks(7) {
                    assert!(!play.push(piece));
                }
                play.finish();
            }
            Step::Decide(function, question) => {
                assert_eq!((*function, question.key()), (7, "target"));
                decided += 1;
                play.decide(Response::decline());
            }
            Step::Over => break,
        }
    }
    assert_eq!(decided, 1);
    assert_eq!(play.flow().text().unwrap(), "Nothing was deployed (decline).");
    // It is over: nothing moves it any more.
    play.fail(Error::new(ErrorKind::Internal, "late"));
    play.decide(Response::decline());
    assert!(play.receive(b"late"));
    assert!(play.into_flow().is_complete());
}

/// A flow that is recorded can be shown in an assertion without giving its content away.
#[test]
fn debug_does_not_show_the_content() {
    let Bench { engine, .. } = bench();
    let flow = Host::new(&engine, deploy)
        .answer("target", accept(r#"{"environment":"dev"}"#))
        .call("deploy", "{}");
    let said = format!("{flow:?} {:?}", accept(r#"{"environment":"dev"}"#));
    assert!(!said.contains("dev"), "{said}");
    let _: fn(&str, &Json) -> mcp_elicit::host::DriverBuilder = Driver::builder;
}
