//! Claims: the core's sequences, one step at a time.
//!
//! A step gives either what it came to, as a string, or the operation that must be carried out
//! first; `lib/claim.js` carries it out and goes on with its answer.

use mcp_elicit::{Call, ClaimOptions, Claimed, Json, Next, Reply, Result};
use napi::Env;
use napi::bindgen_prelude::{Either, External};
use napi_derive::napi;

use crate::boundary::enter;
use crate::call::CallSlot;
use crate::error::reply_frame;
use crate::store::{Answer, Operation};

/// Where a sequence stands.
pub(crate) type Step = Either<String, Operation>;

pub(crate) fn step<T>(next: Next<T>, said: impl FnOnce(T) -> String) -> Step {
    match next {
        Next::Done(done) => Either::A(said(done)),
        Next::Need(op) => Either::B(op.into()),
    }
}

/// The status, and the recorded result as JSON where there is one: it begins with the first brace.
fn claimed_frame(claimed: Claimed) -> String {
    match claimed {
        Claimed::Recorded(result) => format!("recorded{}", result.text()),
        other => other.name().to_owned(),
    }
}

fn completed(reply: Reply) -> String {
    reply_frame(&reply)
}

/// Begins a claim.
#[napi(catch_unwind)]
pub fn claim_start(
    env: Env,
    slot: &External<CallSlot>,
    wait_ms: Option<f64>,
    lease_ms: Option<f64>,
    remember: bool,
) -> napi::Result<Either<String, Operation>> {
    enter(env, || {
        let mut options = ClaimOptions::new().remember(remember);
        // Whole numbers and not negative: `lib/claim.js` has seen to it.
        if let Some(wait_ms) = wait_ms {
            options = options.wait_ms(wait_ms as u64);
        }
        if let Some(lease_ms) = lease_ms {
            options = options.lease_ms(lease_ms as u64);
        }
        slot.with(|call| Ok(step(call.claim_start(&options)?, claimed_frame)))
    })
}

/// Goes on with an answer of the store.
#[napi(catch_unwind)]
pub fn claim_next(
    env: Env,
    slot: &External<CallSlot>,
    answer: Answer,
) -> napi::Result<Either<String, Operation>> {
    enter(env, || {
        slot.with(|call| match answer.reply() {
            Ok(reply) => Ok(step(call.claim_next(reply)?, claimed_frame)),
            Err(failure) => Err(call.store_failed(&failure)),
        })
    })
}

/// Begins to complete a call; gives the frame of the reply.
#[napi(catch_unwind)]
pub fn complete_start(
    env: Env,
    slot: &External<CallSlot>,
    result: String,
    remember: bool,
) -> napi::Result<Either<String, Operation>> {
    enter(env, || {
        let result = Json::parse(result)?;
        slot.with(|call| Ok(step(call.complete_start(&result, remember)?, completed)))
    })
}

/// Goes on with an answer of the store. Where it failed the effect has happened all the same, and
/// the result goes out.
#[napi(catch_unwind)]
pub fn complete_next(
    env: Env,
    slot: &External<CallSlot>,
    answer: Answer,
) -> napi::Result<Either<String, Operation>> {
    enter(env, || slot.with(|call| complete_with(call, answer)))
}

fn complete_with(call: &mut Call, answer: Answer) -> Result<Step> {
    match answer.reply() {
        Ok(reply) => Ok(step(call.complete_next(reply)?, completed)),
        Err(failure) => {
            let error = call.store_failed(&failure);
            call.complete_without_store(error.message()).map(|reply| Either::A(completed(reply)))
        }
    }
}

/// Begins to give a claim back; null where there is none.
#[napi(catch_unwind)]
pub fn release_start(env: Env, slot: &External<CallSlot>) -> napi::Result<Option<Operation>> {
    enter(env, || slot.with(|call| Ok(call.release_start()?.map(Operation::from))))
}

/// Goes on with an answer of the store.
#[napi(catch_unwind)]
pub fn release_next(env: Env, slot: &External<CallSlot>, answer: Answer) -> napi::Result<()> {
    enter(env, || {
        slot.with(|call| match answer.reply() {
            Ok(reply) => call.release_next(reply),
            Err(failure) => Err(call.store_failed(&failure)),
        })
    })
}

/// Whether the call holds a claim that is not finished.
#[napi(catch_unwind)]
pub fn call_has_claim(env: Env, slot: &External<CallSlot>) -> napi::Result<bool> {
    enter(env, || slot.with(|call| Ok(call.has_claim())))
}
