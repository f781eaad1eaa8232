//! Questions: what a server asks inside a result, read as a client reads it.
//!
//! Lenient where the protocol leaves room (members that are not known are passed over), strict
//! where an answer would depend on a guess. Whether a form can be shown and a link be opened is
//! for whoever shows them.
//! Protocol: mrtr, "InputRequests"; client/elicitation, "Elicitation Requests".

use super::broken;
use crate::elicit::Sampling;
use crate::error::{Error, Result};
use crate::json::{Json, Value, push_pointer, quote_into};
use crate::protocol::{Capabilities, Mode};
use crate::schema::Form;

/// How much of a key that the server chose goes into the path of a fault.
const LONGEST_KEY: usize = 64;

/// What kind of question it is.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
#[non_exhaustive]
pub enum QuestionKind {
    /// A form for a person (`elicitation/create`).
    Form,
    /// A link for a person (`elicitation/create`, mode `url`).
    Url,
    /// A turn of the client's model (`sampling/createMessage`).
    Sampling,
    /// The folders that the client works in (`roots/list`).
    Roots,
}

impl QuestionKind {
    /// `form`, `url`, `sampling` or `roots`.
    pub const fn name(self) -> &'static str {
        match self {
            Self::Form => "form",
            Self::Url => "url",
            Self::Sampling => "sampling",
            Self::Roots => "roots",
        }
    }
}

/// One question of a round.
#[derive(Clone)]
pub struct Question {
    key: String,
    kind: QuestionKind,
    round: u32,
    message: Option<String>,
    url: Option<String>,
    request: Json,
}

impl Question {
    /// The key that its answer goes under.
    pub fn key(&self) -> &str {
        &self.key
    }

    /// What kind of question it is.
    pub fn kind(&self) -> QuestionKind {
        self.kind
    }

    /// The round whose reply asked it; the first is 1.
    pub fn round(&self) -> u32 {
        self.round
    }

    /// Why it is asked: the text of a form or a link. None for a model's turn and for roots.
    pub fn message(&self) -> Option<&str> {
        self.message.as_deref()
    }

    /// The link, as it came and unchecked; none for other kinds. Show it whole and ask before it
    /// is opened (client/elicitation, "Safe URL Handling").
    pub fn url(&self) -> Option<&str> {
        self.url.as_deref()
    }

    /// The `requestedSchema` of a form; none for other kinds.
    pub fn schema(&self) -> Option<Value<'_>> {
        match self.kind {
            QuestionKind::Form => self.params()?.get("requestedSchema"),
            _ => None,
        }
    }

    /// The schema of a form, read strictly.
    ///
    /// # Errors
    /// [`ErrorKind::Schema`](crate::ErrorKind::Schema) with everything that is not of the grammar;
    /// [`ErrorKind::InvalidArgument`](crate::ErrorKind::InvalidArgument) where this is no form.
    pub fn form(&self) -> Result<Form> {
        let schema = self.schema().ok_or_else(|| super::refused("this question has no form"))?;
        Form::from_value(schema)
    }

    /// The parameters of the question, as they came.
    pub fn params(&self) -> Option<Value<'_>> {
        self.request.root().get_present("params")
    }

    /// The whole question, as it came: method and parameters.
    pub fn request(&self) -> &Json {
        &self.request
    }

    /// The question as one JSON object, for bindings and logs of tests:
    /// `{"key":…,"kind":…,"round":…,"message"?:…,"url"?:…,"schema"?:…,"request":…}`.
    pub fn to_json(&self) -> String {
        let mut out = String::from("{\"key\":");
        quote_into(&mut out, &self.key);
        out.push_str(&format!(",\"kind\":\"{}\",\"round\":{}", self.kind.name(), self.round));
        for (name, text) in [("message", &self.message), ("url", &self.url)] {
            if let Some(text) = text {
                out.push_str(&format!(",\"{name}\":"));
                quote_into(&mut out, text);
            }
        }
        if let Some(schema) = self.schema() {
            out.push_str(",\"schema\":");
            schema.compact_into(&mut out);
        }
        out.push_str(",\"request\":");
        self.request.root().compact_into(&mut out);
        out.push('}');
        out
    }
}

/// Says which question it is.
impl std::fmt::Debug for Question {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        write!(f, "Question({:?}, {}, round {})", self.key, self.kind.name(), self.round)
    }
}

