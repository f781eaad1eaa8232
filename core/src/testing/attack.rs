//! Attacks: what a client can do with a flow that it took part in.
//!
//! Owns the forged requests and the judgement of what came back. The state is changed as the text
//! that it is; nothing here knows how anybody's state is made.
//! Protocol: mrtr, "Server Requirements" 4 and 5 and "Security Considerations".

use super::flow::{Direction, Flow, FlowEnd};
use crate::error::{Error, ErrorKind, Result};
use crate::host::{Forged, Response};
use crate::json::{Json, Value, quote_into};
use crate::protocol::Method;

/// How a state is changed.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
#[non_exhaustive]
pub enum Tamper {
    /// Another first character: another format, or another version of it.
    First,
    /// Another character in the middle.
    Middle,
    /// Another last character. Where the state is base64, the bits that it has to spare may be
    /// all that differs.
    Last,
    /// One character less.
    Cut,
    /// One character more.
    Appended,
    /// Padding behind it.
    Padded,
    /// White space behind it.
    Spaced,
    /// Twice, one behind the other.
    Doubled,
    /// Nothing left.
    Emptied,
}

impl Tamper {
    /// Every way.
    pub const ALL: [Self; 9] = [
        Self::First,
        Self::Middle,
        Self::Last,
        Self::Cut,
        Self::Appended,
        Self::Padded,
        Self::Spaced,
        Self::Doubled,
        Self::Emptied,
    ];

    fn change(self, state: &str) -> String {
        let characters: Vec<char> = state.chars().collect();
        let last = characters.len().saturating_sub(1);
        let other_at = |at: usize| -> String {
            let other = |c: char| if c == 'A' { 'B' } else { 'A' };
            let changed = |(place, c): (usize, &char)| if place == at { other(*c) } else { *c };
            characters.iter().enumerate().map(changed).collect()
        };
        match self {
            Self::First => other_at(0),
            Self::Middle => other_at(characters.len() / 2),
            Self::Last => other_at(last),
            Self::Cut => characters.iter().take(last).collect(),
            Self::Appended => format!("{state}A"),
            Self::Padded => format!("{state}="),
            Self::Spaced => format!("{state} "),
            Self::Doubled => state.repeat(2),
            Self::Emptied => String::new(),
        }
    }
}

/// What a client can do with a flow that it took part in.
#[derive(Clone, Debug)]
#[non_exhaustive]
pub enum Attack {
    /// Presents the state, changed, with the same answers.
    Tamper(Tamper),
    /// Presents the state and the answers once more. Sealing alone cannot refuse it; what it may
    /// do is for the test to judge.
    Replay,
    /// Begins anew and gives the answers at once, before they are asked for.
    Unasked,
    /// Presents the state and the answers on another tool, prompt or resource.
    OtherTarget(String),
    /// Presents them with other arguments, an object.
    OtherArguments(Json),
    /// Presents them as somebody else. The request is that of [`Attack::Replay`]; whoever sends it
    /// changes the principal.
    OtherPrincipal,
    /// Presents them when their time is over. The request is that of [`Attack::Replay`]; whoever
    /// sends it moves the clock.
    Expired,
}

