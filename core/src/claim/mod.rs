//! Claims: an effect happens at most once a flow, and its result can be given again.
//!
//! Owns the record of a claim and the sequences that take and finish it. A sequence says which
//! store operation it needs, is given the answer, and goes on: it does no I/O. The record is
//! sealed; the store's own atomicity decides who wins.
//! Protocol: mrtr, server requirement 5, warning ("Servers for which a given `requestState` must
//! be consumed at most once MUST enforce that invariant server-side").

#[cfg(fuzzing)]
pub(crate) mod fuzzing;
#[cfg(test)]
mod model;
mod record;

use crate::call::{Call, Reply};
use crate::env::Level;
use crate::error::{Error, ErrorKind, Result};
use crate::json::Json;
use crate::seal::{Purpose, SEAL_BYTES};
use crate::store::{MAX_VALUE_BYTES, StoreError, StoreOp, StoreReply};

use record::{Record, State};

/// How a claim is taken, where the usual way will not do.
#[derive(Clone, Debug, Default)]
#[must_use]
pub struct ClaimOptions {
    wait_ms: Option<u64>,
    lease_ms: Option<u64>,
    remember: bool,
}

impl ClaimOptions {
    /// The usual way: a winner that dies leaves an outcome that is unknown.
    pub fn new() -> Self {
        Self::default()
    }

    /// How long another call may be at work before its outcome counts as unknown, in
    /// milliseconds. Default [`Limits::claim_wait_ms`](crate::Limits); below the life of a flow.
    pub fn wait_ms(mut self, wait_ms: u64) -> Self {
        self.wait_ms = Some(wait_ms);
        self
    }

    /// Frees the claim of a winner that has not finished after so many milliseconds, so that the
    /// next call wins. The effect can then happen more than once (**at least once**): only for
    /// effects that bear it, or whose provider honours the [idempotency
    /// key](Call::idempotency_key). At least 1.
    pub fn lease_ms(mut self, lease_ms: u64) -> Self {
        self.lease_ms = Some(lease_ms);
        self
    }

    /// Records the result when the call is completed, so that a client that lost the reply gets
    /// it again.
    pub fn remember(mut self, remember: bool) -> Self {
        self.remember = remember;
        self
    }
}

/// What became of a claim.
#[derive(Clone, Debug)]
#[non_exhaustive]
pub enum Claimed {
    /// This call is the first: do it now.
    Won,
    /// It was done by an earlier call, which left no result.
    Already,
    /// It was done by an earlier call, whose result this is: return it.
    Recorded(Json),
    /// Another call is at it. Come back later
    /// ([`Stop::RetryLater`](crate::Stop::RetryLater)), or say so.
    InProgress,
    /// Another call was at it and did not come to an end: whether it was done is not known. Find
    /// out, for example from the provider by the idempotency key, or say so.
    Unknown,
}

impl Claimed {
    /// `won`, `already`, `recorded`, `in_progress` or `unknown`.
    pub const fn name(&self) -> &'static str {
        match self {
            Self::Won => "won",
            Self::Already => "already",
            Self::Recorded(_) => "recorded",
            Self::InProgress => "in_progress",
            Self::Unknown => "unknown",
        }
    }
}

/// Where a sequence stands.
#[derive(Debug)]
pub enum Next<T> {
    /// Carry this out and go on with the answer.
    Need(StoreOp),
    /// It is over.
    Done(T),
}

/// What a call knows of its claim.
#[derive(Default)]
pub(crate) struct ClaimState {
    options: ClaimOptions,
    /// What was put into the store by this call, while it is the winner.
    ticket: Option<Vec<u8>>,
    settled: Option<Claimed>,
    waits_for: Option<Waiting>,
    /// Sequences that were begun and not answered: tasks of one handler may claim at once.
    asked: u32,
}

