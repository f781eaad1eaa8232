//! Flows of a test host, as handles. `lib/testing/*.js` does the I/O around them.
//!
//! Functions of a script stay in JavaScript, which holds them in a list; here each is its place
//! there.

use std::cell::RefCell;

use mcp_elicit::host::{Question, Response};
use mcp_elicit::json::quote_into;
use mcp_elicit::testing::{Answer, Attack, Direction, Flow, FlowEnd, Play, Script, Settings, Step};
use mcp_elicit::{Error, ErrorKind, Json, Result};
use napi::Env;
use napi::bindgen_prelude::{Either, External, Uint8Array};
use napi_derive::napi;

use crate::boundary::enter;

/// One flow while it is played, and afterwards its record.
pub struct PlayCell(RefCell<Play<u32>>);

impl PlayCell {
    fn with<T>(&self, work: impl FnOnce(&mut Play<u32>) -> Result<T>) -> Result<T> {
        match self.0.try_borrow_mut() {
            Ok(mut play) => work(&mut play),
            Err(_) => Err(Error::new(ErrorKind::Internal, "the flow is at work already")),
        }
    }
}

/// What a flow is made of. Answers are frames: `n` for never, `f` and the place of a function,
/// `j` and the JSON of a response.
#[napi(object, object_to_js = false)]
pub struct PlayParts {
    /// The method of the request.
    pub method: String,
    /// JSON of the parameters, without what the host adds.
    pub params: String,
    /// The first id; the flow may use as many as it may have rounds.
    pub first_id: i64,
    /// JSON of an `Implementation`, or `null` for none; not given: the usual.
    pub client_info: Option<String>,
    /// JSON of what the client declares; not given: the usual.
    pub capabilities: Option<String>,
    /// Whether messages have the headers of HTTP.
    pub http: bool,
    /// Name of a header and the keys that lead to its argument.
    pub param_headers: Vec<Vec<String>>,
    /// Whether the flow ends with the first reply.
    pub first_round_only: bool,
    /// How many requests the flow may have; not given: the usual.
    pub rounds: Option<u32>,
    /// Keys and frames of answers, in turn.
    pub answers: Vec<String>,
    /// The frame of the answer to every other question.
    pub otherwise: Option<String>,
}

fn answer(frame: &str) -> Result<Answer<u32>> {
    if let Some(place) = frame.strip_prefix('f') {
        let place = place.parse().map_err(|_| Error::new(ErrorKind::Internal, "no place"))?;
        return Ok(Answer::Function(place));
    }
    response(frame).map(Answer::Response)
}

fn response(frame: &str) -> Result<Response> {
    match frame.strip_prefix('j') {
        Some(json) => Ok(Response::result(&Json::parse(json)?)),
        None => Ok(Response::never()),
    }
}

/// Begins a flow.
#[napi(catch_unwind)]
pub fn play_new(env: Env, parts: PlayParts) -> napi::Result<External<PlayCell>> {
    enter(env, || {
        let mut settings = Settings::default();
        if let Some(info) = parts.client_info {
            settings.client_info = Json::parse(info)?;
        }
        if let Some(capabilities) = parts.capabilities {
            settings.capabilities = Json::parse(capabilities)?;
        }
        settings.http = parts.http;
        settings.first_round_only = parts.first_round_only;
        if let Some(rounds) = parts.rounds {
            settings.limits.rounds = rounds;
        }
        settings.param_headers = parts
            .param_headers
            .into_iter()
            .filter_map(|mut header| (!header.is_empty()).then(|| (header.remove(0), header)))
            .collect();
        let mut script = Script::new();
        for pair in parts.answers.chunks_exact(2) {
            script.add(pair[0].as_str(), answer(&pair[1])?);
        }
        if let Some(frame) = parts.otherwise {
            script.otherwise(answer(&frame)?);
        }
        let first_id = u64::try_from(parts.first_id).unwrap_or_default();
        let params = Json::parse(parts.params)?;
        let play = Play::new(&parts.method, &params, first_id, &settings, script)?;
        Ok(External::new(PlayCell(RefCell::new(play))))
    })
}

/// What is needed, as JSON: `{"send":{"id","body","headers":[[name, value]]}}`,
/// `{"decide":{"place","question"}}`; null where the flow has ended.
#[napi(catch_unwind)]
pub fn play_step(env: Env, play: &External<PlayCell>) -> napi::Result<Option<String>> {
    enter(env, || {
        play.with(|play| {
            Ok(match play.step() {
                Step::Send(message) => {
                    let mut out = format!("{{\"send\":{{\"id\":{},\"body\":", message.id());
                    quote_into(&mut out, message.body());
                    out.push_str(",\"headers\":");
                    write_headers(&mut out, message.headers());
                    out.push_str("}}");
                    Some(out)
                }
                Step::Decide(place, question) => {
                    let question = question.to_json();
                    Some(format!("{{\"decide\":{{\"place\":{place},\"question\":{question}}}}}"))
                }
                Step::Over => None,
            })
        })
    })
}

/// Takes one message; says whether it was the reply.
#[napi(catch_unwind)]
pub fn play_receive(
    env: Env,
    play: &External<PlayCell>,
    message: Either<String, Uint8Array>,
) -> napi::Result<bool> {
    enter(env, || {
        play.with(|play| {
            Ok(match &message {
                Either::A(text) => play.receive(text.as_bytes()),
                Either::B(bytes) => play.receive(bytes),
            })
        })
    })
}

