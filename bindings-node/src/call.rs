//! Calls: a slot that holds one at a time, and what a handler does with it.

use std::cell::{Cell, RefCell};

use mcp_elicit::schema::Messages;
use mcp_elicit::{
    Action, Ask, AskOptions, Call, ElicitRequest, End, Error, ErrorKind, Form, FormOptions, Json,
    Mode, Next, Outcome, Policy, Reply, Result, Source,
};
use napi::Env;
use napi::bindgen_prelude::{Buffer, Either, External, Uint8Array};
use napi_derive::napi;

use crate::answer::{TypeFunction, with_check};
use crate::boundary::enter;
use crate::error::{reply_frame, write_faults};
use crate::store::Operation;

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

/// Empties the slot when work with its call is over that did not put it back: also after a panic.
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

    pub(crate) fn with<T>(&self, work: impl FnOnce(&mut Call) -> Result<T>) -> Result<T> {
        let mut call = self.take()?;
        let _in_use = InUse(self);
        let result = work(&mut call);
        self.state.set(State::Open(call));
        result
    }

    fn is_in_use(&self) -> bool {
        let state = self.state.take();
        let in_use = matches!(state, State::InUse);
        self.state.set(state);
        in_use
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

    /// The frame of an ask's outcome; null while it is pending.
    ///
    /// The first letter tells: `a`ccept, `d`ecline, `c`ancel, `i`nvalid and its faults
    /// as JSON, `u`navailable and the reason, `r` for the answer of a model or of roots. After
    /// accept comes the source (`u`ser, `a`rgument, `d`efault, `g`rant), then the content as JSON,
    /// nothing where there is none.
    fn frame(&self, ask: Ask) -> Option<String> {
        let frame = ask.peek().map(outcome_frame);
        if frame.is_none() {
            self.pending.replace(Some(ask));
        }
        frame
    }

    /// The handler's run is over: the reply, and the slot is free; or what is needed of the store
    /// first, and the slot still holds the call.
    fn settle(
        &self,
        read_early: bool,
        end: impl FnOnce() -> Result<End>,
    ) -> Result<Next<Option<String>>> {
        let mut call = self.take()?;
        let _in_use = InUse(self);
        if let (true, Some(ask)) = (read_early, self.pending.take()) {
            // What JavaScript threw at whoever read it; here only the call is told.
            let _suspend = ask.outcome();
        }
        match call.settle_start(end().unwrap_or_else(End::Failed))? {
            Next::Done(reply) => Ok(Next::Done(reply.as_ref().map(reply_frame))),
            Next::Need(op) => {
                self.state.set(State::Open(call));
                Ok(Next::Need(op))
            }
        }
    }

    /// [`CallSlot::settle`] for ends that need nothing of the store.
    fn settle_at_once(
        &self,
        read_early: bool,
        end: impl FnOnce() -> Result<End>,
    ) -> Result<Option<String>> {
        match self.settle(read_early, end)? {
            Next::Done(reply) => Ok(reply),
            Next::Need(_) => Err(Error::new(ErrorKind::Internal, "this end needs no store")),
        }
    }
}

fn outcome_frame(outcome: &Outcome) -> String {
    let content = || outcome.content().map_or("", Json::text);
    match outcome.action() {
        Action::Accept => {
            let source = outcome.source().map_or("user", Source::name);
            let mut frame = String::with_capacity(content().len() + 2);
            frame.push('a');
            frame.push_str(&source[..1]);
            frame.push_str(content());
            frame
        }
        Action::Answer => format!("r{}", content()),
        Action::Invalid => {
            let mut frame = String::from("i");
            write_faults(&mut frame, outcome.faults());
            frame
        }
        Action::Unavailable => format!("u{}", outcome.reason().unwrap_or_default()),
        action => action.name()[..1].to_owned(),
    }
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
    enter(env, || {
        let _call = slot.take()?;
        let _in_use = InUse(slot);
        Ok(())
    })
}

/// Whether a function is at work with the call: then it is a hook that asks.
#[napi(catch_unwind)]
pub fn call_in_use(env: Env, slot: &External<CallSlot>) -> napi::Result<bool> {
    enter(env, || Ok(slot.is_in_use()))
}

/// A member of the call that is a text: `method`, `target`, `arguments` (JSON), `flowId`,
/// `idempotencyKey`, `protocolVersion`, `clientCapabilities` (JSON) or `clientInfo` (JSON, null where
/// there is none).
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
                "idempotencyKey" => Some(call.idempotency_key()),
                "protocolVersion" => Some(call.protocol_version().to_owned()),
                "clientCapabilities" => Some(call.client_capabilities().raw().to_owned()),
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

