//! Asking: which question is answered, which goes out, and why.
//!
//! Owns the way from a question to its outcome: what the state remembers, what the client answered
//! this time, and what becomes of an answer that is no good.
//! Protocol: mrtr, "Server Requirements" and "Error Handling"; client/elicitation, "Response
//! Actions" and "Form Mode Security" 3.

use super::pending::{Asked, Pending, Question};
use super::{Ask, Call, Limits, own};
use crate::elicit::{
    AskOptions, ElicitRequest, Outcome, Response, Source, Verdict, check_link, check_message,
    read_response,
};
use crate::env::Level;
use crate::error::{Error, ErrorKind, Fault, Result};
use crate::json::{Json, Value};
use crate::schema::Form;
use crate::seal::{AskDigest, AskEntry, AskKind, AskState};

/// Longest name of a question, in bytes.
const LONGEST_KEY: usize = 256;

/// What a question needs to be decided.
enum Asking<'a> {
    Form(&'a Form),
    Url { url: &'a str, done: bool },
}

/// How a response, or its absence, leaves a question.
enum Decision {
    Settled(Verdict),
    Pending { reasons: Vec<Fault> },
}

impl Call {
    /// Asks with a form, or gives the outcome when it was answered.
    ///
    /// `key` names the question: the same on every round. `message` says why it is asked.
    ///
    /// # Errors
    /// [`ErrorKind::InvalidAsk`] for a key or message that cannot be used; [`ErrorKind::Conflict`]
    /// where the key was used for another question in this round.
    pub fn elicit_form(&mut self, key: &str, message: &str, form: &Form) -> Result<Ask> {
        self.elicit_form_with(key, message, form, &AskOptions::new())
    }

    /// [`Call::elicit_form`] with options.
    ///
    /// # Errors
    /// As [`Call::elicit_form`].
    pub fn elicit_form_with(
        &mut self,
        key: &str,
        message: &str,
        form: &Form,
        options: &AskOptions,
    ) -> Result<Ask> {
        self.ask(key, message, Asking::Form(form), options)
    }

    /// Asks for a visit to a link, or gives the outcome when it was made.
    ///
    /// `done` is your word whether the visit is done, from your own records: a client's accept
    /// only means that the person agreed to go. Accepted and not done asks again with the very
    /// link that was given first; `url` counts on the first round alone. Done without having been
    /// asked is accepted with source grant, and needs no capability.
    ///
    /// # Errors
    /// As [`Call::elicit_form`]; also for a link that cannot be asked.
    pub fn elicit_url(&mut self, key: &str, message: &str, url: &str, done: bool) -> Result<Ask> {
        self.elicit_url_with(key, message, url, done, &AskOptions::new())
    }

    /// [`Call::elicit_url`] with options.
    ///
    /// # Errors
    /// As [`Call::elicit_url`].
    pub fn elicit_url_with(
        &mut self,
        key: &str,
        message: &str,
        url: &str,
        done: bool,
        options: &AskOptions,
    ) -> Result<Ask> {
        self.ask(key, message, Asking::Url { url, done }, options)
    }

    /// Asks a question that was built or read from JSON. `done` counts for a link alone.
    ///
    /// # Errors
    /// As [`Call::elicit_form`] and [`Call::elicit_url`].
    pub fn elicit(
        &mut self,
        key: &str,
        request: &ElicitRequest,
        done: bool,
        options: &AskOptions,
    ) -> Result<Ask> {
        match request {
            ElicitRequest::Form { message, form } => {
                self.elicit_form_with(key, message, form, options)
            }
            ElicitRequest::Url { message, url } => {
                self.elicit_url_with(key, message, url, done, options)
            }
        }
    }

    fn ask(
        &mut self,
        key: &str,
        message: &str,
        asking: Asking<'_>,
        options: &AskOptions,
    ) -> Result<Ask> {
        self.try_ask(key, message, asking, options).map_err(|error| own(&self.request, error))
    }

    fn try_ask(
        &mut self,
        key: &str,
        message: &str,
        asking: Asking<'_>,
        options: &AskOptions,
    ) -> Result<Ask> {
        self.check_live()?;
        check_key(key)?;
        check_message(message)?;
        let digest = match asking {
            Asking::Form(form) => AskDigest::of(AskKind::Form, message, form.source().as_bytes()),
            Asking::Url { url, .. } => {
                check_link(url, options.allow_insecure_http).map_err(|fault| {
                    Error::with_faults(ErrorKind::InvalidAsk, "this cannot be asked", vec![fault])
                })?;
                AskDigest::of(AskKind::Url, message, &[])
            }
        };
        if let Some(asked) = self.asked.iter().find(|asked| asked.key == key) {
            if asked.digest == digest {
                return Ok(asked.ask.clone());
            }
            let message = format!("the key {key:?} stands for another question in this round");
            return Err(Error::new(ErrorKind::Conflict, message));
        }
        if self.flow.forget_reworded(key, digest) {
            let message = format!("the question {key:?} was reworded; it is asked again");
            self.log(Level::Info, "question_reworded", "", &message);
        }
        let decision = self.decide(key, digest, &asking, options)?;
        let (ask, pending) = match decision {
            Decision::Settled(verdict) => (Ask::new(Some(Outcome::new(verdict))), None),
            Decision::Pending { reasons } => {
                let question = match asking {
                    Asking::Form(form) => Question::Form(form.clone()),
                    Asking::Url { url, .. } => Question::Url(self.flow.link(key, url).to_owned()),
                };
                (Ask::new(None), Some(Pending { message: message.to_owned(), question, reasons }))
            }
        };
        self.asked.push(Asked { key: key.to_owned(), digest, ask: ask.clone(), pending });
        Ok(ask)
    }

    /// Finds what became of the question and records it in the flow.
    fn decide(
        &mut self,
        key: &str,
        digest: AskDigest,
        asking: &Asking<'_>,
        options: &AskOptions,
    ) -> Result<Decision> {
        let resumed = self.flow.is_resumed();
        let Some(entry) = self.flow.ask_mut(key) else {
            let mut entry = AskEntry::open(key, digest, asking.kind());
            let unasked = options.accept_unasked && !resumed;
            let response = self.request.input_response(key).filter(|_| unasked);
            let decision = answer(&mut entry, response, asking, &self.engine.limits)?;
            if let Decision::Pending { .. } = decision {
                if let Asking::Url { url, .. } = asking {
                    entry.link = Some((*url).to_owned());
                }
                self.warn_of(asking);
            }
            self.flow.add(entry);
            return Ok(decision);
        };
        match &entry.state {
            AskState::Open => {
                let response = self.request.input_response(key);
                answer(entry, response, asking, &self.engine.limits)
            }
            AskState::Received { response } => {
                let response = Json::parse_with_depth(response.as_str(), usize::MAX)?;
                entry.state = AskState::Open;
                answer(entry, Some(response.root()), asking, &self.engine.limits)
            }
            AskState::Accept { content, source } => {
                let content = match content {
                    Some(text) => Some(Json::parse_with_depth(text.as_str(), usize::MAX)?),
                    None => None,
                };
                Ok(Decision::Settled(Verdict::Accept { content, source: *source }))
            }
            AskState::Decline => Ok(Decision::Settled(Verdict::Decline)),
            AskState::Cancel => Ok(Decision::Settled(Verdict::Cancel)),
            AskState::Invalid => {
                let faults = kept_faults(entry, asking);
                Ok(Decision::Settled(Verdict::Invalid { faults }))
            }
        }
    }

    fn warn_of(&self, asking: &Asking<'_>) {
        if let Asking::Form(form) = asking {
            for warning in form.warnings() {
                self.log(Level::Info, "form_warning", warning.rule, &warning.to_string());
            }
        }
    }
}

/// mrtr, server requirement 2: keys are server assigned identifiers.
pub(super) fn check_key(key: &str) -> Result<()> {
    let refuse = |message: &str| Err(Error::new(ErrorKind::InvalidAsk, message));
    if key.is_empty() {
        return refuse("a question needs a key: a short name, the same on every round");
    }
    if key.len() > LONGEST_KEY {
        return refuse("the key of a question is longer than 256 bytes");
    }
    if key == "__proto__" {
        return refuse("\"__proto__\" cannot be the key of a question: hosts lose it");
    }
    Ok(())
}

/// Applies the response, or its absence, to an open question.
fn answer(
    entry: &mut AskEntry,
    response: Option<Value<'_>>,
    asking: &Asking<'_>,
    limits: &Limits,
) -> Result<Decision> {
    let response = match response {
        Some(response) => Some(read_response(&entry.key, response)?),
        None => None,
    };
    let verdict = match (response, asking) {
        (Some(Response::Decline), _) => Verdict::Decline,
        (Some(Response::Cancel), _) => Verdict::Cancel,
        (Some(Response::Accept(_)), Asking::Url { done: true, .. }) => {
            Verdict::Accept { content: None, source: Source::User }
        }
        (None, Asking::Url { done: true, .. }) => {
            Verdict::Accept { content: None, source: Source::Grant }
        }
        (_, Asking::Url { done: false, .. }) => {
            return Ok(Decision::Pending { reasons: Vec::new() });
        }
        (None, Asking::Form(_)) => {
            return Ok(Decision::Pending { reasons: kept_faults(entry, asking) });
        }
        (Some(Response::Accept(content)), Asking::Form(form)) => {
            let checked = match content {
                Some(content) => form.validate(content),
                None => form.accepts_nothing(),
            };
            match checked {
                Ok(answer) => {
                    Verdict::Accept { content: Some(answer.content), source: Source::User }
                }
                Err(faults) => {
                    entry.kept = content.map(Value::compact);
                    if entry.reasks < limits.reasks {
                        entry.reasks += 1;
                        return Ok(Decision::Pending { reasons: faults });
                    }
                    Verdict::Invalid { faults }
                }
            }
        }
    };
    entry.state = recorded(&verdict);
    Ok(Decision::Settled(verdict))
}

/// The verdict as the state remembers it.
fn recorded(verdict: &Verdict) -> AskState {
    match verdict {
        Verdict::Accept { content, source } => {
            AskState::Accept { content: content.as_ref().map(Json::compact), source: *source }
        }
        Verdict::Decline => AskState::Decline,
        Verdict::Cancel => AskState::Cancel,
        Verdict::Invalid { .. } => AskState::Invalid,
    }
}

/// What was wrong with the last answer; it is kept in the state, its faults are not.
fn kept_faults(entry: &AskEntry, asking: &Asking<'_>) -> Vec<Fault> {
    let (Asking::Form(form), true) = (asking, entry.reasks > 0) else { return Vec::new() };
    let checked = match entry.kept.as_deref().map(|text| Json::parse_with_depth(text, usize::MAX)) {
        Some(Ok(content)) => form.validate(content.root()),
        _ => form.accepts_nothing(),
    };
    checked.err().unwrap_or_default()
}

impl Asking<'_> {
    fn kind(&self) -> AskKind {
        match self {
            Self::Form(_) => AskKind::Form,
            Self::Url { .. } => AskKind::Url,
        }
    }
}
