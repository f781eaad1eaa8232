//! The options of an ask: one thing that grows.

use super::request::refused;
use crate::error::Result;
use crate::schema::{Form, Messages};

/// What to do where nobody can be asked.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Hash)]
#[non_exhaustive]
pub enum Policy {
    /// Reply -32021 and name the capability that the client lacks.
    #[default]
    Error,
    /// Complete the tool call with `isError: true` and a text that names the argument to give,
    /// for a model to read. Only in tools/call, and only for an ask with
    /// [arguments](AskOptions::arguments).
    ToolError,
    /// Take the defaults of the schema, where they make a valid answer; otherwise as
    /// [`Policy::Error`].
    Defaults,
    /// Give the handler the outcome [`Action::Unavailable`](super::Action::Unavailable).
    Outcome,
}

impl Policy {
    /// `error`, `tool_error`, `defaults` or `outcome`.
    pub const fn name(self) -> &'static str {
        match self {
            Self::Error => "error",
            Self::ToolError => "tool_error",
            Self::Defaults => "defaults",
            Self::Outcome => "outcome",
        }
    }

    /// The policy of this name.
    pub fn from_name(name: &str) -> Option<Self> {
        [Self::Error, Self::ToolError, Self::Defaults, Self::Outcome]
            .into_iter()
            .find(|policy| policy.name() == name)
    }
}

/// How a question is asked, where the usual way will not do.
///
/// Starts as [`AskOptions::new`]; each method takes and returns it, so that options can be added
/// without breaking anybody. Options that contradict each other, or the question, are refused when
/// the question is asked.
#[derive(Clone, Debug, Default)]
#[must_use]
pub struct AskOptions {
    pub(crate) allow_insecure_http: bool,
    pub(crate) accept_unasked: bool,
    pub(crate) unavailable: Policy,
    pub(crate) on_cancel: Option<Policy>,
    pub(crate) arguments: Vec<String>,
    pub(crate) human_only: bool,
    pub(crate) reask_invalid_only: bool,
    pub(crate) messages: Option<Messages>,
}

impl AskOptions {
    /// The usual way.
    pub fn new() -> Self {
        Self::default()
    }

    /// Lets a link be `http` to a host other than this machine. For development: the protocol
    /// wants https (client/elicitation, "Safe URL Handling", server requirement 4).
    pub fn allow_insecure_http(mut self, allow: bool) -> Self {
        self.allow_insecure_http = allow;
        self
    }

    /// Takes an answer that came with the first request, before the question was ever asked.
    /// Counts only where the request carries no `requestState`. The person may have answered
    /// other words than these.
    pub fn accept_unasked(mut self, accept: bool) -> Self {
        self.accept_unasked = accept;
        self
    }

    /// What to do where the client cannot be asked this kind of question. Default
    /// [`Policy::Error`].
    pub fn unavailable(mut self, policy: Policy) -> Self {
        self.unavailable = policy;
        self
    }

    /// What to do where the answer is cancel, for hosts without a person that declare elicitation
    /// and cancel everything. By default a cancel is a cancel. [`Policy::Error`] cannot be had:
    /// the client did declare the capability. Defaults that make no valid answer leave the cancel.
    pub fn on_cancel(mut self, policy: Policy) -> Self {
        self.on_cancel = Some(policy);
        self
    }

    /// Names the fields of a form that the model may give as arguments of the call, under the
    /// same names. What it gives and the form accepts is not asked again; what the form does not
    /// accept counts as not given.
    pub fn arguments<T: Into<String>>(mut self, fields: impl IntoIterator<Item = T>) -> Self {
        self.arguments = fields.into_iter().map(Into::into).collect();
        self
    }

    /// Takes nothing but the user's own answer to this question: no argument, no default, no
    /// earlier visit, no answer that was not asked for. The way to guard anything dangerous.
    pub fn human_only(mut self, only: bool) -> Self {
        self.human_only = only;
        self
    }

    /// After an invalid answer asks for the wrong fields alone and keeps the others. By default
    /// the whole form goes out again, so that it is reviewed together.
    pub fn reask_invalid_only(mut self, only: bool) -> Self {
        self.reask_invalid_only = only;
        self
    }

    /// The texts that tell a person what was wrong with an answer, for example in their own
    /// language.
    pub fn messages(mut self, messages: Messages) -> Self {
        self.messages = Some(messages);
        self
    }

    /// Whether these options fit a question of this kind in a call of this method.
    pub(crate) fn check(&self, form: Option<&Form>, is_tool: bool) -> Result<()> {
        let refuse = |rule, message: &str| Err(refused("/options", rule, message));
        let policies = [Some(self.unavailable), self.on_cancel];
        let has = |policy| policies.contains(&Some(policy));
        if self.on_cancel == Some(Policy::Error) {
            return refuse(
                "on_cancel",
                "on_cancel cannot be error: the client did declare elicitation",
            );
        }
        if self.human_only
            && (has(Policy::Defaults) || !self.arguments.is_empty() || self.accept_unasked)
        {
            let message = "human_only takes no arguments, no defaults and no unasked answers";
            return refuse("human_only", message);
        }
        if has(Policy::ToolError) && (!is_tool || self.arguments.is_empty()) {
            let message = "tool_error is for tools/call, and for an ask that says which arguments \
                           may be given instead";
            return refuse("tool_error", message);
        }
        let Some(form) = form else {
            if has(Policy::Defaults) || !self.arguments.is_empty() || self.reask_invalid_only {
                return refuse("form", "defaults, arguments and re-asks belong to forms");
            }
            return Ok(());
        };
        match self.arguments.iter().find(|name| form.field(name).is_none()) {
            Some(name) => {
                let message = format!("the form has no field {name:?} to take from the arguments");
                refuse("arguments", &message)
            }
            None => Ok(()),
        }
    }
}