/// The options of an ask that are more than on or off.
#[napi(object, object_to_js = false)]
pub struct MoreOptions {
    /// Name of a policy.
    pub unavailable: Option<String>,
    /// Name of a policy.
    pub on_cancel: Option<String>,
    /// Names of fields.
    pub arguments: Option<Vec<String>>,
    /// Texts by key, as JSON.
    pub messages: Option<String>,
}

/// The options of an ask. Those that are on or off are bits: 1 `allowInsecureHttp`,
/// 2 `acceptUnasked`, 4 `humanOnly`, 8 `reaskInvalidOnly`.
fn options(flags: u32, more: Option<MoreOptions>) -> Result<AskOptions> {
    let mut options = AskOptions::new()
        .allow_insecure_http(flags & 1 != 0)
        .accept_unasked(flags & 2 != 0)
        .human_only(flags & 4 != 0)
        .reask_invalid_only(flags & 8 != 0);
    let Some(more) = more else { return Ok(options) };
    let policy = |name: &str| {
        Policy::from_name(name).ok_or_else(|| {
            Error::new(ErrorKind::InvalidArgument, format!("there is no policy {name:?}"))
        })
    };
    if let Some(name) = more.unavailable {
        options = options.unavailable(policy(&name)?);
    }
    if let Some(name) = more.on_cancel {
        options = options.on_cancel(policy(&name)?);
    }
    if let Some(fields) = more.arguments {
        options = options.arguments(fields);
    }
    if let Some(texts) = more.messages {
        options = options.messages(Messages::from_json(&Json::parse(texts)?)?);
    }
    Ok(options)
}

/// Asks with a form, whose answers the type behind it judges too; gives the frame of the outcome.
#[napi(catch_unwind)]
#[allow(clippy::too_many_arguments)]
pub fn elicit_form(
    env: Env,
    slot: &External<CallSlot>,
    key: String,
    message: String,
    form: &External<Form>,
    flags: u32,
    more: Option<MoreOptions>,
    of_type: Option<TypeFunction>,
) -> napi::Result<Option<String>> {
    enter(env, || {
        let options = options(flags, more)?;
        let ask = with_check(of_type.as_ref(), |check| {
            slot.with(|call| match check {
                Some(check) => call.elicit_form_checked(&key, &message, form, &options, check),
                None => call.elicit_form_with(&key, &message, form, &options),
            })
        })?;
        Ok(slot.frame(ask))
    })
}

