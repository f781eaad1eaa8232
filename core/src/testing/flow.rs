//! Flows that were played: what crossed the wire, what was asked, how it ended.

use super::attack::Attack;
use super::play::Play;
use crate::error::{Error, ErrorKind, Result};
use crate::host::{Driver, PeerError, Question, broken};
use crate::json::{Json, Value};

/// How a flow ended.
#[derive(Clone, Debug)]
#[non_exhaustive]
pub enum FlowEnd {
    /// It has not.
    Running,
    /// With a result.
    Complete(Json),
    /// With an error that the server replied.
    Error(PeerError),
    /// The person never answered.
    Abandoned,
    /// The first reply asked for more, and no more than that was wanted.
    FirstRound,
    /// It could not go on: the server broke the protocol ([`ErrorKind::InvalidReply`]), asked what
    /// the test has no answer to, or the handler is at fault.
    Failed(Error),
}

impl FlowEnd {
    /// `running`, `complete`, `error`, `abandoned`, `first_round` or `failed`.
    pub const fn name(&self) -> &'static str {
        match self {
            Self::Running => "running",
            Self::Complete(_) => "complete",
            Self::Error(_) => "error",
            Self::Abandoned => "abandoned",
            Self::FirstRound => "first_round",
            Self::Failed(_) => "failed",
        }
    }
}

/// Which way a message went.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub enum Direction {
    /// From the host to the server.
    Sent,
    /// From the server to the host.
    Received,
}

/// One message that crossed the wire.
#[derive(Clone, Debug, PartialEq, Eq)]
#[non_exhaustive]
pub struct Recorded {
    /// Which way it went.
    pub direction: Direction,
    /// The message as it was. Bytes that are not UTF-8 are shown as U+FFFD. Empty for an HTTP
    /// response without a message.
    pub text: String,
    /// The HTTP status of a reply that came over HTTP.
    pub status: Option<u16>,
    /// The headers that the protocol wants of a request over HTTP.
    pub headers: Vec<(String, String)>,
}

/// A flow that was played, whole or in part.
#[derive(Clone)]
pub struct Flow {
    /// The driver as it began; none where it could not.
    pub(super) origin: Option<Driver>,
    pub(super) messages: Vec<Recorded>,
    pub(super) questions: Vec<Question>,
    pub(super) end: FlowEnd,
}

impl Flow {
    pub(super) fn new(origin: Driver) -> Self {
        let (messages, questions) = (Vec::new(), Vec::new());
        Self { origin: Some(origin), messages, questions, end: FlowEnd::Running }
    }

    /// A flow that could not begin.
    pub(super) fn failed(error: Error) -> Self {
        let (messages, questions) = (Vec::new(), Vec::new());
        Self { origin: None, messages, questions, end: FlowEnd::Failed(error) }
    }

    /// How it ended.
    pub fn end(&self) -> &FlowEnd {
        &self.end
    }

    /// Whether it ended with a result.
    pub fn is_complete(&self) -> bool {
        matches!(self.end, FlowEnd::Complete(_))
    }

    /// The result.
    ///
    /// # Errors
    /// Why there is none: the server's error as one of kind [`ErrorKind::Application`] with its
    /// code and data; [`ErrorKind::InvalidArgument`] where the person never answered or only the
    /// first round was wanted; what the flow failed with.
    pub fn result(&self) -> Result<&Json> {
        match &self.end {
            FlowEnd::Complete(result) => Ok(result),
            FlowEnd::Error(error) => {
                let code = i32::try_from(error.code()).unwrap_or(i32::MIN);
                let message = format!("the server replied an error: {error}");
                Err(Error::application(code, message, error.data().cloned()))
            }
            FlowEnd::Failed(error) => Err(error.clone()),
            FlowEnd::Abandoned => Err(self.unfinished("the person never answered")),
            FlowEnd::FirstRound => Err(self.unfinished("only the first round was played")),
            FlowEnd::Running => Err(self.unfinished("the flow has not ended")),
        }
    }

    fn unfinished(&self, why: &str) -> Error {
        let asked: Vec<String> =
            self.questions.iter().map(|question| format!("{:?}", question.key())).collect();
        let message = format!("there is no result: {why} (asked: {})", asked.join(", "));
        Error::new(ErrorKind::InvalidArgument, message)
    }

