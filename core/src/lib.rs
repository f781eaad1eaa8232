//! Ask the user, from any MCP server.
//!
//! (Crate docs follow with the first call.)
#![forbid(unsafe_code)]

mod env;
mod error;
pub mod json;
mod protocol;
pub mod schema;
#[allow(dead_code, unused_imports, reason = "`call` uses it")]
mod seal;

pub use env::{Clock, Event, Level, Log, Rng, SystemClock, SystemRng};
pub use error::{Error, ErrorKind, Fault, Result};
pub use json::{Json, JsonError, JsonFault, JsonType, Value};
pub use protocol::{
    Caller, Capabilities, Envelope, Method, Mode, PROTOCOL_VERSION, Principal, PrincipalKind,
};
pub use schema::{Answer, Form, FormOptions};
pub use seal::{Keyring, Refusal, keygen};
