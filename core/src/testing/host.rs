//! The test host of Rust: sends what a [`Play`] wants to a server in the same process.

use super::attack::{Attack, Attacked};
use super::clock::TestClock;
use super::flow::Flow;
use super::play::{Play, Settings, Step};
use super::script::{Answer, Decision, IntoJson, Script};
use crate::call::{Call, Engine, Reply, Stop};
use crate::env::Clock;
use crate::error::{Error, ErrorKind, Result};
use crate::json::{Json, quote_into};
use crate::protocol::{Caller, Principal};

/// Past every life that a state can have.
const LONG_AFTER_MS: u64 = 400 * 24 * 3_600_000;

/// Any error of a server that is called.
pub type BoxError = Box<dyn std::error::Error + Send + Sync>;

/// A request on its way to a server.
#[derive(Clone, Debug)]
pub struct Sent<'r> {
    body: &'r [u8],
    headers: &'r [(String, String)],
    principal: &'r Principal,
    http: bool,
    param_headers: &'r [(String, Vec<String>)],
}

impl Sent<'_> {
    /// The message.
    pub fn body(&self) -> &[u8] {
        self.body
    }

    /// The headers: those that the protocol wants where the host speaks HTTP, and those that the
    /// test added.
    pub fn headers(&self) -> &[(String, String)] {
        self.headers
    }

    /// Who sends it, as the test says.
    pub fn principal(&self) -> &Principal {
        self.principal
    }

    /// The same for an engine: principal, and where the host speaks HTTP the headers.
    pub fn caller(&self) -> Caller<'_> {
        let mut caller = Caller::new(self.principal.clone());
        if self.http {
            let headers = self.headers.iter();
            caller = caller.http(headers.map(|(name, value)| (name.as_str(), value.as_bytes())));
        }
        for (name, path) in self.param_headers {
            caller = caller.param_header(name, path.iter().map(String::as_str));
        }
        caller
    }
}

/// What a server returned. Make it of a [`Reply`], of a text, or with [`Received::http`].
#[derive(Clone, Debug)]
pub struct Received {
    status: Option<u16>,
    content_type: Option<String>,
    body: Vec<u8>,
}

impl Received {
    /// An HTTP response: status, `Content-Type` where there is one, and the whole body, which may
    /// be a stream of events.
    pub fn http(status: u16, content_type: Option<&str>, body: impl Into<Vec<u8>>) -> Self {
        let content_type = content_type.map(str::to_owned);
        Self { status: Some(status), content_type, body: body.into() }
    }
}

impl From<Reply> for Received {
    fn from(reply: Reply) -> Self {
        Self::http(reply.status(), Some("application/json"), reply.into_body())
    }
}

impl From<Vec<u8>> for Received {
    fn from(body: Vec<u8>) -> Self {
        Self { status: None, content_type: None, body }
    }
}

impl From<String> for Received {
    fn from(body: String) -> Self {
        body.into_bytes().into()
    }
}

type Server<'s> = Box<dyn FnMut(&Sent<'_>) -> std::result::Result<Received, BoxError> + 's>;

/// Plays the client of a server in the same process, and the person from a script.
///
/// Made with [`Host::new`] or [`Host::callable`]; what is set afterwards holds for all flows that
/// it plays.
pub struct Host<'s> {
    server: Server<'s>,
    settings: Settings,
    script: Script<Decision>,
    headers: Vec<(String, String)>,
    principal: Principal,
    /// The headers and principal of somebody else, where the host knows of one.
    other: Option<(Vec<(String, String)>, Principal)>,
    other_target: Option<String>,
    clock: Option<TestClock>,
    next_id: u64,
}

impl<'s> Host<'s> {
    /// A host for an engine and the handler that it runs.
    ///
    /// The principal is a user `alice` unless [`Host::principal`] says otherwise; requests have no
    /// headers unless [`Host::http`] says so.
    pub fn new(
        engine: &'s Engine,
        mut handler: impl FnMut(&mut Call) -> Result<Json, Stop> + 's,
    ) -> Self {
        let mut host = Self::callable(move |sent| {
            let reply = engine.run(sent.body(), &sent.caller(), &mut handler)?;
            Ok(reply.into())
        });
        host.other = Some((Vec::new(), user("mallory")));
        host
    }

