//! Steps and application data: what a handler puts into the state for its own later rounds.
//!
//! A step is a memo, not a promise: an honest client's later rounds find its result, a token that
//! is presented twice runs it twice. Effects need a claim.
//! Protocol: mrtr, "Basic Workflow" (the server encodes any needed context into `requestState`).

use super::{Call, own};
use crate::error::{Error, ErrorKind, Result};
use crate::json::Json;

impl Call {
    /// Runs `work` once a flow: its result is kept in the sealed state, and later rounds return it
    /// without running `work` again. A `work` that fails is not recorded.
    ///
    /// Does not make an effect happen at most once: a client that presents an older state runs
    /// `work` again.
    ///
    /// # Errors
    /// What `work` returns; [`ErrorKind::InvalidAsk`] for a key that cannot be used;
    /// [`ErrorKind::Finished`].
    pub fn step<E: From<Error>>(
        &mut self,
        key: &str,
        work: impl FnOnce() -> Result<Json, E>,
    ) -> Result<Json, E> {
        if let Some(result) = self.step_result(key)? {
            return Ok(result);
        }
        let result = work()?;
        self.record_step(key, &result)?;
        Ok(result)
    }

    /// [`Call::step`] for work that awaits.
    ///
    /// # Errors
    /// As [`Call::step`].
    pub async fn step_async<E: From<Error>>(
        &mut self,
        key: &str,
        work: impl AsyncFnOnce() -> Result<Json, E>,
    ) -> Result<Json, E> {
        if let Some(result) = self.step_result(key)? {
            return Ok(result);
        }
        let result = work().await?;
        self.record_step(key, &result)?;
        Ok(result)
    }

    /// The recorded result of a step, where there is one: the first half of [`Call::step`], for
    /// languages and loops that run the work themselves.
    ///
    /// # Errors
    /// [`ErrorKind::InvalidAsk`] for a key that cannot be used; [`ErrorKind::Finished`].
    pub fn step_result(&self, key: &str) -> Result<Option<Json>> {
        self.check_step(key)?;
        let Some(step) = self.flow.step(key) else { return Ok(None) };
        Ok(Some(Json::parse_with_depth(step.result.as_str(), usize::MAX)?))
    }

    /// Records the result of a step: the second half of [`Call::step`]. What was recorded first
    /// stays.
    ///
    /// # Errors
    /// As [`Call::step_result`].
    pub fn record_step(&mut self, key: &str, result: &Json) -> Result<()> {
        self.add_step(key, result, false)
    }

    /// [`Call::record_step`] for a result that the client may read: only such results can stand in
    /// a signed state ([`StateFormat::Signed`](crate::StateFormat::Signed)).
    ///
    /// # Errors
    /// As [`Call::step_result`].
    pub fn record_readable_step(&mut self, key: &str, result: &Json) -> Result<()> {
        self.add_step(key, result, true)
    }

    fn add_step(&mut self, key: &str, result: &Json, readable: bool) -> Result<()> {
        self.check_step(key)?;
        self.flow.add_step(key, result.compact(), readable);
        Ok(())
    }

    fn check_step(&self, key: &str) -> Result<()> {
        self.check_live()
            .and_then(|()| super::asking::check_key(key))
            .map_err(|error| own(&self.request, error))
    }

    /// Data that the application put into the state in an earlier round, or in this one.
    pub fn app_data(&self) -> Option<&[u8]> {
        self.flow.app_data()
    }

    /// Puts data of the application's own into the state, in place of what was there; `None`
    /// takes it out. Sealed like everything else; the client carries every byte.
    ///
    /// # Errors
    /// [`ErrorKind::Finished`]; [`ErrorKind::Limit`] where it alone is over the limit of a state.
    pub fn set_app_data(&mut self, data: Option<Vec<u8>>) -> Result<()> {
        let checked = self.check_live().and_then(|()| {
            let most = self.engine.limits.token_bytes;
            if data.as_ref().is_some_and(|data| data.len() > most) {
                let message =
                    format!("application data is over the limit of a state, {most} bytes");
                return Err(Error::new(ErrorKind::Limit, message));
            }
            Ok(())
        });
        checked.map_err(|error| own(&self.request, error))?;
        self.flow.set_app_data(data);
        Ok(())
    }
}
