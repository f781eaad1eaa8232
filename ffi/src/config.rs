//! The configuration of an engine: keys, audience, limits, and what comes in from outside.

use std::ffi::{c_char, c_void};
use std::mem::MaybeUninit;
use std::sync::Arc;

use mcp_elicit::store::Store;
use mcp_elicit::{
    Clock, Engine, Error, ErrorKind, Event, Json, Keyring, Limits, Log, Result, Rng, StateFormat,
};
use zeroize::Zeroizing;

use crate::boundary::{self, Done, Failure, invalid_argument, need};
use crate::callback::{
    ClockHook, Context, RandomHook, mcp_elicit_clock_fn, mcp_elicit_destroy_fn,
    mcp_elicit_random_fn,
};
use crate::error::mcp_elicit_error;
use crate::log::{LogHook, mcp_elicit_log_fn};
use crate::status::mcp_elicit_status;
use crate::text::text;

/// What an engine is made of. Needed are keys (or the word that they may be ephemeral) and an
/// audience; everything else has its usual value.
///
/// Make it with mcp_elicit_engine_config_new, set what you want, give it to
/// mcp_elicit_engine_new, free it with mcp_elicit_engine_config_free. One configuration can make
/// several engines.
///
/// Thread-safety: one thread at a time.
pub struct mcp_elicit_engine_config {
    keys: Keys,
    audience: Option<String>,
    pub(crate) limits: Limits,
    server_info: Option<ServerInfo>,
    state_format: StateFormat,
    log: Option<Arc<LogHook>>,
    clock: Option<Arc<ClockHook>>,
    random: Option<Arc<RandomHook>>,
    pub(crate) store: Option<Arc<dyn Store>>,
}

/// Where the keys come from: one source an engine.
enum Keys {
    None,
    /// Given one by one; the ring of all so far.
    Secrets(Vec<Zeroizing<Vec<u8>>>, Keyring),
    /// Given at once.
    Ring(Keyring),
    Ephemeral,
}

#[derive(Clone)]
enum ServerInfo {
    Named(String, String),
    Json(Json),
}

/// A hook that the configuration and its engines share.
struct Shared<T>(Arc<T>);

impl Log for Shared<LogHook> {
    fn log(&self, event: &Event<'_>) {
        self.0.log(event);
    }
}

impl Clock for Shared<ClockHook> {
    fn now_ms(&self) -> u64 {
        self.0.now_ms()
    }
}

impl Rng for Shared<RandomHook> {
    fn fill(&self, out: &mut [u8]) -> Result<()> {
        self.0.fill(out)
    }
}

impl mcp_elicit_engine_config {
    pub(crate) fn build(&self) -> Result<Engine> {
        let mut builder =
            Engine::builder().limits(self.limits.clone()).state_format(self.state_format);
        builder = match &self.keys {
            Keys::None => builder,
            Keys::Secrets(_, ring) | Keys::Ring(ring) => builder.keys(ring.clone()),
            Keys::Ephemeral => builder.ephemeral(),
        };
        if let Some(audience) = &self.audience {
            builder = builder.audience(audience);
        }
        builder = match &self.server_info {
            None => builder,
            Some(ServerInfo::Named(name, version)) => builder.server_info(name, version),
            Some(ServerInfo::Json(json)) => builder.server_info_json(json),
        };
        if let Some(log) = &self.log {
            builder = builder.log(Shared(Arc::clone(log)));
        }
        if let Some(clock) = &self.clock {
            builder = builder.clock(Shared(Arc::clone(clock)));
        }
        if let Some(random) = &self.random {
            builder = builder.rng(Shared(Arc::clone(random)));
        }
        if let Some(store) = &self.store {
            builder = builder.store(Arc::clone(store));
        }
        builder.build()
    }

    /// Takes a ring as the one source of keys.
    fn set_ring(&mut self, keys: Keys) -> Done {
        if !matches!(self.keys, Keys::None) {
            return Err(second_source());
        }
        self.keys = keys;
        Ok(())
    }
}

fn second_source() -> Failure {
    Error::new(ErrorKind::Config, "keys were given already: an engine has one source of keys")
        .into()
}

