//! Who sends a request and how it came: the core's `Caller`, borrowed from Python's values.

use mcp_elicit::Caller;
use pyo3::prelude::*;
use pyo3::types::{PyBytes, PyDict, PyList, PyString, PyTuple};

use crate::json::type_error;
use crate::principal::Principal;
use crate::text::{text, texts};

/// The values that a `Caller` borrows from, kept while it is used.
pub(crate) struct Sender<'py> {
    principal: mcp_elicit::Principal,
    headers: Option<Vec<(Bound<'py, PyAny>, Bound<'py, PyAny>)>>,
    param_headers: Vec<(String, Vec<String>)>,
}

impl<'py> Sender<'py> {
    pub(crate) fn new(
        principal: mcp_elicit::Principal,
        headers: Option<&Bound<'py, PyAny>>,
        param_headers: Option<&Bound<'py, PyDict>>,
    ) -> PyResult<Self> {
        Ok(Self {
            principal,
            headers: headers.map(pairs).transpose()?,
            param_headers: match param_headers {
                Some(declared) => declared.iter().map(param_header).collect::<PyResult<_>>()?,
                None => Vec::new(),
            },
        })
    }

    /// Gives the caller to `use_it`.
    pub(crate) fn with<T>(&self, use_it: impl FnOnce(&Caller<'_>) -> T) -> PyResult<T> {
        let mut caller = Caller::new(self.principal.clone());
        if let Some(headers) = &self.headers {
            let mut borrowed = Vec::with_capacity(headers.len());
            for (name, value) in headers {
                // A name that is no UTF-8 is none that the protocol knows.
                let name = std::str::from_utf8(bytes(name)?).unwrap_or_default();
                borrowed.push((name, bytes(value)?));
            }
            caller = caller.http(borrowed);
        }
        for (name, path) in &self.param_headers {
            caller = caller.param_header(name, path.iter().map(String::as_str));
        }
        Ok(use_it(&caller))
    }
}

/// The principal of an argument.
pub(crate) fn principal(principal: &Bound<'_, Principal>) -> mcp_elicit::Principal {
    principal.get().0.clone()
}

/// Headers as frameworks have them: pairs (ASGI), or a mapping with `items()`.
fn pairs<'py>(
    headers: &Bound<'py, PyAny>,
) -> PyResult<Vec<(Bound<'py, PyAny>, Bound<'py, PyAny>)>> {
    if let Ok(list) = headers.cast::<PyList>() {
        return list.iter().map(pair).collect();
    }
    let wanted = "headers are a mapping, or pairs of name and value";
    if headers.is_instance_of::<PyString>() || headers.is_instance_of::<PyBytes>() {
        return Err(type_error(headers, wanted));
    }
    let items = match headers.getattr_opt("items")? {
        Some(items) => items.call0()?,
        None => headers.clone(),
    };
    let items = items.try_iter().map_err(|_| type_error(headers, wanted))?;
    items.map(|item| pair(item?)).collect()
}

fn pair<'py>(item: Bound<'py, PyAny>) -> PyResult<(Bound<'py, PyAny>, Bound<'py, PyAny>)> {
    match (item.cast::<PyTuple>(), item.cast::<PyList>()) {
        (Ok(pair), _) if pair.len() == 2 => return Ok((pair.get_item(0)?, pair.get_item(1)?)),
        (_, Ok(pair)) if pair.len() == 2 => return Ok((pair.get_item(0)?, pair.get_item(1)?)),
        _ => {}
    }
    Err(type_error(&item, "a header is a pair of name and value"))
}

fn bytes<'t>(text: &'t Bound<'_, PyAny>) -> PyResult<&'t [u8]> {
    if let Ok(bytes) = text.cast::<PyBytes>() {
        return Ok(bytes.as_bytes());
    }
    match text.cast::<PyString>() {
        // A text that is no UTF-8 is none that a header can hold: let the core see no valid one.
        Ok(text) => Ok(text.to_str().map_or(b"\xFF", str::as_bytes)),
        Err(_) => Err(type_error(text, "the name and value of a header are str or bytes")),
    }
}

/// `{"Region": "region"}` or `{"Region": ["database", "region"]}`.
fn param_header(declared: (Bound<'_, PyAny>, Bound<'_, PyAny>)) -> PyResult<(String, Vec<String>)> {
    let (name, path) = declared;
    let of_path = "the argument of a header";
    let path = match path.is_instance_of::<PyString>() {
        true => vec![text(&path, of_path)?.to_owned()],
        false => texts(&path, of_path)?,
    };
    Ok((text(&name, "the name of a header")?.to_owned(), path))
}
