//! `Call`: one client request passing through the engine.

use mcp_elicit::{Ask, ElicitRequest, End, Error, ErrorKind, FormOptions, Mode, Next};
use pyo3::prelude::*;
use pyo3::sync::PyOnceLock;
use pyo3::types::{PyBytes, PyDict, PyString};

use crate::boundary::boundary;
use crate::claim::{self, Claimed, stands};
use crate::error::{Raised, classify, native, raise};
use crate::form::{Form, compile, form_of};
use crate::json;
use crate::options::ask_options;
use crate::outcome::Outcome;
use crate::principal::Principal;
use crate::reply::Reply;
use crate::store::raise_store;
use crate::typed::Reading;

/// One client request passing through the engine: one round of a flow. For one thread at a time.
#[pyclass(module = "mcp_elicit")]
pub(crate) struct Call {
    pub(crate) call: mcp_elicit::Call,
    engine: mcp_elicit::Engine,
    arguments: Option<Py<PyAny>>,
    /// What awaits the store, where the engine has one.
    driver: Option<Py<PyAny>>,
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

fn outcome(py: Python<'_>, asked: mcp_elicit::Result<Ask>) -> PyResult<Outcome> {
    asked.map(Outcome::from).map_err(|error| raise(py, error))
}

impl Call {
    pub(crate) fn new(
        call: mcp_elicit::Call,
        engine: mcp_elicit::Engine,
        driver: Option<Py<PyAny>>,
    ) -> Self {
        Self { call, engine, arguments: None, driver }
    }

    /// Turns what a handler returned into the reply.
    pub(crate) fn settle(&mut self, returned: &Bound<'_, PyAny>) -> PyResult<Py<Reply>> {
        let py = returned.py();
        boundary(py, || {
            let result = match self.returned(returned)? {
                Returned::Reply(reply) => return Ok(reply),
                Returned::Result(result) => result,
            };
            match self.finishing(py, |call| call.settle(End::Result(result))) {
                Ok(Some(reply)) => Py::new(py, Reply::from(reply)),
                Ok(None) => Err(raise(py, no_reply())),
                Err(error) => Err(raise(py, error)),
            }
        })
    }

    /// What a handler returned: its call's reply, or a result.
    fn returned(&self, returned: &Bound<'_, PyAny>) -> PyResult<Returned> {
        if let Ok(reply) = returned.cast::<Reply>() {
            if self.call.is_finished() {
                return Ok(Returned::Reply(reply.clone().unbind()));
            }
            let message = "the handler returned a reply that this call did not give";
            return Err(raise(returned.py(), Error::new(ErrorKind::InvalidResult, message)));
        }
        match result_of(returned) {
            Ok(result) => Ok(Returned::Result(result)),
            // While a question is open no value is a result: the core says what that means.
            Err(_) if self.call.is_pending() => {
                json::read(returned.py(), "null").map(Returned::Result)
            }
            Err(fault) => Err(fault),
        }
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

enum Returned {
    Reply(Py<Reply>),
    Result(mcp_elicit::Json),
}

fn no_reply() -> Error {
    Error::new(ErrorKind::Internal, "the call ended without a reply")
}

/// Whether it is a schema, as dict or as JSON.
fn is_schema(form: &Bound<'_, PyAny>) -> bool {
    form.is_instance_of::<PyDict>() || form.is_instance_of::<PyString>()
}

/// What a handler returned, as JSON.
fn result_of(returned: &Bound<'_, PyAny>) -> PyResult<mcp_elicit::Json> {
    if !returned.is_instance_of::<PyDict>() && !returned.is_instance_of::<PyString>() {
        let wanted = "a handler returns a dict, JSON as str, or a Reply (async: use arun)";
        return Err(json::type_error(returned, wanted));
    }
    json::read(returned.py(), &json::text_of(returned, "a result")?)
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

    /// What the client declared that it can do.
    #[getter]
    fn client_capabilities<'py>(&self, py: Python<'py>) -> PyResult<Bound<'py, PyAny>> {
        boundary(py, || json::to_py(py, self.call.client_capabilities()))
    }

