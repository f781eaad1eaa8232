//! `Call`: one client request passing through the engine.

use mcp_elicit::schema::FormOptions;
use mcp_elicit::{AskOptions, ElicitRequest, End, Error, ErrorKind, Mode};
use pyo3::prelude::*;
use pyo3::types::{PyDict, PyString};

use crate::boundary::boundary;
use crate::error::{Raised, classify, native, raise};
use crate::form::{Form, compile};
use crate::json;
use crate::outcome::Outcome;
use crate::principal::Principal;
use crate::reply::Reply;

/// One client request passing through the engine: one round of a flow. For one thread at a time.
#[pyclass(module = "mcp_elicit")]
pub(crate) struct Call {
    call: mcp_elicit::Call,
    engine: mcp_elicit::Engine,
    arguments: Option<Py<PyAny>>,
}

/// The mode of a question by its name.
pub(crate) fn mode(py: Python<'_>, name: &str) -> PyResult<Mode> {
    match name {
        "form" => Ok(Mode::Form),
        "url" => Ok(Mode::Url),
        _ => {
            let message = format!("the mode of a question is \"form\" or \"url\", not {name:?}");
            Err(raise(py, Error::new(ErrorKind::InvalidArgument, message)))
        }
    }
}

impl Call {
    pub(crate) fn new(call: mcp_elicit::Call, engine: mcp_elicit::Engine) -> Self {
        Self { call, engine, arguments: None }
    }

    /// Turns what a handler returned into the reply.
    pub(crate) fn settle(&mut self, returned: &Bound<'_, PyAny>) -> PyResult<Py<Reply>> {
        let py = returned.py();
        boundary(py, || {
            if let Ok(reply) = returned.cast::<Reply>() {
                if self.call.is_finished() {
                    return Ok(reply.clone().unbind());
                }
                let message = "the handler returned a reply that this call did not give";
                return Err(raise(py, Error::new(ErrorKind::InvalidResult, message)));
            }
            if !returned.is_instance_of::<PyDict>() && !returned.is_instance_of::<PyString>() {
                let wanted = "a handler returns a dict, JSON as str, or a Reply (async: use arun)";
                return Err(json::type_error(returned, wanted));
            }
            let result = json::read(py, &json::text_of(returned, "a result")?)?;
            match self.call.settle(End::Result(result)) {
                Ok(Some(reply)) => Py::new(py, Reply::from(reply)),
                Ok(None) => {
                    let message = "the call ended without a reply";
                    Err(raise(py, Error::new(ErrorKind::Internal, message)))
                }
                Err(error) => Err(raise(py, error)),
            }
        })
    }

    /// Turns what a handler raised into the reply; None where the exception goes on its way.
    pub(crate) fn settle_raised(
        &mut self,
        raised: &Bound<'_, PyAny>,
    ) -> PyResult<Option<Py<Reply>>> {
        let py = raised.py();
        boundary(py, || {
            let ours = native(raised)?;
            let end = match (classify(raised)?, &ours) {
                (Raised::Ending, _) => return Ok(None),
                (Raised::Suspended, _) => End::Suspended,
                (Raised::Other, Some(error)) => End::Failed(error.clone()),
                (Raised::Other, None) => End::Raised,
            };
            match (self.call.settle(end), ours) {
                (Ok(Some(reply)), _) => Py::new(py, Reply::from(reply)).map(Some),
                (Ok(None), _) => Ok(None),
                // The server's own fault: the exception as it was raised says where.
                (Err(error), Some(ours)) if error.kind() == ours.kind() => Ok(None),
                (Err(error), _) => Err(raise(py, error)),
            }
        })
    }
}

