//! JSON between Python and the core.
//!
//! Owns both directions. Python's own `json` would do, but costs more than all else that happens
//! in a round, turns keys that are no text into text, and repeats keys.

use mcp_elicit::json::quote_into;
use mcp_elicit::{Error, ErrorKind, Json, JsonType, Value};
use pyo3::exceptions::PyTypeError;
use pyo3::prelude::*;
use pyo3::types::{PyBool, PyDict, PyFloat, PyInt, PyList, PyString, PyTuple};

use crate::error::raise;
use crate::text::of_str;

/// Past this the core refuses any text, so that nothing below it needs to be written.
const DEEPEST: usize = 1100;

/// Most digits that an integer may have to become one of Python's: its own default, since the
/// conversion takes quadratic time.
const MOST_DIGITS: usize = 4300;

/// The JSON of a dict, or a text that is JSON already.
pub(crate) fn text_of<'t>(
    value: &'t Bound<'_, PyAny>,
    what: &str,
) -> PyResult<std::borrow::Cow<'t, str>> {
    if let Ok(text) = value.cast::<PyString>() {
        return Ok(of_str(text, what)?.into());
    }
    if value.is_instance_of::<PyDict>() {
        return Ok(write(value)?.into());
    }
    Err(type_error(value, &format!("{what} is a dict or JSON as str")))
}

/// The JSON text of a Python value: dict, list, tuple, str, int, float, bool, None.
///
/// What JSON has no word for (`nan`, lone surrogates, endless nesting) is written as it is: the
/// core's reader then refuses the text, and says so in the terms of the protocol.
pub(crate) fn write(value: &Bound<'_, PyAny>) -> PyResult<String> {
    let mut out = String::with_capacity(256);
    write_into(&mut out, value, 0)?;
    Ok(out)
}

fn write_into(out: &mut String, value: &Bound<'_, PyAny>, depth: usize) -> PyResult<()> {
    if let Ok(text) = value.cast::<PyString>() {
        write_text(out, text)?;
    } else if let Ok(truth) = value.cast::<PyBool>() {
        out.push_str(if truth.is_true() { "true" } else { "false" });
    } else if value.is_none() || depth > DEEPEST {
        out.push_str("null");
    } else if let Ok(dict) = value.cast::<PyDict>() {
        out.push('{');
        for (at, (key, value)) in dict.iter().enumerate() {
            out.push_str(if at == 0 { "" } else { "," });
            let Ok(key) = key.cast::<PyString>() else {
                return Err(type_error(&key, "a key of a JSON object is a str"));
            };
            write_text(out, key)?;
            out.push(':');
            write_into(out, &value, depth + 1)?;
        }
        out.push('}');
    } else if let Ok(list) = value.cast::<PyList>() {
        write_items(out, list.iter(), depth)?;
    } else if let Ok(tuple) = value.cast::<PyTuple>() {
        write_items(out, tuple.iter(), depth)?;
    } else if value.is_instance_of::<PyInt>() {
        match value.extract::<i64>() {
            Ok(number) => out.push_str(&number.to_string()),
            // Not `str`: an enumeration prints its name.
            Err(_) => {
                let digits = value.py().get_type::<PyInt>().call_method1("__repr__", (value,))?;
                out.push_str(digits.cast::<PyString>()?.to_str()?);
            }
        }
    } else if let Ok(number) = value.cast::<PyFloat>() {
        // The shortest text that reads back as the same number.
        out.push_str(&format!("{:?}", number.value()));
    } else {
        return Err(type_error(
            value,
            "JSON is made of dict, list, str, int, float, bool and None",
        ));
    }
    Ok(())
}

fn write_items<'py>(
    out: &mut String,
    items: impl Iterator<Item = Bound<'py, PyAny>>,
    depth: usize,
) -> PyResult<()> {
    out.push('[');
    for (at, item) in items.enumerate() {
        out.push_str(if at == 0 { "" } else { "," });
        write_into(out, &item, depth + 1)?;
    }
    out.push(']');
    Ok(())
}

fn write_text(out: &mut String, text: &Bound<'_, PyString>) -> PyResult<()> {
    match text.to_str() {
        Ok(text) => quote_into(out, text),
        // A lone surrogate; the escape keeps it visible to the core's reader.
        Err(_) => {
            let dumped = text.py().import("json")?.call_method1("dumps", (text,))?;
            out.push_str(dumped.cast::<PyString>()?.to_str()?);
        }
    }
    Ok(())
}

/// A JSON text that the application gave, read by the core.
pub(crate) fn read(py: Python<'_>, text: &str) -> PyResult<Json> {
    Json::parse(text).map_err(|error| raise(py, error.into()))
}

/// The Python value of a part of a JSON text.
pub(crate) fn to_py<'py>(py: Python<'py>, value: Value<'_>) -> PyResult<Bound<'py, PyAny>> {
    to_py_at(py, value, 0)
}

fn to_py_at<'py>(py: Python<'py>, value: Value<'_>, depth: usize) -> PyResult<Bound<'py, PyAny>> {
    if depth > DEEPEST {
        let message = "this JSON nests deeper than Python follows";
        return Err(raise(py, Error::new(ErrorKind::InvalidParams, message)));
    }
    Ok(match value.json_type() {
        JsonType::Null => py.None().into_bound(py),
        JsonType::Boolean => PyBool::new(py, value.as_bool() == Some(true)).to_owned().into_any(),
        JsonType::String => PyString::new(py, &value.as_str().unwrap_or_default()).into_any(),
        JsonType::Number => number(py, value.raw())?,
        JsonType::Array => {
            let list = PyList::empty(py);
            for item in value.items() {
                list.append(to_py_at(py, item, depth + 1)?)?;
            }
            list.into_any()
        }
        JsonType::Object => {
            let dict = PyDict::new(py);
            for entry in value.entries() {
                dict.set_item(&*entry.key(), to_py_at(py, entry.value, depth + 1)?)?;
            }
            dict.into_any()
        }
    })
}

/// An int where the text has neither fraction nor exponent, as Python's `json` does.
fn number<'py>(py: Python<'py>, text: &str) -> PyResult<Bound<'py, PyAny>> {
    if text.contains(['.', 'e', 'E']) {
        return Ok(PyFloat::new(py, text.parse().unwrap_or(f64::NAN)).into_any());
    }
    if let Ok(number) = text.parse::<i64>() {
        return Ok(number.into_pyobject(py)?.into_any());
    }
    if text.len() > MOST_DIGITS {
        let message = format!("a number has more than {MOST_DIGITS} digits");
        return Err(raise(py, Error::new(ErrorKind::InvalidParams, message)));
    }
    py.get_type::<PyInt>().call1((text,))
}

/// A `TypeError` that says what was wanted and what came.
pub(crate) fn type_error(value: &Bound<'_, PyAny>, wanted: &str) -> PyErr {
    match value.get_type().name() {
        Ok(name) => PyTypeError::new_err(format!("{wanted}, not {name}")),
        Err(error) => error,
    }
}
