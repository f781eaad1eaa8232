//! Responses: the shape of what the client says a person did.
//!
//! Shape only: whether the content fits the form is the form's to say.
//! Protocol: client/elicitation, "Response Actions"; mrtr, "Error Handling".

use super::{roots, sampling};
use crate::error::{Error, ErrorKind, Fault, Result};
use crate::json::{Value, push_pointer};

/// A response whose shape is right.
#[derive(Clone, Copy)]
pub(crate) enum Response<'j> {
    /// `content` where it is present and not null.
    Accept(Option<Value<'j>>),
    Decline,
    Cancel,
}

/// Reads the response under `key`. Members that are not known are ignored (mrtr: the server
/// SHOULD ignore what it does not recognize), a `resultType` among them.
///
/// # Errors
/// [`ErrorKind::InvalidParams`] with the path: the client, not the person, got it wrong.
pub(crate) fn read_response<'j>(key: &str, response: Value<'j>) -> Result<Response<'j>> {
    let refuse = |member, rule, message| Err(refusal(key, member, rule, message));
    let Some(action) = response.get("action") else {
        return refuse("", "required", "a response needs an action: accept, decline or cancel");
    };
    match action.as_str().as_deref() {
        Some("accept") => match response.get_present("content") {
            Some(content) if !content.is_object() => {
                refuse("content", "type", "content must be an object")
            }
            content => Ok(Response::Accept(content)),
        },
        Some("decline") => Ok(Response::Decline),
        Some("cancel") => Ok(Response::Cancel),
        _ => refuse("action", "enum", "the action must be accept, decline or cancel"),
    }
}

/// Checks the result under `key` of a request that knows no yes and no: a model's turn, or roots.
///
/// # Errors
/// As [`read_response`].
pub(crate) fn read_result(key: &str, of_model: bool, result: Value<'_>) -> Result<()> {
    let checked =
        if of_model { sampling::check_result(result) } else { roots::check_result(result) };
    checked.map_err(|(member, message)| refusal(key, member, "type", message))
}

fn refusal(key: &str, member: &str, rule: &'static str, message: &str) -> Error {
    let mut path = String::from("/params/inputResponses");
    push_pointer(&mut path, key);
    if !member.is_empty() {
        push_pointer(&mut path, member);
    }
    Error::at(ErrorKind::InvalidParams, Fault::new(path, rule, message))
}
