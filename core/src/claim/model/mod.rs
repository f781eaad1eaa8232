//! The claim, under the orders that its calls can take.
//!
//! Processes serve one flow at once and claim, finish, give back, hear errors of the store or die
//! at any step, with a lease and without one. The calls are real ones, the store is the source of
//! `MemoryStore` over locks of shuttle's, which decides at each of them who goes on. Small fleets
//! go through every order there is; larger ones through random ones.
//! Protocol: mrtr, server requirement 5, warning ("consumed at most once").

mod fleet;
mod modelled;

use std::sync::atomic::Ordering;
use std::sync::{Arc, Mutex, MutexGuard, PoisonError};

use shuttle::rand::{Rng, thread_rng};
use shuttle::scheduler::{DfsScheduler, PctScheduler, RandomScheduler, Scheduler};
use shuttle::{Config, Runner, thread};

use super::{ClaimOptions, Claimed};
use crate::{Call, ErrorKind};
use fleet::{Fault, Fleet, Plan, WAYS, WHILE_MS, Way, result_of};

/// What has happened so far, as far as everybody must know of it.
#[derive(Default, Debug)]
struct Ledger {
    /// Processes that have won and have not begun to give it back; the dead hold on.
    holding: usize,
    /// Who let the effect happen.
    effects: Vec<usize>,
    /// Whose end stands in the store, and whether its result does.
    end: Option<(usize, bool)>,
}

/// One flow, its processes, and what they have done.
struct Run {
    fleet: Arc<Fleet>,
    plans: Vec<Plan>,
    lease: bool,
    ledger: Mutex<Ledger>,
}