impl Attack {
    /// A stable name: `tamper_first`, …, `replay`, `unasked`, `other_target`, `other_arguments`,
    /// `other_principal`, `expired`.
    pub const fn name(&self) -> &'static str {
        match self {
            Self::Tamper(Tamper::First) => "tamper_first",
            Self::Tamper(Tamper::Middle) => "tamper_middle",
            Self::Tamper(Tamper::Last) => "tamper_last",
            Self::Tamper(Tamper::Cut) => "tamper_cut",
            Self::Tamper(Tamper::Appended) => "tamper_appended",
            Self::Tamper(Tamper::Padded) => "tamper_padded",
            Self::Tamper(Tamper::Spaced) => "tamper_spaced",
            Self::Tamper(Tamper::Doubled) => "tamper_doubled",
            Self::Tamper(Tamper::Emptied) => "tamper_emptied",
            Self::Replay => "replay",
            Self::Unasked => "unasked",
            Self::OtherTarget(_) => "other_target",
            Self::OtherArguments(_) => "other_arguments",
            Self::OtherPrincipal => "other_principal",
            Self::Expired => "expired",
        }
    }

    /// The attack of this name. `with` is the name or URI of the other target, or the JSON of the
    /// other arguments, and nothing for the rest.
    ///
    /// # Errors
    /// [`ErrorKind::InvalidArgument`] for a name that is none, and where `with` is missing, is too
    /// much or is no JSON.
    pub fn from_name(name: &str, with: Option<&str>) -> Result<Self> {
        let simple = Tamper::ALL.into_iter().map(Self::Tamper).chain([
            Self::Replay,
            Self::Unasked,
            Self::OtherPrincipal,
            Self::Expired,
        ]);
        match (name, with) {
            ("other_target", Some(target)) => Ok(Self::OtherTarget(target.to_owned())),
            ("other_arguments", Some(arguments)) => {
                Ok(Self::OtherArguments(Json::parse(arguments)?))
            }
            ("other_target" | "other_arguments", None) => {
                Err(refused(format!("the attack {name} needs to be told which")))
            }
            (_, None) => simple
                .into_iter()
                .find(|attack| attack.name() == name)
                .ok_or_else(|| refused(format!("there is no attack {name:?}"))),
            (_, Some(_)) => Err(refused(format!("the attack {name:?} takes nothing beside"))),
        }
    }

    /// All that need nothing beside the flow: every [`Tamper`], [`Attack::Unasked`] and, where the
    /// flow has arguments, [`Attack::OtherArguments`] with one argument more.
    pub fn usual(flow: &Flow) -> Vec<Self> {
        let mut attacks: Vec<Self> = Tamper::ALL.into_iter().map(Self::Tamper).collect();
        attacks.push(Self::Unasked);
        if let Some(arguments) = more_arguments(flow) {
            attacks.push(Self::OtherArguments(arguments));
        }
        attacks
    }

    /// Whether a server holds against the attack, by the flow that it made of it. None where the
    /// protocol leaves it open ([`Attack::Replay`]).
    ///
    /// A state that was changed or is out of place must be refused: by an error, or over HTTP by a
    /// status from 400 to 499. Answers that nobody asked for must not lead to a result, unless the
    /// tool means to take them (`accept_unasked`); that is for the test to know.
    pub fn held(&self, flow: &Flow) -> Option<bool> {
        match (self, &flow.end) {
            (Self::Replay, _) => None,
            (_, FlowEnd::Error(_)) => Some(true),
            (_, FlowEnd::Failed(_)) => Some(matches!(flow.status(), Some(400..=499))),
            (Self::Unasked, FlowEnd::FirstRound) => Some(true),
            _ => Some(false),
        }
    }

    /// What goes out.
    pub(super) fn forge(&self, flow: &Flow) -> Result<Forged> {
        let round = match self {
            Self::Unasked => Presented::unasked(flow),
            _ => Presented::last(flow)?,
        };
        let mut forged = Forged { params: None, responses: round.responses, state: None };
        let state = match self {
            Self::Unasked => None,
            Self::Tamper(how) => Some(how.change(&round.state)),
            _ => Some(round.state),
        };
        forged.state = state.map(|state| {
            let mut quoted = String::new();
            quote_into(&mut quoted, &state);
            quoted
        });
        match self {
            Self::Unasked if forged.responses.is_empty() => {
                return Err(refused("the flow has no answers to give unasked"));
            }
            Self::OtherTarget(target) => {
                let method = method(flow)?;
                let mut name = String::new();
                quote_into(&mut name, target);
                forged.params = Some(with_member(flow, method.target(), &name)?);
            }
            Self::OtherArguments(arguments) => {
                if method(flow)? == Method::ReadResource {
                    return Err(refused("a resource is read without arguments"));
                }
                forged.params = Some(with_member(flow, "arguments", &arguments.compact())?);
            }
            _ => {}
        }
        Ok(forged)
    }
}

/// What a request of a flow brought back.
struct Presented {
    responses: Vec<(String, Response)>,
    state: String,
}

