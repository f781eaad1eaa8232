//! The engine: configured once, shared by threads.
//!
//! Owns keyring, audience, limits, clock, random source and log hook. Opens calls; keeps nothing
//! of them.

use std::collections::HashSet;
use std::sync::{Arc, Mutex, PoisonError};

use super::hooks::Hooks;
use crate::call::Call;
use crate::env::{Clock, Event, Level, Log, Rng, SystemClock, SystemRng};
use crate::error::{Error, ErrorKind, Result};
use crate::json::Json;
use crate::protocol::{Caller, Envelope, Request, RequestLimits};
use crate::schema::SchemaLimits;
use crate::seal::{Keyring, StateFormat};
use crate::store::Store;

/// Bounds on what a peer, or a handler gone wrong, can make us do.
///
/// Lengths are in bytes, times in milliseconds.
#[derive(Clone, Debug, PartialEq, Eq)]
#[non_exhaustive]
pub struct Limits {
    /// Length of a request. Default 4 MiB.
    pub request_bytes: usize,
    /// Length of a `requestState`. Default 64 KiB.
    pub token_bytes: usize,
    /// Arrays and objects inside one another in any JSON. Default 64.
    pub depth: usize,
    /// Properties of a form. Default 64.
    pub schema_properties: usize,
    /// Choices of a form, all its fields together. Default 1000.
    pub schema_options: usize,
    /// Rounds of a flow that bring a new question. Default 16.
    pub question_rounds: u16,
    /// Times that a question is asked again after an invalid answer. Default 3.
    pub reasks: u16,
    /// How long a person may take over a round. Default 10 minutes.
    pub round_ttl_ms: u64,
    /// How long a flow may take. Default 1 hour.
    pub flow_ttl_ms: u64,
    /// How long the winner of a claim may be at work before its outcome counts as unknown. Default
    /// 1 minute; below `flow_ttl_ms`.
    pub claim_wait_ms: u64,
    /// How far the clocks of a fleet may stand apart. Default 1 minute.
    pub clock_skew_ms: u64,
}

impl Default for Limits {
    fn default() -> Self {
        let schema = SchemaLimits::default();
        Self {
            request_bytes: 4 << 20,
            token_bytes: 64 << 10,
            depth: crate::json::DEFAULT_DEPTH,
            schema_properties: schema.properties,
            schema_options: schema.options,
            question_rounds: 16,
            reasks: 3,
            round_ttl_ms: 600_000,
            flow_ttl_ms: 3_600_000,
            claim_wait_ms: 60_000,
            clock_skew_ms: 60_000,
        }
    }
}

impl Limits {
    /// The part that a schema is read under.
    pub fn schema(&self) -> SchemaLimits {
        SchemaLimits { properties: self.schema_properties, options: self.schema_options }
    }

    fn request(&self) -> RequestLimits {
        RequestLimits { max_bytes: self.request_bytes, depth: self.depth }
    }

    fn check(&self) -> Result<()> {
        /// A year: longer lives are a mistake in units.
        const LONGEST_MS: u64 = 366 * 24 * 3_600_000;
        let bounds = [
            ("request_bytes", self.request_bytes as u64, u64::from(u32::MAX) - 1),
            ("token_bytes", self.token_bytes as u64, u64::from(u32::MAX) - 1),
            ("depth", self.depth as u64, 1024),
            ("schema_properties", self.schema_properties as u64, 65_536),
            ("schema_options", self.schema_options as u64, 1 << 20),
            ("question_rounds", u64::from(self.question_rounds), u64::from(u16::MAX)),
            ("round_ttl_ms", self.round_ttl_ms, LONGEST_MS),
            ("flow_ttl_ms", self.flow_ttl_ms, LONGEST_MS),
        ];
        for (name, value, most) in bounds {
            if value == 0 || value > most {
                let message = format!("limit {name} is {value}; it must be from 1 to {most}");
                return Err(Error::new(ErrorKind::Config, message));
            }
        }
        if self.clock_skew_ms > LONGEST_MS {
            return Err(Error::new(ErrorKind::Config, "limit clock_skew_ms is over a year"));
        }
        Ok(())
    }
}

/// Configured once, immutable, shared by threads. Cloning is cheap and shares everything.
#[derive(Clone)]
pub struct Engine(pub(crate) Arc<Shared>);

pub(crate) struct Shared {
    pub(crate) keyring: Keyring,
    pub(crate) audience: String,
    pub(crate) limits: Limits,
    pub(crate) state_format: StateFormat,
    hooks: Hooks,
    pub(crate) store: Option<Box<dyn Store>>,
    /// `{"name":…,"version":…}`, written into the `_meta` of results.
    pub(crate) server_info: Option<String>,
    /// What was warned of already.
    warned: Mutex<HashSet<u64>>,
}

