//! Whole flows, from `tests/vectors/flows.json`: the same that C, Python and Node run.
//!
//! Each vector names the rule that it proves. `UPDATE_VECTORS=1` writes what came out into the
//! file; read the difference before committing it.
#![allow(
    clippy::unwrap_used,
    clippy::expect_used,
    clippy::panic,
    clippy::print_stderr,
    reason = "a test that fails says so"
)]

use std::collections::HashMap;
use std::sync::atomic::{AtomicU64, Ordering};
use std::sync::{Arc, Mutex};

use mcp_elicit::schema::Messages;
use mcp_elicit::{
    Ask, AskOptions, Call, Caller, End, Engine, Error, ErrorKind, Event, Form, Json, Keyring,
    Limits, Policy, Principal, Reply, Result, Rng, Stop,
};
use serde_json::{Map, Value, json};

const FILE: &str = concat!(env!("CARGO_MANIFEST_DIR"), "/../tests/vectors/flows.json");

/// Successive bytes 0, 1, 2, ... 255, 0, ...
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

struct World {
    now: Arc<AtomicU64>,
    log: Arc<Mutex<Vec<Value>>>,
}

impl World {
    fn engine(&self, config: &Value, flow: &Value, audience: Option<&str>) -> Engine {
        let keys: Vec<&str> =
            config["keys"].as_array().unwrap().iter().map(|key| key.as_str().unwrap()).collect();
        let (now, log) = (self.now.clone(), self.log.clone());
        let mut builder = Engine::builder()
            .keys(Keyring::from_text(&keys.join(",")).unwrap())
            .audience(audience.unwrap_or(config["audience"].as_str().unwrap()))
            .limits(limits(&flow["limits"]))
            .rng(Counter::default())
            .clock(move || now.load(Ordering::Relaxed))
            .log(move |event: &Event<'_>| {
                log.lock().unwrap().push(json!([event.name, event.reason]));
            });
        if let Some(info) = flow["server_info"].as_object() {
            builder = builder
                .server_info(info["name"].as_str().unwrap(), info["version"].as_str().unwrap());
        }
        builder.build().unwrap()
    }
}

fn limits(given: &Value) -> Limits {
    let mut limits = Limits::default();
    for (name, value) in given.as_object().into_iter().flatten() {
        let value = value.as_u64().unwrap();
        match name.as_str() {
            "question_rounds" => limits.question_rounds = value as u16,
            "token_bytes" => limits.token_bytes = value as usize,
            other => panic!("limit {other}"),
        }
    }
    limits
}

fn principal(value: &Value) -> Principal {
    match value {
        Value::String(kind) if kind == "none" => Principal::none(),
        Value::String(_) => Principal::single_user(),
        parts => {
            let part = |at: usize| parts[at].as_str().unwrap();
            Principal::new(part(0), part(1), part(2)).unwrap()
        }
    }
}

fn options(given: &Value) -> AskOptions {
    let mut options = AskOptions::new();
    for (name, value) in given.as_object().into_iter().flatten() {
        let flag = value.as_bool() == Some(true);
        let policy = || Policy::from_name(value.as_str().unwrap()).unwrap();
        options = match name.as_str() {
            "allow_insecure_http" => options.allow_insecure_http(flag),
            "accept_unasked" => options.accept_unasked(flag),
            "human_only" => options.human_only(flag),
            "reask_invalid_only" => options.reask_invalid_only(flag),
            "unavailable" => options.unavailable(policy()),
            "on_cancel" => options.on_cancel(policy()),
            "arguments" => options
                .arguments(value.as_array().unwrap().iter().map(|name| name.as_str().unwrap())),
            "messages" => options
                .messages(Messages::from_json(&Json::parse(value.to_string()).unwrap()).unwrap()),
            other => panic!("option {other}"),
        };
    }
    options
}