/// An HTTP response begins.
#[napi(catch_unwind)]
pub fn play_begin_response(
    env: Env,
    play: &External<PlayCell>,
    status: u32,
    content_type: Option<String>,
) -> napi::Result<()> {
    enter(env, || {
        play.with(|play| {
            let status = u16::try_from(status).unwrap_or_default();
            play.begin_response(status, content_type.as_deref());
            Ok(())
        })
    })
}

/// Takes a piece of its body; says whether the reply was in it.
#[napi(catch_unwind)]
pub fn play_push(env: Env, play: &External<PlayCell>, piece: Uint8Array) -> napi::Result<bool> {
    enter(env, || play.with(|play| Ok(play.push(&piece))))
}

/// Its body is over.
#[napi(catch_unwind)]
pub fn play_finish(env: Env, play: &External<PlayCell>) -> napi::Result<()> {
    enter(env, || {
        play.with(|play| {
            play.finish();
            Ok(())
        })
    })
}

/// No reply will come.
#[napi(catch_unwind)]
pub fn play_give_up(env: Env, play: &External<PlayCell>, why: String) -> napi::Result<()> {
    enter(env, || {
        play.with(|play| {
            play.give_up(&why);
            Ok(())
        })
    })
}

/// Takes what a function said, as the frame of an answer.
#[napi(catch_unwind)]
pub fn play_decide(env: Env, play: &External<PlayCell>, frame: String) -> napi::Result<()> {
    enter(env, || {
        let response = response(&frame)?;
        play.with(|play| {
            play.decide(response);
            Ok(())
        })
    })
}

/// The record, as JSON: `end`, `rounds`, `isToolError`, `error` where the server replied one,
/// `questions`, `messages` and `transcript`.
#[napi(catch_unwind)]
pub fn play_record(env: Env, play: &External<PlayCell>) -> napi::Result<String> {
    enter(env, || play.with(|play| Ok(record(play.flow()))))
}

/// The JSON of the result; throws why there is none.
#[napi(catch_unwind)]
pub fn play_result(env: Env, play: &External<PlayCell>) -> napi::Result<String> {
    enter(env, || play.with(|play| play.flow().result().map(|result| result.text().to_owned())))
}

/// The text of the result; throws why there is none.
#[napi(catch_unwind)]
pub fn play_text(env: Env, play: &External<PlayCell>) -> napi::Result<String> {
    enter(env, || play.with(|play| play.flow().text()))
}

/// The attacks that need nothing beside the flow: name and, where it has them, the JSON of the
/// arguments, in turn; the empty text for none.
#[napi(catch_unwind)]
pub fn play_usual_attacks(env: Env, play: &External<PlayCell>) -> napi::Result<Vec<String>> {
    enter(env, || {
        play.with(|play| {
            let frame = |attack: Attack| match &attack {
                Attack::OtherArguments(with) => [attack.name().to_owned(), with.text().to_owned()],
                _ => [attack.name().to_owned(), String::new()],
            };
            Ok(Attack::usual(play.flow()).into_iter().flat_map(frame).collect())
        })
    })
}

/// The one round of an attack.
#[napi(catch_unwind)]
pub fn play_attack(
    env: Env,
    play: &External<PlayCell>,
    name: String,
    with: Option<String>,
    id: i64,
) -> napi::Result<External<PlayCell>> {
    enter(env, || {
        let attack = Attack::from_name(&name, with.as_deref())?;
        let id = u64::try_from(id).unwrap_or_default();
        play.with(|play| {
            Ok(External::new(PlayCell(RefCell::new(play.flow().attack(&attack, id)?))))
        })
    })
}

/// Whether the server held against the attack of which this is the round; null where that is
/// left open.
#[napi(catch_unwind)]
pub fn play_held(
    env: Env,
    play: &External<PlayCell>,
    name: String,
    with: Option<String>,
) -> napi::Result<Option<bool>> {
    enter(env, || {
        let attack = Attack::from_name(&name, with.as_deref())?;
        play.with(|play| Ok(attack.held(play.flow())))
    })
}

fn record(flow: &Flow) -> String {
    let mut out = format!(
        "{{\"end\":\"{}\",\"rounds\":{},\"isToolError\":{}",
        flow.end().name(),
        flow.rounds(),
        flow.is_tool_error()
    );
    if let FlowEnd::Error(error) = flow.end() {
        out.push_str(",\"error\":");
        out.push_str(&error.to_json());
    }
    let questions: Vec<String> = flow.questions().iter().map(Question::to_json).collect();
    out.push_str(&format!(",\"questions\":[{}],\"messages\":[", questions.join(",")));
    for (at, message) in flow.messages().iter().enumerate() {
        let sent = message.direction == Direction::Sent;
        out.push_str(if at == 0 { "" } else { "," });
        out.push_str(&format!("{{\"sent\":{sent},\"text\":"));
        quote_into(&mut out, &message.text);
        if let Some(status) = message.status {
            out.push_str(&format!(",\"status\":{status}"));
        }
        out.push_str(",\"headers\":");
        write_headers(&mut out, &message.headers);
        out.push('}');
    }
    out.push_str("],\"transcript\":");
    quote_into(&mut out, &flow.transcript());
    out.push('}');
    out
}

fn write_headers(out: &mut String, headers: &[(String, String)]) {
    out.push('[');
    for (at, (name, value)) in headers.iter().enumerate() {
        out.push_str(if at == 0 { "[" } else { ",[" });
        quote_into(out, name);
        out.push(',');
        quote_into(out, value);
        out.push(']');
    }
    out.push(']');
}
