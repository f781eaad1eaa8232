//! Sampling: a model's turn, asked of the client. Checked and passed through.
//!
//! The revision deprecates sampling: for new servers it advises to talk to a model provider.
//! Protocol: client/sampling, "Message Content Constraints", "Data Types" and "Tools in Sampling".

use crate::error::{Error, ErrorKind, Fault, Result};
use crate::json::{Json, JsonType, Value};

/// The parameters of a `sampling/createMessage` request, checked.
#[derive(Clone, Debug)]
pub(crate) struct Sampling {
    /// The parameters, without white space.
    pub(crate) params: String,
    /// Whether the client must declare `sampling.tools`.
    pub(crate) needs_tools: bool,
    /// Whether it names context of servers, which `sampling.context` should allow.
    pub(crate) wants_context: bool,
}

impl Sampling {
    /// Checks the parameters that a server wants to send.
    ///
    /// # Errors
    /// [`ErrorKind::InvalidAsk`] with every fault found.
    pub(crate) fn check(params: &Json) -> Result<Self> {
        let root = params.root();
        let mut faults = Vec::new();
        if !root.is_object() {
            faults.push(Fault::new("", "type", "the parameters are an object"));
        }
        match root.get("maxTokens").map(|most| most.as_decimal()) {
            Some(Some(most)) if most.is_integer() && !most.is_negative() && !most.is_zero() => {}
            _ => faults.push(Fault::new("/maxTokens", "required", "a number of tokens is needed")),
        }
        match root.get("messages") {
            Some(messages) if messages.items().next().is_some() => {
                check_messages(messages, &mut faults);
            }
            _ => faults.push(Fault::new("/messages", "required", "at least one message is needed")),
        }
        let context = root.get("includeContext").map(Value::as_str);
        let wants_context = match &context {
            None => false,
            Some(Some(context)) if context == "none" => false,
            Some(Some(context)) if context == "thisServer" || context == "allServers" => true,
            Some(_) => {
                let message = "must be none, thisServer or allServers";
                faults.push(Fault::new("/includeContext", "enum", message));
                false
            }
        };
        if root.get("tools").is_some_and(|tools| !tools.is_array()) {
            faults.push(Fault::new("/tools", "type", "must be an array of tools"));
        }
        if !faults.is_empty() {
            let about = "this cannot be asked of a model";
            return Err(Error::with_faults(ErrorKind::InvalidAsk, about, faults));
        }
        let needs_tools = root.get("tools").is_some() || root.get("toolChoice").is_some();
        Ok(Self { params: root.compact(), needs_tools, wants_context })
    }
}

fn check_messages(messages: Value<'_>, faults: &mut Vec<Fault>) {
    // Tool uses of the assistant message before, which this one must answer.
    let mut open: Vec<String> = Vec::new();
    for (at, message) in messages.items().enumerate() {
        let place = format!("/messages/{at}");
        let mut fault = |rule, text: &str| faults.push(Fault::new(&*place, rule, text));
        let user = match message.get("role").and_then(Value::as_str).as_deref() {
            Some("user") => true,
            Some("assistant") => false,
            _ => {
                fault("role", "the role must be user or assistant");
                continue;
            }
        };
        let Some(blocks) = blocks(message) else {
            fault("content", "content must be a block with a type, or an array of such");
            continue;
        };
        let ids = |kind: &str, id: &str| -> Vec<String> {
            let of_kind = blocks.iter().filter(|block| type_is(block, kind));
            of_kind.map(|block| text(*block, id).unwrap_or_default()).collect()
        };
        let results = ids("tool_result", "toolUseId");
        if !results.is_empty() && (!user || results.len() != blocks.len()) {
            fault("tool_result", "tool results stand in a user message of nothing else");
        }
        let mut answered = results;
        answered.sort_unstable();
        open.sort_unstable();
        if answered != open {
            fault("tool_use", "each tool use is answered by one tool result in the next message");
        }
        open = ids("tool_use", "id");
        if user && !open.is_empty() {
            fault("tool_use", "only the assistant uses tools");
        }
    }
    if !open.is_empty() {
        let message = "the last message uses tools; answer each use before asking again";
        faults.push(Fault::new("/messages", "tool_use", message));
    }
}

/// The content blocks of a message or result; none where they have not the shape.
fn blocks(message: Value<'_>) -> Option<Vec<Value<'_>>> {
    let content = message.get("content")?;
    let blocks: Vec<Value<'_>> = match content.json_type() {
        JsonType::Array => content.items().collect(),
        _ => vec![content],
    };
    let typed = |block: &Value<'_>| block.is_object() && text(*block, "type").is_some();
    blocks.iter().all(typed).then_some(blocks)
}

fn text(value: Value<'_>, key: &str) -> Option<String> {
    Some(value.get(key)?.as_str()?.into_owned())
}

fn type_is(block: &Value<'_>, kind: &str) -> bool {
    block.get("type").and_then(Value::as_str).is_some_and(|found| found == kind)
}

/// What is wrong with a CreateMessageResult: the member and what it must be.
pub(crate) fn check_result(
    result: Value<'_>,
) -> std::result::Result<(), (&'static str, &'static str)> {
    if !matches!(text(result, "role").as_deref(), Some("user" | "assistant")) {
        return Err(("role", "the role must be user or assistant"));
    }
    if blocks(result).is_none() {
        return Err(("content", "content must be a block with a type, or an array of such"));
    }
    if text(result, "model").is_none() {
        return Err(("model", "the name of the model is needed"));
    }
    Ok(())
}