/// The operation whose answer is awaited.
enum Waiting {
    /// Our record was offered.
    Take { offered: Vec<u8> },
    /// Our record was offered in place of one whose lease is over.
    Replace { offered: Vec<u8> },
    /// The record is being finished; then the reply goes out.
    Finish { reply: Reply },
    /// The record is being taken back.
    Release { expected: Vec<u8> },
}

impl Call {
    /// Claims the effect of this flow: the first claim wins, across threads, processes and
    /// languages that share a store. Call it just before the effect.
    ///
    /// Only what a flow carries in its state ties its calls together: a request without a state
    /// begins a flow of its own, so that a request that is sent twice before anything was asked wins
    /// twice. Claim in a round that came back, after a question or [`Call::retry_later`].
    ///
    /// Asked again in the same call it gives the same answer; after an error of the store it asks
    /// the store again, and finds what this call may have put there.
    ///
    /// # Errors
    /// [`ErrorKind::Store`] where the store did not answer: retryable, and nothing is claimed
    /// twice. [`ErrorKind::Config`] where the engine has no store. [`ErrorKind::Limit`] past the
    /// flow's deadline. [`ErrorKind::QuestionOpen`] while a question is open: an effect may not run
    /// before it is answered.
    pub fn claim(&mut self, options: &ClaimOptions) -> Result<Claimed> {
        let mut next = self.claim_start(options)?;
        loop {
            match next {
                Next::Done(claimed) => return Ok(claimed),
                Next::Need(op) => next = self.claim_next(self.execute(&op)?)?,
            }
        }
    }

    /// Begins [`Call::claim`] for those who do the store's I/O themselves.
    ///
    /// # Errors
    /// As [`Call::claim`], without those of the store.
    pub fn claim_start(&mut self, options: &ClaimOptions) -> Result<Next<Claimed>> {
        let ready = self
            .check_live()
            .and_then(|()| self.check_answered("read its outcome before you claim"));
        ready.map_err(|error| self.own(error))?;
        if let Some(claimed) = &self.claim.settled {
            return Ok(Next::Done(claimed.clone()));
        }
        let limits = self.limits();
        let wait_ms = options.wait_ms.unwrap_or(limits.claim_wait_ms);
        if wait_ms >= limits.flow_ttl_ms {
            let message = "the wait of a claim must be below the life of a flow";
            return Err(self.own(Error::new(ErrorKind::InvalidArgument, message)));
        }
        if options.lease_ms == Some(0) {
            let message = "a lease of 0 milliseconds is over before it begins: give it the time \
                           that the effect may take, or leave it out";
            return Err(self.own(Error::new(ErrorKind::InvalidArgument, message)));
        }
        self.claim.options = ClaimOptions { wait_ms: Some(wait_ms), ..options.clone() };
        self.check_in_time()?;
        let (key, ttl_ms) = (self.claim_key(), self.record_ttl_ms());
        // An offer that nobody answered may have got through: the same again finds it.
        let value = match self.claim.waits_for.take() {
            Some(Waiting::Take { offered } | Waiting::Replace { offered }) => offered,
            _ => self.seal_record(&Record::claimed(self.now_ms()))?,
        };
        self.claim.waits_for = Some(Waiting::Take { offered: value.clone() });
        self.claim.asked = self.claim.asked.saturating_add(1);
        Ok(Next::Need(StoreOp::PutIfAbsent { key, value, ttl_ms }))
    }

