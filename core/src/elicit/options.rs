//! The options of an ask: one thing that grows.

/// How a question is asked, where the usual way will not do.
///
/// Starts as [`AskOptions::new`]; each method takes and returns it, so that options can be added
/// without breaking anybody.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct AskOptions {
    pub(crate) allow_insecure_http: bool,
    pub(crate) accept_unasked: bool,
}

impl AskOptions {
    /// The usual way.
    pub fn new() -> Self {
        Self::default()
    }

    /// Lets a link be `http` to a host other than this machine. For development: the protocol
    /// wants https (client/elicitation, "Safe URL Handling", server requirement 4).
    #[must_use]
    pub fn allow_insecure_http(mut self, allow: bool) -> Self {
        self.allow_insecure_http = allow;
        self
    }

    /// Takes an answer that came with the first request, before the question was ever asked.
    /// Counts only where the request carries no `requestState`. The person may have answered
    /// other words than these.
    #[must_use]
    pub fn accept_unasked(mut self, accept: bool) -> Self {
        self.accept_unasked = accept;
        self
    }
}