/// Asks for a visit; gives the frame of the outcome.
#[napi(catch_unwind)]
#[allow(clippy::too_many_arguments)]
pub fn elicit_url(
    env: Env,
    slot: &External<CallSlot>,
    key: String,
    message: String,
    url: String,
    done: bool,
    flags: u32,
    more: Option<MoreOptions>,
) -> napi::Result<Option<String>> {
    enter(env, || {
        let options = options(flags, more)?;
        let ask = slot.with(|call| call.elicit_url_with(&key, &message, &url, done, &options))?;
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
    more: Option<MoreOptions>,
) -> napi::Result<Option<String>> {
    enter(env, || {
        let request = Json::parse(request)?;
        let options = options(flags, more)?;
        let ask = slot.with(|call| {
            let form = FormOptions::new().limits(call.limits().schema());
            let request = ElicitRequest::from_json_with(&request, &form)?;
            call.elicit(&key, &request, done, &options)
        })?;
        Ok(slot.frame(ask))
    })
}

/// Asks for a model's turn with the JSON of its parameters; gives the frame of the outcome.
#[napi(catch_unwind)]
pub fn create_message(
    env: Env,
    slot: &External<CallSlot>,
    key: String,
    params: String,
    flags: u32,
    more: Option<MoreOptions>,
) -> napi::Result<Option<String>> {
    enter(env, || {
        let (params, options) = (Json::parse(params)?, options(flags, more)?);
        let ask = slot.with(|call| call.create_message(&key, &params, &options))?;
        Ok(slot.frame(ask))
    })
}

/// Asks for the roots; gives the frame of the outcome.
#[napi(catch_unwind)]
pub fn list_roots(
    env: Env,
    slot: &External<CallSlot>,
    key: String,
    flags: u32,
    more: Option<MoreOptions>,
) -> napi::Result<Option<String>> {
    enter(env, || {
        let options = options(flags, more)?;
        let ask = slot.with(|call| call.list_roots(&key, &options))?;
        Ok(slot.frame(ask))
    })
}

/// The recorded result of a step as JSON; null where it has not run.
#[napi(catch_unwind)]
pub fn step_result(
    env: Env,
    slot: &External<CallSlot>,
    key: String,
) -> napi::Result<Option<String>> {
    enter(env, || slot.with(|call| recorded(call, &key)))
}

/// Records the result of a step, JSON, which the client may read or not; gives the one that stands.
#[napi(catch_unwind)]
pub fn record_step(
    env: Env,
    slot: &External<CallSlot>,
    key: String,
    result: String,
    readable: bool,
) -> napi::Result<Option<String>> {
    enter(env, || {
        let result = Json::parse(result)?;
        slot.with(|call| {
            if readable {
                call.record_readable_step(&key, &result)?;
            } else {
                call.record_step(&key, &result)?;
            }
            recorded(call, &key)
        })
    })
}

fn recorded(call: &Call, key: &str) -> Result<Option<String>> {
    Ok(call.step_result(key)?.map(|result| result.text().to_owned()))
}

/// The application's own data in the state.
#[napi(catch_unwind)]
pub fn app_data(env: Env, slot: &External<CallSlot>) -> napi::Result<Option<Buffer>> {
    enter(env, || slot.with(|call| Ok(call.app_data().map(Buffer::from))))
}

/// Puts data of the application's own into the state; null takes it out.
#[napi(catch_unwind)]
pub fn set_app_data(
    env: Env,
    slot: &External<CallSlot>,
    data: Option<Uint8Array>,
) -> napi::Result<()> {
    enter(env, || slot.with(|call| call.set_app_data(data.map(|data| data.to_vec()))))
}

/// Replies with the state alone; gives the frame of the reply.
#[napi(catch_unwind)]
pub fn call_retry_later(env: Env, slot: &External<CallSlot>) -> napi::Result<String> {
    finish(env, slot, Call::retry_later)
}

/// For adapters: the handler ends now, and is to run again when the client comes back.
#[napi(catch_unwind)]
pub fn call_end_to_retry(env: Env, slot: &External<CallSlot>) -> napi::Result<()> {
    enter(env, || slot.with(Call::end_to_retry))
}

/// Replies with the open questions; gives the frame of the reply, as the next ones do.
#[napi(catch_unwind)]
pub fn call_suspend(env: Env, slot: &External<CallSlot>) -> napi::Result<String> {
    finish(env, slot, Call::suspend)
}

/// Replies with a result, at once: not where a claim is to be finished first.
#[napi(catch_unwind)]
pub fn call_complete(env: Env, slot: &External<CallSlot>, result: String) -> napi::Result<String> {
    finish(env, slot, |call| {
        if call.has_claim() {
            let message = "this call holds a claim, whose record is to be finished first: \
                           await call.completeAsync(result)";
            return Err(Error::new(ErrorKind::InvalidArgument, message));
        }
        call.complete(&Json::parse(result)?)
    })
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
/// outcome that was pending; the slot is free afterwards; the reply's frame comes back. Where the
/// call holds a claim, what is needed to finish it comes back first, and the slot is not free yet.
#[napi(catch_unwind)]
pub fn settle_result(
    env: Env,
    slot: &External<CallSlot>,
    result: String,
    read_early: bool,
) -> napi::Result<Either<Option<String>, Operation>> {
    enter(env, || match slot.settle(read_early, || Ok(End::Result(Json::parse(result)?)))? {
        Next::Done(reply) => Ok(Either::A(reply)),
        Next::Need(op) => Ok(Either::B(op.into())),
    })
}

/// The suspension reached `run`.
#[napi(catch_unwind)]
pub fn settle_suspended(env: Env, slot: &External<CallSlot>) -> napi::Result<Option<String>> {
    enter(env, || slot.settle_at_once(true, || Ok(End::Suspended)))
}

/// An error of ours reached `run`.
#[napi(catch_unwind)]
pub fn settle_failed(
    env: Env,
    slot: &External<CallSlot>,
    error: &External<Error>,
    read_early: bool,
) -> napi::Result<Option<String>> {
    enter(env, || slot.settle_at_once(read_early, || Ok(End::Failed(Error::clone(error)))))
}

/// Something else was thrown. Null: it should go on its way.
#[napi(catch_unwind)]
pub fn settle_raised(
    env: Env,
    slot: &External<CallSlot>,
    read_early: bool,
) -> napi::Result<Option<String>> {
    enter(env, || slot.settle_at_once(read_early, || Ok(End::Raised)))
}
