//! The engine, as a handle: making one, opening calls, checking envelopes.

use mcp_elicit::{
    Caller, Engine, Error, ErrorKind, Json, Keyring, Limits, Mode, Principal, Result, StateFormat,
};
use napi::Env;
use napi::bindgen_prelude::{Either, External, Uint8Array};
use napi_derive::napi;

use crate::boundary::enter;
use crate::call::CallSlot;
use crate::hooks::{ClockFunction, ClockHook, LogFunction, LogHook, RandomFunction, RandomHook};
use crate::store::Awaited;

/// What an engine is made of.
#[napi(object, object_to_js = false)]
pub struct EngineParts {
    /// Keys as text, separated by commas.
    pub key_text: Option<String>,
    /// Keys as bytes.
    pub key_bytes: Option<Vec<Uint8Array>>,
    /// A key of its own that is never written down.
    pub ephemeral: bool,
    /// State is signed only, and can be read.
    pub signed: bool,
    /// The name of the service.
    pub audience: String,
    /// Limits by the names they have in the core, and their values.
    pub limits: Vec<(String, f64)>,
    /// JSON of an `Implementation`.
    pub server_info: Option<String>,
    /// See `hooks`.
    pub clock: Option<ClockFunction>,
    /// See `hooks`.
    pub random: Option<RandomFunction>,
    /// See `hooks`.
    pub log: Option<LogFunction>,
    /// Whether there is a store, which JavaScript awaits.
    pub has_store: bool,
}

/// Makes an engine.
#[napi(catch_unwind)]
pub fn engine_new(env: Env, parts: EngineParts) -> napi::Result<External<Engine>> {
    enter(env, || {
        let mut builder = Engine::builder().audience(parts.audience).limits(limits(&parts.limits)?);
        if let Some(text) = &parts.key_text {
            builder = builder.keys(Keyring::from_text(text)?);
        }
        if let Some(keys) = &parts.key_bytes {
            builder = builder.keys(Keyring::new(keys)?);
        }
        if parts.ephemeral {
            builder = builder.ephemeral();
        }
        if parts.signed {
            builder = builder.state_format(StateFormat::Signed);
        }
        if let Some(info) = parts.server_info {
            builder = builder.server_info_json(&Json::parse(info)?);
        }
        if let Some(clock) = parts.clock {
            builder = builder.clock(ClockHook(clock));
        }
        if let Some(random) = parts.random {
            builder = builder.rng(RandomHook(random));
        }
        if let Some(log) = parts.log {
            builder = builder.log(LogHook(log));
        }
        if parts.has_store {
            builder = builder.store(Awaited);
        }
        builder.build().map(External::new)
    })
}

fn limits(given: &[(String, f64)]) -> Result<Limits> {
    let mut limits = Limits::default();
    for (name, value) in given {
        let config =
            |message: &str| Err(Error::new(ErrorKind::Config, format!("limit {name}: {message}")));
        if value.fract() != 0.0 || !(0.0..=9_007_199_254_740_991.0).contains(value) {
            return config("a limit is a whole number, not negative");
        }
        let value = *value as u64;
        // Too large for its type is too large for the engine, which says what it takes.
        let size = usize::try_from(value).unwrap_or(usize::MAX);
        let short = u16::try_from(value);
        match (name.as_str(), short) {
            ("request_bytes", _) => limits.request_bytes = size,
            ("token_bytes", _) => limits.token_bytes = size,
            ("depth", _) => limits.depth = size,
            ("schema_properties", _) => limits.schema_properties = size,
            ("schema_options", _) => limits.schema_options = size,
            ("question_rounds", Ok(short)) => limits.question_rounds = short,
            ("reasks", Ok(short)) => limits.reasks = short,
            ("question_rounds" | "reasks", Err(_)) => return config("it is at most 65535"),
            ("round_ttl_ms", _) => limits.round_ttl_ms = value,
            ("flow_ttl_ms", _) => limits.flow_ttl_ms = value,
            ("claim_wait_ms", _) => limits.claim_wait_ms = value,
            ("clock_skew_ms", _) => limits.clock_skew_ms = value,
            _ => return config("there is no limit of this name"),
        }
    }
    Ok(limits)
}

/// Makes a key, as text.
#[napi(catch_unwind)]
pub fn keygen(env: Env) -> napi::Result<String> {
    enter(env, mcp_elicit::keygen)
}

/// The version of this addon, which is that of its package.
#[napi(catch_unwind)]
pub fn addon_version() -> &'static str {
    env!("CARGO_PKG_VERSION")
}

/// The protocol revision that the core speaks.
#[napi(catch_unwind)]
pub fn protocol_version() -> &'static str {
    mcp_elicit::PROTOCOL_VERSION
}

