//! Asking: which question is answered, which goes out, and why.
//!
//! Owns the way from a question to its outcome: what the state remembers, what the client answered
//! this time, and what there is where nobody can be asked. How an answer is judged is
//! `answering`'s, what stands in for a person `policy`'s.
//! Protocol: mrtr, "Server Requirements" and "Error Handling"; client/elicitation, "Response
//! Actions".

use std::hash::{DefaultHasher, Hash, Hasher};

use super::answering::{answer, look_again, recorded, remembered};
use super::judging::Judge;
use super::pending::{Asked, Need, Pending, Question, Waiting};
use super::{Ask, Call, own, policy};
use crate::elicit::{
    AskOptions, ElicitRequest, Outcome, Sampling, Source, Verdict, check_link, check_message,
};
use crate::env::Level;
use crate::error::{Error, ErrorKind, Result};
use crate::json::Json;
use crate::protocol::Method;
use crate::schema::{AnswerCheck, Form};
use crate::seal::{AskDigest, AskEntry, AskKind, AskState};

/// Longest name of a question, in bytes.
const LONGEST_KEY: usize = 256;

/// A question, with what is needed to decide it.
pub(super) enum Asking<'a> {
    /// `given` holds what of it the arguments of the call answer already.
    Form {
        judge: Judge<'a>,
        given: Option<Json>,
    },
    Url {
        url: &'a str,
        done: bool,
    },
    Sampling(&'a Sampling),
    Roots,
}

