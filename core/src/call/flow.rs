//! Flows: what is carried from round to round in the sealed state.
//!
//! Owns the opening of a presented `requestState`, the record of questions, and the sealing of the
//! next one. The claims' bytes and the cipher are `seal`'s.
//! Protocol: mrtr, "Server Requirements" 4 and 5.

use sha2::{Digest, Sha256};

use super::engine::Shared;
use crate::env::Level;
use crate::error::{Error, ErrorKind, Result};
use crate::protocol::{Principal, Request};
use crate::seal::{
    AskDigest, AskEntry, AskState, Claims, Entry, Expected, Refusal, RequestDigest, StepEntry,
};

pub(super) struct Flow {
    claims: Claims,
    id: String,
    /// Whether the request carried a state.
    resumed: bool,
    /// Whether this round has brought a question that was not open before.
    new_question: bool,
}

impl Flow {
    /// Takes the flow up from the request's state, or begins one.
    ///
    /// # Errors
    /// The frozen refusal, whose cause the log hook hears.
    pub(super) fn open(engine: &Shared, request: &Request, principal: &Principal) -> Result<Self> {
        let digest =
            RequestDigest::of(request.method().name(), request.target(), request.arguments())?;
        let now = engine.now_ms();
        let (claims, resumed) = match request.request_state() {
            Some(token) => match resume(engine, &token, now, digest, principal) {
                Ok(claims) => (claims, true),
                Err((refusal, flow)) => {
                    let message = refusal.message();
                    let flow = flow.map(|id| id_text(&id)).unwrap_or_default();
                    engine.log(Level::Warning, "state_refused", refusal.name(), message, &flow);
                    return Err(Error::invalid_state());
                }
            },
            None => {
                let mut flow_id = [0; 16];
                engine.rng().fill(&mut flow_id)?;
                let claims = Claims {
                    flow_id,
                    round: 0,
                    question_rounds: 0,
                    issued_ms: now,
                    expires_ms: now,
                    deadline_ms: now.saturating_add(engine.limits.flow_ttl_ms),
                    audience: engine.audience.clone(),
                    digest,
                    app_data: None,
                    entries: Vec::new(),
                };
                (claims, false)
            }
        };
        let id = id_text(&claims.flow_id);
        Ok(Self { claims, id, resumed, new_question: false })
    }

    pub(super) fn id(&self) -> &str {
        &self.id
    }

    pub(super) fn round(&self) -> u32 {
        self.claims.round.saturating_add(1)
    }

    pub(super) fn is_resumed(&self) -> bool {
        self.resumed
    }

    pub(super) fn deadline_ms(&self) -> u64 {
        self.claims.deadline_ms
    }

    /// SHA-256 over what it is a name of, audience and flow, as base64url.
    pub(super) fn name_of(&self, of: &str) -> String {
        let mut hash = Sha256::new();
        let fields = [of.as_bytes(), self.claims.audience.as_bytes(), &self.claims.flow_id];
        hash.update("mcp-elicit/1 ");
        for field in fields {
            hash.update((field.len() as u64).to_be_bytes());
            hash.update(field);
        }
        base64_simd::URL_SAFE_NO_PAD.encode_to_string(hash.finalize())
    }

    /// Whether the flow has asked anything.
    pub(super) fn has_asked(&self) -> bool {
        self.claims.entries.iter().any(|entry| entry.as_ask().is_some())
    }

    /// Where the question under `key` stands.
    pub(super) fn position(&self, key: &str) -> Option<usize> {
        let is_it = |entry: &Entry| entry.as_ask().is_some_and(|ask| ask.key == key);
        self.claims.entries.iter().position(is_it)
    }

    /// The question at a position of [`Flow::position`].
    pub(super) fn ask_at(&self, at: usize) -> Option<&AskEntry> {
        self.claims.entries.get(at).and_then(Entry::as_ask)
    }

    /// Remembers a question: in place of the one at `at`, or as the last.
    pub(super) fn put(&mut self, at: Option<usize>, ask: AskEntry) {
        match at.and_then(|at| self.claims.entries.get_mut(at)) {
            Some(entry) => *entry = Entry::Ask(ask),
            None => self.claims.entries.push(Entry::Ask(ask)),
        }
    }

