//! Playing a flow: the driver and the script together, without I/O.
//!
//! What a test host is in every language: a loop around [`Play::step`] that sends messages and
//! calls the functions of the script.

use super::flow::{Direction, Flow, FlowEnd, Recorded};
use super::script::{Answer, Script};
use crate::error::{Error, ErrorKind, Fault, Result};
use crate::host::{
    Driver, Heard, HostLimits, HttpReply, Message, Question, Response, Turn, broken,
};
use crate::json::Json;

/// How a test host introduces itself, and what it does.
#[derive(Clone, Debug)]
#[non_exhaustive]
pub struct Settings {
    /// Name and version of the client; `null` for a client that does not say.
    pub client_info: Json,
    /// What the client declares. By default forms and links.
    pub capabilities: Json,
    /// Whether messages have the headers of HTTP. By default not.
    pub http: bool,
    /// Which arguments are mirrored in headers: name after `Mcp-Param-`, and the keys that lead to
    /// the argument.
    pub param_headers: Vec<(String, Vec<String>)>,
    /// Whether a flow ends with the first reply, whatever it is. By default not.
    pub first_round_only: bool,
    /// Bounds on what the server can make the host do.
    pub limits: HostLimits,
}

impl Default for Settings {
    fn default() -> Self {
        let json = |text: &str| Json::parse(text).unwrap_or_else(|_| Json::empty_object());
        let info = concat!(
            r#"{"name":"mcp-elicit test host","version":""#,
            env!("CARGO_PKG_VERSION"),
            r#""}"#
        );
        Self {
            client_info: json(info),
            capabilities: json(r#"{"elicitation":{"form":{},"url":{}}}"#),
            http: false,
            param_headers: Vec::new(),
            first_round_only: false,
            limits: HostLimits::default(),
        }
    }
}

/// What a [`Play`] needs next.
#[derive(Debug)]
pub enum Step<'p, F> {
    /// Send this; give what comes back to [`Play::receive`], or over HTTP to
    /// [`Play::begin_response`] and what follows it.
    Send(&'p Message),
    /// Call this function of the script with the question; give what it says to
    /// [`Play::decide`].
    Decide(&'p F, &'p Question),
    /// Nothing: the flow has ended.
    Over,
}

/// One flow while it is played.
pub struct Play<F> {
    script: Script<F>,
    first_round_only: bool,
    driver: Driver,
    flow: Flow,
    /// Answers to the questions of this round so far; as many as have been dealt with.
    answers: Vec<(String, Response)>,
    /// Where the questions of this round begin among those of the flow.
    round_begins: usize,
    response: Option<(u16, HttpReply)>,
}

impl<F> Play<F> {
    /// Starts a flow: `method` with `params` (an object, without what the host adds), under
    /// `first_id` and the ids after it.
    ///
    /// # Errors
    /// As [`DriverBuilder::build`](crate::host::DriverBuilder::build).
    pub fn new(
        method: &str,
        params: &Json,
        first_id: u64,
        settings: &Settings,
        script: Script<F>,
    ) -> Result<Self> {
        let mut builder = Driver::builder(method, params)
            .capabilities(&settings.capabilities)
            .http(settings.http)
            .first_id(first_id)
            .limits(settings.limits.clone());
        if !settings.client_info.root().is_null() {
            builder = builder.client_info(&settings.client_info);
        }
        for (name, path) in &settings.param_headers {
            builder = builder.param_header(name, path);
        }
        let mut play = Self::of(builder.build()?);
        play.script = script;
        play.first_round_only = settings.first_round_only;
        Ok(play)
    }

    /// One round of a request that is written already.
    pub(super) fn of(driver: Driver) -> Self {
        let mut play = Self {
            script: Script::new(),
            first_round_only: true,
            flow: Flow::new(driver.clone()),
            driver,
            answers: Vec::new(),
            round_begins: 0,
            response: None,
        };
        play.go_on();
        play
    }

    /// What is needed now. Does not change until one of the other methods moves it on.
    pub fn step(&self) -> Step<'_, F> {
        match (&self.flow.end, self.driver.turn()) {
            (FlowEnd::Running, Turn::Send(message)) => Step::Send(message),
            (FlowEnd::Running, Turn::Ask(_)) => match self.open_question() {
                Some((question, Answer::Function(function))) => Step::Decide(function, question),
                _ => Step::Over,
            },
            _ => Step::Over,
        }
    }

    /// The flow so far.
    pub fn flow(&self) -> &Flow {
        &self.flow
    }

    /// The flow, taken out.
    pub fn into_flow(self) -> Flow {
        self.flow
    }

    /// Takes one message of the server's: a line of stdio, or what a callable returned. Says
    /// whether it was the reply; until then there is more to come.
    pub fn receive(&mut self, message: &[u8]) -> bool {
        self.hear(message, None)
    }

    /// An HTTP response begins.
    pub fn begin_response(&mut self, status: u16, content_type: Option<&str>) {
        self.response = Some((status, HttpReply::new(status, content_type, self.driver.limits())));
    }

