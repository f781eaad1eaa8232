//! Ask the user, from any MCP server.
//!
//! The human half of the Model Context Protocol, revision 2026-07-28: builds and checks forms and
//! links (elicitation), runs multi round-trip requests, and seals `requestState`. Owns no socket,
//! no thread and no event loop: a server that already exists hands over the JSON of a request and
//! gets back the JSON of a reply.
//!
//! An [`Engine`] is configured once and shared. [`Engine::run`] opens a [`Call`], runs your
//! handler, and turns whatever happened into a [`Reply`]. The handler runs again on every round of
//! a flow: questions that were answered return at once, and reading one that is pending ends the
//! run. It cannot finish by accident while a question is open.
//!
//! ```
//! use mcp_elicit::{Caller, Engine, Form, Json, Principal};
//!
//! # fn main() -> Result<(), mcp_elicit::Error> {
//! let engine = Engine::builder().ephemeral().audience("deployer").build()?;
//! let form = Form::parse(
//!     r#"{"type":"object","required":["environment"],
//!         "properties":{"environment":{"type":"string","enum":["dev","staging","prod"]}}}"#,
//! )?;
//! # let request = r#"{"jsonrpc":"2.0","id":1,"method":"tools/call","params":{"name":"deploy",
//! #   "_meta":{"io.modelcontextprotocol/protocolVersion":"2026-07-28",
//! #   "io.modelcontextprotocol/clientCapabilities":{"elicitation":{}}}}}"#;
//! let caller = Caller::new(Principal::new("https://login.example", "alice", "some-client")?);
//! let reply = engine.run(request, &caller, |call| {
//!     let target = call.elicit_form("target", "Which environment?", &form)?;
//!     let text = if target.outcome()?.is_accept() { "Deployed." } else { "Nothing was deployed." };
//!     Ok(Json::parse(format!(r#"{{"content":[{{"type":"text","text":"{text}"}}]}}"#))?)
//! })?;
//! assert_eq!(reply.kind().name(), "input_required");
//! # Ok(())
//! # }
//! ```
//!
//! Modules use only what stands to their left: `json`, `error`, `env`, `protocol`, `schema`,
//! `elicit`, `seal`, `call`, `store`, `claim`. The client side, [`host`], uses nothing right of
//! `elicit`.
#![forbid(unsafe_code)]

mod call;
mod claim;
mod elicit;
mod env;
mod error;
pub mod host;
pub mod json;
mod protocol;
pub mod schema;
mod seal;
pub mod store;
#[cfg(feature = "testing")]
pub mod testing;

pub use call::{Ask, Call, End, Engine, EngineBuilder, Limits, Reply, ReplyKind, Stop, Suspend};
pub use claim::{ClaimOptions, Claimed, Next};
pub use elicit::{Action, AskOptions, ElicitRequest, Outcome, Policy, Source};
pub use env::{Clock, Event, Level, Log, Rng, SystemClock, SystemRng};
pub use error::{Error, ErrorKind, ErrorParts, Fault, Result};
pub use json::{Json, JsonError, JsonFault, JsonType, Value};
pub use protocol::{
    Caller, Capabilities, Envelope, Method, Mode, PROTOCOL_VERSION, Principal, PrincipalKind,
};
pub use schema::{Answer, Form, FormOptions};
#[cfg(fuzzing)]
#[doc(hidden)]
pub mod fuzzing {
    pub use crate::claim::fuzzing::*;
    pub use crate::seal::fuzzing::*;
}
pub use seal::{Keyring, Refusal, StateFormat, keygen};

const _: () = {
    const fn shared<T: Send + Sync>() {}
    const fn movable<T: Send>() {}
    shared::<Engine>();
    shared::<Form>();
    shared::<Json>();
    shared::<Error>();
    shared::<Reply>();
    movable::<Call>();
    shared::<Ask>();
    shared::<host::Driver>();
};
