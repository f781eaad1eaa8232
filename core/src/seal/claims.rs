//! Claims: what a sealed state says, and its bytes.
//!
//! Owns the layout of version 1. Every claims value has one encoding, and every encoding that is
//! accepted is the one of the value it decodes to. Decoding is total: it refuses what it does not
//! know and what is left over, and a length or count counts only as far as there are bytes.
//! Says nothing about whether the claims hold; see `token`. The layout is specified in
//! `core/docs/state-token.md`, "Claims".

use std::fmt;

use sha2::{Digest as _, Sha256};

use super::digest::RequestDigest;
use super::principal::PrincipalTag;
use crate::elicit::Source;

/// Version of the layout.
const VERSION: u8 = 1;

/// The kind of token that these claims stand in; also in the associated data.
pub(super) const KIND_REQUEST_STATE: u8 = 1;

/// Everything before the audience.
const FIXED: usize = 96;

/// What a state remembers of a flow. Whom it was sealed for is not among it: sealing and
/// verifying take the principal themselves.
#[derive(Clone, PartialEq, Eq)]
pub(crate) struct Claims {
    /// Names the flow; the same in all its rounds.
    pub(crate) flow_id: [u8; 16],
    /// The round that the state was sealed in; the first is 1.
    pub(crate) round: u32,
    /// Rounds so far that brought a new question.
    pub(crate) question_rounds: u16,
    /// When it was sealed, in milliseconds since 1970.
    pub(crate) issued_ms: u64,
    /// From when on this round's state is refused.
    pub(crate) expires_ms: u64,
    /// From when on every state of the flow is refused.
    pub(crate) deadline_ms: u64,
    /// The service that it was sealed for.
    pub(crate) audience: String,
    /// The request that it was sealed for.
    pub(crate) digest: RequestDigest,
    /// What the application put in for itself.
    pub(crate) app_data: Option<Vec<u8>>,
    /// Asks and steps in the order in which the handler came to them.
    pub(crate) entries: Vec<Entry>,
}

/// Something that the handler came to and that later runs must find again.
#[derive(Clone, PartialEq, Eq)]
#[cfg_attr(test, derive(Debug))]
pub(crate) enum Entry {
    /// A question.
    Ask(AskEntry),
    /// A remembered result.
    Step(StepEntry),
}

/// A question and what became of it.
#[derive(Clone, PartialEq, Eq)]
#[cfg_attr(test, derive(Debug))]
pub(crate) struct AskEntry {
    /// The key that the server chose.
    pub(crate) key: String,
    /// What kind of question it is.
    pub(crate) kind: AskKind,
    /// The question as it was worded.
    pub(crate) digest: AskDigest,
    /// What became of it.
    pub(crate) state: AskState,
    /// How often it was asked again after an invalid answer.
    pub(crate) reasks: u16,
    /// JSON: the last answer that was no good, whose good values are filled in for review.
    pub(crate) kept: Option<String>,
    /// The link that was given first, where this is a link.
    pub(crate) link: Option<String>,
}

/// A computation that is not repeated on later rounds.
#[derive(Clone, PartialEq, Eq)]
#[cfg_attr(test, derive(Debug))]
pub(crate) struct StepEntry {
    /// The key that the server chose.
    pub(crate) key: String,
    /// Whether the client may read the result: only then may it stand in a signed token.
    pub(crate) readable: bool,
    /// JSON.
    pub(crate) result: String,
}

/// What became of a question.
#[derive(Clone, PartialEq, Eq)]
#[cfg_attr(test, derive(Debug))]
pub(crate) enum AskState {
    /// Nothing yet.
    Open,
    /// A response arrived while the handler waited for another question. JSON, not yet judged.
    Received {
        /// The response as the client sent it.
        response: String,
    },
    /// Accepted.
    Accept {
        /// JSON: a form's answer.
        content: Option<String>,
        /// Where the answer came from.
        source: Source,
    },
    /// Declined.
    Decline,
    /// Cancelled.
    Cancel,
    /// Still wrong after the last time of asking; `kept` says what.
    Invalid,
    /// Answered by what is no person: a model's turn, roots.
    Answer {
        /// JSON: the result.
        content: String,
    },
}

