//! A check of the application's own, after the form's: what the type behind a form refuses.
//!
//! Owns when such a check is asked, what it is shown, and how what it says is worded. A schema
//! cannot say everything that a type demands: that one date is not before another, that a name is
//! not taken yet.

use super::check::Sink;
use super::{Answer, Form, ValidateOptions};
use crate::error::{Fault, Result};
use crate::json::{Json, Value};

/// Looks at an answer that the form accepts, as the type behind the form reads it (see
/// [`Form::for_type`]): why it will not do ([`Fault::check`]), or nothing.
///
/// It runs again wherever the answer counts again, in every round of a flow. An error is a mistake
/// of the check itself, and ends the ask with nothing recorded.
pub type AnswerCheck<'c> = dyn Fn(&Json) -> Result<Vec<Fault>> + 'c;

impl Form {
    /// Checks an answer as `options` say, and where the form accepts it by `check`.
    ///
    /// What `check` says is a fault of the rule `check` like any other: worded by the catalogue,
    /// with the title of the field that it is about.
    ///
    /// # Errors
    /// What `check` fails with; it is no verdict on the answer.
    pub fn validate_checked(
        &self,
        content: Value<'_>,
        options: &ValidateOptions,
        check: &AnswerCheck<'_>,
    ) -> Result<std::result::Result<Answer, Vec<Fault>>> {
        let answer = match self.validate_with(content, options) {
            Ok(answer) => answer,
            Err(faults) => return Ok(Err(faults)),
        };
        let said = check(&self.for_type(answer.content.root()))?;
        if said.is_empty() {
            return Ok(Ok(answer));
        }
        let mut sink = Sink::new(&options.messages);
        for fault in said {
            let field = self.field_at(&fault.path);
            sink.check(field, fault.path, &fault.message);
        }
        Ok(Err(sink.faults))
    }

    /// The field that the place `path` of an answer is in.
    fn field_at(&self, path: &str) -> Option<&super::Field> {
        let first = path.strip_prefix('/')?.split('/').next()?;
        self.field(&first.replace("~1", "/").replace("~0", "~"))
    }

    /// Whether the fault is about the answer as a whole, not about a field of it.
    pub(crate) fn is_of_whole(&self, fault: &Fault) -> bool {
        self.field_at(&fault.path).is_none()
    }
}
