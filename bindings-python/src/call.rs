//! `Call`: one client request passing through the engine.
//!
//! Owns when the core's call is held: never while Python code runs, but for the hooks and validators
//! that the core itself calls.

use std::sync::MutexGuard;

use mcp_elicit::{Ask, ElicitRequest, End, Error, ErrorKind, FormOptions, Mode, Next};
use pyo3::prelude::*;
use pyo3::sync::PyOnceLock;
use pyo3::types::{PyBytes, PyDict, PyString};

use crate::boundary::boundary;
use crate::claim::{self, Claimed, finishing, stands};
use crate::error::{Raised, classify, native, raise};
use crate::form::{Form, compile, form_of, form_options};
use crate::guarded::Guarded;
use crate::json;
use crate::options::ask_options;
use crate::outcome::Outcome;
use crate::principal::Principal;
use crate::reply::Reply;
use crate::store::raise_store;
use crate::text::{text, truth, truth_or_false};
use crate::typed::Reading;

/// One client request passing through the engine: one round of a flow. For one thread at a time.
#[pyclass(frozen, module = "mcp_elicit")]
pub(crate) struct Call {
    call: Guarded<mcp_elicit::Call>,
    engine: mcp_elicit::Engine,
    /// Made when they are first read.
    arguments: PyOnceLock<Py<PyAny>>,
    /// What awaits the store, where the engine has one.
    driver: Option<Py<PyAny>>,
}