    /// Goes on with the answer to the operation that was needed. An operation that failed ends
    /// the sequence: begin anew.
    ///
    /// # Errors
    /// As [`Call::claim`]; [`ErrorKind::InvalidArgument`] where no operation was needed or the
    /// answer does not belong to it.
    pub fn claim_next(&mut self, answer: StoreReply) -> Result<Next<Claimed>> {
        let waited = self.claim.waits_for.take();
        let asked = self.claim.asked;
        self.claim.asked = asked.saturating_sub(1);
        match (waited, answer) {
            (Some(Waiting::Take { offered } | Waiting::Replace { offered }), StoreReply::Done) => {
                self.claim.ticket = Some(offered);
                if self.is_finished() {
                    self.tell_of_claim();
                }
                Ok(Next::Done(self.settle_claim(Claimed::Won)))
            }
            (Some(Waiting::Take { offered }), StoreReply::Found(found)) => {
                if found == offered || self.claim.ticket.as_ref() == Some(&found) {
                    self.claim.ticket = Some(found);
                    return Ok(Next::Done(self.settle_claim(Claimed::Won)));
                }
                self.judge(found)
            }
            // Somebody was quicker to take what was free: look again.
            (Some(Waiting::Replace { offered }), StoreReply::Conflict) => {
                let options = self.claim.options.clone();
                self.claim.waits_for = Some(Waiting::Replace { offered });
                self.claim_start(&options)
            }
            // The same was asked twice at once, and the other was answered first.
            (None, _) if asked > 0 && self.claim.settled.is_some() => {
                self.claim.settled.clone().map(Next::Done).ok_or_else(unexpected)
            }
            _ => Err(self.own(unexpected())),
        }
    }

    /// The error of an operation that failed, for those who do the store's I/O themselves. Says it
    /// to the log hook, and ends the sequence; a completion goes on with
    /// [`Call::complete_without_store`].
    #[must_use]
    pub fn store_failed(&mut self, error: &StoreError) -> Error {
        self.keep_claim();
        self.failure(error)
    }

    /// Tells the operator of a claim that this call won and leaves unfinished: later calls of the
    /// flow find it in progress, and then unknown.
    pub(crate) fn tell_of_claim(&self) {
        if self.claim.ticket.is_some() {
            let message = "the call ends without completing what it claimed: ask before you claim, \
                           and release what did not happen";
            self.log(Level::Warning, "claim_left_open", "", message);
        }
    }

    /// A claim that could not be given back is still this call's to finish or to give back.
    fn keep_claim(&mut self) {
        self.claim.waits_for = match self.claim.waits_for.take() {
            Some(Waiting::Release { expected }) => {
                self.claim.ticket = Some(expected);
                None
            }
            other => other,
        };
    }

    /// What the record of an earlier claim means now.
    fn judge(&mut self, found: Vec<u8>) -> Result<Next<Claimed>> {
        let record = Some(&found)
            .filter(|found| found.len() <= MAX_VALUE_BYTES)
            .and_then(|found| self.open_record(found))
            .ok_or_else(|| {
                let message = "the record of a claim does not open: it was sealed with a key that \
                               this instance has not, or for another place";
                self.log(Level::Warning, "store_value_refused", "", message);
                Error::new(ErrorKind::Store, "a record of the store does not open")
            })
            .map_err(|error| self.own(error))?;
        let age = self.now_ms().saturating_sub(record.claimed_ms);
        let claimed = match record.state {
            State::Finished => Claimed::Already,
            State::Recorded(result) => Claimed::Recorded(result),
            State::Claimed if self.claim.options.lease_ms.is_some_and(|lease| age >= lease) => {
                self.check_in_time()?;
                let (key, ttl_ms) = (self.claim_key(), self.record_ttl_ms());
                let value = self.seal_record(&Record::claimed(self.now_ms()))?;
                self.claim.waits_for = Some(Waiting::Replace { offered: value.clone() });
                self.claim.asked = self.claim.asked.saturating_add(1);
                let op = StoreOp::CompareAndSet { key, expected: found, value, ttl_ms };
                return Ok(Next::Need(op));
            }
            State::Claimed if self.claim.options.wait_ms.is_some_and(|wait| age >= wait) => {
                Claimed::Unknown
            }
            // Not settled: asked again later in this call, it may have come to an end.
            State::Claimed => return Ok(Next::Done(Claimed::InProgress)),
        };
        Ok(Next::Done(self.settle_claim(claimed)))
    }

    fn settle_claim(&mut self, claimed: Claimed) -> Claimed {
        self.claim.settled = Some(claimed.clone());
        claimed
    }

