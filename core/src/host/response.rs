//! What goes back under the key of a question.

use crate::json::Json;

/// What goes back under the key of a question, or that nothing does.
///
/// Protocol: client/elicitation, "Response Actions"; client/sampling and client/roots on results.
#[derive(Clone, PartialEq)]
pub struct Response(Option<Json>);

impl Response {
    /// The person said yes and filled in the form. `content` is an object; whether it fits the
    /// form is not looked at.
    pub fn accept(content: &Json) -> Self {
        let mut text = String::from("{\"action\":\"accept\",\"content\":");
        content.root().compact_into(&mut text);
        text.push('}');
        Self::object(text)
    }

    /// The person said yes to a question that has nothing to fill in: a link, or a form without
    /// fields.
    pub fn accept_without_content() -> Self {
        Self::object("{\"action\":\"accept\"}")
    }

    /// The person said no.
    pub fn decline() -> Self {
        Self::object("{\"action\":\"decline\"}")
    }

    /// The person closed the dialog without choosing.
    pub fn cancel() -> Self {
        Self::object("{\"action\":\"cancel\"}")
    }

    /// Nothing: the key is left out of the next request. Where no question of a round gets an
    /// answer, there is no next request.
    pub const fn never() -> Self {
        Self(None)
    }

    /// Any object: the CreateMessageResult of a model's turn, a ListRootsResult, or, for tests,
    /// what no honest host would send. What is no object is refused when it is given.
    pub fn result(result: &Json) -> Self {
        Self(Some(result.root().to_json()))
    }

    /// The JSON that goes out; none for [`Response::never`].
    pub fn json(&self) -> Option<&Json> {
        self.0.as_ref()
    }

    /// The text is made here and sound, or holds a text that was.
    fn object(text: impl Into<String>) -> Self {
        Self(Some(
            Json::parse_with_depth(text, usize::MAX).unwrap_or_else(|_| Json::empty_object()),
        ))
    }
}

/// Says what kind of response it is, never the content.
impl std::fmt::Debug for Response {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        let action = self.0.as_ref().and_then(|json| json.root().get("action"));
        match (&self.0, action.and_then(|action| action.as_str())) {
            (None, _) => f.write_str("Response(never)"),
            (Some(_), Some(action)) => write!(f, "Response({action})"),
            (Some(_), None) => f.write_str("Response(result)"),
        }
    }
}
