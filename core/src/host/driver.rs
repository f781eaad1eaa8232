//! The driver: what to do next, from the first message of a flow to its end.
//!
//! Protocol: mrtr, "Client Requirements (Basic Workflow)".

use super::headers::ParamHeader;
use super::question::Question;
use super::reply::{Content, Expected, Heard, PeerError};
use super::request::{Client, Message, Template};
use super::response::Response;
use super::{broken, refused};
use crate::error::{Error, Result};
use crate::json::{DEFAULT_DEPTH, Json};
use crate::protocol::Capabilities;

/// Bounds on what a server can make a host do.
#[derive(Clone, Debug, PartialEq, Eq)]
#[non_exhaustive]
pub struct HostLimits {
    /// Requests of one flow, the first among them. Default 32.
    pub rounds: u32,
    /// Length of a reply in bytes. Default 16 MiB.
    pub reply_bytes: usize,
    /// Arrays and objects inside one another in a reply. Default 128.
    pub depth: usize,
}

impl Default for HostLimits {
    fn default() -> Self {
        Self { rounds: 32, reply_bytes: 16 << 20, depth: 2 * DEFAULT_DEPTH }
    }
}

/// What a [`Driver`] needs next, or how it ended.
#[derive(Debug)]
pub enum Turn<'d> {
    /// Send this, and give every message that comes back to [`Driver::receive`] until that says
    /// it was the reply.
    Send(&'d Message),
    /// Put these questions, then give all answers to [`Driver::answer`]. There is at least one.
    Ask(&'d [Question]),
    /// The result, an object: the flow is over.
    Done(&'d Json),
    /// The server replied an error: the flow is over.
    Failed(&'d PeerError),
    /// No question of the last round got an answer, so nothing was sent: the flow is over.
    Abandoned,
    /// The last reply broke the protocol: the flow is over.
    Broken(&'d Error),
}

impl Turn<'_> {
    /// `send`, `ask`, `done`, `failed`, `abandoned` or `broken`.
    pub const fn name(&self) -> &'static str {
        match self {
            Self::Send(_) => "send",
            Self::Ask(_) => "ask",
            Self::Done(_) => "done",
            Self::Failed(_) => "failed",
            Self::Abandoned => "abandoned",
            Self::Broken(_) => "broken",
        }
    }
}

/// Drives the rounds of one request. See [`host`](super) for its loop.
///
/// Each round is a request of its own, under an id of its own. The state that a reply brought goes
/// into the next request and no other; a reply with a state and no questions is followed by the
/// next request at once.
#[derive(Clone)]
pub struct Driver {
    template: Template,
    declared: Capabilities,
    limits: HostLimits,
    round: u32,
    next_id: u64,
    at: At,
}

#[derive(Clone)]
enum At {
    Send(Message),
    /// The questions, and the state as the JSON string that it came as.
    Ask(Vec<Question>, Option<String>),
    Done(Json),
    Failed(PeerError),
    Abandoned,
    Broken(Error),
}

/// What an attacker changes of a request.
#[cfg(feature = "testing")]
#[derive(Default)]
pub(crate) struct Forged {
    /// The parameters in place of the real ones, without answers, state and `_meta`.
    pub(crate) params: Option<Json>,
    pub(crate) responses: Vec<(String, Response)>,
    /// A JSON string.
    pub(crate) state: Option<String>,
}

/// What a [`Driver`] is made of.
#[must_use]
pub struct DriverBuilder {
    method: String,
    params: Json,
    info: Option<Json>,
    capabilities: Json,
    http: bool,
    declared: Vec<ParamHeader>,
    first_id: u64,
    limits: HostLimits,
}

impl Driver {
    /// Starts the request of `method` with `params`: an object as the protocol has it for the
    /// method, without `inputResponses`, `requestState` and the fields of `_meta` that every
    /// request has. Those are the driver's to write.
    ///
    /// Any method will do; only tools/call, prompts/get and resources/read can come to questions.
    pub fn builder(method: &str, params: &Json) -> DriverBuilder {
        DriverBuilder {
            method: method.to_owned(),
            params: params.clone(),
            info: None,
            capabilities: Json::empty_object(),
            http: false,
            declared: Vec::new(),
            first_id: 1,
            limits: HostLimits::default(),
        }
    }

    /// What is needed now, or how it ended. Does not change until [`Driver::receive`] or
    /// [`Driver::answer`] moves it on.
    pub fn turn(&self) -> Turn<'_> {
        match &self.at {
            At::Send(message) => Turn::Send(message),
            At::Ask(questions, _) => Turn::Ask(questions),
            At::Done(result) => Turn::Done(result),
            At::Failed(error) => Turn::Failed(error),
            At::Abandoned => Turn::Abandoned,
            At::Broken(error) => Turn::Broken(error),
        }
    }

    /// The limits it was made with.
    pub fn limits(&self) -> &HostLimits {
        &self.limits
    }

    /// Which round this is: how many requests it has written. The first is 1.
    pub fn round(&self) -> u32 {
        self.round
    }

    /// Takes one message of the server's: what came back over HTTP, or one line of stdio.
    ///
    /// # Errors
    /// [`ErrorKind::InvalidReply`](crate::ErrorKind::InvalidReply) where it breaks the protocol;
    /// the flow has ended with it. [`ErrorKind::InvalidArgument`](crate::ErrorKind::InvalidArgument)
    /// where no message was waited for; nothing has changed.
    pub fn receive(&mut self, message: &[u8]) -> Result<Heard> {
        let At::Send(sent) = &self.at else {
            return Err(refused("no reply is waited for: look at what the turn is"));
        };
        let expected = Expected {
            id: sent.id(),
            carries_questions: self.template.kind().is_some(),
            declared: self.declared,
            round: self.round,
            limits: &self.limits,
        };
        self.at = match expected.read(message) {
            Ok(Content::Notification) => return Ok(Heard::Notification),
            Ok(Content::Complete(result)) => At::Done(result),
            Ok(Content::Failed(error)) => At::Failed(error),
            Ok(Content::InputRequired(..)) if self.round >= self.limits.rounds => {
                let why = format!("the flow has had its {} rounds", self.limits.rounds);
                return Err(self.end(broken("/result", "rounds", why)));
            }
            Ok(Content::InputRequired(questions, state)) if questions.is_empty() => {
                self.next(&[], state.as_deref())
            }
            Ok(Content::InputRequired(questions, state)) => At::Ask(questions, state),
            Err(error) => return Err(self.end(error)),
        };
        Ok(Heard::Reply)
    }

    /// Takes the answers to the questions of this round, each under its key, and writes the next
    /// request. A question without an answer, or with [`Response::never`], is left out of it; where
    /// all are, the flow ends as [`Turn::Abandoned`]. (An honest host answers all of them: mrtr,
    /// client requirement 1. Servers must cope with others.)
    ///
    /// # Errors
    /// [`ErrorKind::InvalidArgument`](crate::ErrorKind::InvalidArgument) where nothing was asked,
    /// for a key that was not asked or stands twice, and for a response that is no object; nothing
    /// has changed.
    pub fn answer<K: Into<String>>(
        &mut self,
        answers: impl IntoIterator<Item = (K, Response)>,
    ) -> Result<()> {
        let At::Ask(questions, state) = &self.at else {
            return Err(refused("nothing was asked: look at what the turn is"));
        };
        let mut given: Vec<(String, Response)> = Vec::new();
        for (key, response) in answers {
            let key = key.into();
            if !questions.iter().any(|question| question.key() == key) {
                return Err(refused(format!("no question of this round has the key {key:?}")));
            }
            if given.iter().any(|(other, _)| *other == key) {
                return Err(refused(format!("the question {key:?} is answered twice")));
            }
            if response.json().is_some_and(|json| !json.root().is_object()) {
                return Err(refused(format!("the response to {key:?} is no object")));
            }
            given.push((key, response));
        }
        let state = state.clone();
        self.at = if given.iter().all(|(_, response)| response.json().is_none()) {
            At::Abandoned
        } else {
            self.next(&given, state.as_deref())
        };
        Ok(())
    }

    /// Ends the flow because no reply will come: the server was not reached, or answered with
    /// something that is no message. `why` is for whoever reads the error.
    pub fn give_up(&mut self, why: &str) {
        if matches!(self.at, At::Send(_)) {
            self.end(broken("", "no_reply", why));
        }
    }

    pub(super) fn end(&mut self, error: Error) -> Error {
        self.at = At::Broken(error.clone());
        error
    }

    fn next(&mut self, answers: &[(String, Response)], state: Option<&str>) -> At {
        let message = self.template.write(self.next_id, answers, state);
        self.next_id = self.next_id.saturating_add(1);
        self.round += 1;
        At::Send(message)
    }

    /// The method, where it is one that can carry questions.
    #[cfg(feature = "testing")]
    pub(crate) fn method(&self) -> Option<crate::protocol::Method> {
        self.template.kind()
    }

    /// The parameters as they were given, `_meta` included.
    #[cfg(feature = "testing")]
    pub(crate) fn params(&self) -> &Json {
        self.template.params()
    }

    /// The same request begun anew with what its user forged: other parts, answers and state. For
    /// tests of servers; no honest host does this.
    #[cfg(feature = "testing")]
    pub(crate) fn forge(&self, id: u64, forged: &Forged) -> Result<Self> {
        let mut template = self.template.clone();
        if let Some(params) = &forged.params {
            template.set_params(params)?;
        }
        let first = template.write(id, &forged.responses, forged.state.as_deref());
        let at = At::Send(first);
        Ok(Self { template, round: 1, next_id: id.saturating_add(1), at, ..self.clone() })
    }
}

/// Says where it stands.
impl std::fmt::Debug for Driver {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        write!(f, "Driver({}, round {})", self.turn().name(), self.round)
    }
}

