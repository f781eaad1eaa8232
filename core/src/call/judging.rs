//! Judging: whether an answer to a form will do, and which parts of one that will not.
//!
//! Owns the order of the judges: the form, then the check of the application's own, which sees
//! nothing that the form refuses.

use super::answering::select;
use crate::elicit::AskOptions;
use crate::error::{Fault, Result};
use crate::json::{Json, Value, push_pointer};
use crate::schema::{Answer, AnswerCheck, CHECK, Form, ValidateOptions};

/// Who judges the answers to a form.
#[derive(Clone, Copy)]
pub(super) struct Judge<'a> {
    pub(super) form: &'a Form,
    pub(super) check: Option<&'a AnswerCheck<'a>>,
}

impl Judge<'_> {
    /// What becomes of an answer, or the error of the check.
    pub(super) fn check(
        self,
        content: Value<'_>,
        options: &AskOptions,
    ) -> Result<std::result::Result<Answer, Vec<Fault>>> {
        if self.check.is_none() && options.messages.is_none() {
            return Ok(self.form.validate(content));
        }
        let mut validate = ValidateOptions::new();
        if let Some(messages) = &options.messages {
            validate = validate.messages(messages.clone());
        }
        match self.check {
            Some(check) => self.form.validate_checked(content, &validate, check),
            None => Ok(self.form.validate_with(content, &validate)),
        }
    }

    /// The members of an answer that the form takes, whatever the check says.
    pub(super) fn fitting(self, content: Value<'_>) -> Json {
        self.without(content, &self.form.validate(content).err().unwrap_or_default())
    }

    /// The members of an answer with `faults` that are kept when it is asked again.
    pub(super) fn good_values(
        self,
        content: &Json,
        faults: &[Fault],
        options: &AskOptions,
    ) -> Json {
        let of_whole = |fault: &Fault| fault.rule == CHECK && self.form.is_of_whole(fault);
        // What is refused as a whole has no part that may be kept unseen.
        if options.reask_invalid_only && faults.iter().any(of_whole) {
            return Json::empty_object();
        }
        self.without(content.root(), faults)
    }

    /// Whether the check refuses an answer that the form takes.
    pub(super) fn is_refused(self, content: Value<'_>, options: &AskOptions) -> Result<bool> {
        let faults = self.check(content, options)?.err().unwrap_or_default();
        Ok(faults.iter().any(|fault| fault.rule == CHECK))
    }

    fn without(self, content: Value<'_>, faults: &[Fault]) -> Json {
        let is_good = |key: &str| {
            self.form.field(key).is_some() && !faults.iter().any(|fault| is_of_member(fault, key))
        };
        select(content, is_good)
    }
}

/// Whether the fault is about the member `key` or something in it.
fn is_of_member(fault: &Fault, key: &str) -> bool {
    let mut place = String::new();
    push_pointer(&mut place, key);
    fault.path.strip_prefix(&*place).is_some_and(|rest| rest.is_empty() || rest.starts_with('/'))
}