/// Plays the handler that a vector describes.
fn play(call: &mut Call, handler: &[Value]) -> Result<Json, Stop> {
    let mut asks: HashMap<String, Ask> = HashMap::new();
    let mut steps: HashMap<String, Json> = HashMap::new();
    let round = call.round();
    for step in handler {
        let (op, given) = step.as_object().unwrap().iter().next().unwrap();
        let text = |name: &str| given[name].as_str().unwrap();
        match op.as_str() {
            "form" => {
                let form = Form::parse(&given["schema"].to_string())?;
                let options = options(&given["options"]);
                let ask = call.elicit_form_with(text("key"), text("message"), &form, &options)?;
                asks.insert(text("key").to_owned(), ask);
            }
            "url" => {
                let url = text("url").replace("{flow_id}", call.flow_id());
                let (done, options) =
                    (given["done"].as_bool().unwrap(), options(&given["options"]));
                let ask =
                    call.elicit_url_with(text("key"), text("message"), &url, done, &options)?;
                asks.insert(text("key").to_owned(), ask);
            }
            "sampling" => {
                let params = Json::parse(given["params"].to_string())?;
                let ask = call.create_message(text("key"), &params, &options(&given["options"]))?;
                asks.insert(text("key").to_owned(), ask);
            }
            "roots" => {
                let ask = call.list_roots(text("key"), &options(&given["options"]))?;
                asks.insert(text("key").to_owned(), ask);
            }
            "step" => {
                let result = given["result"].to_string().replace("\"$ROUND\"", &round.to_string());
                let result = call.step(text("key"), || Ok::<_, Error>(Json::parse(result)?))?;
                steps.insert(text("key").to_owned(), result);
            }
            "data" => {
                let data = given.as_str().unwrap().replace("$ROUND", &round.to_string());
                call.set_app_data(Some(data.into_bytes()))?;
            }
            "later_until" => {
                if u64::from(round) < given.as_u64().unwrap() {
                    return Err(Stop::RetryLater);
                }
            }
            "read" => drop(asks[given.as_str().unwrap()].outcome()?),
            "swallow" => assert!(asks[given.as_str().unwrap()].outcome().is_err()),
            "report" => {
                let mut report = Map::new();
                for key in given.as_array().unwrap() {
                    let key = key.as_str().unwrap();
                    let said = if key == "$DATA" {
                        call.app_data().map(|data| String::from_utf8(data.to_vec()).unwrap()).into()
                    } else if let Some(step) = steps.get(key) {
                        serde_json::from_str(step.text()).unwrap()
                    } else {
                        describe(&asks[key])?
                    };
                    report.insert(key.to_owned(), said);
                }
                let result = json!({"content": [], "structuredContent": report});
                return Ok(Json::parse(result.to_string())?);
            }
            "complete" => return Ok(Json::parse(given.to_string())?),
            "fail" => {
                let data = given.get("data").map(|data| Json::parse(data.to_string()).unwrap());
                let code = given["code"].as_i64().unwrap() as i32;
                return Err(Error::application(code, text("message"), data).into());
            }
            other => panic!("op {other}"),
        }
    }
    panic!("a handler ends with a result")
}

fn describe(ask: &Ask) -> Result<Value, Stop> {
    let outcome = ask.outcome()?;
    let mut said = Map::new();
    said.insert("action".into(), outcome.action().name().into());
    if let Some(source) = outcome.source() {
        said.insert("source".into(), source.name().into());
    }
    if let Some(content) = outcome.content() {
        said.insert("content".into(), serde_json::from_str(content.text()).unwrap());
    }
    if let Some(reason) = outcome.reason() {
        said.insert("reason".into(), reason.into());
    }
    if !outcome.faults().is_empty() {
        let faults = outcome.faults().iter().map(|fault| json!([fault.path, fault.rule])).collect();
        said.insert("faults".into(), faults);
    }
    Ok(said.into())
}

fn run(
    engine: &Engine,
    params_only: bool,
    text: &str,
    caller: &Caller<'_>,
    handler: &[Value],
) -> Result<Reply> {
    if !params_only {
        return engine.run(text, caller, |call| play(call, handler));
    }
    let request: Value = serde_json::from_str(text).unwrap();
    let params = request["params"].to_string();
    let opened = engine.open_params(request["method"].as_str().unwrap(), params.as_bytes(), caller);
    let mut call = match opened {
        Ok(call) => call,
        Err(error) => return error.into_reply(),
    };
    let end = End::from(play(&mut call, handler));
    Ok(call.settle(end)?.expect("no exception was raised"))
}

