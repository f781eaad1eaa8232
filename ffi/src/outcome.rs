//! What became of a question, as C reads it.

use std::ffi::c_char;
use std::mem::MaybeUninit;
use std::sync::OnceLock;

use mcp_elicit::{Action, Ask, Outcome, Source};

use crate::boundary::{self, Done, Failure, need, place, put};
use crate::error::mcp_elicit_error;
use crate::fault::{Faults, mcp_elicit_fault};
use crate::status::mcp_elicit_status;
use crate::text::{Text, give};

/// A question that was asked in this round, and what became of it.
///
/// Owned by its call and lives as long. While the question is open its accessors return
/// MCP_ELICIT_PENDING and leave results at NULL or 0: suspend the call then. It never changes
/// within a round.
///
/// Thread-safety: that of its call.
pub struct mcp_elicit_outcome {
    ask: Ask,
    content: OnceLock<Option<Text>>,
    reason: OnceLock<Option<Text>>,
    faults: OnceLock<Faults>,
}

/// What became of a question (elicitation, "Response Actions"; the last three are ours). Later
/// versions can add actions: treat one that you do not know as no consent.
#[repr(u32)]
#[derive(Clone, Copy)]
pub enum mcp_elicit_action {
    /// There is none yet.
    MCP_ELICIT_ACTION_NONE = 0,
    /// The person said yes; a form has its content.
    MCP_ELICIT_ACTION_ACCEPT = 1,
    /// The person said no.
    MCP_ELICIT_ACTION_DECLINE = 2,
    /// The person closed the dialog without choosing.
    MCP_ELICIT_ACTION_CANCEL = 3,
    /// What came back was still wrong after the last time of asking; the faults say how.
    MCP_ELICIT_ACTION_INVALID = 4,
    /// Nobody can be asked: given where the ask says MCP_ELICIT_POLICY_OUTCOME.
    MCP_ELICIT_ACTION_UNAVAILABLE = 5,
    /// What came back for a model's turn or for the roots; these know no yes and no.
    MCP_ELICIT_ACTION_ANSWER = 6,
}

/// Where an accepted answer came from. Later versions can add sources.
#[repr(u32)]
#[derive(Clone, Copy)]
pub enum mcp_elicit_source {
    /// Nothing was accepted.
    MCP_ELICIT_SOURCE_NONE = 0,
    /// The person, through the client.
    MCP_ELICIT_SOURCE_USER = 1,
    /// An argument of the request.
    MCP_ELICIT_SOURCE_ARGUMENT = 2,
    /// The schema's defaults.
    MCP_ELICIT_SOURCE_DEFAULT = 3,
    /// An earlier visit: nobody was asked this time.
    MCP_ELICIT_SOURCE_GRANT = 4,
}

impl mcp_elicit_outcome {
    pub(crate) fn new(ask: Ask) -> Self {
        Self { ask, content: OnceLock::new(), reason: OnceLock::new(), faults: OnceLock::new() }
    }

    /// The outcome; reading it while the question is open is noted in the call.
    fn read(&self) -> Done<&Outcome> {
        self.ask.outcome().map_err(|_| Failure::Pending)
    }

    fn faults(&self) -> Done<&Faults> {
        let outcome = self.read()?;
        Ok(self.faults.get_or_init(|| Faults::new(outcome.faults())))
    }
}

/// Whether there is no outcome yet. False if `outcome` is NULL.
#[must_use]
#[unsafe(no_mangle)]
pub extern "C" fn mcp_elicit_outcome_is_pending(outcome: Option<&mcp_elicit_outcome>) -> bool {
    boundary::value(true, || outcome.is_some_and(|outcome| outcome.ask.is_pending()))
}

/// What happened: tells outcomes apart.
///
/// Returns MCP_ELICIT_OK; MCP_ELICIT_PENDING while the question is open (`*action` is then
/// MCP_ELICIT_ACTION_NONE, `*err` NULL); or a status that `*err` (if not NULL) explains.
#[must_use]
#[unsafe(no_mangle)]
pub extern "C" fn mcp_elicit_outcome_action(
    outcome: Option<&mcp_elicit_outcome>,
    action: Option<&mut MaybeUninit<mcp_elicit_action>>,
    err: Option<&mut MaybeUninit<Option<Box<mcp_elicit_error>>>>,
) -> mcp_elicit_status {
    boundary::status(err, || {
        let place = place(action, mcp_elicit_action::MCP_ELICIT_ACTION_NONE, "action")?;
        place.write(match need(outcome, "outcome")?.read()?.action() {
            Action::Accept => mcp_elicit_action::MCP_ELICIT_ACTION_ACCEPT,
            Action::Decline => mcp_elicit_action::MCP_ELICIT_ACTION_DECLINE,
            Action::Cancel => mcp_elicit_action::MCP_ELICIT_ACTION_CANCEL,
            Action::Invalid => mcp_elicit_action::MCP_ELICIT_ACTION_INVALID,
            Action::Answer => mcp_elicit_action::MCP_ELICIT_ACTION_ANSWER,
            // An action that this file does not know yet is no consent either.
            _ => mcp_elicit_action::MCP_ELICIT_ACTION_UNAVAILABLE,
        });
        Ok(())
    })
}

