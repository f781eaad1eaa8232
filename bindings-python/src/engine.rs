//! `Engine`: configured once, shared by threads.

use std::borrow::Cow;

use mcp_elicit::{Caller, EngineBuilder, Error, ErrorKind, Keyring, StateFormat};
use pyo3::exceptions::PyTypeError;
use pyo3::prelude::*;
use pyo3::sync::PyOnceLock;
use pyo3::types::{PyByteArray, PyBytes, PyDict, PyString};

use crate::boundary::boundary;
use crate::call::Call;
use crate::caller::{Sender, principal};
use crate::envelope::Envelope;
use crate::error::raise;
use crate::hooks::{PyClock, PyLog, PyRng};
use crate::json::{self, type_error};
use crate::limits::Limits;
use crate::principal::Principal;
use crate::reply::Reply;
use crate::store::blocking;
use crate::text::{of_str, text, text_or_none};

/// Makes a key for `MCP_ELICIT_KEYS`.
#[pyfunction]
pub(crate) fn keygen(py: Python<'_>) -> PyResult<String> {
    boundary(py, || {
        let key = mcp_elicit::keygen().map_err(|error| raise(py, error))?;
        Ok(key.to_string())
    })
}

/// Opens calls. Configured once, immutable, shared by threads.
#[pyclass(frozen, module = "mcp_elicit")]
pub(crate) struct Engine {
    engine: mcp_elicit::Engine,
    /// What awaits the store, where there is one.
    driver: Option<Py<PyAny>>,
}

/// What `open` came to, for `run` and `arun`.
#[derive(IntoPyObject)]
enum Opened {
    Call(Py<Call>),
    Reply(Py<Reply>),
}

