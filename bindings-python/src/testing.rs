//! `Play`: one flow of a test host. `python/mcp_elicit/testing` does the I/O around it.
//!
//! Functions of a script stay in Python, which holds them in a list; here each is its place there.

use std::sync::MutexGuard;

use mcp_elicit::Error;
use mcp_elicit::host::{HostLimits, Response};
use mcp_elicit::testing::{Answer, Attack, Direction, FlowEnd, Script, Settings, Step};
use pyo3::prelude::*;
use pyo3::types::{PyBytes, PyDict, PyInt, PyList, PyString};

use crate::boundary::boundary;
use crate::error::raise;
use crate::guarded::Guarded;
use crate::json;
use crate::text::{text, texts};

/// One flow while it is played, and afterwards its record.
#[pyclass(frozen, name = "_Play", module = "mcp_elicit._native")]
pub(crate) struct Play(Guarded<Flowing>);

type Flowing = mcp_elicit::testing::Play<usize>;

impl Play {
    fn of(play: Flowing) -> Self {
        Self(Guarded::new(play, "two threads cannot use one flow of a test host at once"))
    }

    fn enter(&self, py: Python<'_>) -> PyResult<MutexGuard<'_, Flowing>> {
        self.0.enter(py)
    }
}

/// Code, message and data of an error that the server replied.
type PeerError<'py> = (i64, String, Option<Bound<'py, PyAny>>);

/// Whether a message was sent, its text, status and headers.
type Recorded = (bool, String, Option<u16>, Vec<(String, String)>);

/// An answer of the script: None is never, an int the place of a function, and anything else the
/// JSON of the response.
fn answer(py: Python<'_>, given: &Bound<'_, PyAny>) -> PyResult<Answer<usize>> {
    if given.is_instance_of::<PyInt>() {
        return Ok(Answer::Function(given.extract()?));
    }
    response(py, given).map(Answer::Response)
}

fn response(py: Python<'_>, given: &Bound<'_, PyAny>) -> PyResult<Response> {
    if given.is_none() {
        return Ok(Response::never());
    }
    Ok(Response::result(&json::read(py, &json::text_of(given, "a response")?)?))
}

