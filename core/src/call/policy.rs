//! Policies: what stands in for a person where none can be asked.
//!
//! Owns what the arguments of a call answer, what the defaults of a form answer, and what a model
//! is told. Nothing here counts for an ask that only a human may answer: its options have none of
//! it.
//! Protocol: basic, "A server MUST NOT rely on capabilities the client has not declared"; tools,
//! "Error Handling" (errors that a model can act on are results).

use super::answering::{merge, select};
use super::asking::{Asking, Decision};
use super::judging::Judge;
use super::pending::{Blocked, Waiting};
use crate::elicit::{AskOptions, Policy, Source, Verdict};
use crate::error::Result;
use crate::json::{Json, Value};
use crate::schema::{Field, FieldKind};

/// What of the form the arguments of the call answer already, as far as it is valid. None where
/// that is nothing, and where it is a whole answer that the application's check refuses.
pub(super) fn given(
    judge: Judge<'_>,
    arguments: Value<'_>,
    options: &AskOptions,
) -> Result<Option<Json>> {
    if options.arguments.is_empty() {
        return Ok(None);
    }
    let named = |key: &str| options.arguments.iter().any(|name| name == key);
    let present = select(arguments, |key| named(key) && arguments.get_present(key).is_some());
    let good = judge.fitting(present.root());
    if good.root().entries().next().is_none() || judge.is_refused(good.root(), options)? {
        return Ok(None);
    }
    Ok(Some(good))
}

/// The answer that the arguments give, where they give all that is needed.
pub(super) fn from_arguments(asking: &Asking<'_>, options: &AskOptions) -> Result<Option<Verdict>> {
    let Asking::Form { judge, given: Some(given) } = asking else { return Ok(None) };
    let answer = judge.check(given.root(), options)?.ok();
    Ok(answer
        .map(|answer| Verdict::Accept { content: Some(answer.content), source: Source::Argument }))
}

/// What becomes of a question that the client cannot be asked.
pub(super) fn unavailable(
    asking: &Asking<'_>,
    options: &AskOptions,
    arguments: Option<Value<'_>>,
    waiting: Waiting,
) -> Result<Decision> {
    let blocked = |blocked| Decision::Pending(Waiting { blocked: Some(blocked), ..waiting });
    Ok(match options.unavailable {
        Policy::Error => blocked(Blocked::Capability),
        Policy::Outcome => Decision::Settled(Verdict::Unavailable { reason: "capability" }),
        Policy::Defaults => match from_defaults(asking, options)? {
            Some(verdict) => Decision::Settled(verdict),
            None => blocked(Blocked::Capability),
        },
        Policy::ToolError => blocked(Blocked::ToolError(tool_error(asking, options, arguments))),
    })
}

/// What a cancel becomes where the ask has a policy for it.
pub(super) fn after_cancel(
    asking: &Asking<'_>,
    options: &AskOptions,
    arguments: Option<Value<'_>>,
) -> Result<Decision> {
    Ok(match options.on_cancel {
        None | Some(Policy::Error) => Decision::Settled(Verdict::Cancel),
        Some(Policy::Outcome) => Decision::Settled(Verdict::Unavailable { reason: "cancelled" }),
        Some(Policy::Defaults) => {
            Decision::Settled(from_defaults(asking, options)?.unwrap_or(Verdict::Cancel))
        }
        Some(Policy::ToolError) => Decision::Pending(Waiting {
            blocked: Some(Blocked::ToolError(tool_error(asking, options, arguments))),
            ..Waiting::default()
        }),
    })
}

/// The answer that the defaults of the form give, over what the arguments gave; none where that is
/// no valid answer.
fn from_defaults(asking: &Asking<'_>, options: &AskOptions) -> Result<Option<Verdict>> {
    let Asking::Form { judge, given } = asking else { return Ok(None) };
    let defaults = judge.form.defaults();
    let filled = merge([given.as_ref().map(Json::root), Some(defaults.root()), None]);
    let answer = judge.check(filled.root(), options)?.ok();
    Ok(answer
        .map(|answer| Verdict::Accept { content: Some(answer.content), source: Source::Default }))
}

/// What a model must give for the call to go on without a person: "environment is required: one
/// of dev, staging, prod".
fn tool_error(asking: &Asking<'_>, options: &AskOptions, arguments: Option<Value<'_>>) -> String {
    let Asking::Form { judge, given } = asking else { return String::new() };
    let has = |name: &str| given.as_ref().is_some_and(|given| given.root().get(name).is_some());
    let mut lines = Vec::new();
    for field in
        judge.form.fields().iter().filter(|field| field.is_required() && !has(field.name()))
    {
        let name = field.name();
        let tried = arguments.is_some_and(|arguments| arguments.get_present(name).is_some());
        lines.push(if !options.arguments.iter().any(|argument| argument == name) {
            format!("{name} must be answered by the user, whom this client cannot ask")
        } else if tried {
            format!("{name} is not valid: it must be {}", expected(field))
        } else {
            format!("{name} is required: {}", expected(field))
        });
    }
    if lines.is_empty() {
        // Nothing is required, and nothing was given: one argument is enough.
        lines.push(format!("give one of the arguments {}", options.arguments.join(", ")));
    }
    lines.join("\n")
}

/// What a field takes, in a few words.
fn expected(field: &Field) -> String {
    let choices = || {
        let values: Vec<&str> = field.choices().iter().map(|choice| choice.value()).collect();
        values.join(", ")
    };
    let range = || match (field.minimum(), field.maximum()) {
        (Some(least), Some(most)) => format!(" from {least} to {most}"),
        (Some(least), None) => format!(", {least} or more"),
        (None, Some(most)) => format!(", {most} or less"),
        (None, None) => String::new(),
    };
    match field.kind() {
        FieldKind::Choice => format!("one of {}", choices()),
        FieldKind::Choices => format!("an array of {}", choices()),
        FieldKind::Boolean => "true or false".to_owned(),
        FieldKind::Integer => format!("an integer{}", range()),
        FieldKind::Number => format!("a number{}", range()),
        _ => match field.format() {
            Some(format) => format!("a string of the format {format}"),
            None => "a string".to_owned(),
        },
    }
}
