//! Questions: a form or a link, built or read from JSON, and whether they can be asked.

use crate::error::{Error, ErrorKind, Fault, Result};
use crate::json::{Json, JsonType, Value};
use crate::schema::{Form, FormOptions};

/// A longer text is no question; some hosts show a line of it.
pub(crate) const LONGEST_MESSAGE: usize = 16 * 1024;

/// An `elicitation/create` request whose parts have been checked.
///
/// Protocol: client/elicitation, "Elicitation Requests".
#[derive(Clone, Debug)]
#[non_exhaustive]
pub enum ElicitRequest {
    /// Form mode: answered in the client.
    Form {
        /// Why the question is asked.
        message: String,
        /// What may be answered.
        form: Form,
    },
    /// URL mode: answered in a browser.
    Url {
        /// Why the visit is needed.
        message: String,
        /// Where the visit begins.
        url: String,
    },
}

impl ElicitRequest {
    /// A form under a message.
    ///
    /// # Errors
    /// [`ErrorKind::InvalidAsk`] where the message is blank or too long.
    pub fn form(message: impl Into<String>, form: Form) -> Result<Self> {
        let message = message.into();
        check_message(&message)?;
        Ok(Self::Form { message, form })
    }

    /// A link under a message. The link is checked when it is asked, since an option can allow
    /// plain http.
    ///
    /// # Errors
    /// [`ErrorKind::InvalidAsk`] where the message is blank or too long.
    pub fn url(message: impl Into<String>, url: impl Into<String>) -> Result<Self> {
        let message = message.into();
        check_message(&message)?;
        Ok(Self::Url { message, url: url.into() })
    }

    /// Reads a request as the protocol writes it:
    /// `{"method":"elicitation/create","params":{…}}`, or its `params` alone.
    ///
    /// # Errors
    /// [`ErrorKind::InvalidAsk`] naming the member that is missing, wrong or not known, such as
    /// `elicitationId`, which 2026-07-28 no longer has; [`ErrorKind::Schema`] for the form.
    pub fn from_json(request: &Json) -> Result<Self> {
        Self::from_json_with(request, &FormOptions::default())
    }

    /// [`ElicitRequest::from_json`] that reads a form's schema as `options` say, such as under the
    /// [limits of the engine](crate::Limits::schema).
    ///
    /// # Errors
    /// As [`ElicitRequest::from_json`].
    pub fn from_json_with(request: &Json, options: &FormOptions) -> Result<Self> {
        let root = request.root();
        if !root.is_object() {
            return Err(refused("", "type", "a request is an object"));
        }
        let Some(method) = root.get("method") else { return Self::from_params(root, "", options) };
        if method.as_str().as_deref() != Some("elicitation/create") {
            return Err(refused("/method", "method", "the method must be elicitation/create"));
        }
        if let Some(other) = root.entries().find(|e| !e.key_is("method") && !e.key_is("params")) {
            return Err(unknown("", &other.key()));
        }
        match root.get("params") {
            Some(params) if params.is_object() => Self::from_params(params, "/params", options),
            _ => Err(refused("/params", "required", "params must be an object")),
        }
    }

    fn from_params(params: Value<'_>, at: &str, options: &FormOptions) -> Result<Self> {
        let text = |key: &str| -> Result<String> {
            let place = format!("{at}/{key}");
            let value = params.get(key).ok_or_else(|| refused(&place, "required", "is needed"))?;
            match value.as_str() {
                Some(text) => Ok(text.into_owned()),
                None => Err(refused(&place, "type", "must be a text")),
            }
        };
        let url_mode = match params.get("mode").map(Value::as_str) {
            None => false,
            Some(Some(mode)) if mode == "form" => false,
            Some(Some(mode)) if mode == "url" => true,
            Some(_) => {
                return Err(refused(&format!("{at}/mode"), "mode", "must be \"form\" or \"url\""));
            }
        };
        let known: &[&str] = if url_mode {
            &["mode", "message", "url"]
        } else {
            &["mode", "message", "requestedSchema"]
        };
        if let Some(other) = params.entries().find(|e| !known.iter().any(|key| e.key_is(key))) {
            return Err(unknown(at, &other.key()));
        }
        if url_mode {
            return Self::url(text("message")?, text("url")?);
        }
        match params.get("requestedSchema") {
            Some(schema) if schema.json_type() == JsonType::Object => {
                Self::form(text("message")?, Form::from_value_with(schema, options)?)
            }
            _ => Err(refused(&format!("{at}/requestedSchema"), "required", "must be an object")),
        }
    }
}

/// Checks a message: elicitation requests MUST include one, for a person to read.
pub(crate) fn check_message(message: &str) -> Result<()> {
    if message.trim().is_empty() {
        return Err(refused("/message", "required", "say in words why this is asked"));
    }
    if message.len() > LONGEST_MESSAGE {
        return Err(refused("/message", "maxLength", "is longer than 16384 bytes"));
    }
    Ok(())
}

pub(super) fn refused(path: &str, rule: &'static str, message: &str) -> Error {
    Error::with_faults(
        ErrorKind::InvalidAsk,
        "this cannot be asked",
        vec![Fault::new(path, rule, message)],
    )
}

fn unknown(at: &str, key: &str) -> Error {
    let mut path = at.to_owned();
    crate::json::push_pointer(&mut path, key);
    let message = if key == "elicitationId" {
        "2026-07-28 has no elicitationId: a flow is told by its flow id"
    } else {
        "is not a member of this request"
    };
    refused(&path, "additionalProperties", message)
}