/// Begins a configuration.
///
/// It is yours: free it with mcp_elicit_engine_config_free. NULL only after a defect of this
/// library.
#[must_use]
#[unsafe(no_mangle)]
pub extern "C" fn mcp_elicit_engine_config_new() -> Option<Box<mcp_elicit_engine_config>> {
    boundary::value(None, || {
        Some(Box::new(mcp_elicit_engine_config {
            keys: Keys::None,
            audience: None,
            limits: Limits::default(),
            server_info: None,
            state_format: StateFormat::default(),
            log: None,
            clock: None,
            random: None,
            store: None,
        }))
    })
}

/// Frees a configuration. NULL is allowed. Engines made from it go on.
#[unsafe(no_mangle)]
pub extern "C" fn mcp_elicit_engine_config_free(config: Option<Box<mcp_elicit_engine_config>>) {
    boundary::value((), || drop(config));
}

/// Adds a key: at least 32 bytes of secret from a random source. The first that is added seals,
/// all open. The bytes are copied, and wiped with the last engine and configuration that hold them.
///
/// To rotate without downtime roll out [old, new], then [new, old], then [new], each to all
/// instances before the next.
///
/// Returns MCP_ELICIT_OK, or a status that `*err` (if not NULL) explains. MCP_ELICIT_CONFIG: the
/// key is weak or there already, or keys come from another source.
#[must_use]
#[unsafe(no_mangle)]
pub unsafe extern "C" fn mcp_elicit_engine_config_add_key(
    config: Option<&mut mcp_elicit_engine_config>,
    secret: *const u8,
    secret_len: usize,
    err: Option<&mut MaybeUninit<Option<Box<mcp_elicit_error>>>>,
) -> mcp_elicit_status {
    boundary::status(err, || {
        let config = need(config, "config")?;
        // SAFETY: the header asks for `secret_len` readable bytes.
        let secret = unsafe { crate::text::bytes(secret.cast(), secret_len, "secret") }?;
        let mut secrets = match &config.keys {
            Keys::None => Vec::new(),
            Keys::Secrets(secrets, _) => secrets.clone(),
            Keys::Ring(_) | Keys::Ephemeral => return Err(second_source()),
        };
        secrets.push(Zeroizing::new(secret.to_vec()));
        let ring = Keyring::new(&secrets)?;
        config.keys = Keys::Secrets(secrets, ring);
        Ok(())
    })
}

/// Takes the keys from a text: one or more, separated by commas, the sealing one first. 64 or more
/// characters that are all hex digits are hex, anything else is base64url. mcp_elicit_keygen makes
/// one.
///
/// Returns MCP_ELICIT_OK, or a status that `*err` (if not NULL) explains. MCP_ELICIT_CONFIG: a key
/// is weak or malformed (the message names its position, never its text), or keys come from
/// another source.
#[must_use]
#[unsafe(no_mangle)]
pub unsafe extern "C" fn mcp_elicit_engine_config_set_keys(
    config: Option<&mut mcp_elicit_engine_config>,
    keys: *const c_char,
    keys_len: usize,
    err: Option<&mut MaybeUninit<Option<Box<mcp_elicit_error>>>>,
) -> mcp_elicit_status {
    boundary::status(err, || {
        let config = need(config, "config")?;
        // SAFETY: the header asks for a text of this length.
        let keys = unsafe { text(keys, keys_len, "keys") }?;
        config.set_ring(Keys::Ring(Keyring::from_text(keys)?))
    })
}

/// Takes the keys from the environment variable MCP_ELICIT_KEYS, written as in
/// mcp_elicit_engine_config_set_keys.
///
/// Returns MCP_ELICIT_OK, or a status that `*err` (if not NULL) explains. MCP_ELICIT_CONFIG: the
/// variable is not set, a key is weak or malformed, or keys come from another source.
///
/// Thread-safety: no thread may change the environment meanwhile.
#[must_use]
#[unsafe(no_mangle)]
pub extern "C" fn mcp_elicit_engine_config_set_keys_from_env(
    config: Option<&mut mcp_elicit_engine_config>,
    err: Option<&mut MaybeUninit<Option<Box<mcp_elicit_error>>>>,
) -> mcp_elicit_status {
    boundary::status(err, || need(config, "config")?.set_ring(Keys::Ring(Keyring::from_env()?)))
}