/// What became of a question in this round.
pub(super) enum Decision {
    Settled(Verdict),
    Pending(Waiting),
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
        self.ask_form(key, message, Judge { form, check: None }, options)
    }

    /// [`Call::elicit_form_with`] for a form whose answers `check` judges too, after the form: for
    /// a type behind the form that demands more than a schema can say.
    ///
    /// What `check` refuses is asked again like any invalid answer, with its reasons; arguments
    /// that it refuses count as not given, defaults as no valid answer. It runs on every round,
    /// and once it refuses what was accepted in an earlier one, the question is asked again.
    ///
    /// # Errors
    /// As [`Call::elicit_form`]; also what `check` fails with, and nothing is recorded then.
    pub fn elicit_form_checked(
        &mut self,
        key: &str,
        message: &str,
        form: &Form,
        options: &AskOptions,
        check: &AnswerCheck<'_>,
    ) -> Result<Ask> {
        self.ask_form(key, message, Judge { form, check: Some(check) }, options)
    }

    fn ask_form(
        &mut self,
        key: &str,
        message: &str,
        judge: Judge<'_>,
        options: &AskOptions,
    ) -> Result<Ask> {
        let given = match self.request.arguments() {
            Some(arguments) => policy::given(judge, arguments, options),
            None => Ok(None),
        };
        let given = given.map_err(|error| own(&self.request, error))?;
        self.ask(key, message, Asking::Form { judge, given }, options)
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

    /// Asks the client's model for a turn, or gives what it said: the outcome's action is
    /// [`Action::Answer`](crate::Action::Answer), its content the CreateMessageResult.
    ///
    /// `params` are the parameters of `sampling/createMessage`, passed through when they are
    /// sound: each tool use answered in the next message, tool results alone in theirs. Parameters
    /// with tools need a client that declares `sampling.tools`. Deprecated by the revision, which
    /// advises to talk to a model provider directly.
    ///
    /// # Errors
    /// [`ErrorKind::InvalidAsk`] with every fault; [`ErrorKind::Conflict`].
    pub fn create_message(
        &mut self,
        key: &str,
        params: &Json,
        options: &AskOptions,
    ) -> Result<Ask> {
        let sampling = Sampling::check(params).map_err(|error| own(&self.request, error))?;
        if sampling.wants_context && !self.request.capabilities().sampling_context() {
            let message = "includeContext is used with a client that does not declare \
                           sampling.context; it is deprecated";
            self.log(Level::Warning, "sampling_context", "", message);
        }
        self.ask(key, "", Asking::Sampling(&sampling), options)
    }

    /// Asks the client for the folders it works in, or gives them: the outcome's action is
    /// [`Action::Answer`](crate::Action::Answer), its content the ListRootsResult. Each `uri` is a
    /// `file://` URI; do not trust it further. Deprecated by the revision, which advises arguments
    /// or configuration.
    ///
    /// # Errors
    /// [`ErrorKind::InvalidAsk`]; [`ErrorKind::Conflict`].
    pub fn list_roots(&mut self, key: &str, options: &AskOptions) -> Result<Ask> {
        self.ask(key, "", Asking::Roots, options)
    }

    fn ask(
        &mut self,
        key: &str,
        message: &str,
        asking: Asking<'_>,
        options: &AskOptions,
    ) -> Result<Ask> {
        self.try_ask(key, message, &asking, options).map_err(|error| own(&self.request, error))
    }

    fn try_ask(
        &mut self,
        key: &str,
        message: &str,
        asking: &Asking<'_>,
        options: &AskOptions,
    ) -> Result<Ask> {
        self.check_live()?;
        check_key(key)?;
        options.check(asking.form(), self.method() == Method::CallTool)?;
        let digest = asking.check(message, options)?;
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
        let decision = match self.decide(key, message, digest, asking, options)? {
            Decision::Settled(Verdict::Cancel) => {
                policy::after_cancel(asking, options, self.request.arguments())?
            }
            decision => decision,
        };
        let (ask, pending) = match decision {
            Decision::Settled(verdict) => (Ask::new(Some(Outcome::new(verdict))), None),
            Decision::Pending(waiting) => {
                let question = asking.question(self.flow.link(key));
                let message = message.to_owned();
                (
                    Ask::new(None),
                    Some(Pending {
                        message,
                        question,
                        waiting,
                        messages: options.messages.clone(),
                    }),
                )
            }
        };
        self.asked.push(Asked { key: key.to_owned(), digest, ask: ask.clone(), pending });
        Ok(ask)
    }

    /// Finds what became of the question and records it in the flow.
    fn decide(
        &mut self,
        key: &str,
        message: &str,
        digest: AskDigest,
        asking: &Asking<'_>,
        options: &AskOptions,
    ) -> Result<Decision> {
        let known = self.flow.position(key);
        let mut entry = match known.and_then(|at| self.flow.ask_at(at)) {
            Some(entry) => entry.clone(),
            None => AskEntry::open(key, digest, asking.kind()),
        };
        let limits = &self.engine.limits;
        let refused = match remembered(&entry, asking, options)? {
            None => None,
            // It was settled when the question could still be settled by other than a person.
            Some(Verdict::Accept { source, .. })
                if options.human_only && source != Source::User =>
            {
                entry.state = AskState::Open;
                None
            }
            Some(Verdict::Accept { content: Some(content), source }) => {
                match look_again(&mut entry, &content, asking, options, limits)? {
                    None => {
                        let content = Some(content);
                        return Ok(Decision::Settled(Verdict::Accept { content, source }));
                    }
                    refused => refused,
                }
            }
            Some(verdict) => return Ok(Decision::Settled(verdict)),
        };
        let received = match std::mem::replace(&mut entry.state, AskState::Open) {
            AskState::Received { response } => Some(Json::parse_with_depth(response, usize::MAX)?),
            _ => None,
        };
        let counts = known.is_some() || (options.accept_unasked && !self.flow.is_resumed());
        let response = match &received {
            Some(response) => Some(response.root()),
            None => self.request.input_response(key).filter(|_| counts),
        };
        let decision = match (refused, policy::from_arguments(asking, options)?) {
            (Some(refused), _) => refused,
            (None, Some(verdict)) => Decision::Settled(verdict),
            (None, None) => answer(&mut entry, response, asking, options, limits)?,
        };
        let decision = match decision {
            Decision::Pending(waiting) if !self.can_ask(asking) => {
                match policy::unavailable(asking, options, self.request.arguments(), waiting)? {
                    // Nothing was asked: a client that can be asked later is.
                    Decision::Settled(verdict @ Verdict::Unavailable { .. }) => {
                        return Ok(Decision::Settled(verdict));
                    }
                    decision => decision,
                }
            }
            decision => decision,
        };
        match &decision {
            Decision::Settled(verdict) => {
                entry.state = recorded(verdict);
                if !matches!(verdict, Verdict::Invalid { .. }) {
                    entry.kept = None;
                }
            }
            Decision::Pending(_) if known.is_none() => {
                entry.link = asking.link().map(str::to_owned);
                self.flow.note_new_question();
                self.warn_of(message, asking);
            }
            Decision::Pending(_) => {}
        }
        self.flow.put(known, entry);
        Ok(decision)
    }

    /// Whether the client declared what the question needs.
    fn can_ask(&self, asking: &Asking<'_>) -> bool {
        asking.need().is_met(self.request.capabilities())
    }

    /// Says what the author of a form probably did not mean, once an engine.
    fn warn_of(&self, message: &str, asking: &Asking<'_>) {
        let Some(form) = asking.form() else { return };
        let of_message = Form::message_warning(message);
        if form.warnings().is_empty() && of_message.is_none() {
            return;
        }
        let mut hasher = DefaultHasher::new();
        (form.fingerprint(), of_message.is_some()).hash(&mut hasher);
        if !self.engine.warn_once(hasher.finish()) {
            return;
        }
        for warning in form.warnings().iter().chain(&of_message) {
            self.log(Level::Info, "form_warning", warning.rule, &warning.to_string());
        }
    }
}