#[pymethods]
impl Engine {
    /// Configures an engine.
    #[new]
    #[pyo3(
        signature = (*, audience, keys=None, ephemeral=false, state_format=None,
            limits=None, server_info=None, clock=None, random=None, log=None, store=None),
        text_signature = "(*, audience, keys=None, ephemeral=False, state_format='encrypted', \
            limits=None, server_info=None, clock=None, random=None, log=None, store=None)"
    )]
    #[allow(clippy::too_many_arguments)]
    fn new(
        py: Python<'_>,
        audience: &Bound<'_, PyAny>,
        keys: Option<&Bound<'_, PyAny>>,
        ephemeral: bool,
        state_format: Option<&Bound<'_, PyAny>>,
        limits: Option<&Bound<'_, Limits>>,
        server_info: Option<&Bound<'_, PyAny>>,
        clock: Option<Py<PyAny>>,
        random: Option<Py<PyAny>>,
        log: Option<Py<PyAny>>,
        store: Option<&Bound<'_, PyAny>>,
    ) -> PyResult<Self> {
        boundary(py, || {
            let audience = text(audience, "audience")?;
            let mut builder = mcp_elicit::Engine::builder().audience(audience);
            if let Some(keys) = keys {
                builder = builder.keys(keyring(keys)?);
            }
            if ephemeral {
                builder = builder.ephemeral();
            }
            let builder =
                builder.state_format(format(py, text_or_none(state_format, "state_format")?)?);
            build(py, builder, limits, server_info, clock, random, log, store)
        })
    }

    /// An engine with the keys in `MCP_ELICIT_KEYS`.
    #[staticmethod]
    #[pyo3(
        signature = (*, audience, state_format=None, limits=None, server_info=None,
            clock=None, random=None, log=None, store=None),
        text_signature = "(*, audience, state_format='encrypted', limits=None, \
            server_info=None, clock=None, random=None, log=None, store=None)"
    )]
    #[allow(clippy::too_many_arguments)]
    fn from_env(
        py: Python<'_>,
        audience: &Bound<'_, PyAny>,
        state_format: Option<&Bound<'_, PyAny>>,
        limits: Option<&Bound<'_, Limits>>,
        server_info: Option<&Bound<'_, PyAny>>,
        clock: Option<Py<PyAny>>,
        random: Option<Py<PyAny>>,
        log: Option<Py<PyAny>>,
        store: Option<&Bound<'_, PyAny>>,
    ) -> PyResult<Self> {
        boundary(py, || {
            let audience = text(audience, "audience")?;
            let keyring = Keyring::from_env().map_err(|error| raise(py, error))?;
            let builder = mcp_elicit::Engine::builder().audience(audience).keys(keyring);
            let builder =
                builder.state_format(format(py, text_or_none(state_format, "state_format")?)?);
            build(py, builder, limits, server_info, clock, random, log, store)
        })
    }

    /// Opens the call, runs the handler, and turns whatever happened into a reply.
    #[pyo3(signature = (request, handler, *, principal, headers=None, param_headers=None))]
    fn run<'py>(
        &self,
        py: Python<'py>,
        request: &Bound<'py, PyAny>,
        handler: &Bound<'py, PyAny>,
        principal: &Bound<'py, Principal>,
        headers: Option<&Bound<'py, PyAny>>,
        param_headers: Option<&Bound<'py, PyDict>>,
    ) -> PyResult<Py<Reply>> {
        let call = match self.begin(py, request, principal, headers, param_headers)? {
            Opened::Call(call) => call.into_bound(py),
            Opened::Reply(reply) => return Ok(reply),
        };
        match handler.call1((&call,)) {
            Ok(returned) => call.get().settle(&returned),
            Err(raised) => {
                let settled = call.get().settle_raised(raised.value(py).as_any())?;
                settled.ok_or(raised)
            }
        }
    }

    /// `run` for a handler that may await.
    #[pyo3(signature = (request, handler, *, principal, headers=None, param_headers=None))]
    fn arun<'py>(
        slf: &Bound<'py, Self>,
        request: &Bound<'py, PyAny>,
        handler: &Bound<'py, PyAny>,
        principal: &Bound<'py, Principal>,
        headers: Option<&Bound<'py, PyAny>>,
        param_headers: Option<&Bound<'py, PyDict>>,
    ) -> PyResult<Bound<'py, PyAny>> {
        static ARUN: PyOnceLock<Py<PyAny>> = PyOnceLock::new();
        let arun = ARUN.import(slf.py(), "mcp_elicit._arun", "arun")?;
        arun.call1((slf, request, handler, principal, headers, param_headers))
    }

    /// Opens a call from a JSON-RPC request.
    #[pyo3(signature = (request, *, principal, headers=None, param_headers=None))]
    fn open<'py>(
        &self,
        py: Python<'py>,
        request: &Bound<'py, PyAny>,
        principal: &Bound<'py, Principal>,
        headers: Option<&Bound<'py, PyAny>>,
        param_headers: Option<&Bound<'py, PyDict>>,
    ) -> PyResult<Call> {
        self.with(request, principal, headers, param_headers, |bytes, caller| {
            let call = self.engine.open(bytes, caller).map_err(|error| raise(py, error))?;
            Ok(self.call(py, call))
        })
    }

    /// Opens a call from parameters that were parsed already.
    #[pyo3(signature = (method, params, *, principal, headers=None, param_headers=None))]
    fn open_params<'py>(
        &self,
        py: Python<'py>,
        method: &Bound<'_, PyAny>,
        params: &Bound<'py, PyAny>,
        principal: &Bound<'py, Principal>,
        headers: Option<&Bound<'py, PyAny>>,
        param_headers: Option<&Bound<'py, PyDict>>,
    ) -> PyResult<Call> {
        self.with(params, principal, headers, param_headers, |bytes, caller| {
            let opened = self.engine.open_params(text(method, "method")?, bytes, caller);
            Ok(self.call(py, opened.map_err(|error| raise(py, error))?))
        })
    }

    /// Checks the envelope of a message of any method.
    #[pyo3(signature = (request, *, headers=None))]
    fn check<'py>(
        &self,
        py: Python<'py>,
        request: &Bound<'py, PyAny>,
        headers: Option<&Bound<'py, PyAny>>,
    ) -> PyResult<Envelope> {
        boundary(py, || {
            let bytes = bytes_of(request)?;
            let sender = Sender::new(mcp_elicit::Principal::none(), headers, None)?;
            let checked = sender.with(|caller| self.engine.check(&bytes, caller))?;
            checked.map(Envelope).map_err(|error| raise(py, error))
        })
    }

    /// The audience it was configured with.
    #[getter]
    fn audience(&self) -> &str {
        self.engine.audience()
    }

    /// The limits it was configured with.
    #[getter]
    fn limits(&self) -> Limits {
        Limits(self.engine.limits().clone())
    }

    /// For `run` and `arun`: the call, or the reply that says why there is none.
    #[pyo3(name = "_begin", signature = (request, principal, headers, param_headers, /))]
    fn begin<'py>(
        &self,
        py: Python<'py>,
        request: &Bound<'py, PyAny>,
        principal: &Bound<'py, Principal>,
        headers: Option<&Bound<'py, PyAny>>,
        param_headers: Option<&Bound<'py, PyDict>>,
    ) -> PyResult<Opened> {
        self.with(request, principal, headers, param_headers, |bytes, caller| {
            match self.engine.open(bytes, caller) {
                Ok(call) => Py::new(py, self.call(py, call)).map(Opened::Call),
                Err(error) => {
                    let reply = error.into_reply().map_err(|error| raise(py, error))?;
                    Py::new(py, Reply::from(reply)).map(Opened::Reply)
                }
            }
        })
    }

    fn __repr__(&self) -> String {
        format!("<Engine {:?}>", self.audience())
    }
}

impl Engine {
    fn call(&self, py: Python<'_>, call: mcp_elicit::Call) -> Call {
        let driver = self.driver.as_ref().map(|driver| driver.clone_ref(py));
        Call::new(call, self.engine.clone(), driver)
    }

