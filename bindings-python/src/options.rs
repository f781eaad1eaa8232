//! The options of an ask, as keyword arguments.

use mcp_elicit::schema::Messages;
use mcp_elicit::{AskOptions, Error, ErrorKind, Policy};
use pyo3::exceptions::PyTypeError;
use pyo3::prelude::*;
use pyo3::types::{PyDict, PyString};

use crate::error::raise;
use crate::json::{self, type_error};

/// Reads the keyword arguments of an ask, by the names that they have in every language.
pub(crate) fn ask_options(given: Option<&Bound<'_, PyDict>>) -> PyResult<AskOptions> {
    let mut options = AskOptions::new();
    for (name, value) in given.into_iter().flatten() {
        options = match name.cast::<PyString>()?.to_str()? {
            "allow_insecure_http" => options.allow_insecure_http(value.extract()?),
            "accept_unasked" => options.accept_unasked(value.extract()?),
            "human_only" => options.human_only(value.extract()?),
            "reask_invalid_only" => options.reask_invalid_only(value.extract()?),
            "unavailable" => options.unavailable(policy(&value)?),
            "on_cancel" if value.is_none() => options,
            "on_cancel" => options.on_cancel(policy(&value)?),
            "arguments" if value.is_instance_of::<PyString>() => {
                return Err(type_error(&value, "arguments is a list of str"));
            }
            "arguments" => options.arguments(value.extract::<Vec<String>>()?),
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
    let Ok(text) = name.cast::<PyString>() else {
        return Err(type_error(name, "a policy is a str"));
    };
    Policy::from_name(text.to_str()?).ok_or_else(|| {
        let message = format!("there is no policy {text:?}");
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