/// Who asks and how, in one string whose fields are separated by U+0000.
///
/// The first field has two letters: the principal (`u`ser, `s`ingle user, `n`one) and the
/// transport (`h`ttp, or `-`). A user's issuer, subject and client follow, then name and value of
/// each header. `fields` is how many fields there are: more separators than that mean that one of
/// them stands inside a field.
fn caller<'c>(packed: &'c str, fields: u32, mirrored: &'c [Vec<String>]) -> Result<Caller<'c>> {
    let refuse = |message: &str| Err(Error::new(ErrorKind::InvalidArgument, message));
    if packed.bytes().filter(|byte| *byte == 0).count() + 1 != fields as usize {
        return refuse("U+0000 cannot stand in a principal or a header");
    }
    let mut parts = packed.split('\0');
    let mut next = || parts.next().unwrap_or_default();
    let (principal, http) = match next().as_bytes() {
        [b'u', http] => (Principal::new(next(), next(), next())?, *http),
        [b's', http] => (Principal::single_user(), *http),
        [b'n', http] => (Principal::none(), *http),
        _ => return refuse("a principal is needed"),
    };
    let mut caller = Caller::new(principal);
    if http == b'h' {
        let headers = std::iter::from_fn(|| Some((parts.next()?, parts.next()?.as_bytes())));
        caller = caller.http(headers);
    }
    for header in mirrored {
        if let [name, path @ ..] = header.as_slice() {
            caller = caller.param_header(name, path.iter().map(String::as_str));
        }
    }
    Ok(caller)
}

/// Opens a call from a message that is a string.
#[napi(catch_unwind)]
pub fn open_text(
    env: Env,
    slot: &External<CallSlot>,
    engine: &External<Engine>,
    request: String,
    packed: String,
    fields: u32,
    mirrored: Option<Vec<Vec<String>>>,
) -> napi::Result<()> {
    enter(env, || {
        let mirrored = mirrored.unwrap_or_default();
        slot.fill(engine.open(request.as_bytes(), &caller(&packed, fields, &mirrored)?)?)
    })
}

/// Opens a call from a message that is bytes.
#[napi(catch_unwind)]
pub fn open_bytes(
    env: Env,
    slot: &External<CallSlot>,
    engine: &External<Engine>,
    request: &[u8],
    packed: String,
    fields: u32,
    mirrored: Option<Vec<Vec<String>>>,
) -> napi::Result<()> {
    enter(env, || {
        let mirrored = mirrored.unwrap_or_default();
        // A copy: a hook, or another thread, could change the bytes while they are read.
        let request = request.to_vec();
        slot.fill(engine.open(&request, &caller(&packed, fields, &mirrored)?)?)
    })
}

/// Opens a call from the parameters alone.
#[napi(catch_unwind)]
#[allow(clippy::too_many_arguments)]
pub fn open_params(
    env: Env,
    slot: &External<CallSlot>,
    engine: &External<Engine>,
    method: String,
    params: Either<String, Uint8Array>,
    packed: String,
    fields: u32,
    mirrored: Option<Vec<Vec<String>>>,
) -> napi::Result<()> {
    enter(env, || {
        let mirrored = mirrored.unwrap_or_default();
        let caller = caller(&packed, fields, &mirrored)?;
        slot.fill(engine.open_params(&method, &bytes_of(params), &caller)?)
    })
}

/// The parts of a message of any method.
#[napi(object, object_from_js = false)]
pub struct EnvelopeParts {
    /// The method's name.
    pub method: String,
    /// The id as JSON; none for a notification.
    pub id: Option<String>,
    /// The parameters as JSON.
    pub params: Option<String>,
    /// What the client says of itself, as JSON.
    pub client_info: Option<String>,
    /// The modes in which the client can be asked.
    pub modes: Vec<&'static str>,
}

/// Checks the envelope of a message of any method.
#[napi(catch_unwind)]
pub fn check(
    env: Env,
    engine: &External<Engine>,
    request: Either<String, Uint8Array>,
    packed: String,
    fields: u32,
    mirrored: Option<Vec<Vec<String>>>,
) -> napi::Result<EnvelopeParts> {
    enter(env, || {
        let mirrored = mirrored.unwrap_or_default();
        let caller = caller(&packed, fields, &mirrored)?;
        let envelope = engine.check(&bytes_of(request), &caller)?;
        Ok(EnvelopeParts {
            method: envelope.method().to_owned(),
            id: envelope.id().map(str::to_owned),
            params: envelope.params().map(|params| params.raw().to_owned()),
            client_info: envelope.client_info().map(|info| info.raw().to_owned()),
            modes: [Mode::Form, Mode::Url]
                .into_iter()
                .filter(|mode| envelope.capabilities().elicits(*mode))
                .map(Mode::name)
                .collect(),
        })
    })
}

fn bytes_of(text: Either<String, Uint8Array>) -> Vec<u8> {
    match text {
        Either::A(text) => text.into_bytes(),
        Either::B(bytes) => bytes.to_vec(),
    }
}