    /// A host for anything that takes a request and returns what came back, such as a function
    /// that sends it over HTTP.
    ///
    /// ```
    /// use mcp_elicit::testing::{Host, Received};
    /// # fn post(body: &[u8], headers: &[(String, String)]) -> std::io::Result<(u16, String)> {
    /// #     Ok((200, r#"{"jsonrpc":"2.0","id":1,"result":{"content":[]}}"#.to_owned()))
    /// # }
    /// let mut host = Host::callable(|sent| {
    ///     let (status, body) = post(sent.body(), sent.headers())?;
    ///     Ok(Received::http(status, Some("application/json"), body))
    /// })
    /// .http(true)
    /// .header("Authorization", "Bearer demo-alice");
    /// assert!(host.call("deploy", "{}").is_complete());
    /// ```
    pub fn callable(
        server: impl FnMut(&Sent<'_>) -> std::result::Result<Received, BoxError> + 's,
    ) -> Self {
        Self {
            server: Box::new(server),
            settings: Settings::default(),
            script: Script::new(),
            headers: Vec::new(),
            principal: user("alice"),
            other: None,
            other_target: None,
            clock: None,
            next_id: 1,
        }
    }

    /// What the person says to the question under `key`. Given more than once for a key, the
    /// answers are said in turn, and the last one stays. A question without an answer fails the
    /// flow.
    #[must_use]
    pub fn answer(mut self, key: &str, answer: Answer) -> Self {
        self.script.add(key, answer);
        self
    }

    /// What the person says to every question whose key has no answer of its own.
    #[must_use]
    pub fn otherwise(mut self, answer: Answer) -> Self {
        self.script.otherwise(answer);
        self
    }

    /// What the client says of itself: an object with name and version, or `null` for a client
    /// that does not say.
    #[must_use]
    pub fn client_info(mut self, info: impl IntoJson) -> Self {
        self.settings.client_info = given(info);
        self
    }

    /// What the client declares that it can be asked, a `ClientCapabilities` object. By default
    /// forms and links; `{}` is a client that can ask nobody.
    #[must_use]
    pub fn capabilities(mut self, capabilities: impl IntoJson) -> Self {
        self.settings.capabilities = given(capabilities);
        self
    }

    /// Whether requests have the headers of HTTP. By default they do not.
    #[must_use]
    pub fn http(mut self, http: bool) -> Self {
        self.settings.http = http;
        self
    }

    /// Adds a header to every request, such as `Authorization`.
    #[must_use]
    pub fn header(mut self, name: &str, value: &str) -> Self {
        self.headers.push((name.to_owned(), value.to_owned()));
        self
    }

    /// Mirrors an argument in a header, where the tool's schema has `x-mcp-header`.
    #[must_use]
    pub fn param_header(mut self, name: &str, path: &[&str]) -> Self {
        let path = path.iter().map(|&key| key.to_owned()).collect();
        self.settings.param_headers.push((name.to_owned(), path));
        self
    }

    /// Who makes the requests.
    #[must_use]
    pub fn principal(mut self, principal: Principal) -> Self {
        self.principal = principal;
        self
    }

    /// Who somebody else is, for [`Attack::OtherPrincipal`].
    #[must_use]
    pub fn other_principal(mut self, principal: Principal) -> Self {
        let headers = self.other.take().map(|(headers, _)| headers).unwrap_or_default();
        self.other = Some((headers, principal));
        self
    }

    /// A header by which somebody else is known, in place of the one of this name, for
    /// [`Attack::OtherPrincipal`].
    #[must_use]
    pub fn other_header(mut self, name: &str, value: &str) -> Self {
        let (headers, _) = self.other.get_or_insert_with(|| (Vec::new(), user("mallory")));
        headers.push((name.to_owned(), value.to_owned()));
        self
    }

    /// Another tool, prompt or resource of the server, for [`Attack::OtherTarget`] among
    /// [`Host::attack_all`].
    #[must_use]
    pub fn other_target(mut self, target: &str) -> Self {
        self.other_target = Some(target.to_owned());
        self
    }

    /// The clock that the engine was built with, for [`Attack::Expired`].
    #[must_use]
    pub fn clock(mut self, clock: &TestClock) -> Self {
        self.clock = Some(clock.clone());
        self
    }

    /// Ends each flow with the first reply, whatever it is.
    #[must_use]
    pub fn first_round_only(mut self) -> Self {
        self.settings.first_round_only = true;
        self
    }

    /// How many requests a flow may have. By default 32.
    #[must_use]
    pub fn rounds(mut self, most: u32) -> Self {
        self.settings.limits.rounds = most;
        self
    }

    /// Calls a tool with arguments, an object, and plays the flow to its end.
    pub fn call(&mut self, tool: &str, arguments: impl IntoJson) -> Flow {
        self.named("tools/call", "name", tool, Some(arguments))
    }

    /// Gets a prompt with arguments, an object of texts, and plays the flow to its end.
    pub fn prompt(&mut self, prompt: &str, arguments: impl IntoJson) -> Flow {
        self.named("prompts/get", "name", prompt, Some(arguments))
    }

    /// Reads a resource, and plays the flow to its end.
    pub fn read(&mut self, uri: &str) -> Flow {
        self.named("resources/read", "uri", uri, None::<&str>)
    }

    fn named(
        &mut self,
        method: &str,
        member: &str,
        name: &str,
        arguments: Option<impl IntoJson>,
    ) -> Flow {
        let mut params = format!("{{\"{member}\":");
        quote_into(&mut params, name);
        match arguments.map(IntoJson::into_json).transpose() {
            Ok(Some(arguments)) => {
                params.push_str(",\"arguments\":");
                params.push_str(&arguments.compact());
            }
            Ok(None) => {}
            Err(error) => return Flow::failed(error.into()),
        }
        params.push('}');
        self.request(method, params)
    }

    /// Sends any request, and plays the flow to its end. `params` is an object without what the
    /// host adds.
    pub fn request(&mut self, method: &str, params: impl IntoJson) -> Flow {
        let params = match params.into_json() {
            Ok(params) => params,
            Err(error) => return Flow::failed(error.into()),
        };
        let script = self.script.clone();
        match Play::new(method, &params, self.next_id, &self.settings, script) {
            Ok(play) => {
                let (headers, principal) = (self.headers.clone(), self.principal.clone());
                self.play(play, &headers, &principal)
            }
            Err(error) => Flow::failed(error),
        }
    }

    /// Attacks the server with a flow that this host played: one request, whose reply is the flow
    /// that comes back. [`Attack::held`] judges it.
    ///
    /// # Errors
    /// [`ErrorKind::InvalidArgument`] where the flow does not hold what the attack needs, or the
    /// host lacks it: a clock, somebody else.
    pub fn attack(&mut self, flow: &Flow, attack: &Attack) -> Result<Flow> {
        let lacks = |what: &str| Err(Error::new(ErrorKind::InvalidArgument, what));
        let play = flow.attack(attack, self.next_id)?;
        let (mut headers, mut principal) = (self.headers.clone(), self.principal.clone());
        match attack {
            Attack::OtherPrincipal => {
                let Some((other_headers, other)) = &self.other else {
                    return lacks("the host knows of nobody else: give it other_principal");
                };
                headers.retain(|(name, _)| {
                    !other_headers.iter().any(|(other, _)| other.eq_ignore_ascii_case(name))
                });
                headers.extend_from_slice(other_headers);
                principal = other.clone();
            }
            Attack::Expired => {
                let Some(clock) = self.clock.clone() else {
                    return lacks("the host has no clock to move: give it the engine's");
                };
                let now = clock.now_ms();
                clock.advance(LONG_AFTER_MS);
                let flow = self.play(play, &headers, &principal);
                clock.set(now);
                return Ok(flow);
            }
            _ => {}
        }
        Ok(self.play(play, &headers, &principal))
    }

    /// Makes every attack that this host can with a flow that it played: [`Attack::usual`], and as
    /// far as it knows somebody else, another target and a clock, those. Not [`Attack::Replay`],
    /// which nothing but the server's own purpose can judge.
    ///
    /// # Errors
    /// As [`Host::attack`].
    pub fn attack_all(&mut self, flow: &Flow) -> Result<Vec<Attacked>> {
        let mut attacks = Attack::usual(flow);
        if let Some(target) = &self.other_target {
            attacks.push(Attack::OtherTarget(target.clone()));
        }
        if self.other.is_some() {
            attacks.push(Attack::OtherPrincipal);
        }
        if self.clock.is_some() {
            attacks.push(Attack::Expired);
        }
        attacks
            .into_iter()
            .map(|attack| {
                let flow = self.attack(flow, &attack)?;
                Ok(Attacked { attack, flow })
            })
            .collect()
    }

    fn play(
        &mut self,
        mut play: Play<Decision>,
        own: &[(String, String)],
        principal: &Principal,
    ) -> Flow {
        loop {
            match play.step() {
                Step::Send(message) => {
                    self.next_id = message.id() + 1;
                    let headers = [message.headers(), own].concat();
                    let sent = Sent {
                        body: message.body().as_bytes(),
                        headers: &headers,
                        principal,
                        http: self.settings.http,
                        param_headers: &self.settings.param_headers,
                    };
                    match (self.server)(&sent) {
                        Ok(received) => take(&mut play, &received, self.settings.http),
                        Err(error) => match error.downcast::<Error>() {
                            Ok(error) => play.fail(*error),
                            Err(error) => play.give_up(&error.to_string()),
                        },
                    }
                }
                Step::Decide(function, question) => {
                    let response = function(question);
                    play.decide(response);
                }
                Step::Over => return play.into_flow(),
            }
        }
    }
}

/// What came back, over HTTP with its status.
fn take(play: &mut Play<Decision>, received: &Received, http: bool) {
    match received.status {
        Some(status) if http => {
            play.begin_response(status, received.content_type.as_deref());
            if !play.push(&received.body) {
                play.finish();
            }
        }
        _ => {
            if !play.receive(&received.body) {
                play.give_up("the server returned a notification and no reply");
            }
        }
    }
}

fn user(name: &str) -> Principal {
    Principal::new("https://login.test", name, "test-host").unwrap_or_else(|_| Principal::none())
}

/// What a test gave as JSON. What is none becomes a text, which the driver refuses where an object
/// is wanted, when a flow begins.
fn given(json: impl IntoJson) -> Json {
    json.into_json().unwrap_or_else(|_| Json::string("no JSON"))
}