/// The mode of a question by its name.
pub(crate) fn mode(name: &Bound<'_, PyAny>) -> PyResult<Mode> {
    match text(name, "mode")? {
        "form" => Ok(Mode::Form),
        "url" => Ok(Mode::Url),
        other => {
            let message = format!("the mode of a question is \"form\" or \"url\", not {other:?}");
            Err(raise(name.py(), Error::new(ErrorKind::InvalidArgument, message)))
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
        let refusal = "a hook cannot use the call that it is called from, nor two threads one call \
                       at once";
        let call = Guarded::new(call, refusal);
        Self { call, engine, arguments: PyOnceLock::new(), driver }
    }

    /// The core's call, for one entry.
    pub(crate) fn enter(&self, py: Python<'_>) -> PyResult<MutexGuard<'_, mcp_elicit::Call>> {
        self.call.enter(py)
    }

    /// Turns what a handler returned into the reply.
    pub(crate) fn settle(&self, returned: &Bound<'_, PyAny>) -> PyResult<Py<Reply>> {
        let py = returned.py();
        boundary(py, || {
            let given = Returned::read(returned);
            let mut call = self.enter(py)?;
            let result = match given {
                Returned::Reply(reply) => return its_own(py, &call, reply),
                Returned::Result(result) => result_for(py, &call, result)?,
            };
            match finishing(py, &mut call, |call| call.settle(End::Result(result))) {
                Ok(Some(reply)) => Py::new(py, Reply::from(reply)),
                Ok(None) => Err(raise(py, no_reply())),
                Err(error) => Err(raise(py, error)),
            }
        })
    }

    /// Turns what a handler raised into the reply; None where the exception goes on its way.
    pub(crate) fn settle_raised(&self, raised: &Bound<'_, PyAny>) -> PyResult<Option<Py<Reply>>> {
        let py = raised.py();
        boundary(py, || {
            let ours = native(raised)?;
            let end = match (classify(raised)?, &ours) {
                (Raised::Ending, _) => return Ok(None),
                (Raised::Suspended, _) => End::Suspended,
                (Raised::Other, Some(error)) => End::Failed(error.clone()),
                (Raised::Other, None) => End::Raised,
            };
            let settled = self.enter(py)?.settle(end);
            match (settled, ours) {
                (Ok(Some(reply)), _) => Py::new(py, Reply::from(reply)).map(Some),
                (Ok(None), _) => Ok(None),
                // The server's own fault: the exception as it was raised says where.
                (Err(error), Some(ours)) if error.kind() == ours.kind() => Ok(None),
                (Err(error), _) => Err(raise(py, error)),
            }
        })
    }
}

/// What a handler returned: its call's reply, or a result, which may be none.
enum Returned {
    Reply(Py<Reply>),
    Result(PyResult<mcp_elicit::Json>),
}

impl Returned {
    fn read(returned: &Bound<'_, PyAny>) -> Self {
        match returned.cast::<Reply>() {
            Ok(reply) => Self::Reply(reply.clone().unbind()),
            Err(_) => Self::Result(result_of(returned)),
        }
    }
}

/// The reply that a handler returned, where it is the one that its call gave.
fn its_own(py: Python<'_>, call: &mcp_elicit::Call, reply: Py<Reply>) -> PyResult<Py<Reply>> {
    if call.is_finished() {
        return Ok(reply);
    }
    let message = "the handler returned a reply that this call did not give";
    Err(raise(py, Error::new(ErrorKind::InvalidResult, message)))
}

/// The result to settle a call with.
fn result_for(
    py: Python<'_>,
    call: &mcp_elicit::Call,
    given: PyResult<mcp_elicit::Json>,
) -> PyResult<mcp_elicit::Json> {
    match given {
        // While a question is open no value is a result: the core says what that means.
        Err(_) if call.is_pending() => json::read(py, "null"),
        given => given,
    }
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
        boundary(py, || Ok(self.enter(py)?.method().name()))
    }

    /// The name of the tool or prompt, or the URI of the resource.
    #[getter]
    fn target(&self, py: Python<'_>) -> PyResult<String> {
        boundary(py, || Ok(self.enter(py)?.target().to_owned()))
    }

    /// The arguments as the engine read them; empty where there are none.
    #[getter]
    fn arguments<'py>(&self, py: Python<'py>) -> PyResult<Bound<'py, PyAny>> {
        let made = self.arguments.get_or_try_init(py, || {
            boundary(py, || match self.enter(py)?.arguments() {
                Some(arguments) => json::to_py(py, arguments).map(Bound::unbind),
                None => Ok(PyDict::new(py).into_any().unbind()),
            })
        })?;
        Ok(made.bind(py).clone())
    }

    /// The arguments as JSON; `{}` where there are none.
    #[getter]
    fn arguments_json(&self, py: Python<'_>) -> PyResult<String> {
        boundary(py, || Ok(self.enter(py)?.arguments_json().to_owned()))
    }

    /// The name of the flow: the same in all its rounds, unguessable, no secret.
    #[getter]
    fn flow_id(&self, py: Python<'_>) -> PyResult<String> {
        boundary(py, || Ok(self.enter(py)?.flow_id().to_owned()))
    }

    /// Which round of the flow this is; the first is 1.
    #[getter]
    fn round(&self, py: Python<'_>) -> PyResult<u32> {
        boundary(py, || Ok(self.enter(py)?.round()))
    }

    /// Who makes the request, as the server said.
    #[getter]
    fn principal(&self, py: Python<'_>) -> PyResult<Principal> {
        boundary(py, || Ok(Principal(self.enter(py)?.principal().clone())))
    }

    /// What the client says of itself; nobody has verified it.
    #[getter]
    fn client_info<'py>(&self, py: Python<'py>) -> PyResult<Option<Bound<'py, PyAny>>> {
        boundary(py, || self.enter(py)?.client_info().map(|info| json::to_py(py, info)).transpose())
    }

    /// What the client declared that it can do.
    #[getter]
    fn client_capabilities<'py>(&self, py: Python<'py>) -> PyResult<Bound<'py, PyAny>> {
        boundary(py, || json::to_py(py, self.enter(py)?.client_capabilities()))
    }

    /// The protocol version of the request.
    #[getter]
    fn protocol_version(&self, py: Python<'_>) -> PyResult<&'static str> {
        boundary(py, || Ok(self.enter(py)?.protocol_version()))
    }

    /// Whether a question of this round is open: the call can then only be suspended.
    #[getter]
    fn is_pending(&self, py: Python<'_>) -> PyResult<bool> {
        boundary(py, || Ok(self.enter(py)?.is_pending()))
    }

    /// Whether the client declared that it can show this kind of question: `form` or `url`.
    #[pyo3(signature = (mode, /))]
    fn can_elicit(&self, py: Python<'_>, mode: &Bound<'_, PyAny>) -> PyResult<bool> {
        boundary(py, || {
            let mode = self::mode(mode)?;
            Ok(self.enter(py)?.can_elicit(mode))
        })
    }

    /// Asks with a form, or gives the outcome when it was answered.
    #[pyo3(signature = (key, message, form, *, allow_sensitive_name=None, **options))]
    fn elicit_form(
        &self,
        py: Python<'_>,
        key: &Bound<'_, PyAny>,
        message: &Bound<'_, PyAny>,
        form: &Bound<'_, PyAny>,
        allow_sensitive_name: Option<&Bound<'_, PyAny>>,
        options: Option<&Bound<'_, PyDict>>,
    ) -> PyResult<Outcome> {
        boundary(py, || {
            let (key, message) = (text(key, "key")?, text(message, "message")?);
            let options = ask_options(options)?;
            let limits = Some(self.engine.limits().schema());
            let form = match form.cast::<Form>() {
                Ok(_) if allow_sensitive_name.is_some() => {
                    let message = "allow_sensitive_name goes with a schema or a type; a Form is \
                                   given it when it is made";
                    return Err(raise(py, Error::new(ErrorKind::InvalidAsk, message)));
                }
                Ok(form) => form.clone(),
                Err(_) if is_schema(form) => {
                    let form = compile(form, &form_options(allow_sensitive_name, limits)?)?;
                    let asked = self.enter(py)?.elicit_form_with(key, message, &form, &options);
                    return outcome(py, asked);
                }
                Err(_) => form_of(form, allow_sensitive_name, limits)?,
            };
            let Form { form, reader } = form.get();
            let Some(reader) = reader else {
                let asked = self.enter(py)?.elicit_form_with(key, message, form, &options);
                return outcome(py, asked);
            };
            let reading = Reading::new(py, form, reader);
            let mut call = self.enter(py)?;
            let ask = reading
                .judge(|check| call.elicit_form_checked(key, message, form, &options, check))?;
            drop(call);
            Outcome::typed(py, ask, &reading)
        })
    }

    /// Asks for a visit to a link, or gives the outcome when it was made.
    #[pyo3(signature = (key, message, url, done, **options))]
    fn elicit_url(
        &self,
        py: Python<'_>,
        key: &Bound<'_, PyAny>,
        message: &Bound<'_, PyAny>,
        url: &Bound<'_, PyAny>,
        done: &Bound<'_, PyAny>,
        options: Option<&Bound<'_, PyDict>>,
    ) -> PyResult<Outcome> {
        boundary(py, || {
            let (key, message) = (text(key, "key")?, text(message, "message")?);
            let (url, done) = (text(url, "url")?, truth(done, "done")?);
            let options = ask_options(options)?;
            let asked = self.enter(py)?.elicit_url_with(key, message, url, done, &options);
            outcome(py, asked)
        })
    }

    /// Asks an `elicitation/create` request: dict, or JSON as str.
    #[pyo3(
        signature = (key, request, *, done=None, **options),
        text_signature = "($self, key, request, *, done=False, **options)"
    )]
    fn elicit(
        &self,
        py: Python<'_>,
        key: &Bound<'_, PyAny>,
        request: &Bound<'_, PyAny>,
        done: Option<&Bound<'_, PyAny>>,
        options: Option<&Bound<'_, PyDict>>,
    ) -> PyResult<Outcome> {
        boundary(py, || {
            let key = text(key, "key")?;
            let done = truth_or_false(done, "done")?;
            let options = ask_options(options)?;
            let json = json::read(py, &json::text_of(request, "a request")?)?;
            let form = FormOptions::new().limits(self.engine.limits().schema());
            let request =
                ElicitRequest::from_json_with(&json, &form).map_err(|error| raise(py, error))?;
            let asked = self.enter(py)?.elicit(key, &request, done, &options);
            outcome(py, asked)
        })
    }

    /// Asks the client's model for a turn.
    #[pyo3(signature = (key, params, **options))]
    fn create_message(
        &self,
        py: Python<'_>,
        key: &Bound<'_, PyAny>,
        params: &Bound<'_, PyAny>,
        options: Option<&Bound<'_, PyDict>>,
    ) -> PyResult<Outcome> {
        boundary(py, || {
            let key = text(key, "key")?;
            let options = ask_options(options)?;
            let params = json::read(py, &json::text_of(params, "params")?)?;
            let asked = self.enter(py)?.create_message(key, &params, &options);
            outcome(py, asked)
        })
    }

    /// Asks for the folders that the client works in.
    #[pyo3(signature = (key, **options))]
    fn list_roots(
        &self,
        py: Python<'_>,
        key: &Bound<'_, PyAny>,
        options: Option<&Bound<'_, PyDict>>,
    ) -> PyResult<Outcome> {
        boundary(py, || {
            let key = text(key, "key")?;
            let options = ask_options(options)?;
            let asked = self.enter(py)?.list_roots(key, &options);
            outcome(py, asked)
        })
    }

    /// Runs `work` once a flow; later rounds get its result from the state.
    ///
    /// The call is not held while `work` runs, which may use it.
    #[pyo3(
        signature = (key, work, *, readable=None),
        text_signature = "($self, key, work, *, readable=False)"
    )]
    fn step<'py>(
        slf: &Bound<'py, Self>,
        key: &Bound<'_, PyAny>,
        work: &Bound<'py, PyAny>,
        readable: Option<&Bound<'py, PyAny>>,
    ) -> PyResult<Bound<'py, PyAny>> {
        let readable = truth_or_false(readable, "readable")?;
        if let Some((recorded,)) = slf.get().step_result(slf.py(), key)? {
            return Ok(recorded);
        }
        let result = work.call0()?;
        slf.get().record_step(key, &result, readable)
    }

    /// `step` for work that awaits.
    #[pyo3(
        signature = (key, work, *, readable=None),
        text_signature = "($self, key, work, *, readable=False)"
    )]
    fn astep<'py>(
        slf: &Bound<'py, Self>,
        key: &Bound<'py, PyAny>,
        work: &Bound<'py, PyAny>,
        readable: Option<&Bound<'py, PyAny>>,
    ) -> PyResult<Bound<'py, PyAny>> {
        let readable = truth_or_false(readable, "readable")?;
        static ASTEP: PyOnceLock<Py<PyAny>> = PyOnceLock::new();
        ASTEP.import(slf.py(), "mcp_elicit._arun", "astep")?.call1((slf, key, work, readable))
    }

    /// For `step` and `astep`: a tuple of what was recorded, or None.
    #[pyo3(name = "_step_result", signature = (key, /))]
    fn step_result<'py>(
        &self,
        py: Python<'py>,
        key: &Bound<'_, PyAny>,
    ) -> PyResult<Option<(Bound<'py, PyAny>,)>> {
        boundary(py, || {
            let recorded = self.enter(py)?.step_result(text(key, "key")?);
            match recorded.map_err(|error| raise(py, error))? {
                Some(recorded) => Ok(Some((json::to_py(py, recorded.root())?,))),
                None => Ok(None),
            }
        })
    }

    /// For `step` and `astep`: records a result; gives it as later rounds will.
    #[pyo3(name = "_record_step", signature = (key, result, readable, /))]
    fn record_step<'py>(
        &self,
        key: &Bound<'_, PyAny>,
        result: &Bound<'py, PyAny>,
        readable: bool,
    ) -> PyResult<Bound<'py, PyAny>> {
        let py = result.py();
        boundary(py, || {
            let key = text(key, "key")?;
            let result = json::read(py, &json::write(result)?)?;
            let mut call = self.enter(py)?;
            let recorded = match readable {
                true => call.record_readable_step(key, &result),
                false => call.record_step(key, &result),
            };
            recorded.map_err(|error| raise(py, error))?;
            // Work that ran another step of the same key was recorded first, and stays.
            match call.step_result(key) {
                Ok(recorded) => json::to_py(py, recorded.as_ref().unwrap_or(&result).root()),
                Err(error) => Err(raise(py, error)),
            }
        })
    }

    /// Data of the application's own in the state.
    #[getter]
    fn app_data<'py>(&self, py: Python<'py>) -> PyResult<Option<Bound<'py, PyBytes>>> {
        boundary(py, || Ok(self.enter(py)?.app_data().map(|data| PyBytes::new(py, data))))
    }

    #[setter]
    fn set_app_data(&self, py: Python<'_>, data: Option<&Bound<'_, PyBytes>>) -> PyResult<()> {
        boundary(py, || {
            let data = data.map(|data| data.as_bytes().to_vec());
            self.enter(py)?.set_app_data(data).map_err(|error| raise(py, error))
        })
    }

    /// Replies with the sealed state alone: the client comes back by itself.
    fn retry_later(&self, py: Python<'_>) -> PyResult<Reply> {
        boundary(py, || {
            let reply = self.enter(py)?.retry_later();
            reply.map(Reply::from).map_err(|error| raise(py, error))
        })
    }

    /// For adapters: the handler ends now, and is to run again when the client comes back.
    #[pyo3(name = "_end_to_retry")]
    fn end_to_retry(&self, py: Python<'_>) -> PyResult<()> {
        boundary(py, || self.enter(py)?.end_to_retry().map_err(|error| raise(py, error)))
    }

    /// Replies input_required: the open questions and the sealed state.
    fn suspend(&self, py: Python<'_>) -> PyResult<Reply> {
        boundary(py, || {
            let reply = self.enter(py)?.suspend();
            reply.map(Reply::from).map_err(|error| raise(py, error))
        })
    }

    /// Replies with the result: dict, or JSON as str. Finishes the record of a claim first.
    #[pyo3(
        signature = (result, /, remember=None),
        text_signature = "($self, result, /, remember=False)"
    )]
    fn complete(
        &self,
        result: &Bound<'_, PyAny>,
        remember: Option<&Bound<'_, PyAny>>,
    ) -> PyResult<Reply> {
        let py = result.py();
        boundary(py, || {
            let remember = claim::remember(remember)?;
            let result = json::read(py, &json::text_of(result, "a result")?)?;
            let mut call = self.enter(py)?;
            self.check_blocks(py, &call)?;
            let reply = finishing(py, &mut call, |call| match remember {
                true => call.complete_and_remember(&result),
                false => call.complete(&result),
            });
            reply.map(Reply::from).map_err(|error| raise(py, error))
        })
    }

    /// `complete` for a store that is awaited.
    #[pyo3(
        signature = (result, /, remember=None),
        text_signature = "($self, result, /, remember=False)"
    )]
    fn acomplete<'py>(
        slf: &Bound<'py, Self>,
        result: &Bound<'py, PyAny>,
        remember: Option<&Bound<'py, PyAny>>,
    ) -> PyResult<Bound<'py, PyAny>> {
        static ACOMPLETE: PyOnceLock<Py<PyAny>> = PyOnceLock::new();
        let acomplete = ACOMPLETE.import(slf.py(), "mcp_elicit._claim", "acomplete")?;
        acomplete.call1((slf, result, remember))
    }

    /// Claims the effect of this flow: the first claim wins.
    #[pyo3(
        signature = (*, wait_ms=None, lease_ms=None, remember=None),
        text_signature = "($self, *, wait_ms=None, lease_ms=None, remember=False)"
    )]
    fn claim(
        &self,
        py: Python<'_>,
        wait_ms: Option<&Bound<'_, PyAny>>,
        lease_ms: Option<&Bound<'_, PyAny>>,
        remember: Option<&Bound<'_, PyAny>>,
    ) -> PyResult<Claimed> {
        boundary(py, || self.claim_now(py, &claim::options(wait_ms, lease_ms, remember)?))
    }

    /// `claim` for a store that is awaited.
    #[pyo3(
        signature = (*, wait_ms=None, lease_ms=None, remember=None),
        text_signature = "($self, *, wait_ms=None, lease_ms=None, remember=False)"
    )]
    fn aclaim<'py>(
        slf: &Bound<'py, Self>,
        wait_ms: Option<&Bound<'py, PyAny>>,
        lease_ms: Option<&Bound<'py, PyAny>>,
        remember: Option<&Bound<'py, PyAny>>,
    ) -> PyResult<Bound<'py, PyAny>> {
        static ACLAIM: PyOnceLock<Py<PyAny>> = PyOnceLock::new();
        let aclaim = ACLAIM.import(slf.py(), "mcp_elicit._claim", "aclaim")?;
        aclaim.call1((slf, wait_ms, lease_ms, remember))
    }

    /// Gives the claim back where the effect certainly did not happen.
    fn release_claim(&self, py: Python<'_>) -> PyResult<()> {
        boundary(py, || {
            let mut call = self.enter(py)?;
            self.check_blocks(py, &call)?;
            let released = finishing(py, &mut call, mcp_elicit::Call::release_claim);
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
        boundary(py, || Ok(self.enter(py)?.has_claim()))
    }

    /// A name for the effect of this flow: the same in every call of it.
    #[getter]
    fn idempotency_key(&self, py: Python<'_>) -> PyResult<String> {
        boundary(py, || Ok(self.enter(py)?.idempotency_key()))
    }

    /// For what awaits: the driver of the engine's store, or None.
    #[getter(_driver)]
    pub(crate) fn driver(&self, py: Python<'_>) -> Option<Py<PyAny>> {
        self.driver.as_ref().map(|driver| driver.clone_ref(py))
    }

    /// For `arun`: the reply, or what is needed of the store before it.
    #[pyo3(name = "_settle_start", signature = (returned, /))]
    fn settle_start(&self, returned: &Bound<'_, PyAny>) -> PyResult<Py<PyAny>> {
        let py = returned.py();
        boundary(py, || {
            let given = Returned::read(returned);
            let mut call = self.enter(py)?;
            let result = match given {
                Returned::Reply(reply) => return its_own(py, &call, reply).map(Py::into_any),
                Returned::Result(result) => result_for(py, &call, result)?,
            };
            stands::<_, Reply>(
                py,
                match call.settle_start(End::Result(result)) {
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
        &self,
        py: Python<'_>,
        code: i32,
        message: &Bound<'_, PyAny>,
        data: Option<&Bound<'_, PyAny>>,
    ) -> PyResult<Reply> {
        boundary(py, || {
            let message = text(message, "message")?;
            let data = data.map(|data| json::read(py, &json::write(data)?)).transpose()?;
            let reply = self.enter(py)?.fail(code, message, data);
            reply.map(Reply::from).map_err(|error| raise(py, error))
        })
    }

    /// For `arun`.
    #[pyo3(name = "_settle", signature = (returned, /))]
    fn py_settle(&self, returned: &Bound<'_, PyAny>) -> PyResult<Py<Reply>> {
        self.settle(returned)
    }

    /// For `arun`.
    #[pyo3(name = "_settle_raised", signature = (raised, /))]
    fn py_settle_raised(&self, raised: &Bound<'_, PyAny>) -> PyResult<Option<Py<Reply>>> {
        self.settle_raised(raised)
    }

    fn __repr__(&self) -> String {
        let Some(call) = self.call.try_enter() else { return "<Call in use>".to_owned() };
        let (method, target) = (call.method(), call.target());
        format!("<Call {method} {target:?}, round {} of {}>", call.round(), call.flow_id())
    }
}
