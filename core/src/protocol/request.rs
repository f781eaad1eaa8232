//! A request on which a server may ask: whole message or parameters, checked.
//!
//! Owns the order of the checks and the shape of the parameters of `tools/call`, `prompts/get` and
//! `resources/read`. Keeps the text it read and points into it.
//! Protocol: mrtr, "Supported Requests"; schema, `CallToolRequestParams`, `GetPromptRequestParams`,
//! `ReadResourceRequestParams`, `InputResponses`.

use std::borrow::Cow;

use super::caller::Caller;
use super::capabilities::Capabilities;
use super::headers::{self, Need};
use super::message::{Message, RequestLimits, Text, no_id, read_json};
use super::meta::Meta;
use super::method::Method;
use super::{PROTOCOL_VERSION, excerpt, refusal, unsupported_version};
use crate::error::{Error, ErrorKind, Result};
use crate::json::{Json, Position, Value, push_pointer};

/// A sound request of one of the three methods.
pub(crate) struct Request {
    json: Json,
    id: Option<Position>,
    bare: bool,
    parts: Parts,
}

/// What was found where.
struct Parts {
    method: Method,
    target: Text,
    arguments: Option<Position>,
    input_responses: Option<Position>,
    request_state: Option<Position>,
    client_info: Option<Position>,
    client_capabilities: Position,
    capabilities: Capabilities,
}

impl Request {
    /// Reads a whole JSON-RPC message. Errors carry its id where it could be read.
    pub(crate) fn parse(bytes: &[u8], caller: &Caller<'_>, limits: RequestLimits) -> Result<Self> {
        let message = Message::read(bytes, limits)?;
        let parts = if message.id.is_none() && !message.is_notification() {
            Err(no_id(message.method()))
        } else {
            method_named(message.method()).and_then(|method| {
                Parts::check(message.params.map(|at| message.json.at(at)), method, caller)
            })
        };
        match parts {
            Ok(parts) => Ok(Self { json: message.json, id: message.id, bare: false, parts }),
            Err(error) => Err(error.with_id(message.id())),
        }
    }

    /// Reads parameters alone, of a request whose envelope somebody else has read. Errors and
    /// replies are bare. Pointers are those of the whole message, since the peer sees them.
    pub(crate) fn parse_params(
        method: &str,
        params: &[u8],
        caller: &Caller<'_>,
        limits: RequestLimits,
    ) -> Result<Self> {
        // The message around the parameters counts as one level.
        let inside = RequestLimits { depth: limits.depth.saturating_sub(1), ..limits };
        let read = || {
            let method = method_named(method)?;
            let json = read_json(params, inside, "/params")?;
            let parts = Parts::check(Some(json.root()), method, caller)?;
            Ok(Self { json, id: None, bare: true, parts })
        };
        read().map_err(Error::bare)
    }

    /// The id as it stands in the message; none where parameters alone were read.
    pub(crate) fn id(&self) -> Option<&str> {
        self.id.map(|id| self.json.at(id).raw())
    }

    /// Which method.
    pub(crate) fn method(&self) -> Method {
        self.parts.method
    }

    /// The name of the tool or prompt, or the URI of the resource.
    pub(crate) fn target(&self) -> &str {
        self.parts.target.get(&self.json)
    }

    /// The arguments, an object. None where there are none, and always for `resources/read`.
    pub(crate) fn arguments(&self) -> Option<Value<'_>> {
        self.value(self.parts.arguments)
    }

    /// What the client answered to the last round, an object of objects.
    pub(crate) fn input_responses(&self) -> Option<Value<'_>> {
        self.value(self.parts.input_responses)
    }

    /// The response under `key`, where the client sent one.
    pub(crate) fn input_response(&self, key: &str) -> Option<Value<'_>> {
        self.input_responses()?.get(key)
    }

    /// The state that the client brings back. Nothing is known of it but that it is a text.
    pub(crate) fn request_state(&self) -> Option<Cow<'_, str>> {
        self.value(self.parts.request_state).and_then(Value::as_str)
    }

    /// What the client can do.
    pub(crate) fn capabilities(&self) -> Capabilities {
        self.parts.capabilities
    }

    /// The client's capabilities as it sent them, an object.
    pub(crate) fn client_capabilities(&self) -> Value<'_> {
        self.json.at(self.parts.client_capabilities)
    }

    /// What the client says of itself. For display and logs only.
    pub(crate) fn client_info(&self) -> Option<Value<'_>> {
        self.value(self.parts.client_info)
    }

    /// The protocol version of the request, one that we speak.
    pub(crate) fn version(&self) -> &'static str {
        PROTOCOL_VERSION
    }

    /// Whether parameters alone were read, so that replies are bare.
    pub(crate) fn is_bare(&self) -> bool {
        self.bare
    }

    fn value(&self, at: Option<Position>) -> Option<Value<'_>> {
        at.map(|at| self.json.at(at))
    }
}

fn method_named(name: &str) -> Result<Method> {
    Method::from_name(name).ok_or_else(|| {
        Error::new(
            ErrorKind::NotACall,
            format!(
                "{} cannot carry input, only tools/call, prompts/get and resources/read can: \
                 check it with the engine's `check` and answer it yourself",
                excerpt(name)
            ),
        )
    })
}

