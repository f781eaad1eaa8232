//! Pending questions: what of them goes to the client.
//!
//! Owns the JSON of `inputRequests` and the capabilities that they need.
//! Protocol: mrtr "InputRequests"; client/elicitation "Elicitation Requests"; basic "`_meta`",
//! on -32021.

use super::{Ask, Call};
use crate::error::{Error, ErrorKind, Fault};
use crate::json::{Json, quote_into};
use crate::protocol::Mode;
use crate::schema::Form;
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
    /// Why the last answer did not do.
    pub(super) reasons: Vec<Fault>,
}

pub(super) enum Question {
    Form(Form),
    Url(String),
}

impl Question {
    fn mode(&self) -> Mode {
        match self {
            Self::Form(_) => Mode::Form,
            Self::Url(_) => Mode::Url,
        }
    }
}

impl Call {
    /// mrtr, server requirement 7; basic: -32021 "lists the missing capabilities".
    pub(super) fn missing_capabilities(&self) -> Option<Error> {
        let missing: Vec<&str> = [Mode::Form, Mode::Url]
            .into_iter()
            .filter(|mode| !self.can_elicit(*mode))
            .filter(|mode| self.pending().any(|pending| pending.question.mode() == *mode))
            .map(Mode::name)
            .collect();
        if missing.is_empty() {
            return None;
        }
        let message = format!(
            "This request needs a client that declares the elicitation capability for: {}",
            missing.join(", ")
        );
        let modes: Vec<String> = missing.iter().map(|mode| format!("\"{mode}\":{{}}")).collect();
        let data =
            format!("{{\"requiredCapabilities\":{{\"elicitation\":{{{}}}}}}}", modes.join(","));
        let error = Error::new(ErrorKind::MissingCapability, message);
        Some(match Json::parse(data) {
            Ok(data) => error.with_data(data),
            Err(_) => error,
        })
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
                Question::Url(url) => url.len(),
            };
            question + pending.message.len() + 64 * pending.reasons.len()
        });
        self.key.len() + pending + 128
    }
}

impl Pending {
    /// Appends the `elicitation/create` request.
    pub(super) fn write(&self, out: &mut String) {
        out.push_str("{\"method\":\"elicitation/create\",\"params\":{\"mode\":\"");
        out.push_str(self.question.mode().name());
        out.push_str("\",\"message\":");
        if self.reasons.is_empty() {
            quote_into(out, &self.message);
        } else {
            let mut message = self.message.clone();
            message.push_str("\n\nPlease correct:");
            for fault in &self.reasons {
                message.push_str("\n- ");
                message.push_str(&fault.message);
            }
            quote_into(out, &message);
        }
        match &self.question {
            Question::Form(form) => {
                out.push_str(",\"requestedSchema\":");
                out.push_str(form.wire());
            }
            Question::Url(url) => {
                out.push_str(",\"url\":");
                quote_into(out, url);
            }
        }
        out.push_str("}}");
    }
}