impl<'a> Asking<'a> {
    pub(super) fn form(&self) -> Option<&'a Form> {
        match self {
            Self::Form { judge, .. } => Some(judge.form),
            _ => None,
        }
    }

    fn link(&self) -> Option<&'a str> {
        match self {
            Self::Url { url, .. } => Some(url),
            _ => None,
        }
    }

    fn kind(&self) -> AskKind {
        match self {
            Self::Form { .. } => AskKind::Form,
            Self::Url { .. } => AskKind::Url,
            Self::Sampling(_) => AskKind::Sampling,
            Self::Roots => AskKind::Roots,
        }
    }

    pub(super) fn need(&self) -> Need {
        match self {
            Self::Form { .. } => Need::Form,
            Self::Url { .. } => Need::Url,
            Self::Sampling(sampling) if sampling.needs_tools => Need::SamplingTools,
            Self::Sampling(_) => Need::Sampling,
            Self::Roots => Need::Roots,
        }
    }

    /// Checks the words and the link, and names the question by its words.
    fn check(&self, message: &str, options: &AskOptions) -> Result<AskDigest> {
        let body: &[u8] = match self {
            Self::Form { judge, .. } => {
                check_message(message)?;
                judge.form.fingerprint()
            }
            Self::Url { url, .. } => {
                check_message(message)?;
                check_link(url, options.allow_insecure_http).map_err(|fault| {
                    Error::with_faults(ErrorKind::InvalidAsk, "this cannot be asked", vec![fault])
                })?;
                &[]
            }
            Self::Sampling(sampling) => sampling.params.as_bytes(),
            Self::Roots => &[],
        };
        Ok(AskDigest::of(self.kind(), message, body))
    }

    /// What goes to the client; `link` is the one that was given first.
    fn question(&self, link: Option<&str>) -> Question {
        match self {
            Self::Form { judge, .. } => Question::Form(judge.form.clone()),
            Self::Url { url, .. } => Question::Url(link.unwrap_or(url).to_owned()),
            Self::Sampling(sampling) => Question::Sampling {
                params: sampling.params.clone(),
                with_tools: sampling.needs_tools,
            },
            Self::Roots => Question::Roots,
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