impl Presented {
    /// What the last request that carried a state brought; where none was sent, the state of the
    /// last reply.
    fn last(flow: &Flow) -> Result<Self> {
        let messages = || flow.messages.iter().rev();
        let of = |direction| messages().filter(move |message| message.direction == direction);
        for sent in of(Direction::Sent) {
            let Ok(json) = Json::parse_with_depth(sent.text.as_str(), usize::MAX) else { continue };
            let Some(params) = json.root().get("params") else { continue };
            let Some(state) = params.get("requestState").and_then(Value::as_str) else { continue };
            let responses = responses(params);
            return Ok(Self { responses, state: state.into_owned() });
        }
        for received in of(Direction::Received) {
            let Ok(json) = Json::parse_with_depth(received.text.as_str(), usize::MAX) else {
                continue;
            };
            let result = json.root().get("result");
            if let Some(state) = result.and_then(|result| result.get("requestState")?.as_str()) {
                return Ok(Self { responses: Vec::new(), state: state.into_owned() });
            }
        }
        Err(refused("the flow had no requestState to play foul with"))
    }

    /// Every answer of the flow, the last of each key.
    fn unasked(flow: &Flow) -> Self {
        let mut all: Vec<(String, Response)> = Vec::new();
        for sent in flow.messages.iter().filter(|message| message.direction == Direction::Sent) {
            let Ok(json) = Json::parse_with_depth(sent.text.as_str(), usize::MAX) else { continue };
            let given = json.root().get("params").map(responses).unwrap_or_default();
            all.retain(|(key, _)| !given.iter().any(|(other, _)| other == key));
            all.extend(given);
        }
        Self { responses: all, state: String::new() }
    }
}

fn responses(params: Value<'_>) -> Vec<(String, Response)> {
    let responses = params.get("inputResponses").into_iter().flat_map(Value::entries);
    responses
        .map(|entry| (entry.key().into_owned(), Response::result(&entry.value.to_json())))
        .collect()
}

fn method(flow: &Flow) -> Result<Method> {
    let method = flow.origin()?.method();
    method.ok_or_else(|| refused("the flow is of a method that carries no state"))
}

/// The parameters of the flow with the member `name` set to `json`.
fn with_member(flow: &Flow, name: &str, json: &str) -> Result<Json> {
    let params = flow.origin()?.params().root();
    let mut out = String::from("{");
    for member in params.entries().filter(|member| !member.key_is(name)) {
        out.push_str(member.raw_key());
        out.push(':');
        member.value.compact_into(&mut out);
        out.push(',');
    }
    quote_into(&mut out, name);
    out.push(':');
    out.push_str(json);
    out.push('}');
    Ok(Json::parse_with_depth(out, usize::MAX)?)
}

/// The arguments of the flow and one more, a text: prompts know no others.
fn more_arguments(flow: &Flow) -> Option<Json> {
    let origin = flow.origin.as_ref()?;
    if !matches!(origin.method(), Some(Method::CallTool | Method::GetPrompt)) {
        return None;
    }
    let mut out = String::from("{");
    let given = origin.params().root().get_present("arguments");
    for member in given.into_iter().flat_map(Value::entries) {
        out.push_str(member.raw_key());
        out.push(':');
        member.value.compact_into(&mut out);
        out.push(',');
    }
    out.push_str("\"one_argument_more\":\"1\"}");
    Json::parse_with_depth(out, usize::MAX).ok()
}

fn refused(message: impl Into<String>) -> Error {
    Error::new(ErrorKind::InvalidArgument, message)
}

/// An attack that was made, and what came of it.
#[derive(Clone, Debug)]
#[non_exhaustive]
pub struct Attacked {
    /// What was done.
    pub attack: Attack,
    /// One round: what was sent and what came back.
    pub flow: Flow,
}

impl Attacked {
    /// Whether the server held; true where the protocol leaves it open. See [`Attack::held`].
    pub fn held(&self) -> bool {
        self.attack.held(&self.flow).unwrap_or(true)
    }
}

/// `tamper_last: the server replied error`, for the message of an assertion.
impl std::fmt::Display for Attacked {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        write!(f, "{}: {}", self.attack.name(), self.flow.end.name())
    }
}
