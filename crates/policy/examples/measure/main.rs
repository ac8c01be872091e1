//! Measures the time of a decision with 10,000 principals and 100,000 grants. `cargo xtask bench policy` runs it.

mod gateway;

use std::fmt::Write as _;
use std::hint::black_box;
use std::io::Write as _;
use std::process::ExitCode;
use std::time::{Duration, Instant};

use gateway::{Gateway, Random};
use model::{RequestId, Timestamp};
use policy::{Answer, Approvals, Bounds, Call, Limits, Rate, Rates};

/// The time that a decision may take.
const BOUND: Duration = Duration::from_micros(5);
/// The number of measurements of each operation.
const ROUNDS: usize = 200_000;

fn main() -> ExitCode {
    let seed = match std::env::args().skip(1).collect::<Vec<_>>().as_slice() {
        [] => 7,
        [name, seed] if name == "--seed" && seed.parse::<u64>().is_ok() => seed.parse().unwrap_or(7),
        _ => {
            eprintln!("say `measure [--seed N]`");
            return ExitCode::from(2);
        }
    };
    let mut random = Random(seed);
    let started = Instant::now();
    let gateway = Gateway::build(&mut random);
    let mut table = Table::default();
    write!(
        table.text,
        "{} principals, {} grants, {} servers with {} tools each; built in {} ms; seed {seed}.\n\n| what | p50 µs | p99 µs | bound |\n|---|---:|---:|---:|\n",
        gateway::PRINCIPALS,
        gateway::GRANTS,
        gateway::SERVERS,
        gateway::TOOLS,
        started.elapsed().as_millis()
    )
    .expect("a string takes it");
    table.row("calibration loop: a thousand rounds of a hash", 2000, None, |_| {
        black_box(calibrate(black_box(b"a byte after the other")));
    });
    questions(&mut table, &gateway, &mut random);
    others(&mut table, &gateway, &mut random);
    // A reader that has ended (`| head`) is not our error.
    std::io::stdout().write_all(table.text.as_bytes()).ok();
    if table.over { ExitCode::FAILURE } else { ExitCode::SUCCESS }
}

/// Measures decisions, each about another principal and another tool.
fn questions(table: &mut Table, gateway: &Gateway, random: &mut Random) {
    let kinds = [
        (
            "a call that a grant of the tool allows",
            gateway.questions(random, ROUNDS, gateway::Kind::Granted),
        ),
        (
            "a call of any principal to any tool, mostly denied",
            gateway.questions(random, ROUNDS, gateway::Kind::Anything),
        ),
        ("the same, with a token", gateway.questions(random, ROUNDS, gateway::Kind::Token)),
        (
            "a dangerous call, to be confirmed",
            gateway.questions(random, ROUNDS, gateway::Kind::Dangerous),
        ),
    ];
    for (name, questions) in kinds {
        table.row(name, ROUNDS, Some(BOUND), |round| {
            black_box(questions[round % questions.len()].decide(black_box(&gateway.policy)).is_allowed());
        });
    }
    let questions = gateway.questions(random, ROUNDS, gateway::Kind::Granted);
    table.row("whether a decision still stands", ROUNDS, Some(BOUND), |round| {
        black_box(questions[round % questions.len()].stands(black_box(&gateway.policy)));
    });
}

/// Measures other operations. They have no bound but the patience of the people who wait for them.
fn others(table: &mut Table, gateway: &Gateway, random: &mut Random) {
    let viewers = gateway.questions(random, 200, gateway::Kind::Anything);
    table.row("what of a list of 1,000 tools is visible", 200, None, |round| {
        black_box(gateway.visible(&viewers[round], 1000));
    });
    let mut policy = gateway.policy.clone();
    let grants = gateway.grants(random, 2000);
    table.row("one grant more: the next version of the policy", 2000, None, |round| {
        let mut edit = policy.edit();
        edit.grant(grants[round].clone());
        policy = edit.finish();
    });
    let mut approvals = Approvals::new(Bounds::default());
    let calls: Vec<Call> = gateway
        .questions(random, 2000, gateway::Kind::Dangerous)
        .iter()
        .map(gateway::Question::as_call)
        .collect();
    let root = model::PrincipalId::new("root");
    table.row("an approval: asked, decided, redeemed", 2000, None, |round| {
        let (now, id) = (
            Timestamp(i64::try_from(round).expect("a small number")),
            RequestId::new(&round.to_string()),
        );
        approvals
            .ask(now, &gateway.policy, id.clone(), calls[round].clone(), 1000)
            .expect("room");
        approvals.decide(now, &id, Answer::Approve, root.clone()).expect("it waits");
        black_box(approvals.redeem(now, &gateway.policy, &calls[round]).expect("a consent"));
    });
    let rate = Rate {
        calls: 100,
        per: Duration::from_secs(1),
    };
    let mut limits = Limits::new(Rates {
        principal: Some(rate),
        server: Some(rate),
        tool: Some(rate),
        ..Rates::default()
    });
    let start = Instant::now();
    let questions = gateway.questions(random, ROUNDS, gateway::Kind::Anything);
    table.row("rate limits of principal, server and tool", ROUNDS, None, |round| {
        let (question, now) = (
            &questions[round],
            start + Duration::from_micros(u64::try_from(round).expect("a small number")),
        );
        black_box(limits.arrives(now, &question.principal.id).is_ok());
        black_box(limits.leaves(now, &question.tool.server, &question.tool.name).is_ok());
    });
}

#[derive(Default)]
struct Table {
    text: String,
    over: bool,
}

impl Table {
    /// Measures an operation so many times, after a tenth of that to warm up.
    fn row(&mut self, name: &str, rounds: usize, bound: Option<Duration>, mut run: impl FnMut(usize)) {
        let mut samples: Vec<Duration> = (0..rounds)
            .map(|round| {
                let start = Instant::now();
                run(round);
                start.elapsed()
            })
            .skip(rounds / 10)
            .collect();
        samples.sort_unstable();
        let (p50, p99) = (samples[samples.len() / 2], samples[samples.len() * 99 / 100]);
        let over = bound.is_some_and(|bound| p99 > bound);
        self.over |= over;
        let bound = bound.map_or_else(|| "–".to_owned(), |bound| bound.as_micros().to_string());
        let micros = |time: Duration| time.as_secs_f64() * 1e6;
        let mark = if over { " (over)" } else { "" };
        writeln!(self.text, "| {name} | {:.2} | {:.2} | {bound}{mark} |", micros(p50), micros(p99)).expect("a string takes it");
    }
}

/// Returns a number that grows when the machine is slow.
fn calibrate(bytes: &[u8]) -> u64 {
    let mut hash = 0xcbf2_9ce4_8422_2325_u64;
    for round in 0..1000_u64 {
        for byte in bytes {
            hash = (hash ^ u64::from(*byte) ^ round).wrapping_mul(0x0100_0000_01b3);
        }
    }
    hash
}
