//! Scripts: what the person of a test says, by the key of the question.

use std::sync::Arc;

use crate::error::Error;
use crate::host::{Question, Response};
use crate::json::{Json, JsonError};

/// What decides on an answer when the question is there.
pub type Decision = Arc<dyn Fn(&Question) -> Response + Send + Sync>;

/// What the person says to a question. `F` is how the language of the test holds a function.
#[derive(Clone)]
#[non_exhaustive]
pub enum Answer<F = Decision> {
    /// This.
    Response(Response),
    /// What a function of the question says.
    Function(F),
    /// Nothing can be said: the test gave what is no JSON. The flow fails with it.
    Fault(Error),
}

/// Answers by key.
///
/// Several answers under one key are given in turn, one each time that the question is asked in a
/// flow; the last one stays.
#[derive(Clone)]
pub struct Script<F = Decision> {
    answers: Vec<(String, Vec<Answer<F>>)>,
    otherwise: Option<Answer<F>>,
}

impl<F> Default for Script<F> {
    fn default() -> Self {
        Self { answers: Vec::new(), otherwise: None }
    }
}

impl<F> Script<F> {
    /// A script without answers.
    pub fn new() -> Self {
        Self::default()
    }

    /// Adds the next answer under `key`.
    pub fn add(&mut self, key: impl Into<String>, answer: Answer<F>) {
        let key = key.into();
        match self.answers.iter_mut().find(|(other, _)| *other == key) {
            Some((_, answers)) => answers.push(answer),
            None => self.answers.push((key, vec![answer])),
        }
    }

    /// Sets the answer to every question whose key has none.
    pub fn otherwise(&mut self, answer: Answer<F>) {
        self.otherwise = Some(answer);
    }

    /// The answer to the question under `key` that was asked `before` times already.
    pub(super) fn find(&self, key: &str, before: usize) -> Option<&Answer<F>> {
        let answers = self.answers.iter().find(|(other, _)| other == key).map(|(_, all)| all);
        match answers {
            Some(answers) => answers.get(before).or(answers.last()),
            None => self.otherwise.as_ref(),
        }
    }

    /// The keys that have answers, for a message.
    pub(super) fn keys(&self) -> String {
        let keys: Vec<&str> = self.answers.iter().map(|(key, _)| key.as_str()).collect();
        if keys.is_empty() { "none".to_owned() } else { keys.join(", ") }
    }
}

impl<F> From<Response> for Answer<F> {
    fn from(response: Response) -> Self {
        Self::Response(response)
    }
}

/// Never shows what a person says.
impl<F> std::fmt::Debug for Answer<F> {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        match self {
            Self::Response(response) => response.fmt(f),
            Self::Function(_) => f.write_str("Answer(function)"),
            Self::Fault(error) => error.fmt(f),
        }
    }
}

/// Says which keys have answers.
impl<F> std::fmt::Debug for Script<F> {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        write!(f, "Script({})", self.keys())
    }
}

/// What a test may give where JSON is wanted: a [`Json`], its text, or with the feature `serde` a
/// value of `serde_json`.
pub trait IntoJson {
    /// The JSON.
    ///
    /// # Errors
    /// [`JsonError`] where it is none.
    fn into_json(self) -> Result<Json, JsonError>;
}

impl IntoJson for Json {
    fn into_json(self) -> Result<Json, JsonError> {
        Ok(self)
    }
}

impl IntoJson for &Json {
    fn into_json(self) -> Result<Json, JsonError> {
        Ok(self.clone())
    }
}

impl IntoJson for &str {
    fn into_json(self) -> Result<Json, JsonError> {
        Json::parse(self)
    }
}

impl IntoJson for String {
    fn into_json(self) -> Result<Json, JsonError> {
        Json::parse(self)
    }
}

#[cfg(feature = "serde")]
impl IntoJson for serde_json::Value {
    fn into_json(self) -> Result<Json, JsonError> {
        Json::from_serialize(&self)
    }
}

/// The person fills in the form and agrees.
pub fn accept(content: impl IntoJson) -> Answer {
    from_json(content, |content| Response::accept(&content))
}

/// The person agrees to a link, or to a form without fields.
pub fn agree() -> Answer {
    Response::accept_without_content().into()
}

/// The person says no.
pub fn decline() -> Answer {
    Response::decline().into()
}

/// The person closes the dialog.
pub fn cancel() -> Answer {
    Response::cancel().into()
}

/// The person never answers.
pub fn never() -> Answer {
    Response::never().into()
}

/// Any object as the response: for a model's turn and for roots, or for what no honest host sends.
pub fn result(result: impl IntoJson) -> Answer {
    from_json(result, |result| Response::result(&result))
}

/// A function looks at the question and says what the person says.
pub fn decide(function: impl Fn(&Question) -> Response + Send + Sync + 'static) -> Answer {
    Answer::Function(Arc::new(function))
}

fn from_json(json: impl IntoJson, make: impl FnOnce(Json) -> Response) -> Answer {
    match json.into_json() {
        Ok(json) => Answer::Response(make(json)),
        Err(error) => Answer::Fault(error.into()),
    }
}