/// Lets the engine run on a key of its own that is never written down. For trying things out and
/// for servers of one process: no state survives a restart, or opens in another instance. The
/// engine says so once through the log hook ("ephemeral_keys").
///
/// Returns MCP_ELICIT_OK, or a status that `*err` (if not NULL) explains. MCP_ELICIT_CONFIG: keys
/// come from another source.
#[must_use]
#[unsafe(no_mangle)]
pub extern "C" fn mcp_elicit_engine_config_set_ephemeral(
    config: Option<&mut mcp_elicit_engine_config>,
    err: Option<&mut MaybeUninit<Option<Box<mcp_elicit_error>>>>,
) -> mcp_elicit_status {
    boundary::status(err, || need(config, "config")?.set_ring(Keys::Ephemeral))
}

/// Names the service: 1 to 256 bytes. State sealed for one audience does not open for another, so
/// all instances of a service have the same, and two services that share keys have different ones.
///
/// Returns MCP_ELICIT_OK, or a status that `*err` (if not NULL) explains.
#[must_use]
#[unsafe(no_mangle)]
pub unsafe extern "C" fn mcp_elicit_engine_config_set_audience(
    config: Option<&mut mcp_elicit_engine_config>,
    audience: *const c_char,
    audience_len: usize,
    err: Option<&mut MaybeUninit<Option<Box<mcp_elicit_error>>>>,
) -> mcp_elicit_status {
    boundary::status(err, || {
        let config = need(config, "config")?;
        // SAFETY: the header asks for a text of this length.
        let audience = unsafe { text(audience, audience_len, "audience") }?;
        config.audience = Some(audience.to_owned());
        Ok(())
    })
}

/// Name and version of the server, which every result then carries in its `_meta` (basic,
/// "Per-response protocol fields").
///
/// Returns MCP_ELICIT_OK, or a status that `*err` (if not NULL) explains.
#[must_use]
#[unsafe(no_mangle)]
pub unsafe extern "C" fn mcp_elicit_engine_config_set_server_info(
    config: Option<&mut mcp_elicit_engine_config>,
    name: *const c_char,
    name_len: usize,
    version: *const c_char,
    version_len: usize,
    err: Option<&mut MaybeUninit<Option<Box<mcp_elicit_error>>>>,
) -> mcp_elicit_status {
    boundary::status(err, || {
        let config = need(config, "config")?;
        // SAFETY: the header asks for texts of these lengths.
        let (name, version) =
            unsafe { (text(name, name_len, "name")?, text(version, version_len, "version")?) };
        config.server_info = Some(ServerInfo::Named(name.to_owned(), version.to_owned()));
        Ok(())
    })
}

/// As mcp_elicit_engine_config_set_server_info, from the JSON of an `Implementation` object with
/// title, icons and all.
///
/// Returns MCP_ELICIT_OK, or a status that `*err` (if not NULL) explains. A missing name or version
/// is MCP_ELICIT_CONFIG when the engine is made.
#[must_use]
#[unsafe(no_mangle)]
pub unsafe extern "C" fn mcp_elicit_engine_config_set_server_info_json(
    config: Option<&mut mcp_elicit_engine_config>,
    json: *const c_char,
    json_len: usize,
    err: Option<&mut MaybeUninit<Option<Box<mcp_elicit_error>>>>,
) -> mcp_elicit_status {
    boundary::status(err, || {
        let config = need(config, "config")?;
        // SAFETY: the header asks for a text of this length.
        let json = unsafe { text(json, json_len, "json") }?;
        config.server_info = Some(ServerInfo::Json(Json::parse(json).map_err(Error::from)?));
        Ok(())
    })
}

/// How state is sealed. Every engine opens both, if its keys do.
#[repr(u32)]
pub enum mcp_elicit_state_format {
    /// Encrypted ("me1"): the client can read none of it. The usual way.
    MCP_ELICIT_STATE_ENCRYPTED = 1,
    /// Signed ("ms1"): the client can read all of it and change none.
    MCP_ELICIT_STATE_SIGNED = 2,
}