    /// The protocol version of the request.
    #[getter]
    fn protocol_version(&self, py: Python<'_>) -> PyResult<&'static str> {
        boundary(py, || Ok(self.call.protocol_version()))
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
    #[pyo3(signature = (key, message, form, **options))]
    fn elicit_form(
        &mut self,
        py: Python<'_>,
        key: &str,
        message: &str,
        form: &Bound<'_, PyAny>,
        options: Option<&Bound<'_, PyDict>>,
    ) -> PyResult<Outcome> {
        boundary(py, || {
            let options = ask_options(options)?;
            let limits = self.engine.limits().schema();
            let form = match form.cast::<Form>() {
                Ok(form) => form.clone(),
                Err(_) if is_schema(form) => {
                    let form = compile(form, &FormOptions::new().limits(limits))?;
                    let asked = self.call.elicit_form_with(key, message, &form, &options);
                    return outcome(py, asked);
                }
                Err(_) => form_of(form, None, Some(limits))?,
            };
            let Form { form, reader } = form.get();
            let Some(reader) = reader else {
                let asked = self.call.elicit_form_with(key, message, form, &options);
                return outcome(py, asked);
            };
            let reading = Reading::new(py, form, reader);
            let ask = reading.judge(|check| {
                self.call.elicit_form_checked(key, message, form, &options, check)
            })?;
            Outcome::typed(py, ask, &reading)
        })
    }

    /// Asks for a visit to a link, or gives the outcome when it was made.
    #[pyo3(signature = (key, message, url, done, **options))]
    fn elicit_url(
        &mut self,
        py: Python<'_>,
        key: &str,
        message: &str,
        url: &str,
        done: bool,
        options: Option<&Bound<'_, PyDict>>,
    ) -> PyResult<Outcome> {
        boundary(py, || {
            let options = ask_options(options)?;
            outcome(py, self.call.elicit_url_with(key, message, url, done, &options))
        })
    }

    /// Asks an `elicitation/create` request: dict, or JSON as str.
    #[pyo3(signature = (key, request, *, done=false, **options))]
    fn elicit(
        &mut self,
        py: Python<'_>,
        key: &str,
        request: &Bound<'_, PyAny>,
        done: bool,
        options: Option<&Bound<'_, PyDict>>,
    ) -> PyResult<Outcome> {
        boundary(py, || {
            let options = ask_options(options)?;
            let json = json::read(py, &json::text_of(request, "a request")?)?;
            let request = ElicitRequest::from_json(&json).map_err(|error| raise(py, error))?;
            outcome(py, self.call.elicit(key, &request, done, &options))
        })
    }

    /// Asks the client's model for a turn.
    #[pyo3(signature = (key, params, **options))]
    fn create_message(
        &mut self,
        py: Python<'_>,
        key: &str,
        params: &Bound<'_, PyAny>,
        options: Option<&Bound<'_, PyDict>>,
    ) -> PyResult<Outcome> {
        boundary(py, || {
            let options = ask_options(options)?;
            let params = json::read(py, &json::text_of(params, "params")?)?;
            outcome(py, self.call.create_message(key, &params, &options))
        })
    }

    /// Asks for the folders that the client works in.
    #[pyo3(signature = (key, **options))]
    fn list_roots(
        &mut self,
        py: Python<'_>,
        key: &str,
        options: Option<&Bound<'_, PyDict>>,
    ) -> PyResult<Outcome> {
        boundary(py, || {
            let options = ask_options(options)?;
            outcome(py, self.call.list_roots(key, &options))
        })
    }

    /// Runs `work` once a flow; later rounds get its result from the state.
    ///
    /// The call is not borrowed while `work` runs, which may use it.
    #[pyo3(signature = (key, work, *, readable=false))]
    fn step<'py>(
        slf: &Bound<'py, Self>,
        key: &str,
        work: &Bound<'py, PyAny>,
        readable: bool,
    ) -> PyResult<Bound<'py, PyAny>> {
        if let Some((recorded,)) = slf.try_borrow()?.step_result(slf.py(), key)? {
            return Ok(recorded);
        }
        let result = work.call0()?;
        slf.try_borrow_mut()?.record_step(key, &result, readable)
    }