/// The members of `params` that are ours, found in one walk.
#[derive(Default)]
struct Params<'j> {
    meta: Option<Value<'j>>,
    target: Option<Value<'j>>,
    arguments: Option<Value<'j>>,
    input_responses: Option<Value<'j>>,
    request_state: Option<Value<'j>>,
}

impl<'j> Params<'j> {
    fn find(params: Value<'j>, method: Method) -> Self {
        let mut found = Self::default();
        for entry in params.entries() {
            let slot = match &*entry.key() {
                "_meta" => &mut found.meta,
                "arguments" if method != Method::ReadResource => &mut found.arguments,
                "inputResponses" => &mut found.input_responses,
                "requestState" => &mut found.request_state,
                key if key == method.target() => &mut found.target,
                _ => continue,
            };
            *slot = (!entry.value.is_null()).then_some(entry.value);
        }
        found
    }
}

impl Parts {
    fn check(params: Option<Value<'_>>, method: Method, caller: &Caller<'_>) -> Result<Self> {
        let params = Params::find(object_params(params)?, method);
        let meta = Meta::read(params.meta)?;
        check_version(&meta, caller)?;
        if let Some(headers) = &caller.http {
            headers::check_method(headers, method.name(), Need::Required)?;
            headers::check_name(headers, method.target(), params.target, Need::Required)?;
            if method == Method::CallTool && !caller.mirrored.is_empty() {
                headers::check_declared(&caller.mirrored)?;
                headers::check_params(headers, &caller.mirrored, params.arguments)?;
            }
        }
        let client_capabilities = meta.client_capabilities()?;
        let capabilities = Capabilities::read(client_capabilities)?;
        let client_info = meta.client_info()?;
        let target = check_target(params.target, method)?;
        check_arguments(params.arguments, method)?;
        check_responses(params.input_responses)?;
        if params.request_state.is_some_and(|state| state.as_str().is_none()) {
            return Err(invalid(
                "/params/requestState",
                "type",
                "no string: send the requestState as it came, or leave it out",
            ));
        }
        let position = |value: Option<Value<'_>>| value.map(Value::position);
        Ok(Self {
            method,
            target,
            arguments: position(params.arguments),
            input_responses: position(params.input_responses),
            request_state: position(params.request_state),
            client_info: position(client_info),
            client_capabilities: client_capabilities.position(),
            capabilities,
        })
    }
}

/// `params` of any request: an object, since it must hold `_meta`.
pub(super) fn object_params(params: Option<Value<'_>>) -> Result<Value<'_>> {
    let (rule, message) = match params {
        Some(params) if params.is_object() => return Ok(params),
        Some(params) if !params.is_null() => ("type", "no object: send params as an object"),
        _ => ("required", "missing"),
    };
    Err(refusal(
        ErrorKind::InvalidMeta,
        "/params",
        rule,
        format!(
            "{message}: this server speaks {PROTOCOL_VERSION}, where every request carries its \
             protocol version and the client's capabilities in params._meta"
        ),
    ))
}

/// The version, in `_meta` and in its header, and whether we speak it.
pub(super) fn check_version(meta: &Meta<'_>, caller: &Caller<'_>) -> Result<()> {
    let version = meta.version()?.as_str().unwrap_or_default();
    if let Some(headers) = &caller.http {
        headers::check_version(headers, &version)?;
    }
    if *version == *PROTOCOL_VERSION { Ok(()) } else { Err(unsupported_version(&version)) }
}

fn check_target(target: Option<Value<'_>>, method: Method) -> Result<Text> {
    let rule = match target.map(Text::of) {
        Some(Some(target)) => return Ok(target),
        Some(None) => "type",
        None => "required",
    };
    let name = method.target();
    Err(invalid(&format!("/params/{name}"), rule, format!("send params.{name} as a string")))
}

fn check_arguments(arguments: Option<Value<'_>>, method: Method) -> Result<()> {
    let Some(arguments) = arguments else { return Ok(()) };
    if !arguments.is_object() {
        return Err(invalid(
            "/params/arguments",
            "type",
            "no object: send arguments as an object, or leave them out",
        ));
    }
    if method != Method::GetPrompt {
        return Ok(());
    }
    match arguments.entries().find(|entry| entry.value.as_str().is_none()) {
        None => Ok(()),
        Some(entry) => {
            let mut path = String::from("/params/arguments");
            push_pointer(&mut path, &entry.key());
            Err(invalid(&path, "type", "no string: prompts take strings only"))
        }
    }
}

fn check_responses(responses: Option<Value<'_>>) -> Result<()> {
    let Some(responses) = responses else { return Ok(()) };
    let mut path = String::from("/params/inputResponses");
    if !responses.is_object() {
        return Err(invalid(
            &path,
            "type",
            "no object: send an object with a response under the key of each question",
        ));
    }
    match responses.entries().find(|entry| !entry.value.is_object()) {
        None => Ok(()),
        Some(entry) => {
            push_pointer(&mut path, &entry.key());
            Err(invalid(
                &path,
                "type",
                "no object: send the response to this question as an object",
            ))
        }
    }
}

fn invalid(path: &str, rule: &'static str, message: impl Into<String>) -> Error {
    refusal(ErrorKind::InvalidParams, path, rule, message)
}
