//! Calls: a slot that holds one at a time, and what a handler does with it.

use std::cell::{Cell, RefCell};

use mcp_elicit::{
    Action, Ask, AskOptions, Call, ElicitRequest, End, Error, ErrorKind, Form, Json, Mode, Outcome,
    Reply, Result, Source,
};
use napi::Env;
use napi::bindgen_prelude::External;
use napi_derive::napi;

use crate::boundary::enter;
use crate::error::{reply_frame, write_faults};

/// A place for one call. JavaScript uses slots again: a handle is dear to make and to collect.
pub struct CallSlot {
    state: Cell<State>,
    /// One of the round's open questions, to tell the call that an outcome was read too early.
    pending: RefCell<Option<Ask>>,
}

#[derive(Default)]
enum State {
    #[default]
    Empty,
    /// A function is at work with the call: a hook must not come back to it.
    InUse,
    Open(Box<Call>),
}

/// Empties the slot when the work with its call ended in a panic.
struct InUse<'s>(&'s CallSlot);

impl Drop for InUse<'_> {
    fn drop(&mut self) {
        if let other @ State::Open(_) = self.0.state.take() {
            self.0.state.set(other);
        }
    }
}

impl CallSlot {
    pub(crate) fn fill(&self, call: Call) -> Result<()> {
        self.pending.take();
        self.state.set(State::Open(Box::new(call)));
        Ok(())
    }

    fn with<T>(&self, work: impl FnOnce(&mut Call) -> Result<T>) -> Result<T> {
        let mut call = self.take()?;
        let _in_use = InUse(self);
        let result = work(&mut call);
        self.state.set(State::Open(call));
        result
    }

    fn take(&self) -> Result<Box<Call>> {
        match self.state.replace(State::InUse) {
            State::Open(call) => Ok(call),
            State::InUse => {
                let message = "a hook cannot use the call that it is called from";
                Err(Error::new(ErrorKind::InvalidArgument, message))
            }
            State::Empty => {
                self.state.set(State::Empty);
                Err(Error::new(ErrorKind::Finished, "the call was finished before"))
            }
        }
    }

    /// The frame of an ask's outcome.
    ///
    /// The first letter tells: `p`ending, `a`ccept, `d`ecline, `c`ancel, `i`nvalid and its faults
    /// as JSON, `u`navailable. After accept comes the source (`u`ser, `a`rgument, `d`efault,
    /// `g`rant), then the content as JSON, nothing where there is none.
    fn frame(&self, ask: Ask) -> String {
        match ask.peek() {
            Some(outcome) => outcome_frame(outcome),
            None => {
                self.pending.replace(Some(ask));
                String::from("p")
            }
        }
    }

    /// The handler's run is over: the reply, and the slot is free.
    fn settle(
        &self,
        read_early: bool,
        end: impl FnOnce() -> Result<End>,
    ) -> Result<Option<String>> {
        let mut call = self.take()?;
        let _in_use = InUse(self);
        if let (true, Some(ask)) = (read_early, self.pending.take()) {
            // What JavaScript threw at whoever read it; here only the call is told.
            let _suspend = ask.outcome();
        }
        Ok(call.settle(end().unwrap_or_else(End::Failed))?.as_ref().map(reply_frame))
    }
}

fn outcome_frame(outcome: &Outcome) -> String {
    let mut frame = String::new();
    frame.push_str(&outcome.action().name()[..1]);
    match outcome.action() {
        Action::Accept => {
            frame.push_str(&outcome.source().map_or("u", Source::name)[..1]);
            if let Some(content) = outcome.content() {
                frame.push_str(content.text());
            }
        }
        Action::Invalid => write_faults(&mut frame, outcome.faults()),
        _ => {}
    }
    frame
}

/// Makes a slot.
#[napi(catch_unwind)]
pub fn call_slot(env: Env) -> napi::Result<External<CallSlot>> {
    enter(env, || {
        Ok(External::new(CallSlot { state: Cell::default(), pending: RefCell::default() }))
    })
}

/// Gives up the call in a slot.
#[napi(catch_unwind)]
pub fn call_close(env: Env, slot: &External<CallSlot>) -> napi::Result<()> {
    enter(env, || slot.take().map(drop))
}

/// A member of the call that is a text: `method`, `target`, `arguments` (JSON), `flowId`, or
/// `clientInfo` (JSON, null where there is none).
#[napi(catch_unwind)]
pub fn call_text(
    env: Env,
    slot: &External<CallSlot>,
    member: String,
) -> napi::Result<Option<String>> {
    enter(env, || {
        slot.with(|call| {
            Ok(match member.as_str() {
                "method" => Some(call.method().name().to_owned()),
                "target" => Some(call.target().to_owned()),
                "arguments" => Some(call.arguments_json().to_owned()),
                "flowId" => Some(call.flow_id().to_owned()),
                "clientInfo" => call.client_info().map(|info| info.raw().to_owned()),
                _ => None,
            })
        })
    })
}

/// Which round of the flow this is.
#[napi(catch_unwind)]
pub fn call_round(env: Env, slot: &External<CallSlot>) -> napi::Result<u32> {
    enter(env, || slot.with(|call| Ok(call.round())))
}

