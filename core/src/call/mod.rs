//! Calls: one round of a multi round-trip request.
//!
//! Owns which question is answered, which is open, what is remembered in the state and what goes
//! out. Opens and seals that state through `seal`, checks questions through `elicit`. Does no I/O.
//! Protocol: basic/patterns/mrtr, "Basic Workflow"; client/elicitation.

mod answering;
mod ask;
mod asking;
mod engine;
mod flow;
mod hooks;
mod judging;
mod pending;
mod policy;
mod reply;
mod run;
mod step;

use std::sync::Arc;

use crate::claim::ClaimState;
use crate::elicit::{read_response, read_result};
use crate::env::{Level, Rng};
use crate::error::{Error, ErrorKind, Result};
use crate::json::{Json, Value, quote_into};
use crate::protocol::{Caller, Method, Mode, Principal, Request};
use crate::seal::{AskKind, Keyring};
use crate::store::Store;

pub use ask::{Ask, Stop, Suspend};
pub use engine::{Engine, EngineBuilder, Limits};
pub use reply::{Reply, ReplyKind};
pub use run::End;

use engine::Shared;
use flow::Flow;
use pending::Asked;
use reply::{write_complete, write_meta, write_tool_error};

/// One client request passing through the engine: one round of a flow.
///
/// Belongs to one thread at a time; may move between threads. Dropping it without a reply loses
/// nothing but the round.
pub struct Call {
    engine: Arc<Shared>,
    request: Request,
    principal: Principal,
    flow: Flow,
    asked: Vec<Asked>,
    finished: bool,
    /// The handler said that it ends with the wish to be run again later.
    waits: bool,
    /// What the module `claim` knows of this call.
    pub(crate) claim: ClaimState,
}

impl Call {
    pub(crate) fn open(engine: Engine, request: Request, caller: &Caller<'_>) -> Result<Self> {
        let engine = engine.0;
        let principal = caller.principal().clone();
        let flow = match Flow::open(&engine, &request, &principal) {
            Ok(flow) => flow,
            Err(error) => return Err(own(&request, error)),
        };
        let call = Self {
            engine,
            request,
            principal,
            flow,
            asked: Vec::new(),
            finished: false,
            waits: false,
            claim: ClaimState::default(),
        };
        call.check_responses().map_err(|error| own(&call.request, error))?;
        Ok(call)
    }

    /// Answers to open questions have the right shape, or no handler runs.
    fn check_responses(&self) -> Result<()> {
        let Some(responses) = self.request.input_responses() else { return Ok(()) };
        for response in responses.entries() {
            let key = response.key();
            let Some(ask) = self.flow.position(&key).and_then(|at| self.flow.ask_at(at)) else {
                continue;
            };
            match ask.kind {
                _ if !ask.state.is_open() => {}
                AskKind::Form | AskKind::Url => drop(read_response(&key, response.value)?),
                kind => read_result(&key, kind == AskKind::Sampling, response.value)?,
            }
        }
        Ok(())
    }

    /// The method of the request.
    pub fn method(&self) -> Method {
        self.request.method()
    }

    /// The name of the tool or prompt, or the URI of the resource.
    pub fn target(&self) -> &str {
        self.request.target()
    }