fn with_state(text: String, state: Option<&str>) -> String {
    let Some(state) = state else { return text };
    let middle = state.len() / 2;
    let other = if &state[middle..=middle] == "A" { "B" } else { "A" };
    let flipped = format!("{}{other}{}", &state[..middle], &state[middle + 1..]);
    text.replace("$STATE_FLIPPED", &flipped)
        .replace("$STATE_APPENDED", &format!("{state}A"))
        .replace("$STATE_CUT", &state[..state.len() - 1])
        .replace("$STATE", state)
}

fn play_flow(config: &Value, flow: &Value) -> Vec<Value> {
    let now = config["now_ms"].as_u64().unwrap();
    let world = World { now: Arc::new(AtomicU64::new(now)), log: Arc::default() };
    let engine = world.engine(config, flow, None);
    let mut state: Option<String> = None;
    let mut seen = Vec::new();
    for round in flow["rounds"].as_array().unwrap() {
        let advance = round["advance_ms"].as_i64().unwrap_or(0);
        world.now.fetch_add(advance as u64, Ordering::Relaxed);
        let text = match &round["request"] {
            Value::String(text) => text.clone(),
            request => request.to_string(),
        };
        let text = with_state(text, state.as_deref());
        let other = round["audience"].as_str().map(|name| world.engine(config, flow, Some(name)));
        let engine = other.as_ref().unwrap_or(&engine);
        let caller = Caller::new(principal(&round["principal"]));
        let handler = round.get("handler").unwrap_or(&flow["handler"]).as_array().unwrap();
        let params_only = flow["params_only"].as_bool().unwrap_or(false);
        let mut expect = match run(engine, params_only, &text, &caller, handler) {
            Err(error) => json!({"raises": error.kind().name()}),
            Ok(reply) => {
                assert!(!reply.body().contains('\n'), "no raw newline in {}", reply.body());
                let body: Value = serde_json::from_str(reply.body()).unwrap();
                let result = if params_only { &body } else { &body["result"] };
                if let Some(token) = result["requestState"].as_str() {
                    state = Some(token.to_owned());
                }
                json!({"status": reply.status(), "body": body})
            }
        };
        let log = std::mem::take(&mut *world.log.lock().unwrap());
        if !log.is_empty() {
            expect["log"] = log.into();
        }
        seen.push(expect);
    }
    seen
}

/// Every vector comes out as it is written down, byte for byte where the bytes are ours.
#[test]
fn flows_come_out_as_written() {
    let mut vectors: Value = serde_json::from_str(&std::fs::read_to_string(FILE).unwrap()).unwrap();
    let config = vectors["engine"].clone();
    let update = std::env::var_os("UPDATE_VECTORS").is_some();
    let mut failures = 0;
    let flows = vectors["flows"].as_array_mut().unwrap();
    assert!(flows.len() > 60, "the file holds {} flows", flows.len());
    for flow in flows {
        let seen = play_flow(&config, flow);
        for (at, seen) in seen.into_iter().enumerate() {
            if update {
                flow["rounds"][at]["expect"] = seen;
            } else if flow["rounds"][at]["expect"] != seen {
                failures += 1;
                let expected = &flow["rounds"][at]["expect"];
                eprintln!("{} (round {}):", flow["name"], at + 1);
                eprintln!("  expected {expected}\n  came out {seen}");
            }
        }
    }
    if update {
        let text = format!("{}\n", serde_json::to_string_pretty(&vectors).unwrap());
        std::fs::write(FILE, text).unwrap();
    }
    assert_eq!(failures, 0);
}

/// The same flow, twice: clock, random source and keys decide every byte.
#[test]
fn flows_are_reproducible() {
    let vectors: Value = serde_json::from_str(&std::fs::read_to_string(FILE).unwrap()).unwrap();
    let flow = &vectors["flows"][0];
    assert_eq!(play_flow(&vectors["engine"], flow), play_flow(&vectors["engine"], flow));
}

/// Every kind of error has its own name and number, for ever.
#[test]
fn error_kinds_are_told_apart() {
    let mut numbers: Vec<u32> = ErrorKind::ALL.iter().map(|kind| kind.number()).collect();
    let mut names: Vec<&str> = ErrorKind::ALL.iter().map(|kind| kind.name()).collect();
    numbers.sort_unstable();
    names.sort_unstable();
    numbers.dedup();
    names.dedup();
    assert_eq!((numbers.len(), names.len()), (ErrorKind::ALL.len(), ErrorKind::ALL.len()));
}
