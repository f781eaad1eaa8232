//! The options of an ask, as keyword arguments.

use mcp_elicit::schema::Messages;
use mcp_elicit::{AskOptions, Error, ErrorKind, Policy};
use pyo3::exceptions::PyTypeError;
use pyo3::prelude::*;
use pyo3::types::PyDict;

use crate::error::raise;
use crate::json::{self, type_error};
use crate::text::{text, texts, truth};

/// Reads the keyword arguments of an ask, by the names that they have in every language.
pub(crate) fn ask_options(given: Option<&Bound<'_, PyDict>>) -> PyResult<AskOptions> {
    let mut options = AskOptions::new();
    for (name, value) in given.into_iter().flatten() {
        options = match text(&name, "the name of an option")? {
            "allow_insecure_http" => {
                options.allow_insecure_http(truth(&value, "allow_insecure_http")?)
            }
            "accept_unasked" => options.accept_unasked(truth(&value, "accept_unasked")?),
            "human_only" => options.human_only(truth(&value, "human_only")?),
            "reask_invalid_only" => {
                options.reask_invalid_only(truth(&value, "reask_invalid_only")?)
            }
            "unavailable" => options.unavailable(policy(&value)?),
            "on_cancel" if value.is_none() => options,
            "on_cancel" => options.on_cancel(policy(&value)?),
            "arguments" => options.arguments(texts(&value, "arguments")?),
            "messages" => options.messages(messages(Some(&value))?),
            other => {
                let message = format!("an ask has no option {other:?}");
                return Err(PyTypeError::new_err(message));
            }
        };
    }
    Ok(options)
}

fn policy(name: &Bound<'_, PyAny>) -> PyResult<Policy> {
    let policy = text(name, "a policy")?;
    Policy::from_name(policy).ok_or_else(|| {
        let message = format!("there is no policy {policy:?}");
        raise(name.py(), Error::new(ErrorKind::InvalidArgument, message))
    })
}

/// The texts of faults: English where there are no others.
pub(crate) fn messages(texts: Option<&Bound<'_, PyAny>>) -> PyResult<Messages> {
    let Some(texts) = texts else { return Ok(Messages::new()) };
    let py = texts.py();
    if !texts.is_instance_of::<PyDict>() {
        return Err(type_error(texts, "messages is a dict of texts"));
    }
    let texts = json::read(py, &json::write(texts)?)?;
    Messages::from_json(&texts).map_err(|error| raise(py, error))
}