    /// `step` for work that awaits.
    #[pyo3(signature = (key, work, *, readable=false))]
    fn astep<'py>(
        slf: &Bound<'py, Self>,
        key: &str,
        work: &Bound<'py, PyAny>,
        readable: bool,
    ) -> PyResult<Bound<'py, PyAny>> {
        static ASTEP: PyOnceLock<Py<PyAny>> = PyOnceLock::new();
        ASTEP.import(slf.py(), "mcp_elicit._arun", "astep")?.call1((slf, key, work, readable))
    }

    /// For `step` and `astep`: a tuple of what was recorded, or None.
    #[pyo3(name = "_step_result", signature = (key, /))]
    fn step_result<'py>(
        &self,
        py: Python<'py>,
        key: &str,
    ) -> PyResult<Option<(Bound<'py, PyAny>,)>> {
        boundary(py, || match self.call.step_result(key) {
            Ok(Some(recorded)) => Ok(Some((json::to_py(py, recorded.root())?,))),
            Ok(None) => Ok(None),
            Err(error) => Err(raise(py, error)),
        })
    }

    /// For `step` and `astep`: records a result; gives it as later rounds will.
    #[pyo3(name = "_record_step", signature = (key, result, readable, /))]
    fn record_step<'py>(
        &mut self,
        key: &str,
        result: &Bound<'py, PyAny>,
        readable: bool,
    ) -> PyResult<Bound<'py, PyAny>> {
        let py = result.py();
        boundary(py, || {
            let result = json::read(py, &json::write(result)?)?;
            let recorded = match readable {
                true => self.call.record_readable_step(key, &result),
                false => self.call.record_step(key, &result),
            };
            recorded.map_err(|error| raise(py, error))?;
            // Work that ran another step of the same key was recorded first, and stays.
            match self.call.step_result(key) {
                Ok(recorded) => json::to_py(py, recorded.as_ref().unwrap_or(&result).root()),
                Err(error) => Err(raise(py, error)),
            }
        })
    }

    /// Data of the application's own in the state.
    #[getter]
    fn app_data<'py>(&self, py: Python<'py>) -> PyResult<Option<Bound<'py, PyBytes>>> {
        boundary(py, || Ok(self.call.app_data().map(|data| PyBytes::new(py, data))))
    }

    #[setter]
    fn set_app_data(&mut self, py: Python<'_>, data: Option<&Bound<'_, PyBytes>>) -> PyResult<()> {
        boundary(py, || {
            let data = data.map(|data| data.as_bytes().to_vec());
            self.call.set_app_data(data).map_err(|error| raise(py, error))
        })
    }

    /// Replies with the sealed state alone: the client comes back by itself.
    fn retry_later(&mut self, py: Python<'_>) -> PyResult<Reply> {
        boundary(py, || self.call.retry_later().map(Reply::from).map_err(|error| raise(py, error)))
    }

    /// For adapters: the handler ends now, and is to run again when the client comes back.
    #[pyo3(name = "_end_to_retry")]
    fn end_to_retry(&mut self, py: Python<'_>) -> PyResult<()> {
        boundary(py, || self.call.end_to_retry().map_err(|error| raise(py, error)))
    }

    /// Replies input_required: the open questions and the sealed state.
    fn suspend(&mut self, py: Python<'_>) -> PyResult<Reply> {
        boundary(py, || self.call.suspend().map(Reply::from).map_err(|error| raise(py, error)))
    }

    /// Replies with the result: dict, or JSON as str. Finishes the record of a claim first.
    #[pyo3(signature = (result, /, remember=false))]
    fn complete(&mut self, result: &Bound<'_, PyAny>, remember: bool) -> PyResult<Reply> {
        let py = result.py();
        boundary(py, || {
            let result = json::read(py, &json::text_of(result, "a result")?)?;
            self.check_blocks(py)?;
            let reply = self.finishing(py, |call| match remember {
                true => call.complete_and_remember(&result),
                false => call.complete(&result),
            });
            reply.map(Reply::from).map_err(|error| raise(py, error))
        })
    }

    /// `complete` for a store that is awaited.
    #[pyo3(signature = (result, /, remember=false))]
    fn acomplete<'py>(
        slf: &Bound<'py, Self>,
        result: &Bound<'py, PyAny>,
        remember: bool,
    ) -> PyResult<Bound<'py, PyAny>> {
        static ACOMPLETE: PyOnceLock<Py<PyAny>> = PyOnceLock::new();
        let acomplete = ACOMPLETE.import(slf.py(), "mcp_elicit._claim", "acomplete")?;
        acomplete.call1((slf, result, remember))
    }

    /// Claims the effect of this flow: the first claim wins.
    #[pyo3(signature = (*, wait_ms=None, lease_ms=None, remember=false))]
    fn claim(
        &mut self,
        py: Python<'_>,
        wait_ms: Option<&Bound<'_, PyAny>>,
        lease_ms: Option<&Bound<'_, PyAny>>,
        remember: bool,
    ) -> PyResult<Claimed> {
        boundary(py, || self.claim_now(py, &claim::options(wait_ms, lease_ms, remember)?))
    }

    /// `claim` for a store that is awaited.
    #[pyo3(signature = (*, wait_ms=None, lease_ms=None, remember=false))]
    fn aclaim<'py>(
        slf: &Bound<'py, Self>,
        wait_ms: Option<&Bound<'py, PyAny>>,
        lease_ms: Option<&Bound<'py, PyAny>>,
        remember: bool,
    ) -> PyResult<Bound<'py, PyAny>> {
        static ACLAIM: PyOnceLock<Py<PyAny>> = PyOnceLock::new();
        let aclaim = ACLAIM.import(slf.py(), "mcp_elicit._claim", "aclaim")?;
        aclaim.call1((slf, wait_ms, lease_ms, remember))
    }

    /// Gives the claim back where the effect certainly did not happen.
    fn release_claim(&mut self, py: Python<'_>) -> PyResult<()> {
        boundary(py, || {
            self.check_blocks(py)?;
            let released = self.finishing(py, mcp_elicit::Call::release_claim);
            released.map_err(|error| raise_store(py, error))
        })
    }

    /// `release_claim` for a store that is awaited.
    fn arelease_claim<'py>(slf: &Bound<'py, Self>) -> PyResult<Bound<'py, PyAny>> {
        static ARELEASE: PyOnceLock<Py<PyAny>> = PyOnceLock::new();
        ARELEASE.import(slf.py(), "mcp_elicit._claim", "arelease_claim")?.call1((slf,))
    }

    /// Whether this call has won a claim that is not finished.
    #[getter]
    fn has_claim(&self, py: Python<'_>) -> PyResult<bool> {
        boundary(py, || Ok(self.call.has_claim()))
    }

    /// A name for the effect of this flow: the same in every call of it.
    #[getter]
    fn idempotency_key(&self, py: Python<'_>) -> PyResult<String> {
        boundary(py, || Ok(self.call.idempotency_key()))
    }

    /// For what awaits: the driver of the engine's store, or None.
    #[getter(_driver)]
    pub(crate) fn driver(&self, py: Python<'_>) -> Option<Py<PyAny>> {
        self.driver.as_ref().map(|driver| driver.clone_ref(py))
    }

    /// For `arun`: the reply, or what is needed of the store before it.
    #[pyo3(name = "_settle_start", signature = (returned, /))]
    fn settle_start(&mut self, returned: &Bound<'_, PyAny>) -> PyResult<Py<PyAny>> {
        let py = returned.py();
        boundary(py, || {
            let result = match self.returned(returned)? {
                Returned::Reply(reply) => return Ok(reply.into_any()),
                Returned::Result(result) => result,
            };
            stands::<_, Reply>(
                py,
                match self.call.settle_start(End::Result(result)) {
                    Ok(Next::Need(op)) => Ok(Next::Need(op)),
                    Ok(Next::Done(reply)) => reply.map(Next::Done).ok_or_else(no_reply),
                    Err(error) => Err(error),
                },
            )
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