    /// Whether this call has won a claim that is not finished. [`Call::complete`] finishes it
    /// through the engine's store.
    pub fn has_claim(&self) -> bool {
        self.claim.ticket.is_some()
    }

    /// A name for the effect of this flow: the same in every call of the flow, whoever wins the
    /// claim, and of no other flow. For the provider behind it ("idempotency key"). 43 characters
    /// of the base64url alphabet; not a secret, and does not tell the flow id.
    pub fn idempotency_key(&self) -> String {
        self.name_of_flow("idempotency-key")
    }

    /// Completes a call that has won a claim, for those who do the store's I/O themselves:
    /// finishes the record first, with the result in it where `remember` says so, or the claim
    /// was taken with [`ClaimOptions::remember`].
    ///
    /// Where the store fails now, the effect has happened: reply all the same, with
    /// [`Call::complete_without_store`].
    ///
    /// # Errors
    /// As [`Call::complete`].
    pub fn complete_start(&mut self, result: &Json, remember: bool) -> Result<Next<Reply>> {
        let reply = self.complete_reply(result)?;
        if self.claim.ticket.is_none() {
            return Ok(Next::Done(reply));
        }
        let now = self.now_ms();
        let (key, ttl_ms) = (self.claim_key(), self.record_ttl_ms());
        let remember = remember || self.claim.options.remember;
        let record = if remember { Record::recorded(now, result) } else { Record::finished(now) };
        let mut plain = record.encode();
        if plain.len() + SEAL_BYTES > MAX_VALUE_BYTES {
            let message =
                "the result is too long to be recorded: later calls find it done, without it";
            self.log(Level::Warning, "result_not_recorded", "", message);
            plain = Record::finished(now).encode();
        }
        match (self.seal_plain(&plain), self.claim.ticket.take()) {
            (Ok(value), Some(expected)) => {
                self.claim.waits_for = Some(Waiting::Finish { reply });
                Ok(Next::Need(StoreOp::CompareAndSet { key, expected, value, ttl_ms }))
            }
            (Ok(_), None) => Ok(Next::Done(reply)),
            // Nothing is done yet: the call can be completed once more.
            (Err(error), ticket) => {
                self.claim.ticket = ticket;
                self.reopen();
                Err(error)
            }
        }
    }

    /// Goes on with the answer to the operation that [`Call::complete_start`] needed.
    ///
    /// # Errors
    /// [`ErrorKind::InvalidArgument`] where no operation was needed.
    pub fn complete_next(&mut self, answer: StoreReply) -> Result<Next<Reply>> {
        match self.claim.waits_for.take() {
            Some(Waiting::Finish { reply }) => {
                if answer != StoreReply::Done {
                    self.log_unfinished("the record was replaced or has expired");
                }
                Ok(Next::Done(reply))
            }
            _ => Err(self.own(unexpected())),
        }
    }

    /// The reply of [`Call::complete_start`] where the store failed: the result goes out, and the
    /// log hook hears that later calls will find the outcome unknown.
    ///
    /// # Errors
    /// [`ErrorKind::InvalidArgument`] where no completion is under way.
    pub fn complete_without_store(&mut self, cause: &str) -> Result<Reply> {
        match self.claim.waits_for.take() {
            Some(Waiting::Finish { reply }) => {
                self.log_unfinished(cause);
                Ok(reply)
            }
            _ => Err(self.own(unexpected())),
        }
    }

    fn log_unfinished(&self, cause: &str) {
        let message = format!("the claim was not finished: {cause}");
        self.log(Level::Warning, "claim_not_finished", "", &message);
    }

    /// Completes through the engine's store.
    pub(crate) fn complete_claimed(&mut self, result: &Json, remember: bool) -> Result<Reply> {
        match self.complete_start(result, remember)? {
            Next::Done(reply) => Ok(reply),
            Next::Need(op) => self.finish_claim(&op),
        }
    }

