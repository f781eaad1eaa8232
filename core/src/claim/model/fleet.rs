//! Processes of a fleet that serve one flow: each with an engine of its own and a line to the store
//! that they share, which can fail, and on which a process can die.

use std::sync::atomic::{AtomicU64, Ordering};
use std::sync::{Arc, Mutex, MutexGuard, PoisonError};

use super::modelled::MemoryStore;
use crate::store::{Store, StoreError, StoreOp, StoreReply};
use crate::{Call, Caller, Engine, Form, Json, Keyring, Principal};

pub(super) const START: u64 = 1_800_000_000_000;
/// The lease of a claim where there is one, and else the wait.
pub(super) const WHILE_MS: u64 = 1_000;

/// What a call does when it has won.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Way {
    Finish,
    Remember,
    GiveBack,
    /// Gives it back, thinks better of it, claims again and finishes.
    GiveBackAndFinish,
    DieBeforeTheEffect,
    DieAfterTheEffect,
}

pub(super) const WAYS: [Way; 6] = [
    Way::Finish,
    Way::Remember,
    Way::GiveBack,
    Way::GiveBackAndFinish,
    Way::DieBeforeTheEffect,
    Way::DieAfterTheEffect,
];

/// What becomes of one operation.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Fault {
    /// It never came to the store.
    Lost,
    /// It was carried out, and its answer never came.
    Unanswered,
}

/// What a process is going to do, and what is going to happen to it.
#[derive(Clone, Copy, Debug)]
pub(super) struct Plan {
    pub(super) way: Way,
    /// Which of its operations fails, counted from 0, and how.
    pub(super) fault: Option<(usize, Fault)>,
    /// Whether it dies of that, or hears an error and tries again.
    pub(super) dies: bool,
}

impl From<Way> for Plan {
    fn from(way: Way) -> Self {
        Self { way, fault: None, dies: false }
    }
}

/// What really happened on a line, whatever the process has heard of it.
#[derive(Default, Debug)]
pub(super) struct Seen {
    operations: usize,
    /// The process is ending its claim, not taking one.
    pub(super) ending: bool,
    pub(super) dead: bool,
    /// Takes that were begun.
    pub(super) attempts: usize,
    /// Takes of what was free.
    pub(super) taken: usize,
    /// Takes of what another had, when its lease was over.
    pub(super) replaced: usize,
    pub(super) finished: usize,
    pub(super) given_back: usize,
}

/// A process's way to the store.
#[derive(Default)]
pub(super) struct Line(Mutex<State>);

#[derive(Default)]
struct State {
    store: Option<Arc<MemoryStore>>,
    plan: Option<Plan>,
    seen: Seen,
}

impl Line {
    /// Never held where another thread may go on.
    fn state(&self) -> MutexGuard<'_, State> {
        self.0.lock().unwrap_or_else(PoisonError::into_inner)
    }

    pub(super) fn seen<T>(&self, look: impl FnOnce(&mut Seen) -> T) -> T {
        look(&mut self.state().seen)
    }
}

impl Store for Line {
    fn execute(&self, op: &StoreOp) -> Result<StoreReply, StoreError> {
        let (store, plan, fault) = {
            let mut state = self.state();
            assert!(!state.seen.dead, "the dead ask for nothing");
            let (at, plan) = (state.seen.operations, state.plan.unwrap());
            state.seen.operations += 1;
            state.seen.attempts += usize::from(!state.seen.ending);
            let fault = plan.fault.filter(|(nth, _)| *nth == at).map(|(_, fault)| fault);
            (state.store.clone().unwrap(), plan, fault)
        };
        let reply = match fault {
            Some(Fault::Lost) => Err(StoreError::Unavailable("cut".to_owned())),
            _ => store.execute(op),
        };
        let mut state = self.state();
        let seen = &mut state.seen;
        if reply == Ok(StoreReply::Done) {
            *match op {
                StoreOp::CompareAndDelete { .. } => &mut seen.given_back,
                StoreOp::CompareAndSet { .. } if seen.ending => &mut seen.finished,
                StoreOp::CompareAndSet { .. } => &mut seen.replaced,
                _ => &mut seen.taken,
            } += 1;
        }
        if fault.is_some() {
            seen.dead = plan.dies;
            return Err(StoreError::Unavailable("cut".to_owned()));
        }
        reply
    }
}

/// One process: what it has for one flow.
pub(super) struct Process {
    engine: Engine,
    pub(super) line: Arc<Line>,
}

pub(super) struct Fleet {
    pub(super) processes: Vec<Process>,
    /// By which all of them go.
    pub(super) now: Arc<AtomicU64>,
    /// The last round of the flow: whoever serves it may claim.
    request: String,
}

const KEYS: &str = "000102030405060708090a0b0c0d0e0f101112131415161718191a1b1c1d1e1f";

impl Fleet {
    pub(super) fn new(processes: usize) -> Self {
        let now = Arc::new(AtomicU64::new(START));
        let make = || {
            let (line, clock) = (Arc::new(Line::default()), now.clone());
            let engine = Engine::builder()
                .keys(Keyring::from_text(KEYS).unwrap())
                .audience("payments")
                .clock(move || clock.load(Ordering::Relaxed))
                .store(line.clone())
                .build()
                .unwrap();
            Process { engine, line }
        };
        let processes: Vec<_> = (0..processes).map(|_| make()).collect();
        let request = request(&processes[0].engine);
        Self { processes, now, request }
    }

    /// An empty store, and nothing has happened yet.
    pub(super) fn begin(&self, plans: &[Plan]) {
        self.now.store(START, Ordering::Relaxed);
        let store = Arc::new(MemoryStore::new());
        for (at, process) in self.processes.iter().enumerate() {
            let plan = plans.get(at).copied().unwrap_or(Plan::from(Way::Finish));
            let (store, plan) = (Some(store.clone()), Some(plan));
            *process.line.state() = State { store, plan, seen: Seen::default() };
        }
    }

    /// The call that serves the last round, in one of the processes.
    pub(super) fn open(&self, process: usize) -> Call {
        let caller = Caller::new(Principal::single_user());
        self.processes[process].engine.open(self.request.as_bytes(), &caller).unwrap()
    }

    pub(super) fn passed_ms(&self) -> u64 {
        self.now.load(Ordering::Relaxed) - START
    }
}

/// The second round of a new flow.
fn request(engine: &Engine) -> String {
    let request = |rest: &str| {
        format!(
            r#"{{"jsonrpc":"2.0","id":1,"method":"tools/call","params":{{"name":"pay",{rest}"_meta":{{"io.modelcontextprotocol/protocolVersion":"2026-07-28","io.modelcontextprotocol/clientCapabilities":{{"elicitation":{{}}}}}}}}}}"#
        )
    };
    let form = r#"{"type":"object","properties":{"a":{"type":"string","title":"A"}}}"#;
    let caller = Caller::new(Principal::single_user());
    let mut call = engine.open(request("").as_bytes(), &caller).unwrap();
    call.elicit_form("sure", "Pay?", &Form::parse(form).unwrap()).unwrap();
    let reply = call.suspend().unwrap();
    let body: serde_json::Value = serde_json::from_str(reply.body()).unwrap();
    let state = body["result"]["requestState"].as_str().unwrap();
    request(&format!(r#""requestState":"{state}","#))
}

/// The result of the effect as this process had it.
pub(super) fn result_of(process: usize) -> Json {
    Json::parse(format!(r#"{{"content":[],"structuredContent":{{"by":{process}}}}}"#)).unwrap()
}