    /// Takes a piece of the response's body. Says whether the reply was in it: then stop reading.
    pub fn push(&mut self, piece: &[u8]) -> bool {
        let Some((status, response)) = &mut self.response else { return true };
        let status = *status;
        match response.push(piece) {
            Ok(messages) => messages.iter().any(|message| self.hear(message, Some(status))),
            Err(error) => {
                self.fail(error);
                true
            }
        }
    }

    /// The response's body is over.
    pub fn finish(&mut self) {
        let Some((status, response)) = self.response.take() else { return };
        match response.finish() {
            Ok(message) => {
                if !self.hear(&message, Some(status)) {
                    let why = "the response holds a notification and no reply";
                    self.fail(broken("", "no_reply", why));
                }
            }
            Err(error) => {
                self.record(Direction::Received, String::new(), Some(status));
                self.fail(error);
            }
        }
    }

    /// The flow cannot go on: the server was not reached, its handler is at fault, a function of
    /// the script threw. Nothing happens where it has ended already.
    pub fn fail(&mut self, error: Error) {
        if matches!(self.flow.end, FlowEnd::Running) {
            self.flow.end = FlowEnd::Failed(error);
        }
    }

    /// [`Play::fail`] because no reply came.
    pub fn give_up(&mut self, why: &str) {
        self.fail(broken("", "no_reply", why));
    }

    /// Takes what the function said to the question of [`Step::Decide`].
    pub fn decide(&mut self, response: Response) {
        if let Step::Decide(_, question) = self.step() {
            let key = question.key().to_owned();
            self.answers.push((key, response));
            self.go_on();
        }
    }

    fn record(&mut self, direction: Direction, text: String, status: Option<u16>) {
        let headers = match (direction, self.driver.turn()) {
            (Direction::Sent, Turn::Send(message)) => message.headers().to_vec(),
            _ => Vec::new(),
        };
        self.flow.messages.push(Recorded { direction, text, status, headers });
    }

    fn hear(&mut self, message: &[u8], status: Option<u16>) -> bool {
        if !matches!(self.step(), Step::Send(_)) {
            return true;
        }
        self.record(Direction::Received, String::from_utf8_lossy(message).into_owned(), status);
        // An error ends the driver, whose turn then says why.
        if let Ok(Heard::Notification) = self.driver.receive(message) {
            return false;
        }
        self.response = None;
        if let Turn::Ask(questions) = self.driver.turn() {
            self.round_begins = self.flow.questions.len();
            self.flow.questions.extend_from_slice(questions);
        }
        self.go_on();
        true
    }

    /// The question that is to be dealt with next, and its answer.
    fn open_question(&self) -> Option<(&Question, &Answer<F>)> {
        let question = self.flow.questions.get(self.round_begins + self.answers.len())?;
        let earlier = &self.flow.questions[..self.round_begins];
        let before = earlier.iter().filter(|other| other.key() == question.key()).count();
        Some((question, self.script.find(question.key(), before)?))
    }

    /// Does what needs nobody: answers from the script, and the end.
    fn go_on(&mut self) {
        loop {
            let end = match self.driver.turn() {
                Turn::Send(_) if self.first_round_only && self.flow.rounds() > 0 => {
                    FlowEnd::FirstRound
                }
                Turn::Send(message) => {
                    let text = message.body().to_owned();
                    return self.record(Direction::Sent, text, None);
                }
                Turn::Ask(_) if self.first_round_only => FlowEnd::FirstRound,
                Turn::Ask(questions) if self.answers.len() < questions.len() => {
                    match self.open_question() {
                        Some((_, Answer::Function(_))) => return,
                        Some((question, Answer::Response(response))) => {
                            let answer = (question.key().to_owned(), response.clone());
                            self.answers.push(answer);
                            continue;
                        }
                        Some((_, Answer::Fault(error))) => FlowEnd::Failed(error.clone()),
                        None => FlowEnd::Failed(self.unscripted()),
                    }
                }
                Turn::Ask(_) => {
                    let answers = std::mem::take(&mut self.answers);
                    match self.driver.answer(answers) {
                        Ok(()) => continue,
                        Err(error) => FlowEnd::Failed(error),
                    }
                }
                Turn::Done(result) => FlowEnd::Complete(result.clone()),
                Turn::Failed(error) => FlowEnd::Error(error.clone()),
                Turn::Abandoned => FlowEnd::Abandoned,
                Turn::Broken(error) => FlowEnd::Failed(error.clone()),
            };
            self.flow.end = end;
            return;
        }
    }

    fn unscripted(&self) -> Error {
        let open = self.flow.questions.get(self.round_begins + self.answers.len());
        let question = open.map_or_else(String::new, |question| {
            let kind = question.kind().name();
            format!("{:?} ({kind}): {}", question.key(), question.message().unwrap_or_default())
        });
        let why = format!(
            "the server asked {question} - the test has no answer to it; it has answers to: {}",
            self.script.keys()
        );
        let fault = Fault::new("", "unscripted", why);
        Error::with_faults(ErrorKind::InvalidArgument, "an unexpected question", vec![fault])
    }
}

/// Says where it stands.
impl<F> std::fmt::Debug for Play<F> {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        write!(f, "Play({:?})", self.flow)
    }
}
