//! The record of a claim and its bytes, before they are sealed.

use zeroize::Zeroizing;

use crate::json::Json;

const VERSION: u8 = 1;
const CLAIMED: u8 = 1;
const FINISHED: u8 = 2;
const RECORDED: u8 = 3;

/// What the store says of a flow's effect.
pub(super) struct Record {
    /// When it was claimed or finished, in milliseconds since 1970.
    pub(super) claimed_ms: u64,
    pub(super) state: State,
}

pub(super) enum State {
    /// Somebody is at it, or died at it.
    Claimed,
    /// It was done.
    Finished,
    /// It was done, with this result.
    Recorded(Json),
}

impl Record {
    pub(super) fn claimed(now_ms: u64) -> Self {
        Self { claimed_ms: now_ms, state: State::Claimed }
    }

    pub(super) fn finished(now_ms: u64) -> Self {
        Self { claimed_ms: now_ms, state: State::Finished }
    }

    pub(super) fn recorded(now_ms: u64, result: &Json) -> Self {
        Self { claimed_ms: now_ms, state: State::Recorded(result.clone()) }
    }

    /// Version, time, state, and the result's text where there is one.
    pub(super) fn encode(&self) -> Zeroizing<Vec<u8>> {
        let (state, result) = match &self.state {
            State::Claimed => (CLAIMED, String::new()),
            State::Finished => (FINISHED, String::new()),
            State::Recorded(result) => (RECORDED, result.compact()),
        };
        let mut out = Zeroizing::new(Vec::with_capacity(10 + result.len()));
        out.push(VERSION);
        out.extend_from_slice(&self.claimed_ms.to_be_bytes());
        out.push(state);
        out.extend_from_slice(result.as_bytes());
        out
    }

    /// None for what is not such a record.
    pub(super) fn decode(bytes: &[u8]) -> Option<Self> {
        let (&version, rest) = bytes.split_first()?;
        let (time, rest) = rest.split_first_chunk::<8>()?;
        let (&state, result) = rest.split_first()?;
        let state = match state {
            CLAIMED if result.is_empty() => State::Claimed,
            FINISHED if result.is_empty() => State::Finished,
            RECORDED => State::Recorded(Json::parse_bytes(result, usize::MAX).ok()?),
            _ => return None,
        };
        (version == VERSION).then_some(Self { claimed_ms: u64::from_be_bytes(*time), state })
    }
}