/// How state is sealed: `format` is one of mcp_elicit_state_format.
///
/// Returns MCP_ELICIT_OK, or a status that `*err` (if not NULL) explains.
#[must_use]
#[unsafe(no_mangle)]
pub extern "C" fn mcp_elicit_engine_config_set_state_format(
    config: Option<&mut mcp_elicit_engine_config>,
    format: u32,
    err: Option<&mut MaybeUninit<Option<Box<mcp_elicit_error>>>>,
) -> mcp_elicit_status {
    const ENCRYPTED: u32 = mcp_elicit_state_format::MCP_ELICIT_STATE_ENCRYPTED as u32;
    const SIGNED: u32 = mcp_elicit_state_format::MCP_ELICIT_STATE_SIGNED as u32;
    boundary::status(err, || {
        need(config, "config")?.state_format = match format {
            ENCRYPTED => StateFormat::Encrypted,
            SIGNED => StateFormat::Signed,
            _ => return Err(invalid_argument("format", "is none of mcp_elicit_state_format")),
        };
        Ok(())
    })
}

/// Where to say what the operator should know. `log` NULL: nowhere, as when nothing is set.
///
/// `context` goes to each call of `log` and, when nothing can call it any more, once to `destroy`
/// (may be NULL). Unless this returns MCP_ELICIT_OK the context stays yours.
///
/// Returns MCP_ELICIT_OK, or a status that `*err` (if not NULL) explains.
#[must_use]
#[unsafe(no_mangle)]
pub unsafe extern "C" fn mcp_elicit_engine_config_set_log(
    config: Option<&mut mcp_elicit_engine_config>,
    log: mcp_elicit_log_fn,
    context: *mut c_void,
    destroy: mcp_elicit_destroy_fn,
    err: Option<&mut MaybeUninit<Option<Box<mcp_elicit_error>>>>,
) -> mcp_elicit_status {
    boundary::status(err, || {
        let config = need(config, "config")?;
        let context = Context::new(context, destroy);
        config.log = log.map(|call| Arc::new(LogHook { call, context }));
        Ok(())
    })
}

/// A clock other than the system's. `clock` NULL: the system's.
///
/// `context` and `destroy` as in mcp_elicit_engine_config_set_log.
///
/// Returns MCP_ELICIT_OK, or a status that `*err` (if not NULL) explains.
#[must_use]
#[unsafe(no_mangle)]
pub unsafe extern "C" fn mcp_elicit_engine_config_set_clock(
    config: Option<&mut mcp_elicit_engine_config>,
    clock: mcp_elicit_clock_fn,
    context: *mut c_void,
    destroy: mcp_elicit_destroy_fn,
    err: Option<&mut MaybeUninit<Option<Box<mcp_elicit_error>>>>,
) -> mcp_elicit_status {
    boundary::status(err, || {
        let config = need(config, "config")?;
        let context = Context::new(context, destroy);
        config.clock = clock.map(|call| Arc::new(ClockHook { call, context }));
        Ok(())
    })
}

/// A random source other than the system's, for tests: with a source that can be foreseen, or
/// repeats, nothing sealed is secret. `random` NULL: the system's.
///
/// `context` and `destroy` as in mcp_elicit_engine_config_set_log.
///
/// Returns MCP_ELICIT_OK, or a status that `*err` (if not NULL) explains.
#[must_use]
#[unsafe(no_mangle)]
pub unsafe extern "C" fn mcp_elicit_engine_config_set_random(
    config: Option<&mut mcp_elicit_engine_config>,
    random: mcp_elicit_random_fn,
    context: *mut c_void,
    destroy: mcp_elicit_destroy_fn,
    err: Option<&mut MaybeUninit<Option<Box<mcp_elicit_error>>>>,
) -> mcp_elicit_status {
    boundary::status(err, || {
        let config = need(config, "config")?;
        let context = Context::new(context, destroy);
        config.random = random.map(|call| Arc::new(RandomHook { call, context }));
        Ok(())
    })
}