    /// The arguments as the engine read them: bind and run these, not what another reader made of
    /// the body. None where there are none.
    pub fn arguments(&self) -> Option<Value<'_>> {
        self.request.arguments()
    }

    /// The arguments as JSON; `{}` where there are none.
    pub fn arguments_json(&self) -> &str {
        self.request.arguments().map_or("{}", Value::raw)
    }

    /// The name of the flow: the same in all its rounds, unguessable, no secret. 22 characters of
    /// the base64url alphabet.
    pub fn flow_id(&self) -> &str {
        self.flow.id()
    }

    /// Which round of the flow this is; the first is 1.
    pub fn round(&self) -> u32 {
        self.flow.round()
    }

    /// Who makes the request, as the caller said.
    pub fn principal(&self) -> &Principal {
        &self.principal
    }

    /// What the client says of itself; not verified (basic, "Per-request protocol fields").
    pub fn client_info(&self) -> Option<Value<'_>> {
        self.request.client_info()
    }

    /// The client's capabilities as it sent them, an object.
    pub fn client_capabilities(&self) -> Value<'_> {
        self.request.client_capabilities()
    }

    /// The protocol version of the request.
    pub fn protocol_version(&self) -> &'static str {
        self.request.version()
    }

    /// The limits that the engine was configured with.
    pub fn limits(&self) -> &Limits {
        &self.engine.limits
    }

    /// Whether the client declared that it can show this kind of question.
    pub fn can_elicit(&self, mode: Mode) -> bool {
        self.request.capabilities().elicits(mode)
    }

    /// Whether the call has given its reply: by [`Call::suspend`], [`Call::complete`],
    /// [`Call::fail`] or [`Call::settle`].
    pub fn is_finished(&self) -> bool {
        self.finished
    }

    /// Whether a question of this round is open: the call can then only be suspended.
    pub fn is_pending(&self) -> bool {
        self.asked.iter().any(|asked| asked.pending.is_some())
    }

    /// Replies input_required: the open questions and the sealed state. Where the client lacks a
    /// capability for any of them, the reply is -32021 with everything that it lacks; where an ask
    /// says [`Policy::ToolError`](crate::Policy::ToolError), a result with `isError: true`.
    ///
    /// The call is finished with it.
    ///
    /// # Errors
    /// [`ErrorKind::NothingAsked`] where no question is open; [`ErrorKind::Limit`] where a limit
    /// is met; [`ErrorKind::Internal`] where there is no randomness.
    pub fn suspend(&mut self) -> Result<Reply> {
        let checked = self.check_live().and_then(|()| {
            if self.is_pending() {
                return Ok(());
            }
            let message = "no question is open: there is nothing to wait for";
            Err(Error::new(ErrorKind::NothingAsked, message))
        });
        checked.and_then(|()| self.send_round()).map_err(|error| own(&self.request, error))
    }

    /// Replies input_required with the sealed state alone: the client comes back by itself, and
    /// the handler runs again. For work that goes on elsewhere; clients may come back at once, so
    /// wait a little before. Questions that are open go out with it.
    ///
    /// The call is finished with it.
    ///
    /// # Errors
    /// As [`Call::suspend`], without [`ErrorKind::NothingAsked`].
    pub fn retry_later(&mut self) -> Result<Reply> {
        self.check_live()
            .and_then(|()| self.send_round())
            .map_err(|error| own(&self.request, error))
    }

    fn send_round(&mut self) -> Result<Reply> {
        self.tell_of_claim();
        if let Some(missing) = self.missing_capabilities() {
            self.finished = true;
            return own(&self.request, missing).into_reply();
        }
        if let Some(text) = self.tool_error() {
            self.finished = true;
            let body = write_tool_error(&text, self.engine.server_info.as_deref());
            return Ok(Reply::complete(self.request.id(), &body));
        }
        let asked: Vec<&str> = self.asked.iter().map(|asked| asked.key.as_str()).collect();
        let state = self.flow.seal(&self.engine, &self.request, &self.principal, &asked)?;
        self.finished = true;
        let room = 256 + state.len() + self.asked.iter().map(Asked::room).sum::<usize>();
        let reply = Reply::result(self.request.id(), ReplyKind::InputRequired, room, |out| {
            out.push_str("{\"resultType\":\"input_required\",");
            let mut comma = "\"inputRequests\":{";
            for asked in &self.asked {
                if let Some(pending) = &asked.pending {
                    out.push_str(comma);
                    quote_into(out, &asked.key);
                    out.push(':');
                    pending.write(out);
                    comma = ",";
                }
            }
            out.push_str(if comma == "," {
                "},\"requestState\":\""
            } else {
                "\"requestState\":\""
            });
            out.push_str(&state);
            out.push('"');
            write_meta(out, None, self.engine.server_info.as_deref());
            out.push('}');
        });
        Ok(reply)
    }

    /// Replies with the result, to which `resultType` is added, and `serverInfo` where the engine
    /// was given one. `result` is the JSON of a CallToolResult (with `content`), GetPromptResult
    /// (`messages`) or ReadResourceResult (`contents`). The last gets `ttlMs: 0` and `cacheScope:
    /// "private"` where it says nothing else, and may not be `public` once a person was asked.
    ///
    /// The call is finished with it.
    ///
    /// # Errors
    /// [`ErrorKind::QuestionOpen`] while a question is open; [`ErrorKind::InvalidResult`] where
    /// `result` is no object, has another `resultType` or not the shape of the method.
    pub fn complete(&mut self, result: &Json) -> Result<Reply> {
        self.complete_claimed(result, false)
    }

    /// [`Call::complete`] that also records the result of a claimed effect, so that a client that
    /// lost this reply gets it again. The same as [`Call::complete`] where nothing was claimed.
    ///
    /// # Errors
    /// As [`Call::complete`].
    pub fn complete_and_remember(&mut self, result: &Json) -> Result<Reply> {
        self.complete_claimed(result, true)
    }

    /// That no question is open; `instead` says what to do where one is.
    pub(crate) fn check_answered(&self, instead: &str) -> Result<()> {
        match self.asked.iter().find(|asked| asked.pending.is_some()) {
            None => Ok(()),
            Some(open) => {
                let message = format!("the question {:?} is open: {instead}", open.key);
                Err(Error::new(ErrorKind::QuestionOpen, message))
            }
        }
    }

    /// The reply of [`Call::complete`], claims aside.
    pub(crate) fn complete_reply(&mut self, result: &Json) -> Result<Reply> {
        let written = self.check_live().and_then(|()| {
            self.check_answered("suspend the call")?;
            let server_info = self.engine.server_info.as_deref();
            write_complete(self.method(), result, self.flow.has_asked(), server_info)
        });
        let body = written.map_err(|error| own(&self.request, error))?;
        self.finished = true;
        Ok(Reply::complete(self.request.id(), &body))
    }

    /// Takes [`Call::complete_reply`] back, whose reply did not go out.
    pub(crate) fn reopen(&mut self) {
        self.finished = false;
    }

    /// Replies with an error of the application's own. `message` and `data` go to the peer.
    ///
    /// The call is finished with it.
    ///
    /// # Errors
    /// [`ErrorKind::InvalidResult`] for a code that the protocol keeps for itself (basic, "Error
    /// Codes": -32020 to -32099, -32002, -32042).
    pub fn fail(&mut self, code: i32, message: &str, data: Option<Json>) -> Result<Reply> {
        self.refuse(Error::application(code, message, data))
    }

    /// Replies with an error where the peer must be told of it.
    fn refuse(&mut self, error: Error) -> Result<Reply> {
        self.check_live().map_err(|error| own(&self.request, error))?;
        self.tell_of_claim();
        let error = if error.kind() == ErrorKind::Application && is_reserved(error.code()) {
            let message = format!(
                "the code {} is the protocol's own; use one outside -32768 to -32000",
                error.code()
            );
            Error::new(ErrorKind::InvalidResult, message)
        } else {
            error
        };
        let reply = own(&self.request, error).into_reply()?;
        self.finished = true;
        Ok(reply)
    }

    // What `claim` needs of a call: the engine's part of it.

    pub(crate) fn now_ms(&self) -> u64 {
        self.engine.now_ms()
    }

    pub(crate) fn store(&self) -> Option<&dyn Store> {
        self.engine.store.as_deref()
    }

    pub(crate) fn sealing(&self) -> (&Keyring, &dyn Rng) {
        (&self.engine.keyring, self.engine.rng())
    }

    pub(crate) fn deadline_ms(&self) -> u64 {
        self.flow.deadline_ms()
    }

    /// A name for something of this flow, the same in all its rounds.
    pub(crate) fn name_of_flow(&self, of: &str) -> String {
        self.flow.name_of(of)
    }

    pub(crate) fn own(&self, error: Error) -> Error {
        own(&self.request, error)
    }

    pub(crate) fn check_live(&self) -> Result<()> {
        if self.finished {
            return Err(Error::new(ErrorKind::Finished, "the call was finished before"));
        }
        Ok(())
    }

    fn asks(&self) -> impl Iterator<Item = &Ask> {
        self.asked.iter().map(|asked| &asked.ask)
    }

    pub(crate) fn log(
        &self,
        level: Level,
        name: &'static str,
        reason: &'static str,
        message: &str,
    ) {
        self.engine.log(level, name, reason, message, self.flow_id());
    }
}

/// The error under the id of this request, and bare where the request was.
fn own(request: &Request, error: Error) -> Error {
    let error = error.with_id(request.id());
    if request.is_bare() { error.bare() } else { error }
}

fn is_reserved(code: i32) -> bool {
    matches!(code, -32099..=-32020 | -32002)
}

impl std::fmt::Debug for Call {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        f.debug_struct("Call")
            .field("method", &self.method().name())
            .field("target", &self.target())
            .field("flow_id", &self.flow_id())
            .field("round", &self.round())
            .finish_non_exhaustive()
    }
}
