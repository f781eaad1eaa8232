//! `run`: from a request and a handler to a reply, whatever the handler did.
//!
//! Owns the rules for how a handler can end. The bindings report the end and do as they are told.

use crate::call::{Ask, Call, Engine, Reply, Stop};
use crate::claim::Next;
use crate::env::Level;
use crate::error::{Error, ErrorKind, Result};
use crate::json::Json;
use crate::protocol::Caller;

/// How a handler ended.
#[derive(Debug)]
#[non_exhaustive]
pub enum End {
    /// It returned a result.
    Result(Json),
    /// The suspension signal reached `run`.
    Suspended,
    /// It wants the client to come back by itself.
    RetryLater,
    /// An error of ours, or an application error made by `fail`, reached `run`.
    Failed(Error),
    /// An exception of the application's own reached `run`.
    Raised,
}

impl Engine {
    /// Opens the call, runs the handler, and turns whatever happened into a reply.
    ///
    /// The handler runs again on every round; questions that were answered return at once. It
    /// cannot finish by accident while a question is open: if it returns a result all the same,
    /// the reply is input_required and the log hook hears of it.
    ///
    /// ```
    /// # use mcp_elicit::{Caller, Engine, Form, Json, Principal};
    /// # fn main() -> Result<(), mcp_elicit::Error> {
    /// # let engine = Engine::builder().ephemeral().audience("deployer").build()?;
    /// # let request = br#"{"jsonrpc":"2.0","id":1,"method":"tools/call","params":{"name":"deploy",
    /// #   "_meta":{"io.modelcontextprotocol/protocolVersion":"2026-07-28",
    /// #   "io.modelcontextprotocol/clientCapabilities":{"elicitation":{}}}}}"#;
    /// let form = Form::parse(
    ///     r#"{"type":"object","required":["environment"],
    ///         "properties":{"environment":{"type":"string","enum":["dev","prod"]}}}"#,
    /// )?;
    /// let caller = Caller::new(Principal::single_user());
    /// let reply = engine.run(request, &caller, |call| {
    ///     let target = call.elicit_form("target", "Which environment?", &form)?;
    ///     Ok(match target.outcome()?.content() {
    ///         Some(_) => Json::parse(r#"{"content":[{"type":"text","text":"Deployed."}]}"#)?,
    ///         None => Json::parse(r#"{"content":[{"type":"text","text":"Nothing done."}]}"#)?,
    ///     })
    /// })?;
    /// assert!(reply.body().contains("input_required"));
    /// # Ok(())
    /// # }
    /// ```
    ///
    /// # Errors
    /// [`ErrorKind::NotACall`], and faults of the server's own: a question that cannot be asked, a
    /// result that cannot be sent. Everything that the peer must be told is a reply.
    pub fn run<F>(
        &self,
        request: impl AsRef<[u8]>,
        caller: &Caller<'_>,
        handler: F,
    ) -> Result<Reply>
    where
        F: FnOnce(&mut Call) -> Result<Json, Stop>,
    {
        let mut call = match self.open(request.as_ref(), caller) {
            Ok(call) => call,
            Err(error) => return error.into_reply(),
        };
        let end = handler(&mut call).into();
        call.settle_own(end)
    }

    /// [`Engine::run`] for a handler that awaits. Brings no runtime: the future belongs to yours.
    ///
    /// # Errors
    /// As [`Engine::run`].
    pub async fn run_async<F>(
        &self,
        request: impl AsRef<[u8]>,
        caller: &Caller<'_>,
        handler: F,
    ) -> Result<Reply>
    where
        F: AsyncFnOnce(&mut Call) -> Result<Json, Stop>,
    {
        let mut call = match self.open(request.as_ref(), caller) {
            Ok(call) => call,
            Err(error) => return error.into_reply(),
        };
        let end = handler(&mut call).await.into();
        call.settle_own(end)
    }
}

impl From<Result<Json, Stop>> for End {
    fn from(result: Result<Json, Stop>) -> Self {
        match result {
            Ok(json) => Self::Result(json),
            Err(Stop::Suspend) => Self::Suspended,
            Err(Stop::RetryLater) => Self::RetryLater,
            Err(Stop::Error(error)) => Self::Failed(error),
        }
    }
}

impl Call {
    /// Says that the handler ends now and wants the client to come back by itself: for languages
    /// whose handlers end by a signal, which one of their own can swallow. [`Call::settle`] then
    /// replies as for [`End::RetryLater`], whatever the end is; where it is another than
    /// [`End::Suspended`], the log hook hears `suspension_swallowed`.
    ///
    /// # Errors
    /// [`ErrorKind::Finished`].
    pub fn end_to_retry(&mut self) -> Result<()> {
        self.check_live().map_err(|error| self.own(error))?;
        self.waits = true;
        Ok(())
    }

    /// Turns the end of a handler into a reply; `None` where the handler's own exception should go
    /// on its way.
    ///
    /// A result given while a question is open, and an exception or error that hides the
    /// suspension signal, still reply input_required; the log hook hears `question_left_open` or
    /// `suspension_swallowed`.
    ///
    /// # Errors
    /// Faults of the server's own, as [`Engine::run`].
    pub fn settle(&mut self, end: End) -> Result<Option<Reply>> {
        match self.settle_start(end)? {
            Next::Done(reply) => Ok(reply),
            Next::Need(op) => self.finish_claim(&op).map(Some),
        }
    }

    /// [`Call::settle`] for those who do the store's I/O themselves: where the handler completed
    /// an effect that it had claimed, the record is to be finished first. Goes on as
    /// [`Call::complete_start`] does.
    ///
    /// # Errors
    /// As [`Call::settle`].
    pub fn settle_start(&mut self, end: End) -> Result<Next<Option<Reply>>> {
        let swallowed = self.waits || self.asks().any(Ask::was_read_pending);
        let waits = self.waits || matches!(end, End::RetryLater);
        match end {
            End::Suspended | End::RetryLater => {}
            End::Result(_) if self.waits || self.is_pending() => {
                let (name, message) = if swallowed {
                    (
                        "suspension_swallowed",
                        "the handler caught the suspension and returned a result",
                    )
                } else {
                    (
                        "question_left_open",
                        "the handler returned a result without reading an answer",
                    )
                };
                self.log(Level::Warning, name, "result", message);
            }
            End::Failed(_) | End::Raised if swallowed => {
                let message = "the handler caught the suspension and raised something else";
                self.log(Level::Warning, "suspension_swallowed", "exception", message);
            }
            End::Result(result) => {
                return Ok(match self.complete_start(&result, false)? {
                    Next::Done(reply) => Next::Done(Some(reply)),
                    Next::Need(op) => Next::Need(op),
                });
            }
            End::Raised => return Ok(Next::Done(None)),
            End::Failed(error) => return self.refuse(error).map(|reply| Next::Done(Some(reply))),
        }
        let reply = if waits { self.retry_later() } else { self.suspend() };
        match reply {
            Ok(reply) => Ok(Next::Done(Some(reply))),
            Err(error) => {
                if error.kind() == ErrorKind::Limit {
                    self.log(Level::Warning, "limit", "", error.message());
                }
                error.into_reply().map(|reply| Next::Done(Some(reply)))
            }
        }
    }

    fn settle_own(&mut self, end: End) -> Result<Reply> {
        self.settle(end)?
            .ok_or_else(|| Error::new(ErrorKind::Internal, "the handler ended without a reason"))
    }
}
