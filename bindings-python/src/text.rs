//! Arguments that are texts or truth values.
//!
//! Owns the one way from Python's `str` to the core's text. A `str` may hold half of a surrogate
//! pair, which is in no text that can be sent; whoever gives one is told by the name of the
//! argument.

use mcp_elicit::{Error, ErrorKind};
use pyo3::exceptions::PyUnicodeEncodeError;
use pyo3::prelude::*;
use pyo3::types::PyString;

use crate::error::raise;
use crate::json::type_error;

/// The text of an argument.
pub(crate) fn text<'t>(value: &'t Bound<'_, PyAny>, name: &str) -> PyResult<&'t str> {
    match value.cast::<PyString>() {
        Ok(text) => of_str(text, name),
        Err(_) => Err(type_error(value, &format!("{name} is a str"))),
    }
}

/// The text of an argument that may be left out.
pub(crate) fn text_or_none<'t>(
    value: Option<&'t Bound<'_, PyAny>>,
    name: &str,
) -> PyResult<Option<&'t str>> {
    value.map(|value| text(value, name)).transpose()
}

/// The texts of an argument that is several of them.
pub(crate) fn texts(values: &Bound<'_, PyAny>, name: &str) -> PyResult<Vec<String>> {
    let wanted = || type_error(values, &format!("{name} is a list of str"));
    if values.is_instance_of::<PyString>() {
        return Err(wanted());
    }
    let of_one = format!("each of {name}");
    let values = values.try_iter().map_err(|_| wanted())?;
    let owned = |value: PyResult<Bound<'_, PyAny>>| text(&value?, &of_one).map(str::to_owned);
    values.map(owned).collect()
}

/// The text of a `str`.
pub(crate) fn of_str<'t>(value: &'t Bound<'_, PyString>, name: &str) -> PyResult<&'t str> {
    value.to_str().map_err(|error| {
        if !error.is_instance_of::<PyUnicodeEncodeError>(value.py()) {
            return error;
        }
        let message = format!("{name} holds half of a surrogate pair, which is in no text");
        raise(value.py(), Error::new(ErrorKind::InvalidArgument, message))
    })
}

/// An argument that is true or false, and nothing that only counts as such.
pub(crate) fn truth(value: &Bound<'_, PyAny>, name: &str) -> PyResult<bool> {
    value.extract().map_err(|_| type_error(value, &format!("{name} is True or False")))
}

/// The same of an argument that may be left out.
pub(crate) fn truth_or_false(value: Option<&Bound<'_, PyAny>>, name: &str) -> PyResult<bool> {
    value.map_or(Ok(false), |value| truth(value, name))
}
