//! Pending questions: what of them goes to the client.
//!
//! Owns the JSON of `inputRequests` and the capabilities that they need.
//! Protocol: mrtr "InputRequests"; client/elicitation "Elicitation Requests"; basic "`_meta`",
//! on -32021.

use super::{Ask, Call};
use crate::elicit::LONGEST_MESSAGE;
use crate::error::{Error, ErrorKind, Fault};
use crate::json::{Json, quote_into};
use crate::protocol::{Capabilities, Mode};
use crate::schema::{Form, Messages};
use crate::seal::AskDigest;

/// A question of this round.
pub(super) struct Asked {
    pub(super) key: String,
    pub(super) digest: AskDigest,
    pub(super) ask: Ask,
    /// What to send, while it is pending.
    pub(super) pending: Option<Pending>,
}

pub(super) struct Pending {
    pub(super) message: String,
    pub(super) question: Question,
    pub(super) waiting: Waiting,
    pub(super) messages: Option<Messages>,
}

/// How a question waits for its answer.
#[derive(Default)]
pub(super) struct Waiting {
    /// Why the last answer did not do.
    pub(super) reasons: Vec<Fault>,
    /// Fields that are not asked for, since their values are known.
    pub(super) omitted: Vec<String>,
    /// Values to fill in for review.
    pub(super) prefilled: Option<Json>,
    /// Why it cannot be sent.
    pub(super) blocked: Option<Blocked>,
}

/// Why a question cannot be sent.
pub(super) enum Blocked {
    /// The client did not declare what it needs.
    Capability,
    /// A model is told what to give instead.
    ToolError(String),
}

pub(super) enum Question {
    Form(Form),
    Url(String),
    Sampling { params: String, with_tools: bool },
    Roots,
}

/// A capability that a question needs.
#[derive(Clone, Copy, PartialEq, Eq)]
pub(super) enum Need {
    Form,
    Url,
    Sampling,
    SamplingTools,
    Roots,
}

impl Need {
    pub(super) fn is_met(self, capabilities: Capabilities) -> bool {
        match self {
            Self::Form => capabilities.elicits(Mode::Form),
            Self::Url => capabilities.elicits(Mode::Url),
            Self::Sampling => capabilities.sampling(),
            Self::SamplingTools => capabilities.sampling_tools(),
            Self::Roots => capabilities.roots(),
        }
    }
}

impl Question {
    fn need(&self) -> Need {
        match self {
            Self::Form(_) => Need::Form,
            Self::Url(_) => Need::Url,
            Self::Sampling { with_tools: true, .. } => Need::SamplingTools,
            Self::Sampling { with_tools: false, .. } => Need::Sampling,
            Self::Roots => Need::Roots,
        }
    }
}

impl Call {
    /// The -32021 that names everything the client lacks for the questions of this round (mrtr,
    /// server requirement 7; basic: `data.requiredCapabilities` lists the missing capabilities).
    pub(super) fn missing_capabilities(&self) -> Option<Error> {
        let missing: Vec<Need> = self
            .pending()
            .filter(|pending| matches!(pending.waiting.blocked, Some(Blocked::Capability)))
            .map(|pending| pending.question.need())
            .collect();
        if missing.is_empty() {
            return None;
        }
        let lacks = |need| missing.contains(&need);
        let modes: Vec<&str> = [(Need::Form, "form"), (Need::Url, "url")]
            .into_iter()
            .filter_map(|(need, mode)| lacks(need).then_some(mode))
            .collect();
        let mut names = Vec::new();
        let mut required = Vec::new();
        if !modes.is_empty() {
            names.push(format!("elicitation ({})", modes.join(", ")));
            let modes: Vec<String> = modes.iter().map(|mode| format!("\"{mode}\":{{}}")).collect();
            required.push(format!("\"elicitation\":{{{}}}", modes.join(",")));
        }
        if lacks(Need::SamplingTools) {
            names.push("sampling (tools)".to_owned());
            required.push("\"sampling\":{\"tools\":{}}".to_owned());
        } else if lacks(Need::Sampling) {
            names.push("sampling".to_owned());
            required.push("\"sampling\":{}".to_owned());
        }
        if lacks(Need::Roots) {
            names.push("roots".to_owned());
            required.push("\"roots\":{}".to_owned());
        }
        let message = format!(
            "This request needs a client that declares the capability {}",
            names.join(", ")
        );
        let data = format!("{{\"requiredCapabilities\":{{{}}}}}", required.join(","));
        let error = Error::new(ErrorKind::MissingCapability, message);
        Some(match Json::parse(data) {
            Ok(data) => error.with_data(data),
            Err(_) => error,
        })
    }

    /// What a model is told in place of the questions, where an ask says so.
    pub(super) fn tool_error(&self) -> Option<String> {
        let texts: Vec<&str> = self
            .pending()
            .filter_map(|pending| match &pending.waiting.blocked {
                Some(Blocked::ToolError(text)) => Some(text.as_str()),
                _ => None,
            })
            .collect();
        (!texts.is_empty()).then(|| texts.join("\n"))
    }

    fn pending(&self) -> impl Iterator<Item = &Pending> {
        self.asked.iter().filter_map(|asked| asked.pending.as_ref())
    }
}

impl Asked {
    /// About how many bytes it takes in the reply.
    pub(super) fn room(&self) -> usize {
        let pending = self.pending.as_ref().map_or(0, |pending| {
            let question = match &pending.question {
                Question::Form(form) => form.wire().len(),
                Question::Url(text) | Question::Sampling { params: text, .. } => text.len(),
                Question::Roots => 0,
            };
            question + pending.message.len() + 64 * pending.waiting.reasons.len()
        });
        self.key.len() + pending + 128
    }
}

impl Pending {
    /// Appends the request as it stands in `inputRequests`.
    pub(super) fn write(&self, out: &mut String) {
        match &self.question {
            Question::Form(form) => {
                self.begin_elicitation(Mode::Form, out);
                out.push_str(",\"requestedSchema\":");
                let waiting = &self.waiting;
                if waiting.omitted.is_empty() && waiting.prefilled.is_none() {
                    out.push_str(form.wire());
                } else {
                    form.write_shown(&waiting.omitted, waiting.prefilled.as_ref(), out);
                }
                out.push_str("}}");
            }
            Question::Url(url) => {
                self.begin_elicitation(Mode::Url, out);
                out.push_str(",\"url\":");
                quote_into(out, url);
                out.push_str("}}");
            }
            Question::Sampling { params, .. } => {
                out.push_str("{\"method\":\"sampling/createMessage\",\"params\":");
                out.push_str(params);
                out.push('}');
            }
            Question::Roots => out.push_str("{\"method\":\"roots/list\"}"),
        }
    }

    fn begin_elicitation(&self, mode: Mode, out: &mut String) {
        out.push_str("{\"method\":\"elicitation/create\",\"params\":{\"mode\":\"");
        out.push_str(mode.name());
        out.push_str("\",\"message\":");
        let reasons = &self.waiting.reasons;
        if reasons.is_empty() {
            return quote_into(out, &self.message);
        }
        let mut message = self.message.clone();
        message.push_str("\n\n");
        match &self.messages {
            Some(messages) => message.push_str(messages.reask()),
            None => message.push_str(Messages::new().reask()),
        }
        // The reasons together are no longer than a message may be.
        let most = message.len() + LONGEST_MESSAGE;
        for fault in reasons {
            message.push_str("\n- ");
            if message.len() + fault.message.len() > most {
                message.push('…');
                break;
            }
            message.push_str(&fault.message);
        }
        quote_into(out, &message);
    }
}
