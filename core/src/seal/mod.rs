//! Sealed state: what a flow knows between two rounds, as a text that only our keys can make.
//!
//! Owns the keyring, the token format, the claims in it, and the digest that binds a token to a
//! request. Pure: no store, no clock, and randomness only as an argument. Does not decide what
//! goes into a state or what follows from it; `call` does. The format is specified byte by byte
//! in `core/docs/state-token.md`.
//! Protocol: basic/patterns/mrtr, server requirements 4 and 5.

#[cfg(test)]
mod bench;
mod claims;
mod digest;
#[cfg(fuzzing)]
pub(crate) mod fuzzing;
mod keyring;
#[cfg(test)]
mod laws;
mod principal;
mod refusal;
#[cfg(test)]
mod tests;
mod token;
mod value;
#[cfg(test)]
mod vectors;

pub(crate) use claims::{AskDigest, AskEntry, AskKind, AskState, Claims, Entry, StepEntry};
pub(crate) use digest::RequestDigest;
pub use keyring::{Keyring, keygen};
pub use refusal::Refusal;
pub(crate) use token::Expected;
pub use token::StateFormat;
pub(crate) use value::{Purpose, SEAL_BYTES};