impl Shared {
    pub(crate) fn now_ms(&self) -> u64 {
        self.hooks.now_ms()
    }

    pub(crate) fn rng(&self) -> &dyn Rng {
        &self.hooks
    }

    pub(crate) fn log(
        &self,
        level: Level,
        name: &'static str,
        reason: &'static str,
        message: &str,
        flow_id: &str,
    ) {
        self.hooks.log(&Event { level, name, reason, message, flow_id });
    }

    /// Whether to warn of this now: what is wrong with a form is wrong in every flow, and worth
    /// saying once.
    pub(crate) fn warn_once(&self, of: u64) -> bool {
        /// More than any service has forms with warnings; a server that makes a form anew for
        /// every call hears of the first so many.
        const MOST: usize = 256;
        let mut warned = self.warned.lock().unwrap_or_else(PoisonError::into_inner);
        warned.len() < MOST && warned.insert(of)
    }
}

/// What an [`Engine`] is made of.
#[must_use]
pub struct EngineBuilder {
    keyring: Option<Keyring>,
    ephemeral: bool,
    audience: Option<String>,
    limits: Limits,
    state_format: StateFormat,
    clock: Box<dyn Clock>,
    rng: Box<dyn Rng>,
    log: Option<Box<dyn Log>>,
    store: Option<Box<dyn Store>>,
    server_info: Option<Result<String>>,
}

impl Engine {
    /// Starts a configuration. Keys (or [`EngineBuilder::ephemeral`]) and an audience are needed.
    pub fn builder() -> EngineBuilder {
        EngineBuilder {
            keyring: None,
            ephemeral: false,
            audience: None,
            limits: Limits::default(),
            state_format: StateFormat::default(),
            clock: Box::new(SystemClock),
            rng: Box::new(SystemRng),
            log: None,
            store: None,
            server_info: None,
        }
    }

    /// An engine with the keys in `MCP_ELICIT_KEYS` (the first seals, all open) and the defaults.
    ///
    /// # Errors
    /// [`ErrorKind::Config`] where the variable is not set or holds a weak key, or the audience is
    /// empty.
    pub fn from_env(audience: impl Into<String>) -> Result<Self> {
        Self::builder().keys(Keyring::from_env()?).audience(audience).build()
    }

    /// Opens a call from a JSON-RPC request: one round of a flow.
    ///
    /// Everything that can be wrong with the request is found here, before any handler runs: its
    /// JSON, its `_meta`, its headers against its body, its answers' shape, its `requestState`.
    /// Protocol: basic `_meta`; streamable-http "Server Validation"; mrtr "Server Requirements".
    ///
    /// # Errors
    /// [`ErrorKind::NotACall`] for any other method than tools/call, prompts/get and
    /// resources/read; otherwise an error whose [`Error::reply`] is what the peer must be told.
    pub fn open(&self, request: &[u8], caller: &Caller<'_>) -> Result<Call> {
        let request = Request::parse(request, caller, self.0.limits.request())?;
        Call::open(self.clone(), request, caller)
    }

    /// Opens a call from parameters that somebody has parsed from the message already. Its
    /// replies are the result or the error object alone.
    ///
    /// `params` is the JSON of the request's `params`, `_meta` included.
    ///
    /// # Errors
    /// As [`Engine::open`].
    pub fn open_params(&self, method: &str, params: &[u8], caller: &Caller<'_>) -> Result<Call> {
        let request = Request::parse_params(method, params, caller, self.0.limits.request())
            .map_err(Error::bare)?;
        Call::open(self.clone(), request, caller).map_err(Error::bare)
    }

    /// Checks the envelope of any request as [`Engine::open`] does: JSON, `_meta`, version,
    /// headers. For the methods that a server answers by itself, such as server/discover.
    ///
    /// # Errors
    /// An error whose [`Error::reply`] is what the peer must be told.
    pub fn check(&self, request: &[u8], caller: &Caller<'_>) -> Result<Envelope> {
        Envelope::parse(request, caller, self.0.limits.request())
    }

    /// The limits it was configured with.
    pub fn limits(&self) -> &Limits {
        &self.0.limits
    }

    /// The audience it was configured with.
    pub fn audience(&self) -> &str {
        &self.0.audience
    }
}

impl EngineBuilder {
    /// The keys that seal (the first) and open (all) the state.
    pub fn keys(mut self, keyring: Keyring) -> Self {
        self.keyring = Some(keyring);
        self
    }