#[pymethods]
impl Call {
    /// The method of the request.
    #[getter]
    fn method(&self, py: Python<'_>) -> PyResult<&'static str> {
        boundary(py, || Ok(self.call.method().name()))
    }

    /// The name of the tool or prompt, or the URI of the resource.
    #[getter]
    fn target(&self, py: Python<'_>) -> PyResult<&str> {
        boundary(py, || Ok(self.call.target()))
    }

    /// The arguments as the engine read them; empty where there are none.
    #[getter]
    fn arguments<'py>(&mut self, py: Python<'py>) -> PyResult<Bound<'py, PyAny>> {
        if let Some(made) = &self.arguments {
            return Ok(made.bind(py).clone());
        }
        let made = boundary(py, || match self.call.arguments() {
            Some(arguments) => json::to_py(py, arguments),
            None => Ok(PyDict::new(py).into_any()),
        })?;
        self.arguments = Some(made.clone().unbind());
        Ok(made)
    }

    /// The arguments as JSON; `{}` where there are none.
    #[getter]
    fn arguments_json(&self, py: Python<'_>) -> PyResult<&str> {
        boundary(py, || Ok(self.call.arguments_json()))
    }

    /// The name of the flow: the same in all its rounds, unguessable, no secret.
    #[getter]
    fn flow_id(&self, py: Python<'_>) -> PyResult<&str> {
        boundary(py, || Ok(self.call.flow_id()))
    }

    /// Which round of the flow this is; the first is 1.
    #[getter]
    fn round(&self, py: Python<'_>) -> PyResult<u32> {
        boundary(py, || Ok(self.call.round()))
    }

    /// Who makes the request, as the server said.
    #[getter]
    fn principal(&self, py: Python<'_>) -> PyResult<Principal> {
        boundary(py, || Ok(Principal(self.call.principal().clone())))
    }

    /// What the client says of itself; nobody has verified it.
    #[getter]
    fn client_info<'py>(&self, py: Python<'py>) -> PyResult<Option<Bound<'py, PyAny>>> {
        boundary(py, || self.call.client_info().map(|info| json::to_py(py, info)).transpose())
    }

    /// Whether a question of this round is open: the call can then only be suspended.
    #[getter]
    fn is_pending(&self, py: Python<'_>) -> PyResult<bool> {
        boundary(py, || Ok(self.call.is_pending()))
    }

    /// Whether the client declared that it can show this kind of question: `form` or `url`.
    #[pyo3(signature = (mode, /))]
    fn can_elicit(&self, py: Python<'_>, mode: &str) -> PyResult<bool> {
        boundary(py, || Ok(self.call.can_elicit(self::mode(py, mode)?)))
    }

    /// Asks with a form, or gives the outcome when it was answered.
    #[pyo3(signature = (key, message, form, *, accept_unasked=false))]
    fn elicit_form(
        &mut self,
        py: Python<'_>,
        key: &str,
        message: &str,
        form: &Bound<'_, PyAny>,
        accept_unasked: bool,
    ) -> PyResult<Outcome> {
        boundary(py, || {
            let options = AskOptions::new().accept_unasked(accept_unasked);
            let asked = match form.cast::<Form>() {
                Ok(form) => self.call.elicit_form_with(key, message, &form.get().0, &options),
                Err(_) => {
                    let limits = self.engine.limits().schema();
                    let form = compile(form, &FormOptions::new().limits(limits))?;
                    self.call.elicit_form_with(key, message, &form, &options)
                }
            };
            asked.map(Outcome::from).map_err(|error| raise(py, error))
        })
    }

    /// Asks for a visit to a link, or gives the outcome when it was made.
    #[pyo3(signature = (key, message, url, done, *, allow_insecure_http=false, accept_unasked=false))]
    #[allow(clippy::too_many_arguments)]
    fn elicit_url(
        &mut self,
        py: Python<'_>,
        key: &str,
        message: &str,
        url: &str,
        done: bool,
        allow_insecure_http: bool,
        accept_unasked: bool,
    ) -> PyResult<Outcome> {
        boundary(py, || {
            let options = AskOptions::new()
                .allow_insecure_http(allow_insecure_http)
                .accept_unasked(accept_unasked);
            let asked = self.call.elicit_url_with(key, message, url, done, &options);
            asked.map(Outcome::from).map_err(|error| raise(py, error))
        })
    }

    /// Asks an `elicitation/create` request: dict, or JSON as str.
    #[pyo3(signature = (key, request, *, done=false, allow_insecure_http=false, accept_unasked=false))]
    fn elicit(
        &mut self,
        py: Python<'_>,
        key: &str,
        request: &Bound<'_, PyAny>,
        done: bool,
        allow_insecure_http: bool,
        accept_unasked: bool,
    ) -> PyResult<Outcome> {
        boundary(py, || {
            let json = json::read(py, &json::text_of(request, "a request")?)?;
            let request = ElicitRequest::from_json(&json).map_err(|error| raise(py, error))?;
            let options = AskOptions::new()
                .allow_insecure_http(allow_insecure_http)
                .accept_unasked(accept_unasked);
            let asked = self.call.elicit(key, &request, done, &options);
            asked.map(Outcome::from).map_err(|error| raise(py, error))
        })
    }

    /// Replies input_required: the open questions and the sealed state.
    fn suspend(&mut self, py: Python<'_>) -> PyResult<Reply> {
        boundary(py, || self.call.suspend().map(Reply::from).map_err(|error| raise(py, error)))
    }

    /// Replies with the result: dict, or JSON as str.
    #[pyo3(signature = (result, /))]
    fn complete(&mut self, result: &Bound<'_, PyAny>) -> PyResult<Reply> {
        let py = result.py();
        boundary(py, || {
            let result = json::read(py, &json::text_of(result, "a result")?)?;
            self.call.complete(&result).map(Reply::from).map_err(|error| raise(py, error))
        })
    }

    /// Replies with an error of the application's own.
    #[pyo3(signature = (code, message, data=None))]
    fn fail(
        &mut self,
        py: Python<'_>,
        code: i32,
        message: &str,
        data: Option<&Bound<'_, PyAny>>,
    ) -> PyResult<Reply> {
        boundary(py, || {
            let data = data.map(|data| json::read(py, &json::write(data)?)).transpose()?;
            let reply = self.call.fail(code, message, data);
            reply.map(Reply::from).map_err(|error| raise(py, error))
        })
    }

    /// For `arun`.
    #[pyo3(name = "_settle", signature = (returned, /))]
    fn py_settle(&mut self, returned: &Bound<'_, PyAny>) -> PyResult<Py<Reply>> {
        self.settle(returned)
    }

    /// For `arun`.
    #[pyo3(name = "_settle_raised", signature = (raised, /))]
    fn py_settle_raised(&mut self, raised: &Bound<'_, PyAny>) -> PyResult<Option<Py<Reply>>> {
        self.settle_raised(raised)
    }

    fn __repr__(&self) -> String {
        let (method, target) = (self.call.method(), self.call.target());
        format!(
            "<Call {method} {target:?}, round {} of {}>",
            self.call.round(),
            self.call.flow_id()
        )
    }
}
