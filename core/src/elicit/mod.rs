//! Elicitation: questions for a person, and what comes back.
//!
//! Owns the requests (form and URL mode; sampling and roots, checked and passed through), the
//! rules a link must keep, the reading of a response, and the outcome a handler sees. Knows
//! nothing of rounds or state.
//! Protocol: client/elicitation; client/sampling and client/roots.

mod link;
mod options;
mod outcome;
mod request;
mod response;
mod roots;
mod sampling;

pub(crate) use link::check_link;
pub use options::{AskOptions, Policy};
pub(crate) use outcome::Verdict;
pub use outcome::{Action, Outcome, Source};
pub use request::ElicitRequest;
pub(crate) use request::{LONGEST_MESSAGE, check_message};
pub(crate) use response::{Response, read_response, read_result};
pub(crate) use sampling::Sampling;