    /// Runs on a key of its own that is never written down. For trying things out and for
    /// servers of one process: no state survives a restart, or opens in another instance. Says
    /// so once through the log hook.
    pub fn ephemeral(mut self) -> Self {
        self.ephemeral = true;
        self
    }

    /// Names the service. State sealed for one audience does not open for another, so all
    /// instances of a service have the same, and two services that share keys have different
    /// ones. Any text of 1 to 256 bytes.
    pub fn audience(mut self, audience: impl Into<String>) -> Self {
        self.audience = Some(audience.into());
        self
    }

    /// Limits other than the usual.
    pub fn limits(mut self, limits: Limits) -> Self {
        self.limits = limits;
        self
    }

    /// How to seal the state; encrypted when nothing is said. Both formats open.
    pub fn state_format(mut self, format: StateFormat) -> Self {
        self.state_format = format;
        self
    }

    /// A clock other than the system's.
    pub fn clock(mut self, clock: impl Clock + 'static) -> Self {
        self.clock = Box::new(clock);
        self
    }

    /// A random source other than the system's. For tests: with a source that can be foreseen,
    /// or repeats, nothing sealed is secret.
    pub fn rng(mut self, rng: impl Rng + 'static) -> Self {
        self.rng = Box::new(rng);
        self
    }

    /// Where to say what the operator should know.
    pub fn log(mut self, log: impl Log + 'static) -> Self {
        self.log = Some(Box::new(log));
        self
    }

    /// Where claims are kept: shared by all instances of the service. Only for handlers that
    /// claim; the calling thread waits for it.
    pub fn store(mut self, store: impl Store + 'static) -> Self {
        self.store = Some(Box::new(store));
        self
    }

    /// Name and version of the server, which every result then carries in its `_meta`
    /// (basic, "Per-response protocol fields").
    pub fn server_info(mut self, name: &str, version: &str) -> Self {
        let mut info = String::from("{\"name\":");
        crate::json::quote_into(&mut info, name);
        info.push_str(",\"version\":");
        crate::json::quote_into(&mut info, version);
        info.push('}');
        self.server_info = Some(Ok(info));
        self
    }

    /// The same from the JSON of an `Implementation` object, icons and all.
    pub fn server_info_json(mut self, implementation: &Json) -> Self {
        let root = implementation.root();
        let named = ["name", "version"]
            .iter()
            .all(|key| root.get(key).is_some_and(|value| value.as_str().is_some()));
        self.server_info = Some(if named {
            Ok(implementation.compact())
        } else {
            Err(Error::new(ErrorKind::Config, "server_info needs the texts name and version"))
        });
        self
    }

    /// Makes the engine.
    ///
    /// # Errors
    /// [`ErrorKind::Config`] where keys or audience are missing or a limit is out of range;
    /// [`ErrorKind::Internal`] where the random source has nothing for an ephemeral key.
    pub fn build(self) -> Result<Engine> {
        let config = |message: &str| Error::new(ErrorKind::Config, message);
        let audience = self.audience.filter(|audience| !audience.is_empty()).ok_or_else(|| {
            config("an audience is needed: a name for this service, the same in all its instances")
        })?;
        if audience.len() > 256 {
            return Err(config("the audience is longer than 256 bytes"));
        }
        self.limits.check()?;
        if self.store.is_some() && self.limits.claim_wait_ms >= self.limits.flow_ttl_ms {
            return Err(config("limit claim_wait_ms is not below flow_ttl_ms"));
        }
        let keyring = match (self.keyring, self.ephemeral) {
            (Some(keyring), false) => keyring,
            (None, true) => Keyring::ephemeral(&*self.rng)?,
            (Some(_), true) => {
                return Err(config("give keys or ask for an ephemeral key, not both"));
            }
            (None, false) => {
                return Err(config(
                    "keys are needed: set MCP_ELICIT_KEYS to a secret of 32 random bytes (keygen \
                     makes one), or ask for an ephemeral key",
                ));
            }
        };
        let shared = Shared {
            keyring,
            audience,
            limits: self.limits,
            state_format: self.state_format,
            hooks: Hooks::new(self.clock, self.rng, self.log),
            store: self.store,
            server_info: self.server_info.transpose()?,
            warned: Mutex::default(),
        };
        if shared.keyring.is_ephemeral() {
            let message = "the key is ephemeral: no requestState survives a restart of this \
                           process or opens in another instance";
            shared.log(Level::Warning, "ephemeral_keys", "", message, "");
        }
        Ok(Engine(Arc::new(shared)))
    }
}

impl std::fmt::Debug for Engine {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        f.debug_struct("Engine").field("audience", &self.0.audience).finish_non_exhaustive()
    }
}
