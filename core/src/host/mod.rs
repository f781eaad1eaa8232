//! The client side: drives the rounds of one request, without I/O.
//!
//! Owns which message goes out next, the reading of what a server replies, and when that ends. A
//! [`Driver`] says what it needs ([`Turn`]) and is given it: the bytes that came back, the answers
//! of a person. Who sends the bytes, shows the questions and keeps the time is its user. Uses
//! nothing that seals or opens: `requestState` is a text that is echoed, never looked into.
//! Protocol: mrtr, "Client Requirements"; basic, "Responses" and "`_meta`"; streamable-http,
//! "Sending Messages", "Receiving Messages" and "Request Metadata".
//!
//! ```
//! use mcp_elicit::Json;
//! use mcp_elicit::host::{Driver, Response, Turn};
//!
//! # fn send(body: &str) -> Vec<u8> {
//! #     br#"{"jsonrpc":"2.0","id":1,"result":{"resultType":"complete","content":[]}}"#.to_vec()
//! # }
//! # fn ask_a_person(question: &mcp_elicit::host::Question) -> Response { Response::decline() }
//! # fn main() -> mcp_elicit::Result<()> {
//! let params = Json::parse(r#"{"name":"deploy","arguments":{"app":"web"}}"#)?;
//! let mut driver = Driver::builder("tools/call", &params)
//!     .client_info(&Json::parse(r#"{"name":"desk","version":"1.0"}"#)?)
//!     .capabilities(&Json::parse(r#"{"elicitation":{"form":{}}}"#)?)
//!     .build()?;
//! let result = loop {
//!     match driver.turn() {
//!         Turn::Send(message) => {
//!             let reply = send(message.body());
//!             driver.receive(&reply)?;
//!         }
//!         Turn::Ask(questions) => {
//!             let answers: Vec<(String, Response)> = questions
//!                 .iter()
//!                 .map(|question| (question.key().to_owned(), ask_a_person(question)))
//!                 .collect();
//!             driver.answer(answers)?;
//!         }
//!         Turn::Done(result) => break result.text().to_owned(),
//!         Turn::Failed(error) => break format!("error {}: {}", error.code(), error.message()),
//!         Turn::Abandoned => break "the person walked away".to_owned(),
//!         Turn::Broken(error) => return Err(error.clone()),
//!     }
//! };
//! assert_eq!(result, r#"{"resultType":"complete","content":[]}"#);
//! # Ok(())
//! # }
//! ```
//!
//! A reply that breaks the protocol is an error of kind
//! [`InvalidReply`](crate::ErrorKind::InvalidReply) with one fault: the place in the message, and
//! the rule.
//!
//! | rule | what is wrong |
//! |---|---|
//! | `too_large`, `syntax`, `utf8`, `depth`, `repeated_key`, `lone_surrogate` | the text itself |
//! | `required`, `type`, `const`, `enum` | a member is missing, of another type, of another value |
//! | `id` | it answers another request |
//! | `request` | the server sent a request: questions come inside a result |
//! | `result_or_error` | it holds both, or neither |
//! | `result_type` | a `resultType` that is not known here |
//! | `input_required` | questions on a method that carries none |
//! | `nothing_asked` | input_required with neither questions nor a state |
//! | `undeclared` | a question of a kind that the client did not declare |
//! | `ask` | a question that the protocol does not allow |
//! | `rounds` | one round more than the limit |
//! | `http_status`, `content_type` | an HTTP response that carries no message |
//! | `no_reply` | the stream ended, or the server was not reached, before a reply came |

mod driver;
mod headers;
mod http;
mod question;
mod reply;
mod request;
mod response;

#[cfg(feature = "testing")]
pub(crate) use driver::Forged;
pub use driver::{Driver, DriverBuilder, HostLimits, Turn};
pub use http::{EventStream, HttpReply};
pub use question::{Question, QuestionKind};
pub use reply::{Heard, PeerError};
pub use request::Message;
pub use response::Response;

use crate::error::{Error, ErrorKind, Fault};

/// The error for a reply that breaks the protocol at `path`.
pub(crate) fn broken(
    path: impl Into<String>,
    rule: &'static str,
    message: impl Into<String>,
) -> Error {
    let fault = Fault::new(path, rule, message);
    Error::with_faults(ErrorKind::InvalidReply, "the reply breaks the protocol", vec![fault])
}

/// The error for what the user of the driver gave.
fn refused(message: impl Into<String>) -> Error {
    Error::new(ErrorKind::InvalidArgument, message)
}
