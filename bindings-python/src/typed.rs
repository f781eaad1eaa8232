//! Answers as values of the type behind a form.
//!
//! Owns the way to the reader of a type (`mcp_elicit._typed`) and back. That what a type refuses is
//! asked again, and how it is worded, is the core's.

use std::cell::{Cell, RefCell};

use mcp_elicit::schema::AnswerCheck;
use mcp_elicit::{Error, ErrorKind, Fault, Json};
use pyo3::prelude::*;

use crate::error::raise;

/// A reader at work: what it made of the answers it was shown last.
pub(crate) struct Reading<'r, 'py> {
    py: Python<'py>,
    form: &'r mcp_elicit::Form,
    reader: &'r Py<PyAny>,
    made: RefCell<Option<(String, Py<PyAny>)>>,
    raised: Cell<Option<PyErr>>,
}

impl<'r, 'py> Reading<'r, 'py> {
    pub(crate) fn new(py: Python<'py>, form: &'r mcp_elicit::Form, reader: &'r Py<PyAny>) -> Self {
        Self { py, form, reader, made: RefCell::new(None), raised: Cell::new(None) }
    }

    /// Has the core judge answers with what the type says; an exception that is no verdict on the
    /// answer goes to the caller.
    pub(crate) fn judge<T>(
        &self,
        judge: impl FnOnce(&AnswerCheck<'_>) -> mcp_elicit::Result<T>,
    ) -> PyResult<T> {
        let judged = judge(&|content| match read(self.py, self.reader, content) {
            Ok(Ok(value)) => {
                self.made.replace(Some((content.text().to_owned(), value)));
                Ok(Vec::new())
            }
            Ok(Err(faults)) => Ok(faults),
            Err(raised) => {
                self.raised.set(Some(raised));
                Err(Error::new(ErrorKind::Internal, "the type behind a form raised"))
            }
        });
        match (judged, self.raised.take()) {
            (_, Some(raised)) => Err(raised),
            (Ok(judged), None) => Ok(judged),
            (Err(error), None) => Err(raise(self.py, error)),
        }
    }

    /// The value of an answer that was accepted.
    pub(crate) fn value(&self, content: &Json) -> PyResult<Py<PyAny>> {
        let content = self.form.for_type(content.root());
        match self.made.borrow_mut().take() {
            Some((text, value)) if text == content.text() => Ok(value),
            // Asked twice in a round: the answer was judged the first time.
            _ => read(self.py, self.reader, &content)?.map_err(|faults| {
                let about = "the type behind the form no longer takes this answer";
                raise(self.py, Error::with_faults(ErrorKind::InvalidArgument, about, faults))
            }),
        }
    }
}

/// What a reader makes of an answer: a pair of the value and nothing, or of nothing and pairs of
/// place and reason.
fn read(
    py: Python<'_>,
    reader: &Py<PyAny>,
    content: &Json,
) -> PyResult<Result<Py<PyAny>, Vec<Fault>>> {
    let (value, refused): (Py<PyAny>, Option<Vec<(String, String)>>) =
        reader.bind(py).call1((content.text(),))?.extract()?;
    Ok(match refused {
        None => Ok(value),
        Some(refused) => {
            Err(refused.into_iter().map(|(path, reason)| Fault::check(path, reason)).collect())
        }
    })
}
