//! Answering: what a response makes of a question.
//!
//! Owns what one response does, what is kept of an answer that is no good, and the form in which
//! the state remembers an outcome. Whether an answer is any good is `judging`'s.
//! Protocol: client/elicitation, "Response Actions" and "Form Mode Security" 3; mrtr, "Error
//! Handling".

use super::Limits;
use super::asking::{Asking, Decision};
use super::judging::Judge;
use super::pending::Waiting;
use crate::elicit::{AskOptions, Response, Source, Verdict, read_response, read_result};
use crate::error::{Fault, Result};
use crate::json::{Json, Value};
use crate::schema::Answer;
use crate::seal::{AskEntry, AskState};

/// Length of the longest answer that is kept whole while it is asked again, in bytes. Of a longer one
/// the good values are, or nothing: it must fit into the state, or the person could not mend it.
const KEPT_BYTES: usize = 16 << 10;

/// Applies the response, or its absence, to an open question.
pub(super) fn answer(
    entry: &mut AskEntry,
    response: Option<Value<'_>>,
    asking: &Asking<'_>,
    options: &AskOptions,
    limits: &Limits,
) -> Result<Decision> {
    if let Asking::Sampling(_) | Asking::Roots = asking {
        let Some(result) = response else { return Ok(Decision::Pending(Waiting::default())) };
        read_result(&entry.key, matches!(asking, Asking::Sampling(_)), result)?;
        return Ok(Decision::Settled(Verdict::Answer { content: result.to_json() }));
    }
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
        (None, Asking::Url { done: true, .. }) if !options.human_only => {
            Verdict::Accept { content: None, source: Source::Grant }
        }
        (None, Asking::Form { judge, given }) => {
            let given = counting(given, entry, *judge);
            let reasons = match entry.reasks {
                0 => Vec::new(),
                _ => kept_faults(entry, *judge, given, options)?,
            };
            return Ok(Decision::Pending(waiting(entry, *judge, given, reasons, options)));
        }
        (Some(Response::Accept(content)), Asking::Form { judge, given }) => {
            match take(entry, *judge, counting(given, entry, *judge), content, options)? {
                Ok(answer) => {
                    Verdict::Accept { content: Some(answer.content), source: Source::User }
                }
                Err(faults) => {
                    return again(entry, *judge, given, faults, options, limits);
                }
            }
        }
        _ => return Ok(Decision::Pending(Waiting::default())),
    };
    Ok(Decision::Settled(verdict))
}

/// What the arguments gave, as far as it counts. Once an answer was refused where the application
/// has a check of its own, the arguments count no more: the check may have refused them, and only
/// who sees all of an answer can mend it.
fn counting<'g>(given: &'g Option<Json>, entry: &AskEntry, judge: Judge<'_>) -> Option<&'g Json> {
    given.as_ref().filter(|_| entry.reasks == 0 || judge.check.is_none())
}

/// Asks again after an answer that was no good, up to the limit.
fn again(
    entry: &mut AskEntry,
    judge: Judge<'_>,
    given: &Option<Json>,
    faults: Vec<Fault>,
    options: &AskOptions,
    limits: &Limits,
) -> Result<Decision> {
    if entry.reasks >= limits.reasks {
        return Ok(Decision::Settled(Verdict::Invalid { faults }));
    }
    entry.reasks += 1;
    let given = counting(given, entry, judge);
    Ok(Decision::Pending(waiting(entry, judge, given, faults, options)))
}

/// Looks again at an answer that was accepted in an earlier round, with the application's check:
/// the world that it looks at may have changed. None where the answer still stands.
pub(super) fn look_again(
    entry: &mut AskEntry,
    content: &Json,
    asking: &Asking<'_>,
    options: &AskOptions,
    limits: &Limits,
) -> Result<Option<Decision>> {
    let Asking::Form { judge, given } = asking else { return Ok(None) };
    if judge.check.is_none() {
        return Ok(None);
    }
    let Err(faults) = judge.check(content.root(), options)? else { return Ok(None) };
    entry.kept = Some(content.compact());
    entry.state = AskState::Open;
    again(entry, *judge, given, faults, options, limits).map(Some)
}

/// Judges the content of an accept, completed with what is known already. Where it is no good it
/// is kept.
fn take(
    entry: &mut AskEntry,
    judge: Judge<'_>,
    given: Option<&Json>,
    content: Option<Value<'_>>,
    options: &AskOptions,
) -> Result<std::result::Result<Answer, Vec<Fault>>> {
    let earlier = match &entry.kept {
        Some(kept) if options.reask_invalid_only => {
            match Json::parse_with_depth(kept.as_str(), usize::MAX) {
                Ok(kept) => {
                    let faults = judge.check(kept.root(), options)?.err().unwrap_or_default();
                    Some(judge.good_values(&kept, &faults, options))
                }
                Err(_) => None,
            }
        }
        _ => None,
    };
    let mut merged = None;
    let content = match (given, &earlier, content) {
        (None, None, Some(content)) => content,
        _ => {
            let layers = [given.map(Json::root), content, earlier.as_ref().map(Json::root)];
            merged.insert(merge(layers)).root()
        }
    };
    let judged = judge.check(content, options)?;
    if let Err(faults) = &judged {
        let known = select(content, |key| judge.form.field(key).is_some());
        entry.kept = match known.text().len() <= KEPT_BYTES {
            true => Some(known.compact()),
            false => {
                let good = judge.good_values(&known, faults, options).compact();
                Some(good).filter(|good| good.len() <= KEPT_BYTES)
            }
        };
    }
    Ok(judged)
}