    /// This round asks what was not asked before.
    pub(super) fn note_new_question(&mut self) {
        self.new_question = true;
    }

    pub(super) fn step(&self, key: &str) -> Option<&StepEntry> {
        self.claims.entries.iter().filter_map(Entry::as_step).find(|step| step.key == key)
    }

    /// Remembers a step, unless there is one under the key.
    pub(super) fn add_step(&mut self, key: &str, result: String, readable: bool) {
        if self.step(key).is_none() {
            let step = StepEntry { key: key.to_owned(), readable, result };
            self.claims.entries.push(Entry::Step(step));
        }
    }

    pub(super) fn app_data(&self) -> Option<&[u8]> {
        self.claims.app_data.as_deref()
    }

    pub(super) fn set_app_data(&mut self, data: Option<Vec<u8>>) {
        self.claims.app_data = data;
    }

    /// Forgets the question under `key` where it had other words, and the steps that came after
    /// it: they may rest on its answer. Says whether there was one.
    pub(super) fn forget_reworded(&mut self, key: &str, digest: AskDigest) -> bool {
        let entries = &mut self.claims.entries;
        let reworded = |entry: &Entry| {
            entry.as_ask().is_some_and(|ask| ask.key == key && ask.digest != digest)
        };
        let Some(at) = entries.iter().position(reworded) else { return false };
        let after = entries.split_off(at + 1);
        entries.truncate(at);
        entries.extend(after.into_iter().filter(|entry| entry.as_ask().is_some()));
        true
    }

    /// Seals the state for the next round. Answers to open questions that the handler did not
    /// come to this time are kept as they came, since the client sends them only once.
    pub(super) fn seal(
        &mut self,
        engine: &Shared,
        request: &Request,
        principal: &Principal,
        asked: &[&str],
    ) -> Result<String> {
        let limits = &engine.limits;
        let limit = |message: String| Err(Error::new(ErrorKind::Limit, message));
        for entry in self.claims.entries.iter_mut().filter_map(Entry::as_ask_mut) {
            if entry.state.is_open()
                && !asked.contains(&entry.key.as_str())
                && let Some(response) = request.input_response(&entry.key)
            {
                entry.state = AskState::Received { response: response.compact() };
            }
        }
        let claims = &mut self.claims;
        if self.new_question {
            claims.question_rounds = claims.question_rounds.saturating_add(1);
            if claims.question_rounds > limits.question_rounds {
                return limit(format!(
                    "the flow has brought new questions in {} rounds already",
                    limits.question_rounds
                ));
            }
        }
        let now = engine.now_ms();
        if now >= claims.deadline_ms {
            return limit("the flow has passed its deadline".to_owned());
        }
        claims.round = claims.round.saturating_add(1);
        claims.issued_ms = now;
        claims.expires_ms = now.saturating_add(limits.round_ttl_ms).min(claims.deadline_ms);
        let (format, rng) = (engine.state_format, engine.rng());
        engine.keyring.seal_state(claims, principal, format, limits.token_bytes, rng)
    }

    /// The link that was given first under `key`.
    pub(super) fn link(&self, key: &str) -> Option<&str> {
        self.position(key).and_then(|at| self.ask_at(at)).and_then(|ask| ask.link.as_deref())
    }
}

fn id_text(id: &[u8; 16]) -> String {
    base64_simd::URL_SAFE_NO_PAD.encode_to_string(id)
}

/// The claims of a presented state, or why it is refused and, where that is sure, of which flow.
fn resume(
    engine: &Shared,
    token: &str,
    now_ms: u64,
    request: RequestDigest,
    principal: &Principal,
) -> Result<Claims, (Refusal, Option<[u8; 16]>)> {
    let limits = &engine.limits;
    let opened =
        engine.keyring.open_state(token, limits.token_bytes).map_err(|refusal| (refusal, None))?;
    let flow_id = *opened.flow_id();
    let expected = Expected {
        now_ms,
        clock_skew_ms: limits.clock_skew_ms,
        question_rounds: limits.question_rounds,
        audience: &engine.audience,
        principal,
        request,
    };
    opened.verify(&expected).map_err(|refusal| (refusal, Some(flow_id)))
}