impl DriverBuilder {
    /// Name and version of the host, an `Implementation` object. Hosts should say who they are.
    pub fn client_info(mut self, info: &Json) -> Self {
        self.info = Some(info.clone());
        self
    }

    /// What the host can be asked, a `ClientCapabilities` object; by default nothing. A question
    /// of a kind that is not in it breaks the protocol.
    pub fn capabilities(mut self, capabilities: &Json) -> Self {
        self.capabilities = capabilities.clone();
        self
    }

    /// Whether the messages go over HTTP, where they have headers. By default they do not.
    pub fn http(mut self, http: bool) -> Self {
        self.http = http;
        self
    }

    /// Over HTTP, mirrors the argument at `path` (the keys that lead to it from `arguments`) in
    /// the header `Mcp-Param-{name}`: the tool's schema has `x-mcp-header` there. An argument that
    /// is not given has no header. Holds for tools/call and is passed over elsewhere.
    pub fn param_header<T: Into<String>>(
        mut self,
        name: &str,
        path: impl IntoIterator<Item = T>,
    ) -> Self {
        let path = path.into_iter().map(Into::into).collect();
        self.declared.push(ParamHeader { name: name.to_owned(), path });
        self
    }

    /// The id of the first request; each later one is one more. By default 1. On a channel that
    /// several requests share, give each flow a range of its own, as long as the limit of rounds.
    pub fn first_id(mut self, id: u64) -> Self {
        self.first_id = id;
        self
    }