macro_rules! codes {
    ($(#[$doc:meta])* $name:ident { $($(#[$case:meta])* $variant:ident = $code:literal,)* }) => {
        $(#[$doc])*
        #[derive(Clone, Copy, Debug, PartialEq, Eq)]
        pub(crate) enum $name {
            $($(#[$case])* $variant,)*
        }

        impl $name {
            const fn code(self) -> u8 {
                match self { $(Self::$variant => $code,)* }
            }

            const fn from_code(code: u8) -> Option<Self> {
                match code { $($code => Some(Self::$variant),)* _ => None }
            }
        }
    };
}

codes! {
    /// What kind of question it is.
    AskKind {
        /// A form.
        Form = 1,
        /// A link.
        Url = 2,
        /// A model's turn.
        Sampling = 3,
        /// The client's roots.
        Roots = 4,
    }
}

const fn source_code(source: Source) -> u8 {
    match source {
        Source::User => 1,
        Source::Argument => 2,
        Source::Default => 3,
        Source::Grant => 4,
    }
}

const fn source_from_code(code: u8) -> Option<Source> {
    match code {
        1 => Some(Source::User),
        2 => Some(Source::Argument),
        3 => Some(Source::Default),
        4 => Some(Source::Grant),
        _ => None,
    }
}

/// A question as it was worded: an answer counts for no other wording.
#[derive(Clone, Copy, PartialEq, Eq)]
#[cfg_attr(test, derive(Debug))]
pub(crate) struct AskDigest(pub(super) [u8; 16]);

impl AskDigest {
    /// The digest of a question. `body` is what the answer must fit: of a form the full schema, or
    /// a hash of it, of other kinds what they ask for; of a link nothing.
    pub(crate) fn of(kind: AskKind, message: &str, body: &[u8]) -> Self {
        const DOMAIN: &[u8] = b"mcp-elicit/1 ask";
        let mut hash = Sha256::new();
        for field in [DOMAIN, &[kind.code()], message.as_bytes(), body] {
            hash.update((field.len() as u64).to_be_bytes());
            hash.update(field);
        }
        let mut digest = [0; 16];
        digest.copy_from_slice(&hash.finalize()[..16]);
        Self(digest)
    }
}

impl Entry {
    /// The question, where it is one.
    pub(crate) fn as_ask(&self) -> Option<&AskEntry> {
        match self {
            Self::Ask(ask) => Some(ask),
            Self::Step(_) => None,
        }
    }

    /// The step, where it is one.
    pub(crate) fn as_step(&self) -> Option<&StepEntry> {
        match self {
            Self::Ask(_) => None,
            Self::Step(step) => Some(step),
        }
    }

    /// The question to write to, where it is one.
    pub(crate) fn as_ask_mut(&mut self) -> Option<&mut AskEntry> {
        match self {
            Self::Ask(ask) => Some(ask),
            Self::Step(_) => None,
        }
    }
}

impl AskEntry {
    /// A question that was just asked.
    pub(crate) fn open(key: impl Into<String>, digest: AskDigest, kind: AskKind) -> Self {
        Self {
            key: key.into(),
            kind,
            digest,
            state: AskState::Open,
            reasks: 0,
            kept: None,
            link: None,
        }
    }
}

impl AskState {
    /// Whether the question has neither outcome nor response.
    pub(crate) fn is_open(&self) -> bool {
        matches!(self, Self::Open)
    }
}

// The codes of what stands in an entry. Codes that `core/docs/state-token.md` reserves are unknown
// here and refused.
const ENTRY_ASK: u8 = 1;
const ENTRY_STEP: u8 = 2;
const STATE_OPEN: u8 = 0;
const STATE_ACCEPT: u8 = 1;
const STATE_DECLINE: u8 = 2;
const STATE_CANCEL: u8 = 3;
const STATE_INVALID: u8 = 4;
const STATE_RECEIVED: u8 = 5;
const STATE_ANSWER: u8 = 7;

/// Bytes of the shortest entry: a step with empty key and result.
const ENTRY_MIN: usize = 10;

impl Claims {
    /// How many bytes [`Claims::encode`] appends.
    pub(super) fn encoded_len(&self) -> usize {
        let entries = self.entries.iter().map(|entry| match entry {
            Entry::Ask(ask) => {
                let state = match &ask.state {
                    AskState::Received { response: json } | AskState::Answer { content: json } => {
                        4 + json.len()
                    }
                    AskState::Accept { content, .. } => 1 + optional(content.as_deref()),
                    _ => 0,
                };
                let texts = optional(ask.kept.as_deref()) + optional(ask.link.as_deref());
                1 + 1 + 16 + 2 + 4 + ask.key.len() + 1 + state + texts
            }
            Entry::Step(step) => ENTRY_MIN + step.key.len() + step.result.len(),
        });
        let app_data = 1 + self.app_data.as_ref().map_or(0, |data| 4 + data.len());
        FIXED + 4 + self.audience.len() + app_data + 4 + entries.sum::<usize>()
    }

    /// Appends the encoding. None where a length does not fit into 32 bits.
    pub(super) fn encode(&self, tag: PrincipalTag, out: &mut Vec<u8>) -> Option<()> {
        out.extend_from_slice(&[VERSION, KIND_REQUEST_STATE]);
        out.extend_from_slice(&self.flow_id);
        out.extend_from_slice(&self.round.to_be_bytes());
        out.extend_from_slice(&self.question_rounds.to_be_bytes());
        for time in [self.issued_ms, self.expires_ms, self.deadline_ms] {
            out.extend_from_slice(&time.to_be_bytes());
        }
        out.extend_from_slice(&tag.0);
        out.extend_from_slice(&self.digest.0);
        put_bytes(out, self.audience.as_bytes())?;
        put_optional(out, self.app_data.as_deref())?;
        out.extend_from_slice(&u32::try_from(self.entries.len()).ok()?.to_be_bytes());
        self.entries.iter().try_for_each(|entry| match entry {
            Entry::Ask(ask) => ask.encode(out),
            Entry::Step(step) => {
                out.extend_from_slice(&[ENTRY_STEP, u8::from(step.readable)]);
                put_bytes(out, step.key.as_bytes())?;
                put_bytes(out, step.result.as_bytes())
            }
        })
    }

    /// Reads an encoding, all of it. None where it is not one.
    pub(super) fn decode(bytes: &[u8]) -> Option<(Self, PrincipalTag)> {
        let mut reader = Reader(bytes);
        if reader.array()? != [VERSION, KIND_REQUEST_STATE] {
            return None;
        }
        let flow_id = reader.array()?;
        let round = reader.u32()?;
        let question_rounds = reader.u16()?;
        let (issued_ms, expires_ms, deadline_ms) = (reader.u64()?, reader.u64()?, reader.u64()?);
        let tag = PrincipalTag(reader.array()?);
        let digest = RequestDigest(reader.array()?);
        let audience = reader.text()?;
        let app_data = if reader.flag()? { Some(reader.bytes()?.to_vec()) } else { None };
        let count = reader.u32()? as usize;
        if count > reader.0.len() / ENTRY_MIN {
            return None;
        }
        let mut entries = Vec::with_capacity(count);
        for _ in 0..count {
            entries.push(match reader.u8()? {
                ENTRY_ASK => Entry::Ask(AskEntry::decode(&mut reader)?),
                ENTRY_STEP => Entry::Step(StepEntry {
                    readable: reader.flag()?,
                    key: reader.text()?,
                    result: reader.text()?,
                }),
                _ => return None,
            });
        }
        let claims = Self {
            flow_id,
            round,
            question_rounds,
            issued_ms,
            expires_ms,
            deadline_ms,
            audience,
            digest,
            app_data,
            entries,
        };
        reader.0.is_empty().then_some((claims, tag))
    }
}

impl AskEntry {
    fn encode(&self, out: &mut Vec<u8>) -> Option<()> {
        out.extend_from_slice(&[ENTRY_ASK, self.kind.code()]);
        out.extend_from_slice(&self.digest.0);
        out.extend_from_slice(&self.reasks.to_be_bytes());
        put_bytes(out, self.key.as_bytes())?;
        match &self.state {
            AskState::Open => out.push(STATE_OPEN),
            AskState::Accept { content, source } => {
                out.extend_from_slice(&[STATE_ACCEPT, source_code(*source)]);
                put_optional(out, content.as_deref().map(str::as_bytes))?;
            }
            AskState::Decline => out.push(STATE_DECLINE),
            AskState::Cancel => out.push(STATE_CANCEL),
            AskState::Invalid => out.push(STATE_INVALID),
            AskState::Received { response } => {
                out.push(STATE_RECEIVED);
                put_bytes(out, response.as_bytes())?;
            }
            AskState::Answer { content } => {
                out.push(STATE_ANSWER);
                put_bytes(out, content.as_bytes())?;
            }
        }
        put_optional(out, self.kept.as_deref().map(str::as_bytes))?;
        put_optional(out, self.link.as_deref().map(str::as_bytes))
    }

    fn decode(reader: &mut Reader<'_>) -> Option<Self> {
        Some(Self {
            kind: AskKind::from_code(reader.u8()?)?,
            digest: AskDigest(reader.array()?),
            reasks: reader.u16()?,
            key: reader.text()?,
            state: match reader.u8()? {
                STATE_OPEN => AskState::Open,
                STATE_ACCEPT => AskState::Accept {
                    source: source_from_code(reader.u8()?)?,
                    content: reader.optional_text()?,
                },
                STATE_DECLINE => AskState::Decline,
                STATE_CANCEL => AskState::Cancel,
                STATE_INVALID => AskState::Invalid,
                STATE_RECEIVED => AskState::Received { response: reader.text()? },
                STATE_ANSWER => AskState::Answer { content: reader.text()? },
                _ => return None,
            },
            kept: reader.optional_text()?,
            link: reader.optional_text()?,
        })
    }
}

fn optional(text: Option<&str>) -> usize {
    1 + text.map_or(0, |text| 4 + text.len())
}

fn put_bytes(out: &mut Vec<u8>, bytes: &[u8]) -> Option<()> {
    out.extend_from_slice(&u32::try_from(bytes.len()).ok()?.to_be_bytes());
    out.extend_from_slice(bytes);
    Some(())
}

fn put_optional(out: &mut Vec<u8>, bytes: Option<&[u8]>) -> Option<()> {
    out.push(u8::from(bytes.is_some()));
    bytes.map_or(Some(()), |bytes| put_bytes(out, bytes))
}

/// What is left to read. Every method gives None where the bytes do not reach or do not fit.
struct Reader<'b>(&'b [u8]);

impl<'b> Reader<'b> {
    fn take(&mut self, len: usize) -> Option<&'b [u8]> {
        let (taken, rest) = self.0.split_at_checked(len)?;
        self.0 = rest;
        Some(taken)
    }

    fn array<const N: usize>(&mut self) -> Option<[u8; N]> {
        self.take(N)?.try_into().ok()
    }

    fn u8(&mut self) -> Option<u8> {
        self.array().map(u8::from_be_bytes)
    }

    fn u16(&mut self) -> Option<u16> {
        self.array().map(u16::from_be_bytes)
    }

    fn u32(&mut self) -> Option<u32> {
        self.array().map(u32::from_be_bytes)
    }

    fn u64(&mut self) -> Option<u64> {
        self.array().map(u64::from_be_bytes)
    }

    fn flag(&mut self) -> Option<bool> {
        match self.u8()? {
            0 => Some(false),
            1 => Some(true),
            _ => None,
        }
    }

    fn bytes(&mut self) -> Option<&'b [u8]> {
        let len = self.u32()?;
        self.take(usize::try_from(len).ok()?)
    }

    fn text(&mut self) -> Option<String> {
        std::str::from_utf8(self.bytes()?).ok().map(str::to_owned)
    }

    /// The outer None is a fault, the inner one an absent text.
    fn optional_text(&mut self) -> Option<Option<String>> {
        if self.flag()? { self.text().map(Some) } else { Some(None) }
    }
}

/// Shows what is safe in a log: no answers, no application data, nobody's name.
impl fmt::Debug for Claims {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_struct("Claims")
            .field("round", &self.round)
            .field("issued_ms", &self.issued_ms)
            .field("expires_ms", &self.expires_ms)
            .field("deadline_ms", &self.deadline_ms)
            .field("entries", &self.entries.len())
            .finish_non_exhaustive()
    }
}
