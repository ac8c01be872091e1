//! A whole gateway is killed at random moments under load, over and over, and started again on the same store: what was answered is in force
//! and on record, what was not has happened once or not at all, and no call has reached a server that is not on record.
//!
//! The load comes over HTTP: agents who call tools, one of them a dangerous one that an operator approves, and operators who grant, revoke,
//! make tokens and decide about permissions. One server is reached over HTTP and lives in this process; what reaches the other, a child of the
//! gateway, is copied into a file.

mod actors;
mod check;
mod gateway;
mod known;
mod upstream;

use std::ops::Range;
use std::sync::atomic::{AtomicBool, Ordering};
use std::sync::{Condvar, Mutex};
use std::time::{Duration, Instant};

use crate::http::Http;
use gateway::Gateway;
use known::Known;
use upstream::Upstream;

/// How many rounds one store lives.
const LIFE: usize = 20;
/// How many answers a round has at most before the kill.
const MOST_ANSWERS: u64 = 150;
/// How long a round may take to have them.
const PATIENCE: Duration = Duration::from_secs(60);

#[test]
fn twenty_kills_of_a_gateway_lose_nothing_and_do_nothing_twice() {
    kills(20);
}

/// `cargo xtask soak gateway`.
#[test]
#[ignore = "long: cargo xtask soak gateway"]
fn soak_gateway_is_killed() {
    kills(500);
}

fn kills(count: usize) {
    let seed = std::env::var("SOAK_SEED")
        .ok()
        .and_then(|seed| seed.parse().ok())
        .unwrap_or(20_261_122);
    eprintln!("SOAK_SEED={seed}");
    let mut random = fastrand::Rng::with_seed(seed);
    let upstream = Upstream::start();
    let mut counted = Counted::default();
    let (mut done, mut life) = (0, 0);
    while done < count {
        let rounds = LIFE.min(count - done);
        let at = format!("SOAK_SEED={seed}, life {life}");
        live(done..done + rounds, &at, &upstream, &mut random, &mut counted);
        (done, life) = (done + rounds, life + 1);
        eprintln!("{done} of {count} kills: {counted:?}");
    }
    let Counted {
        answers,
        seen,
        unanswered,
        early,
    } = counted;
    assert!(
        answers > 0 && seen > 0 && unanswered > 0,
        "nothing was under way when the gateway was killed"
    );
    assert!(early > 0 || count < 100, "no gateway was killed while it started");
}

/// What a run has seen, to show that it has seen something.
#[derive(Debug, Default)]
struct Counted {
    /// What was answered.
    answers: u64,
    /// Calls that reached a server.
    seen: u64,
    /// What was asked and not answered.
    unanswered: u64,
    /// Kills before a client was served.
    early: u64,
}

/// One store, from its making until after its last kill.
fn live(rounds: Range<usize>, at: &str, upstream: &Upstream, random: &mut fastrand::Rng, counted: &mut Counted) {
    let place = gateway::Place::new(upstream, random.bool());
    let shared = Shared::new(&place, upstream);
    for round in rounds {
        let at = format!("{at}, round {round}");
        if random.u8(..8) == 0 {
            gateway::killed_while_starting(&place, Duration::from_micros(random.u64(..300_000)));
            counted.early += 1;
            continue;
        }
        let gateway = Gateway::start(&place);
        check::all(&shared, &place, &gateway, &at, random);
        let wanted = shared.answers() + random.u64(1..MOST_ANSWERS);
        let pause = Duration::from_micros(random.u64(..3000));
        let seeds: [u64; actors::COUNT] = std::array::from_fn(|_| random.u64(..));
        std::thread::scope(|scope| {
            shared.ending.store(false, Ordering::SeqCst);
            actors::start(scope, &shared, &gateway.address, round, seeds);
            shared.wait_for_answers(wanted);
            spin(pause);
            shared.ending.store(true, Ordering::SeqCst);
            gateway.kill();
        });
        counted.unanswered += shared.known().unanswered();
    }
    let gateway = Gateway::start(&place);
    check::all(&shared, &place, &gateway, at, random);
    gateway.end();
    // The child has ended and has copied everything that reached it.
    counted.seen += check::calls_on_record(&shared, &place, at);
    counted.answers += shared.answers();
}

/// Waits without giving the processor away: for less time than a scheduler deals in.
fn spin(pause: Duration) {
    let since = Instant::now();
    while since.elapsed() < pause {
        std::hint::spin_loop();
    }
}

/// What the actors share.
struct Shared<'a> {
    upstream: &'a Upstream,
    known: Mutex<Known>,
    /// Credentials that were answered before the first kill.
    operator: String,
    caller: String,
    /// Whether the gateway is about to be killed: from then on connections break.
    ending: AtomicBool,
    answers: Mutex<u64>,
    answered: Condvar,
}

impl<'a> Shared<'a> {
    fn new(place: &gateway::Place, upstream: &'a Upstream) -> Self {
        Self {
            upstream,
            known: Mutex::default(),
            operator: place.token("olga", "operator"),
            caller: place.token("caller", "agent"),
            ending: AtomicBool::default(),
            answers: Mutex::default(),
            answered: Condvar::new(),
        }
    }

    fn known(&self) -> std::sync::MutexGuard<'_, Known> {
        self.known.lock().expect("no actor panics while it holds this")
    }

    fn operator(&self, address: &str) -> Http {
        Http::new(address, Some(&self.operator))
    }

    fn is_ending(&self) -> bool {
        self.ending.load(Ordering::SeqCst)
    }

    fn answers(&self) -> u64 {
        *self.answers.lock().expect("a number")
    }

    /// Counts an answer.
    fn count(&self) {
        *self.answers.lock().expect("a number") += 1;
        self.answered.notify_all();
    }

    fn wait_for_answers(&self, wanted: u64) {
        let answers = self.answers.lock().expect("a number");
        let waited = self.answered.wait_timeout_while(answers, PATIENCE, |answers| *answers < wanted);
        let (answers, timeout) = waited.expect("a number");
        // Not a panic: the task that stopped answering says why, once the gateway is gone.
        if timeout.timed_out() {
            eprintln!("only {answers} of {wanted} answers came in {PATIENCE:?}");
        }
    }
}