/// What was wrong with the last answer; the answer is in the state, its faults are not.
fn kept_faults(
    entry: &AskEntry,
    judge: Judge<'_>,
    given: Option<&Json>,
    options: &AskOptions,
) -> Result<Vec<Fault>> {
    let kept = entry.kept.as_deref().and_then(|text| Json::parse_with_depth(text, usize::MAX).ok());
    let merged = merge([given.map(Json::root), kept.as_ref().map(Json::root), None]);
    Ok(judge.check(merged.root(), options)?.err().unwrap_or_default())
}

/// How the form goes out: without what the arguments gave, and after an invalid answer with the
/// reasons and either the good values filled in, or the good fields left out.
fn waiting(
    entry: &AskEntry,
    judge: Judge<'_>,
    given: Option<&Json>,
    reasons: Vec<Fault>,
    options: &AskOptions,
) -> Waiting {
    let names = |json: Option<&Json>| -> Vec<String> {
        json.into_iter()
            .flat_map(|json| json.root().entries())
            .map(|entry| entry.key().into_owned())
            .collect()
    };
    let mut omitted = names(given);
    let mut prefilled = None;
    if !reasons.is_empty() {
        let kept =
            entry.kept.as_deref().and_then(|text| Json::parse_with_depth(text, usize::MAX).ok());
        let good = kept.map(|kept| judge.good_values(&kept, &reasons, options));
        if options.reask_invalid_only {
            omitted.extend(names(good.as_ref()));
        } else {
            prefilled = good;
        }
    }
    Waiting { reasons, omitted, prefilled, ..Waiting::default() }
}

/// An object of the members whose key `keep` says yes to.
pub(super) fn select(object: Value<'_>, keep: impl Fn(&str) -> bool) -> Json {
    let chosen = object.entries().filter(|entry| keep(&entry.key()));
    write_object(chosen)
}

/// An object of all members; where several layers have one, the first layer's counts.
pub(super) fn merge<'j>(layers: [Option<Value<'j>>; 3]) -> Json {
    // A key stands once in a layer. Only a client's content can be large: it is looked through for
    // the few members of the others, never for its own.
    let said_before =
        |at: usize, key: &str| layers[..at].iter().flatten().any(|layer| layer.get(key).is_some());
    let of_layer = |(at, layer): (usize, Option<Value<'j>>)| {
        layer
            .into_iter()
            .flat_map(Value::entries)
            .filter(move |entry| !said_before(at, &entry.key()))
    };
    write_object(layers.into_iter().enumerate().flat_map(of_layer))
}

fn write_object<'j>(members: impl Iterator<Item = crate::json::Entry<'j>>) -> Json {
    let mut text = String::from("{");
    for (at, entry) in members.enumerate() {
        if at > 0 {
            text.push(',');
        }
        text.push_str(entry.raw_key());
        text.push(':');
        entry.value.compact_into(&mut text);
    }
    text.push('}');
    // Sound parts make a sound whole.
    Json::parse_with_depth(text, usize::MAX).unwrap_or_else(|_| Json::empty_object())
}

/// The verdict as the state remembers it.
pub(super) fn recorded(verdict: &Verdict) -> AskState {
    match verdict {
        Verdict::Accept { content, source } => {
            AskState::Accept { content: content.as_ref().map(Json::compact), source: *source }
        }
        Verdict::Answer { content } => AskState::Answer { content: content.compact() },
        Verdict::Decline => AskState::Decline,
        Verdict::Cancel => AskState::Cancel,
        Verdict::Invalid { .. } => AskState::Invalid,
        Verdict::Unavailable { .. } => AskState::Open,
    }
}

/// The verdict that the state remembers; none while the question is open.
pub(super) fn remembered(
    entry: &AskEntry,
    asking: &Asking<'_>,
    options: &AskOptions,
) -> Result<Option<Verdict>> {
    let read = |text: &str| Json::parse_with_depth(text, usize::MAX);
    Ok(Some(match &entry.state {
        AskState::Open | AskState::Received { .. } => return Ok(None),
        AskState::Accept { content, source } => {
            let content = content.as_deref().map(read).transpose()?;
            Verdict::Accept { content, source: *source }
        }
        AskState::Answer { content } => Verdict::Answer { content: read(content)? },
        AskState::Decline => Verdict::Decline,
        AskState::Cancel => Verdict::Cancel,
        AskState::Invalid => {
            let faults = match asking {
                Asking::Form { judge, given } => {
                    kept_faults(entry, *judge, counting(given, entry, *judge), options)?
                }
                _ => Vec::new(),
            };
            Verdict::Invalid { faults }
        }
    }))
}