impl Run {
    fn ledger(&self) -> MutexGuard<'_, Ledger> {
        self.ledger.lock().unwrap_or_else(PoisonError::into_inner)
    }

    fn options(&self) -> ClaimOptions {
        match self.lease {
            true => ClaimOptions::new().lease_ms(WHILE_MS).wait_ms(10 * WHILE_MS),
            false => ClaimOptions::new().wait_ms(WHILE_MS),
        }
    }

    /// Over all processes.
    fn sum(&self, of: impl Fn(&fleet::Seen) -> usize) -> usize {
        self.fleet.processes.iter().map(|process| process.line.seen(|seen| of(seen))).sum()
    }

    fn died(&self, me: usize) -> bool {
        self.fleet.processes[me].line.seen(|seen| seen.dead)
    }

    /// Claims until the store has answered; none where the process has died of it.
    fn claim(&self, call: &mut Call, me: usize) -> Option<Claimed> {
        self.fleet.processes[me].line.seen(|seen| seen.ending = false);
        loop {
            // What was so before it began must show in what it finds.
            let (end, held) = {
                let ledger = self.ledger();
                (ledger.end, ledger.holding > 0)
            };
            match call.claim(&self.options()) {
                Ok(claimed) => {
                    self.check(&claimed, me, end, held);
                    return Some(claimed);
                }
                Err(error) => assert!(error.is_retryable() && error.kind() == ErrorKind::Store),
            }
            if self.died(me) {
                return None;
            }
        }
    }

    fn check(&self, claimed: &Claimed, me: usize, end: Option<(usize, bool)>, held: bool) {
        let others = |of: fn(&fleet::Seen) -> bool| {
            let others = self.fleet.processes.iter().enumerate().filter(|(at, _)| *at != me);
            others.map(|(_, other)| other).any(|other| other.line.seen(|seen| of(seen)))
        };
        let passed = self.fleet.passed_ms() >= WHILE_MS;
        if let Some((winner, remembered)) = end {
            match claimed {
                Claimed::Recorded(result) if remembered => {
                    assert_eq!(result.root().raw(), result_of(winner).root().raw());
                }
                Claimed::Already if !remembered => {}
                other => panic!("{me} found {other:?} although {winner} had ended"),
            }
        }
        match claimed {
            Claimed::Won => {
                assert!(!held || self.lease && passed, "{me} won what another holds");
                let mut ledger = self.ledger();
                assert!(ledger.holding == 0 || self.lease && passed, "{me} won it with another");
                ledger.holding += 1;
            }
            Claimed::InProgress => assert!(others(|seen| seen.attempts > 0), "nobody is at it"),
            Claimed::Unknown => assert!(passed && !self.lease, "not yet"),
            Claimed::Already | Claimed::Recorded(_) => {
                assert!(others(|seen| seen.ending), "nobody has ended it");
            }
        }
    }

    fn play(&self, me: usize) {
        let plan = self.plans[me];
        let mut call = self.fleet.open(me);
        let Some(Claimed::Won) = self.claim(&mut call, me) else { return };
        if matches!(plan.way, Way::GiveBack | Way::GiveBackAndFinish) {
            self.give_back(&mut call, me);
            if self.died(me) || plan.way == Way::GiveBack {
                return;
            }
            let Some(Claimed::Won) = self.claim(&mut call, me) else { return };
        }
        if plan.way == Way::DieBeforeTheEffect {
            return;
        }
        self.ledger().effects.push(me);
        if plan.way == Way::DieAfterTheEffect {
            return;
        }
        self.finish(&mut call, me, plan.way == Way::Remember);
    }

    fn give_back(&self, call: &mut Call, me: usize) {
        // From its beginning on it may be another's.
        self.ledger().holding -= 1;
        self.fleet.processes[me].line.seen(|seen| seen.ending = true);
        while call.release_claim().is_err() {
            if self.died(me) {
                return;
            }
        }
        assert!(!call.has_claim());
    }

    fn finish(&self, call: &mut Call, me: usize, remember: bool) {
        let line = &self.fleet.processes[me].line;
        line.seen(|seen| seen.ending = true);
        let result = result_of(me);
        // Whatever the store says, the effect has happened: the result goes out.
        let reply = match remember {
            true => call.complete_and_remember(&result),
            false => call.complete(&result),
        };
        assert!(reply.unwrap().body().contains(&format!(r#""by":{me}"#)));
        if line.seen(|seen| seen.finished) > 0 {
            let earlier = self.ledger().end.replace((me, remember));
            assert_eq!(earlier, None, "it ended twice");
        }
    }

    /// When all is over: what stands in the store is what happened, and nothing is lost.
    fn audit(&self) {
        let (taken, given_back) = (self.sum(|seen| seen.taken), self.sum(|seen| seen.given_back));
        let replaced = self.sum(|seen| seen.replaced);
        let (finished, effects) = (self.sum(|seen| seen.finished), self.ledger().effects.len());
        assert!(self.lease || replaced == 0, "taken away without a lease");
        assert!(effects <= 1 + replaced, "{effects} effects, {replaced} leases over");
        assert!(finished <= 1 && finished <= effects);
        let held = taken.checked_sub(given_back).unwrap();
        // The end of a process that died of it is in the store, and not in the ledger.
        let ended = self.fleet.processes.iter().position(|one| one.line.seen(|s| s.finished > 0));
        self.fleet.now.fetch_add(WHILE_MS, Ordering::Relaxed);
        let last = self.fleet.processes.len() - 1;
        let claimed = self.fleet.open(last).claim(&self.options()).unwrap();
        let result = result_of(ended.unwrap_or(last));
        match (held, ended) {
            (0, None) => assert_eq!(claimed.name(), "won", "free, and lost"),
            (1, None) if self.lease => assert_eq!(claimed.name(), "won", "its lease is over"),
            (1, None) => assert_eq!(claimed.name(), "unknown"),
            (1, Some(winner)) => match (claimed, self.plans[winner].way) {
                (Claimed::Recorded(found), Way::Remember) => {
                    assert_eq!(found.root().raw(), result.root().raw());
                }
                (Claimed::Already, Way::Finish | Way::GiveBackAndFinish) => {}
                other => panic!("{other:?}"),
            },
            other => panic!("{other:?}"),
        }
    }
}

/// Plays the plans at once, time going by beside them where `time` says so.
fn play(fleet: &Arc<Fleet>, plans: Vec<Plan>, lease: bool, time: bool) {
    fleet.begin(&plans);
    let run = Run { fleet: fleet.clone(), plans, lease, ledger: Mutex::default() };
    let run = Arc::new(run);
    let mut threads: Vec<_> = (0..run.plans.len())
        .map(|me| {
            let run = run.clone();
            thread::spawn(move || run.play(me))
        })
        .collect();
    if time {
        let now = fleet.now.clone();
        threads.push(thread::spawn(move || {
            for _ in 0..2 {
                thread::yield_now();
                now.fetch_add(WHILE_MS, Ordering::Relaxed);
            }
        }));
    }
    threads.into_iter().for_each(|thread| thread.join().unwrap());
    run.audit();
}

fn explore(scheduler: impl Scheduler + 'static, play: impl Fn() + Send + Sync + 'static) -> usize {
    Runner::new(scheduler, Config::default()).run(play)
}

/// `MCP_ELICIT_MODEL=N`: every pair of plans, and N random orders, for which `make test` has no time.
fn thorough() -> Option<usize> {
    std::env::var("MCP_ELICIT_MODEL").ok()?.parse().ok()
}

/// Every order of two calls, whatever each of them does.
#[test]
fn two_calls_in_every_order() {
    let fleet = Arc::new(Fleet::new(3));
    // To the store a result more or less, or a death before the effect or after it, is the same.
    let different = [Way::Remember, Way::GiveBack, Way::GiveBackAndFinish, Way::DieAfterTheEffect];
    let ways = if thorough().is_some() { &WAYS[..] } else { &different };
    let mut orders = 0;
    for (at, &one) in ways.iter().enumerate() {
        for &two in &ways[at..] {
            if one == two && one == Way::GiveBackAndFinish && thorough().is_none() {
                continue;
            }
            let fleet = fleet.clone();
            orders += explore(DfsScheduler::new(None, false), move || {
                play(&fleet, vec![one.into(), two.into()], false, false);
            });
        }
    }
    assert!(orders > 2_500, "{orders}");
}

/// Every order of two calls, of which one fails or dies at each of its operations.
#[test]
fn a_call_that_fails_or_dies_beside_another_in_every_order() {
    let fleet = Arc::new(Fleet::new(3));
    let mut orders = 0;
    for way in [Way::Finish, Way::Remember, Way::GiveBackAndFinish] {
        for fault in [Fault::Lost, Fault::Unanswered] {
            for (nth, dies) in [(0, true), (0, false), (1, true), (1, false), (2, true)] {
                let long = fault == Fault::Unanswered && !dies;
                let skipped =
                    way == Way::Finish || way == Way::GiveBackAndFinish && (nth != 1 || long);
                if skipped && thorough().is_none() {
                    continue;
                }
                let failing = Plan { way, fault: Some((nth, fault)), dies };
                let fleet = fleet.clone();
                orders += explore(DfsScheduler::new(None, false), move || {
                    play(&fleet, vec![failing, Way::Remember.into()], false, false);
                });
            }
        }
    }
    assert!(orders > 2_500, "{orders}");
}

/// Three calls and the time, at random: any of them may fail or die at any step.
#[test]
fn three_calls_and_the_time_at_random() {
    let count = thorough().unwrap_or(500);
    for lease in [false, true] {
        let fleet = Arc::new(Fleet::new(4));
        let random = move || play(&fleet, (0..3).map(|_| any_plan()).collect(), lease, true);
        let random = Arc::new(random);
        let again = random.clone();
        explore(RandomScheduler::new(count), move || random());
        explore(PctScheduler::new(3, count), move || again());
    }
}

fn any_plan() -> Plan {
    let mut rng = thread_rng();
    let fault = if rng.gen_bool(0.5) { Fault::Lost } else { Fault::Unanswered };
    let fails = rng.gen_bool(0.4);
    Plan {
        way: WAYS[rng.gen_range(0..WAYS.len())],
        fault: fails.then(|| (rng.gen_range(0..4), fault)),
        dies: rng.gen_bool(0.5),
    }
}
