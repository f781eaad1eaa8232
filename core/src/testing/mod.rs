//! A host to test servers with: it plays the client, and the person from a script.
//!
//! Owns what a test says of the person ([`Answer`], by key), the record of everything that crossed
//! the wire ([`Flow`]), and what an attacker would do with it ([`Attack`]). Its rounds are driven
//! by [`host::Driver`](crate::host::Driver). [`Host`] is for Rust; other languages do their own I/O
//! around [`Play`]. With the cargo feature `testing`; made for dev-dependencies.
//!
//! One line tests a tool:
//!
//! ```
//! use mcp_elicit::testing::{Host, accept};
//! # use mcp_elicit::{Call, Engine, Form, Json, Stop};
//! # fn deploy(call: &mut Call) -> Result<Json, Stop> {
//! #     let form = Form::parse(r#"{"type":"object","required":["environment"],
//! #         "properties":{"environment":{"type":"string","enum":["dev","prod"]}}}"#)?;
//! #     let target = call.elicit_form("target", "Which environment?", &form)?;
//! #     Ok(Json::parse(match target.outcome()?.is_accept() {
//! #         true => r#"{"content":[{"type":"text","text":"Deployed."}]}"#,
//! #         false => r#"{"content":[{"type":"text","text":"Nothing was deployed."}]}"#,
//! #     })?)
//! # }
//! # fn main() -> mcp_elicit::Result<()> {
//! # let engine = Engine::builder().ephemeral().audience("deployer").build()?;
//! let mut host = Host::new(&engine, deploy).answer("target", accept(r#"{"environment":"dev"}"#));
//! let flow = host.call("deploy", r#"{"app":"web"}"#);
//! assert_eq!(flow.text()?, "Deployed.");
//! assert_eq!(flow.rounds(), 2);
//!
//! // And whoever plays foul with its state is refused.
//! for attacked in host.attack_all(&flow)? {
//!     assert!(attacked.held(), "{attacked}");
//! }
//! # Ok(())
//! # }
//! ```

mod attack;
mod clock;
mod flow;
mod host;
mod play;
mod script;

pub use attack::{Attack, Attacked, Tamper};
pub use clock::TestClock;
pub use flow::{Direction, Flow, FlowEnd, Recorded};
pub use host::{BoxError, Host, Received, Sent};
pub use play::{Play, Settings, Step};
pub use script::{
    Answer, Decision, IntoJson, Script, accept, agree, cancel, decide, decline, never, result,
};