    /// Runs an entry with the bytes of a request and who sends it.
    fn with<'py, T>(
        &self,
        request: &Bound<'py, PyAny>,
        who: &Bound<'py, Principal>,
        headers: Option<&Bound<'py, PyAny>>,
        param_headers: Option<&Bound<'py, PyDict>>,
        entry: impl FnOnce(&[u8], &Caller<'_>) -> PyResult<T>,
    ) -> PyResult<T> {
        boundary(request.py(), || {
            let bytes = bytes_of(request)?;
            let sender = Sender::new(principal(who), headers, param_headers)?;
            sender.with(|caller| entry(&bytes, caller))?
        })
    }
}

#[allow(clippy::too_many_arguments)]
fn build(
    py: Python<'_>,
    mut builder: EngineBuilder,
    limits: Option<&Bound<'_, Limits>>,
    server_info: Option<&Bound<'_, PyAny>>,
    clock: Option<Py<PyAny>>,
    random: Option<Py<PyAny>>,
    log: Option<Py<PyAny>>,
    store: Option<&Bound<'_, PyAny>>,
) -> PyResult<Engine> {
    if let Some(limits) = limits {
        builder = builder.limits(limits.get().0.clone());
    }
    if let Some(info) = server_info {
        builder = builder.server_info_json(&json::read(py, &json::text_of(info, "server_info")?)?);
    }
    if let Some(clock) = clock {
        builder = builder.clock(PyClock(callable(py, clock, "clock")?));
    }
    if let Some(random) = random {
        builder = builder.rng(PyRng(callable(py, random, "random")?));
    }
    if let Some(log) = log {
        builder = builder.log(PyLog(callable(py, log, "log")?));
    }
    let mut driver = None;
    if let Some(store) = store {
        builder = builder.store(blocking(store)?);
        driver = Some(py.import("mcp_elicit._store")?.call_method1("Driver", (store,))?.unbind());
    }
    match builder.build() {
        Ok(engine) => Ok(Engine { engine, driver }),
        Err(error) => Err(raise(py, error)),
    }
}

fn format(py: Python<'_>, name: Option<&str>) -> PyResult<StateFormat> {
    match name.unwrap_or("encrypted") {
        "encrypted" => Ok(StateFormat::Encrypted),
        "signed" => Ok(StateFormat::Signed),
        name => {
            let message = format!("a state is \"encrypted\" or \"signed\", not {name:?}");
            Err(raise(py, Error::new(ErrorKind::Config, message)))
        }
    }
}

fn callable(py: Python<'_>, hook: Py<PyAny>, what: &str) -> PyResult<Py<PyAny>> {
    match hook.bind(py).is_callable() {
        true => Ok(hook),
        false => Err(type_error(hook.bind(py), &format!("{what} is a callable"))),
    }
}

/// Keys as bytes, which are secrets, or as text, which spells them.
fn keyring(keys: &Bound<'_, PyAny>) -> PyResult<Keyring> {
    let py = keys.py();
    let wanted = "keys are a list of bytes or of str, or the text of MCP_ELICIT_KEYS";
    if let Ok(text) = keys.cast::<PyString>() {
        return Keyring::from_text(of_str(text, "keys")?).map_err(|error| raise(py, error));
    }
    if keys.is_instance_of::<PyBytes>() {
        return Err(type_error(keys, wanted));
    }
    let keys =
        keys.try_iter().map_err(|_| type_error(keys, wanted))?.collect::<PyResult<Vec<_>>>()?;
    let secrets: Vec<_> = keys.iter().filter_map(|key| key.cast::<PyBytes>().ok()).collect();
    if secrets.len() == keys.len() {
        let secrets: Vec<&[u8]> = secrets.iter().map(|secret| secret.as_bytes()).collect();
        return Keyring::new(&secrets).map_err(|error| raise(py, error));
    }
    let texts: Vec<_> = keys.iter().filter_map(|key| key.cast::<PyString>().ok()).collect();
    if texts.len() != keys.len() {
        return Err(PyTypeError::new_err(wanted));
    }
    let texts = texts.iter().map(|text| of_str(text, "keys")).collect::<PyResult<Vec<_>>>()?;
    Keyring::from_text(&texts.join(",")).map_err(|error| raise(py, error))
}

/// A message as bytes, as text, or as the dict that somebody made of it.
fn bytes_of<'t>(message: &'t Bound<'_, PyAny>) -> PyResult<Cow<'t, [u8]>> {
    if let Ok(bytes) = message.cast::<PyBytes>() {
        return Ok(bytes.as_bytes().into());
    }
    if let Ok(text) = message.cast::<PyString>() {
        return Ok(match text.to_str() {
            Ok(text) => text.as_bytes().into(),
            // No UTF-8, which the core says to the peer.
            Err(_) => {
                let bytes = text.call_method1("encode", ("utf-8", "surrogatepass"))?;
                bytes.cast::<PyBytes>()?.as_bytes().to_vec().into()
            }
        });
    }
    if message.is_instance_of::<PyDict>() {
        return Ok(json::write(message)?.into_bytes().into());
    }
    match message.cast::<PyByteArray>() {
        Ok(bytes) => Ok(bytes.to_vec().into()),
        Err(_) => Err(type_error(message, "a message is bytes, str or dict")),
    }
}