    /// The text of the result: the text blocks of a tool's content, of a prompt's messages or of a
    /// resource's contents, joined by newlines.
    ///
    /// # Errors
    /// As [`Flow::result`]; [`ErrorKind::InvalidReply`] where the result has not the shape of its
    /// method.
    pub fn text(&self) -> Result<String> {
        let result = self.result()?.root();
        let member = ["content", "messages", "contents"].into_iter().find_map(|member| {
            let value = result.get(member)?;
            value.is_array().then_some((member, value))
        });
        let Some((member, blocks)) = member else {
            let why = "the result has no content (prompts: messages, resources: contents)";
            return Err(broken("/result", "required", why));
        };
        let text_of = |block: Value<'_>| -> Option<String> {
            let block = if member == "messages" { block.get("content")? } else { block };
            Some(block.get("text")?.as_str()?.into_owned())
        };
        let texts: Vec<String> = blocks.items().filter_map(text_of).collect();
        Ok(texts.join("\n"))
    }

    /// Whether the result is a tool's error (`isError`), which a model is meant to read.
    pub fn is_tool_error(&self) -> bool {
        match &self.end {
            FlowEnd::Complete(result) => {
                result.root().get("isError").and_then(Value::as_bool) == Some(true)
            }
            _ => false,
        }
    }

    /// The error that the server replied, where it did.
    pub fn error(&self) -> Option<&PeerError> {
        match &self.end {
            FlowEnd::Error(error) => Some(error),
            _ => None,
        }
    }

    /// How many requests were sent.
    pub fn rounds(&self) -> usize {
        self.messages.iter().filter(|message| message.direction == Direction::Sent).count()
    }

    /// Everything that was asked, in order; what was asked twice stands there twice.
    pub fn questions(&self) -> &[Question] {
        &self.questions
    }

    /// The question under `key`, as it was asked last.
    pub fn question(&self, key: &str) -> Option<&Question> {
        self.questions.iter().rev().find(|question| question.key() == key)
    }

    /// Every message, in order.
    pub fn messages(&self) -> &[Recorded] {
        &self.messages
    }

    /// The last message that came from the server; empty where none came.
    pub fn reply(&self) -> &str {
        let received = |message: &&Recorded| message.direction == Direction::Received;
        self.messages.iter().rev().find(received).map_or("", |message| &message.text)
    }

    /// The HTTP status of the last reply; none where the flow did not go over HTTP.
    pub fn status(&self) -> Option<u16> {
        self.messages.iter().rev().find_map(|message| message.status)
    }

    /// All messages, one a line: `-> {…}` for those that were sent, `<- HTTP 200 {…}` or `<- {…}`
    /// for those that came.
    pub fn transcript(&self) -> String {
        let mut out = String::new();
        for message in &self.messages {
            match (message.direction, message.status) {
                (Direction::Sent, _) => out.push_str("-> "),
                (Direction::Received, Some(status)) => {
                    out.push_str(&format!("<- HTTP {status} "));
                }
                (Direction::Received, None) => out.push_str("<- "),
            }
            out.push_str(&message.text.replace(['\r', '\n'], " "));
            out.push('\n');
        }
        out
    }

    /// The request of an attack, to be sent under `id`: one round, without a script. The result is
    /// a flow of its own; [`Attack::held`] judges it.
    ///
    /// # Errors
    /// [`ErrorKind::InvalidArgument`] where this flow does not hold what the attack needs: no
    /// state, no answers, no arguments.
    pub fn attack<F>(&self, attack: &Attack, id: u64) -> Result<Play<F>> {
        let forged = attack.forge(self)?;
        Ok(Play::of(self.origin()?.forge(id, &forged)?))
    }

    pub(super) fn origin(&self) -> Result<&Driver> {
        let why = "the flow could not begin, so there is nothing to play foul with";
        self.origin.as_ref().ok_or_else(|| Error::new(ErrorKind::InvalidArgument, why))
    }
}

/// Says how it ended, never what was in it.
impl std::fmt::Debug for Flow {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        write!(f, "Flow({}, {} rounds)", self.end.name(), self.rounds())
    }
}