    /// Carries out, through the engine's store, what a completion needs.
    pub(crate) fn finish_claim(&mut self, op: &StoreOp) -> Result<Reply> {
        match self.execute(op) {
            Ok(answer) => match self.complete_next(answer)? {
                Next::Done(reply) => Ok(reply),
                Next::Need(_) => Err(self.own(unexpected())),
            },
            Err(error) => self.complete_without_store(error.message()),
        }
    }

    /// Gives the claim back where the effect certainly did not happen, so that a later call can
    /// win it. Nothing where this call has none.
    ///
    /// # Errors
    /// [`ErrorKind::Store`]; the claim then stays.
    pub fn release_claim(&mut self) -> Result<()> {
        match self.release_start()? {
            None => Ok(()),
            Some(op) => match self.execute(&op) {
                Ok(answer) => self.release_next(answer),
                Err(error) => {
                    self.keep_claim();
                    Err(error)
                }
            },
        }
    }

    /// Begins [`Call::release_claim`] for those who do the store's I/O themselves.
    ///
    /// # Errors
    /// None now.
    pub fn release_start(&mut self) -> Result<Option<StoreOp>> {
        let Some(expected) = self.claim.ticket.take() else { return Ok(None) };
        self.claim.settled = None;
        let key = self.claim_key();
        self.claim.waits_for = Some(Waiting::Release { expected: expected.clone() });
        Ok(Some(StoreOp::CompareAndDelete { key, expected }))
    }

    /// Ends [`Call::release_start`].
    ///
    /// # Errors
    /// [`ErrorKind::InvalidArgument`] where nothing was being released.
    pub fn release_next(&mut self, _answer: StoreReply) -> Result<()> {
        match self.claim.waits_for.take() {
            Some(Waiting::Release { .. }) => Ok(()),
            _ => Err(self.own(unexpected())),
        }
    }

    fn execute(&self, op: &StoreOp) -> Result<StoreReply> {
        let Some(store) = self.store() else {
            let message = "the engine has no store, where claims are kept: give it one as `store` \
                           when it is built, such as a MemoryStore, SqliteStore or RedisStore";
            return Err(self.own(Error::new(ErrorKind::Config, message)));
        };
        store.execute(op).map_err(|error| self.failure(&error))
    }

    fn failure(&self, error: &StoreError) -> Error {
        let message = error.to_string();
        self.log(Level::Warning, "store_failed", error.name(), &message);
        self.own(Error::new(ErrorKind::Store, message))
    }

    /// Where the record of this flow's claim stands. Does not depend on the keys.
    fn claim_key(&self) -> String {
        format!("mcp-elicit:claim:{}", self.name_of_flow("claim"))
    }

    fn check_in_time(&self) -> Result<()> {
        if self.now_ms() < self.deadline_ms() {
            return Ok(());
        }
        let message = "the flow has passed its deadline: nothing can be claimed in it";
        Err(self.own(Error::new(ErrorKind::Limit, message)))
    }

    /// Records outlive the flow by twice the skew of the clocks, also one that is finished past the
    /// deadline: an instance whose clock is behind still takes states of the flow.
    fn record_ttl_ms(&self) -> u64 {
        let end = self.deadline_ms().saturating_add(2 * self.limits().clock_skew_ms);
        end.saturating_sub(self.now_ms()).max(1)
    }

    fn seal_record(&self, record: &Record) -> Result<Vec<u8>> {
        self.seal_plain(&record.encode())
    }

    fn seal_plain(&self, plain: &[u8]) -> Result<Vec<u8>> {
        let (keyring, rng) = self.sealing();
        keyring
            .seal_value(Purpose::RecordedResult, &self.claim_key(), plain, rng)
            .map_err(|error| self.own(error))
    }

    fn open_record(&self, sealed: &[u8]) -> Option<Record> {
        let (keyring, _) = self.sealing();
        let plain = keyring.open_value(Purpose::RecordedResult, &self.claim_key(), sealed)?;
        Record::decode(&plain)
    }
}

fn unexpected() -> Error {
    let message = "this answer of a store was not asked for; begin the sequence anew";
    Error::new(ErrorKind::InvalidArgument, message)
}