#[pymethods]
impl Play {
    /// Starts a flow: `method` with `params`, under `first_id` and the ids after it.
    #[new]
    #[pyo3(signature = (method, params, *, first_id, client_info, capabilities, http, param_headers,
        first_round_only, rounds, answers, otherwise))]
    #[allow(clippy::too_many_arguments)]
    fn new(
        py: Python<'_>,
        method: &Bound<'_, PyAny>,
        params: &Bound<'_, PyAny>,
        first_id: u64,
        client_info: Option<&Bound<'_, PyAny>>,
        capabilities: Option<&Bound<'_, PyAny>>,
        http: bool,
        param_headers: Vec<(Bound<'_, PyAny>, Bound<'_, PyAny>)>,
        first_round_only: bool,
        rounds: Option<u32>,
        answers: &Bound<'_, PyList>,
        otherwise: Option<&Bound<'_, PyAny>>,
    ) -> PyResult<Self> {
        boundary(py, || {
            let read =
                |value: &Bound<'_, PyAny>, what: &str| json::read(py, &json::text_of(value, what)?);
            let mut settings = Settings::default();
            if let Some(info) = client_info {
                settings.client_info = read(info, "client_info")?;
            }
            if let Some(capabilities) = capabilities {
                settings.capabilities = read(capabilities, "capabilities")?;
            }
            settings.http = http;
            settings.param_headers = param_headers
                .iter()
                .map(|(name, path)| {
                    Ok((text(name, "a header")?.to_owned(), texts(path, "a path")?))
                })
                .collect::<PyResult<_>>()?;
            settings.first_round_only = first_round_only;
            settings.limits = limits(rounds);
            let mut script = Script::new();
            for pair in answers.iter() {
                let (key, given): (Bound<'_, PyAny>, Bound<'_, PyAny>) = pair.extract()?;
                script.add(text(&key, "the key of an answer")?.to_owned(), answer(py, &given)?);
            }
            // A list of one: None is an answer, too.
            if let Some(given) = otherwise {
                script.otherwise(answer(py, &given.get_item(0)?)?);
            }
            let params = read(params, "params")?;
            let method = text(method, "method")?;
            mcp_elicit::testing::Play::new(method, &params, first_id, &settings, script)
                .map(Self::of)
                .map_err(|error| raise(py, error))
        })
    }

    /// What is needed: `("send", id, body, headers)`, `("decide", place, question)` or None.
    fn step<'py>(&self, py: Python<'py>) -> PyResult<Option<Bound<'py, PyAny>>> {
        boundary(py, || {
            Ok(match self.enter(py)?.step() {
                Step::Send(message) => {
                    let body = PyBytes::new(py, message.body().as_bytes());
                    let sent = ("send", message.id(), body, message.headers().to_vec());
                    Some(sent.into_pyobject(py)?.into_any())
                }
                Step::Decide(place, question) => {
                    let question = question_of(py, question)?;
                    Some(("decide", *place, question).into_pyobject(py)?.into_any())
                }
                Step::Over => None,
            })
        })
    }

    /// Takes one message; says whether it was the reply.
    #[pyo3(signature = (message, /))]
    fn receive(&self, py: Python<'_>, message: &[u8]) -> PyResult<bool> {
        boundary(py, || Ok(self.enter(py)?.receive(message)))
    }

    /// An HTTP response begins.
    #[pyo3(signature = (status, content_type, /))]
    fn begin_response(
        &self,
        py: Python<'_>,
        status: u16,
        content_type: Option<&Bound<'_, PyString>>,
    ) -> PyResult<()> {
        boundary(py, || {
            let content_type = content_type.map(|text| text.to_string_lossy());
            self.enter(py)?.begin_response(status, content_type.as_deref());
            Ok(())
        })
    }

    /// Takes a piece of its body; says whether the reply was in it.
    #[pyo3(signature = (piece, /))]
    fn push(&self, py: Python<'_>, piece: &[u8]) -> PyResult<bool> {
        boundary(py, || Ok(self.enter(py)?.push(piece)))
    }

    /// Its body is over.
    fn finish(&self, py: Python<'_>) -> PyResult<()> {
        boundary(py, || {
            self.enter(py)?.finish();
            Ok(())
        })
    }

    /// No reply will come.
    #[pyo3(signature = (why, /))]
    fn give_up(&self, py: Python<'_>, why: &Bound<'_, PyString>) -> PyResult<()> {
        boundary(py, || {
            self.enter(py)?.give_up(&why.to_string_lossy());
            Ok(())
        })
    }

    /// Takes what a function said: None is never, anything else the JSON of the response.
    #[pyo3(signature = (given, /))]
    fn decide(&self, given: &Bound<'_, PyAny>) -> PyResult<()> {
        let py = given.py();
        boundary(py, || {
            let response = response(py, given)?;
            self.enter(py)?.decide(response);
            Ok(())
        })
    }

    /// How the flow ended.
    #[getter]
    fn end(&self, py: Python<'_>) -> PyResult<&'static str> {
        Ok(self.enter(py)?.flow().end().name())
    }

    /// The result; None where there is none.
    #[getter]
    fn result<'py>(&self, py: Python<'py>) -> PyResult<Option<Bound<'py, PyAny>>> {
        boundary(py, || match self.enter(py)?.flow().end() {
            FlowEnd::Complete(result) => json::to_py(py, result.root()).map(Some),
            _ => Ok(None),
        })
    }

    /// The error of the server's: code, message, data.
    #[getter]
    fn error<'py>(&self, py: Python<'py>) -> PyResult<Option<PeerError<'py>>> {
        boundary(py, || {
            let play = self.enter(py)?;
            let Some(error) = play.flow().error() else { return Ok(None) };
            let data = error.data().map(|data| json::to_py(py, data.root())).transpose()?;
            Ok(Some((error.code(), error.message().to_owned(), data)))
        })
    }

    /// Why there is no result; None where there is one.
    #[getter]
    fn why_not(&self, py: Python<'_>) -> PyResult<Option<Py<PyAny>>> {
        boundary(py, || Ok(self.enter(py)?.flow().result().err().map(|error| exception(py, error))))
    }

    /// The text of the result, or the exception that says why there is none.
    fn text(&self, py: Python<'_>) -> PyResult<Py<PyAny>> {
        boundary(py, || {
            Ok(match self.enter(py)?.flow().text() {
                Ok(text) => PyString::new(py, &text).into_any().unbind(),
                Err(error) => exception(py, error),
            })
        })
    }

    /// Whether the result is a tool's error.
    #[getter]
    fn is_tool_error(&self, py: Python<'_>) -> PyResult<bool> {
        Ok(self.enter(py)?.flow().is_tool_error())
    }

    /// How many requests were sent.
    #[getter]
    fn rounds(&self, py: Python<'_>) -> PyResult<usize> {
        Ok(self.enter(py)?.flow().rounds())
    }

    /// Everything that was asked.
    #[getter]
    fn questions<'py>(&self, py: Python<'py>) -> PyResult<Vec<Bound<'py, PyAny>>> {
        boundary(py, || {
            let play = self.enter(py)?;
            play.flow().questions().iter().map(|question| question_of(py, question)).collect()
        })
    }

    /// Every message: whether it was sent, text, status, headers.
    #[getter]
    fn messages(&self, py: Python<'_>) -> PyResult<Vec<Recorded>> {
        boundary(py, || {
            let play = self.enter(py)?;
            let messages = play.flow().messages().iter();
            Ok(messages
                .map(|message| {
                    let sent = message.direction == Direction::Sent;
                    (sent, message.text.clone(), message.status, message.headers.clone())
                })
                .collect())
        })
    }

    /// All messages, one a line.
    #[getter]
    fn transcript(&self, py: Python<'_>) -> PyResult<String> {
        boundary(py, || Ok(self.enter(py)?.flow().transcript()))
    }

    /// The attacks that need nothing beside the flow: name, and the arguments where it has them.
    fn usual_attacks(&self, py: Python<'_>) -> PyResult<Vec<(&'static str, Option<String>)>> {
        boundary(py, || {
            let attacks = Attack::usual(self.enter(py)?.flow());
            Ok(attacks
                .into_iter()
                .map(|attack| match &attack {
                    Attack::OtherArguments(with) => (attack.name(), Some(with.text().to_owned())),
                    _ => (attack.name(), None),
                })
                .collect())
        })
    }

    /// The one round of an attack.
    #[pyo3(signature = (name, with, id, /))]
    fn attack(&self, py: Python<'_>, name: &str, with: Option<&str>, id: u64) -> PyResult<Self> {
        boundary(py, || {
            let attack = Attack::from_name(name, with);
            let play = self.enter(py)?;
            let play = attack.and_then(|attack| play.flow().attack(&attack, id));
            play.map(Self::of).map_err(|error| raise(py, error))
        })
    }

    /// Whether the server held against the attack of which this is the round; None where that is
    /// left open.
    #[pyo3(signature = (name, with, /))]
    fn held(&self, py: Python<'_>, name: &str, with: Option<&str>) -> PyResult<Option<bool>> {
        boundary(py, || {
            let attack = Attack::from_name(name, with).map_err(|error| raise(py, error))?;
            Ok(attack.held(self.enter(py)?.flow()))
        })
    }
}

/// An error as an exception that is not raised.
fn exception(py: Python<'_>, error: Error) -> Py<PyAny> {
    raise(py, error).into_value(py).into_any()
}

fn limits(rounds: Option<u32>) -> HostLimits {
    let mut limits = HostLimits::default();
    if let Some(rounds) = rounds {
        limits.rounds = rounds;
    }
    limits
}

/// A question as the members that `Question` in `mcp_elicit.testing` is made of.
fn question_of<'py>(
    py: Python<'py>,
    question: &mcp_elicit::host::Question,
) -> PyResult<Bound<'py, PyAny>> {
    let members = PyDict::new(py);
    members.set_item("key", question.key())?;
    members.set_item("kind", question.kind().name())?;
    members.set_item("round", question.round())?;
    members.set_item("message", question.message().map(|text| PyString::new(py, text)))?;
    members.set_item("url", question.url().map(|text| PyString::new(py, text)))?;
    let schema = question.schema().map(|schema| json::to_py(py, schema)).transpose()?;
    members.set_item("schema", schema)?;
    members.set_item("request", json::to_py(py, question.request().root())?)?;
    Ok(members.into_any())
}