    /// Limits other than the usual.
    pub fn limits(mut self, limits: HostLimits) -> Self {
        self.limits = limits;
        self
    }

    /// Makes the driver; its turn is the first [`Turn::Send`].
    ///
    /// # Errors
    /// [`ErrorKind::InvalidArgument`](crate::ErrorKind::InvalidArgument) for parts that are not of
    /// their form: a method without its `name` or `uri`, `_meta` fields that are the driver's,
    /// capabilities that cannot be read, an argument that no header can carry, an id past 2^53.
    pub fn build(self) -> Result<Driver> {
        const LARGEST_ID: u64 = 1 << 53;
        if self.first_id > LARGEST_ID - u64::from(u32::MAX) {
            return Err(refused("the first id leaves no room below 2^53"));
        }
        let client = Client {
            info: self.info.as_ref(),
            capabilities: &self.capabilities,
            http: self.http.then_some(self.declared),
        };
        let template = Template::new(&self.method, &self.params, client)?;
        let declared = Capabilities::read(self.capabilities.root())
            .map_err(|error| refused(error.message()))?;
        let first = template.write(self.first_id, &[], None);
        Ok(Driver {
            template,
            declared,
            limits: self.limits,
            round: 1,
            next_id: self.first_id + 1,
            at: At::Send(first),
        })
    }
}
