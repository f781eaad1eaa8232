//! What became of a question, as the handler sees it.

use std::fmt;

use crate::error::Fault;
use crate::json::Json;

/// What became of a question. Tells outcomes apart.
///
/// Protocol: client/elicitation, "Response Actions"; the last three are ours.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
#[non_exhaustive]
pub enum Action {
    /// The person said yes; a form has its content.
    Accept,
    /// The person said no.
    Decline,
    /// The person closed the dialog without choosing.
    Cancel,
    /// What came back was still wrong after the last time of asking.
    Invalid,
    /// Nobody can be asked: given where the ask says [`Policy::Outcome`](super::Policy::Outcome).
    Unavailable,
    /// What came back for a model's turn or for the roots; these know no yes and no.
    Answer,
}

impl Action {
    /// The name in every language and on the wire.
    pub const fn name(self) -> &'static str {
        match self {
            Self::Accept => "accept",
            Self::Decline => "decline",
            Self::Cancel => "cancel",
            Self::Invalid => "invalid",
            Self::Unavailable => "unavailable",
            Self::Answer => "answer",
        }
    }
}

/// Where an accepted answer came from.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
#[non_exhaustive]
pub enum Source {
    /// The person, through the client.
    User,
    /// An argument of the request.
    Argument,
    /// The schema's defaults.
    Default,
    /// An earlier visit: nobody was asked this time.
    Grant,
}

impl Source {
    /// The name in every language.
    pub const fn name(self) -> &'static str {
        match self {
            Self::User => "user",
            Self::Argument => "argument",
            Self::Default => "default",
            Self::Grant => "grant",
        }
    }
}

/// What became of a question. One type, told apart by [`Outcome::action`].
///
/// `Debug` does not show what a person answered.
#[derive(Clone)]
pub struct Outcome {
    verdict: Verdict,
}

/// The outcome in the form that is recorded.
#[derive(Clone)]
pub(crate) enum Verdict {
    Accept { content: Option<Json>, source: Source },
    Decline,
    Cancel,
    Invalid { faults: Vec<Fault> },
    Unavailable { reason: &'static str },
    Answer { content: Json },
}

impl Outcome {
    pub(crate) fn new(verdict: Verdict) -> Self {
        Self { verdict }
    }

    /// What happened.
    pub fn action(&self) -> Action {
        match self.verdict {
            Verdict::Accept { .. } => Action::Accept,
            Verdict::Decline => Action::Decline,
            Verdict::Cancel => Action::Cancel,
            Verdict::Invalid { .. } => Action::Invalid,
            Verdict::Unavailable { .. } => Action::Unavailable,
            Verdict::Answer { .. } => Action::Answer,
        }
    }

    /// Whether the person said yes.
    pub fn is_accept(&self) -> bool {
        matches!(self.verdict, Verdict::Accept { .. })
    }

    /// The answer of an accepted form: an object that the form's schema accepts. For a model's
    /// turn the CreateMessageResult, for roots the ListRootsResult. None for a link, and for every
    /// other action.
    pub fn content(&self) -> Option<&Json> {
        match &self.verdict {
            Verdict::Accept { content, .. } => content.as_ref(),
            Verdict::Answer { content } => Some(content),
            _ => None,
        }
    }

    /// Where the answer came from; none unless accepted.
    pub fn source(&self) -> Option<Source> {
        match self.verdict {
            Verdict::Accept { source, .. } => Some(source),
            _ => None,
        }
    }

    /// Why nobody can be asked: `capability` (the client declared none for this) or `cancelled`.
    /// None unless [`Action::Unavailable`].
    pub fn reason(&self) -> Option<&'static str> {
        match self.verdict {
            Verdict::Unavailable { reason } => Some(reason),
            _ => None,
        }
    }

    /// What was wrong with the last answer; empty unless [`Action::Invalid`].
    pub fn faults(&self) -> &[Fault] {
        match &self.verdict {
            Verdict::Invalid { faults } => faults,
            _ => &[],
        }
    }
}

impl fmt::Debug for Outcome {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_struct("Outcome")
            .field("action", &self.action())
            .field("source", &self.source())
            .field("faults", &self.faults())
            .finish_non_exhaustive()
    }
}
