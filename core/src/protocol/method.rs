//! The methods that can carry input, and the modes of elicitation.

use std::fmt;

/// A method on which a server may ask for input (mrtr, "Supported Requests").
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub enum Method {
    /// `tools/call`
    CallTool,
    /// `prompts/get`
    GetPrompt,
    /// `resources/read`
    ReadResource,
}

impl Method {
    /// All of them.
    pub const ALL: [Self; 3] = [Self::CallTool, Self::GetPrompt, Self::ReadResource];

    /// The name on the wire.
    pub const fn name(self) -> &'static str {
        match self {
            Self::CallTool => "tools/call",
            Self::GetPrompt => "prompts/get",
            Self::ReadResource => "resources/read",
        }
    }

    /// The method with this name on the wire, if it can carry input.
    pub fn from_name(name: &str) -> Option<Self> {
        Self::ALL.into_iter().find(|method| method.name() == name)
    }

    /// The parameter that says what the call is for.
    pub(crate) const fn target(self) -> &'static str {
        match self {
            Self::CallTool | Self::GetPrompt => "name",
            Self::ReadResource => "uri",
        }
    }
}

impl fmt::Display for Method {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(self.name())
    }
}

/// How a question reaches the user (elicitation, "Elicitation Requests").
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub enum Mode {
    /// The client shows a form and sends the answers.
    Form,
    /// The client shows a link; what happens there does not pass through it.
    Url,
}

impl Mode {
    /// `form` or `url`.
    pub const fn name(self) -> &'static str {
        match self {
            Self::Form => "form",
            Self::Url => "url",
        }
    }
}

impl fmt::Display for Mode {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(self.name())
    }
}