/// The answer of an accepted form, as a JSON object that the form's schema accepts; for a model's
/// turn the CreateMessageResult, for roots the ListRootsResult.
///
/// `*content` is NULL for a link and for every other action. It is owned by the call and
/// NUL-terminated; `len` (may be NULL) receives its length in bytes.
///
/// Returns MCP_ELICIT_OK; MCP_ELICIT_PENDING while the question is open; or a status that `*err`
/// (if not NULL) explains.
#[must_use]
#[unsafe(no_mangle)]
pub extern "C" fn mcp_elicit_outcome_content(
    outcome: Option<&mcp_elicit_outcome>,
    content: Option<&mut MaybeUninit<*const c_char>>,
    mut len: Option<&mut MaybeUninit<usize>>,
    err: Option<&mut MaybeUninit<Option<Box<mcp_elicit_error>>>>,
) -> mcp_elicit_status {
    boundary::status(err, || {
        put(len.as_deref_mut(), 0);
        let place = place(content, std::ptr::null(), "content")?;
        let outcome = need(outcome, "outcome")?;
        let read = outcome.read()?;
        let text = || read.content().map(|content| Text::new(content.compact()));
        place.write(give(outcome.content.get_or_init(text).as_ref(), len));
        Ok(())
    })
}

/// Where the answer came from; MCP_ELICIT_SOURCE_NONE unless it was accepted.
///
/// Returns MCP_ELICIT_OK; MCP_ELICIT_PENDING while the question is open; or a status that `*err`
/// (if not NULL) explains.
#[must_use]
#[unsafe(no_mangle)]
pub extern "C" fn mcp_elicit_outcome_source(
    outcome: Option<&mcp_elicit_outcome>,
    source: Option<&mut MaybeUninit<mcp_elicit_source>>,
    err: Option<&mut MaybeUninit<Option<Box<mcp_elicit_error>>>>,
) -> mcp_elicit_status {
    boundary::status(err, || {
        let place = place(source, mcp_elicit_source::MCP_ELICIT_SOURCE_NONE, "source")?;
        place.write(match need(outcome, "outcome")?.read()?.source() {
            Some(Source::User) => mcp_elicit_source::MCP_ELICIT_SOURCE_USER,
            Some(Source::Argument) => mcp_elicit_source::MCP_ELICIT_SOURCE_ARGUMENT,
            Some(Source::Default) => mcp_elicit_source::MCP_ELICIT_SOURCE_DEFAULT,
            Some(Source::Grant) => mcp_elicit_source::MCP_ELICIT_SOURCE_GRANT,
            _ => mcp_elicit_source::MCP_ELICIT_SOURCE_NONE,
        });
        Ok(())
    })
}

/// Why nobody can be asked: "capability" (the client declared none for this) or "cancelled". NULL
/// unless the action is MCP_ELICIT_ACTION_UNAVAILABLE, and if `outcome` is NULL or pending.
///
/// Owned by the call, NUL-terminated.
#[must_use]
#[unsafe(no_mangle)]
pub extern "C" fn mcp_elicit_outcome_reason(outcome: Option<&mcp_elicit_outcome>) -> *const c_char {
    boundary::value(std::ptr::null(), || {
        let reason = |outcome: &mcp_elicit_outcome| {
            outcome.ask.peek().and_then(Outcome::reason).map(Text::new)
        };
        give(
            outcome.and_then(|outcome| outcome.reason.get_or_init(|| reason(outcome)).as_ref()),
            None,
        )
    })
}

/// How many things were wrong with the last answer; 0 unless the action is
/// MCP_ELICIT_ACTION_INVALID.
///
/// Returns MCP_ELICIT_OK; MCP_ELICIT_PENDING while the question is open; or a status that `*err`
/// (if not NULL) explains.
#[must_use]
#[unsafe(no_mangle)]
pub extern "C" fn mcp_elicit_outcome_fault_count(
    outcome: Option<&mcp_elicit_outcome>,
    count: Option<&mut MaybeUninit<usize>>,
    err: Option<&mut MaybeUninit<Option<Box<mcp_elicit_error>>>>,
) -> mcp_elicit_status {
    boundary::status(err, || {
        let place = place(count, 0, "count")?;
        place.write(need(outcome, "outcome")?.read()?.faults().len());
        Ok(())
    })
}

/// The fault at `index`, counted from 0. NULL if there is none, or `outcome` is NULL or pending.
///
/// Owned by the call.
#[must_use]
#[unsafe(no_mangle)]
pub extern "C" fn mcp_elicit_outcome_fault(
    outcome: Option<&mcp_elicit_outcome>,
    index: usize,
) -> Option<&mcp_elicit_fault> {
    boundary::value(None, || outcome?.faults().ok()?.each.get(index))
}

/// All faults of the last answer as a JSON array of {"path", "rule", "message"}; "[]" unless the
/// action is MCP_ELICIT_ACTION_INVALID.
///
/// `*faults` is owned by the call and NUL-terminated; `len` (may be NULL) receives its length in
/// bytes.
///
/// Returns MCP_ELICIT_OK; MCP_ELICIT_PENDING while the question is open; or a status that `*err`
/// (if not NULL) explains.
#[must_use]
#[unsafe(no_mangle)]
pub extern "C" fn mcp_elicit_outcome_faults(
    outcome: Option<&mcp_elicit_outcome>,
    faults: Option<&mut MaybeUninit<*const c_char>>,
    mut len: Option<&mut MaybeUninit<usize>>,
    err: Option<&mut MaybeUninit<Option<Box<mcp_elicit_error>>>>,
) -> mcp_elicit_status {
    boundary::status(err, || {
        put(len.as_deref_mut(), 0);
        let place = place(faults, std::ptr::null(), "faults")?;
        place.write(need(outcome, "outcome")?.faults()?.json.give(len));
        Ok(())
    })
}