/// Reads `inputRequests`.
pub(super) fn read_all(
    requests: Value<'_>,
    round: u32,
    declared: Capabilities,
) -> Result<Vec<Question>> {
    if !requests.is_object() {
        return Err(broken("/result/inputRequests", "type", "inputRequests is an object"));
    }
    requests
        .entries()
        .map(|entry| Reader::new(&entry.key()).read(entry.value, round, declared))
        .collect()
}

/// Reads one question, and knows where it stands.
struct Reader<'k> {
    key: &'k str,
    path: String,
}

impl<'k> Reader<'k> {
    fn new(key: &'k str) -> Self {
        let mut path = String::from("/result/inputRequests");
        if key.len() <= LONGEST_KEY {
            push_pointer(&mut path, key);
        }
        Self { key, path }
    }

    fn fault(&self, member: &str, rule: &'static str, message: &str) -> Error {
        broken(format!("{}{member}", self.path), rule, message)
    }

    fn read(&self, value: Value<'_>, round: u32, declared: Capabilities) -> Result<Question> {
        if !value.is_object() {
            return Err(self.fault("", "type", "a question is an object"));
        }
        let Some(method) = value.get_present("method") else {
            return Err(self.fault("/method", "required", "a question has a method"));
        };
        let params = value.get_present("params");
        if params.is_some_and(|params| !params.is_object()) {
            return Err(self.fault("/params", "type", "params is an object"));
        }
        let mut question = Question {
            key: self.key.to_owned(),
            kind: QuestionKind::Roots,
            round,
            message: None,
            url: None,
            request: value.to_json(),
        };
        let is_declared = match method.as_str().as_deref() {
            Some("elicitation/create") => {
                let params = self.needed(params)?;
                question.message = Some(self.text(params, "message")?);
                match self.mode(params)? {
                    Mode::Form => {
                        question.kind = QuestionKind::Form;
                        self.check_schema(params)?;
                        declared.elicits(Mode::Form)
                    }
                    Mode::Url => {
                        question.kind = QuestionKind::Url;
                        question.url = Some(self.text(params, "url")?);
                        declared.elicits(Mode::Url)
                    }
                }
            }
            Some("sampling/createMessage") => {
                question.kind = QuestionKind::Sampling;
                let checked = Sampling::check(&self.needed(params)?.to_json());
                let sampling = checked.map_err(|error| {
                    let place = error.faults().first().map_or("", |fault| &fault.path);
                    self.fault(&format!("/params{place}"), "ask", error.message())
                })?;
                declared.sampling() && (declared.sampling_tools() || !sampling.needs_tools)
            }
            Some("roots/list") => declared.roots(),
            Some(_) => {
                let message = "a question is elicitation/create, sampling/createMessage or \
                               roots/list";
                return Err(self.fault("/method", "enum", message));
            }
            None => return Err(self.fault("/method", "type", "the method is a text")),
        };
        if !is_declared {
            let message = "the client did not declare that it can be asked this";
            return Err(self.fault("", "undeclared", message));
        }
        Ok(question)
    }

    fn needed<'j>(&self, params: Option<Value<'j>>) -> Result<Value<'j>> {
        params.ok_or_else(|| self.fault("/params", "required", "this question has params"))
    }

    fn text(&self, params: Value<'_>, member: &str) -> Result<String> {
        let place = format!("/params/{member}");
        match params.get_present(member).map(Value::as_str) {
            Some(Some(text)) => Ok(text.into_owned()),
            Some(None) => Err(self.fault(&place, "type", "must be a text")),
            None => Err(self.fault(&place, "required", "is missing")),
        }
    }

    /// "Clients MUST treat requests without a `mode` field as form mode."
    fn mode(&self, params: Value<'_>) -> Result<Mode> {
        match params.get_present("mode").map(Value::as_str) {
            None => Ok(Mode::Form),
            Some(Some(mode)) if mode == Mode::Form.name() => Ok(Mode::Form),
            Some(Some(mode)) if mode == Mode::Url.name() => Ok(Mode::Url),
            Some(_) => Err(self.fault("/params/mode", "enum", "the mode is form or url")),
        }
    }

    fn check_schema(&self, params: Value<'_>) -> Result<()> {
        match params.get_present("requestedSchema") {
            Some(schema) if schema.is_object() => Ok(()),
            Some(_) => Err(self.fault("/params/requestedSchema", "type", "must be an object")),
            None => Err(self.fault("/params/requestedSchema", "required", "a form has a schema")),
        }
    }
}