/// Whether the client can show this kind of question; null for a kind that there is not.
#[napi(catch_unwind)]
pub fn call_can_elicit(
    env: Env,
    slot: &External<CallSlot>,
    mode: String,
) -> napi::Result<Option<bool>> {
    enter(env, || {
        slot.with(|call| {
            let modes = [Mode::Form, Mode::Url];
            let known = modes.into_iter().find(|known| known.name() == mode);
            Ok(known.map(|mode| call.can_elicit(mode)))
        })
    })
}

/// Whether a question of this round is open.
#[napi(catch_unwind)]
pub fn call_is_pending(env: Env, slot: &External<CallSlot>) -> napi::Result<bool> {
    enter(env, || slot.with(|call| Ok(call.is_pending())))
}

/// The options of an ask that are on or off, a bit each: 1 `allowInsecureHttp`, 2 `acceptUnasked`.
fn options(flags: u32) -> AskOptions {
    AskOptions::new().allow_insecure_http(flags & 1 != 0).accept_unasked(flags & 2 != 0)
}

/// Asks with a form; gives the frame of the outcome.
#[napi(catch_unwind)]
pub fn elicit_form(
    env: Env,
    slot: &External<CallSlot>,
    key: String,
    message: String,
    form: &External<Form>,
    flags: u32,
) -> napi::Result<String> {
    enter(env, || {
        let ask = slot.with(|call| call.elicit_form_with(&key, &message, form, &options(flags)))?;
        Ok(slot.frame(ask))
    })
}

/// Asks for a visit; gives the frame of the outcome.
#[napi(catch_unwind)]
pub fn elicit_url(
    env: Env,
    slot: &External<CallSlot>,
    key: String,
    message: String,
    url: String,
    done: bool,
    flags: u32,
) -> napi::Result<String> {
    enter(env, || {
        let ask =
            slot.with(|call| call.elicit_url_with(&key, &message, &url, done, &options(flags)))?;
        Ok(slot.frame(ask))
    })
}

/// Asks what the JSON of an `elicitation/create` request says; gives the frame of the outcome.
#[napi(catch_unwind)]
pub fn elicit(
    env: Env,
    slot: &External<CallSlot>,
    key: String,
    request: String,
    done: bool,
    flags: u32,
) -> napi::Result<String> {
    enter(env, || {
        let request = ElicitRequest::from_json(&Json::parse(request)?)?;
        let ask = slot.with(|call| call.elicit(&key, &request, done, &options(flags)))?;
        Ok(slot.frame(ask))
    })
}

/// Replies with the open questions; gives the frame of the reply, as the next ones do.
#[napi(catch_unwind)]
pub fn call_suspend(env: Env, slot: &External<CallSlot>) -> napi::Result<String> {
    finish(env, slot, Call::suspend)
}

/// Replies with a result.
#[napi(catch_unwind)]
pub fn call_complete(env: Env, slot: &External<CallSlot>, result: String) -> napi::Result<String> {
    finish(env, slot, |call| call.complete(&Json::parse(result)?))
}

/// Replies with an error of the application's own.
#[napi(catch_unwind)]
pub fn call_fail(
    env: Env,
    slot: &External<CallSlot>,
    code: i32,
    message: String,
    data: Option<String>,
) -> napi::Result<String> {
    finish(env, slot, |call| {
        let data = data.map(Json::parse).transpose()?;
        call.fail(code, &message, data)
    })
}

fn finish(
    env: Env,
    slot: &CallSlot,
    work: impl FnOnce(&mut Call) -> Result<Reply>,
) -> napi::Result<String> {
    enter(env, || slot.with(work).map(|reply| reply_frame(&reply)))
}

/// The handler returned this result. As with the other ends, `read_early` says that it read an
/// outcome that was pending; the slot is free afterwards; the reply's frame comes back.
#[napi(catch_unwind)]
pub fn settle_result(
    env: Env,
    slot: &External<CallSlot>,
    result: String,
    read_early: bool,
) -> napi::Result<Option<String>> {
    enter(env, || slot.settle(read_early, || Ok(End::Result(Json::parse(result)?))))
}

/// The suspension reached `run`.
#[napi(catch_unwind)]
pub fn settle_suspended(env: Env, slot: &External<CallSlot>) -> napi::Result<Option<String>> {
    enter(env, || slot.settle(true, || Ok(End::Suspended)))
}

/// An error of ours reached `run`.
#[napi(catch_unwind)]
pub fn settle_failed(
    env: Env,
    slot: &External<CallSlot>,
    error: &External<Error>,
    read_early: bool,
) -> napi::Result<Option<String>> {
    enter(env, || slot.settle(read_early, || Ok(End::Failed(Error::clone(error)))))
}

/// Something else was thrown. Null: it should go on its way.
#[napi(catch_unwind)]
pub fn settle_raised(
    env: Env,
    slot: &External<CallSlot>,
    read_early: bool,
) -> napi::Result<Option<String>> {
    enter(env, || slot.settle(read_early, || Ok(End::Raised)))
}
