//! Tests that work ends soon after it is cancelled: reading, analysis, evaluation, explanation.

use std::{
    fs,
    path::{Path, PathBuf},
    sync::{Arc, mpsc},
    thread,
    time::{Duration, Instant},
};

use mangle::{
    analysis::constant,
    eval::{Budget, Cancel, EvalError, Evaluation, Limit, Model, Options, Running},
    explain::{Explainer, Life, coverage},
    program::{FactBlock, Facts, Interval, PredId, RuleId},
    syntax::{Bounds, Dialect, Sources, ast::BoundKind, parse, parse_within},
    value::{Interner, Value},
};

use crate::{
    budgets::{WIDE, read_within, run},
    engine::{Source, load},
    runaways::{BURDENS, Burden, RUNAWAYS, Runaway, TRAPS, burden, program},
};

/// Returns the CPU time of a thread, so that other load on the machine does not count.
pub(crate) fn at_work(thread: &Path) -> Duration {
    let stat = fs::read_to_string(thread.join("schedstat")).expect("Linux counts it");
    let nanos = stat.split_whitespace().next().and_then(|nanos| nanos.parse().ok());
    Duration::from_nanos(nanos.expect("its first number"))
}

/// The time after which most tests cancel.
const SOON: Duration = Duration::from_millis(100);

/// Runs `work` on a thread of its own, cancels it after some time, and returns how long it went on after that; `None`
/// if it ended before.
fn after_cancelling(cancel: &Cancel, when: Duration, work: impl FnOnce() + Send + 'static) -> Option<Duration> {
    let (started, thread) = mpsc::sync_channel(1);
    let (done, ended) = mpsc::sync_channel(1);
    // The thread stays until its CPU time has been read.
    let (looked, leave) = mpsc::sync_channel::<()>(1);
    let run = thread::spawn(move || {
        let own: PathBuf = fs::canonicalize("/proc/thread-self").expect("Linux");
        started.send(own.clone()).expect("somebody waits");
        work();
        done.send(at_work(&own)).expect("somebody waits");
        let _left = leave.recv();
    });
    let thread = thread.recv().expect("it starts");
    let took = match ended.recv_timeout(when) {
        Ok(_) => None,
        Err(_) => {
            let before = at_work(&thread);
            cancel.cancel();
            Some(ended.recv().expect("no panic").saturating_sub(before))
        }
    };
    drop(looked);
    run.join().expect("no panic");
    took
}

/// Evaluates until it is cancelled, or until its memory is full; a few programs finish in some seconds.
fn evaluate(runaway: Runaway, cancel: Cancel) {
    let options = Options {
        cancel,
        budget: WIDE,
        ..Options::default()
    };
    let stopped = match run(program(&runaway), &options) {
        Ok(_) => true,
        Err(EvalError::Exceeded(exceeded)) => matches!(exceeded.limit, Limit::Cancelled | Limit::Bytes),
        Err(_) => false,
    };
    assert!(stopped, "{}", runaway.name);
}

/// Returns how long an evaluation goes on after it was cancelled at this moment; `None` if it ended before.
fn evaluated(runaway: Runaway, when: Duration) -> Option<Duration> {
    let cancel = Cancel::default();
    let flag = cancel.clone();
    after_cancelling(&flag, when, move || evaluate(runaway, cancel))
}

#[test]
fn a_cancelled_evaluation_ends_within_a_tenth_of_a_second() {
    for &runaway in RUNAWAYS {
        let took = evaluated(runaway, SOON);
        assert!(
            took.is_none_or(|took| took < Duration::from_millis(100)),
            "{}: {took:?}",
            runaway.name
        );
    }
}

/// Returns moments all over a piece of work, of which only the first seconds are used.
fn moments(work: impl FnOnce(Cancel) + Send + 'static) -> impl Iterator<Item = Duration> {
    const COUNT: u32 = 32;
    const LONGEST: Duration = Duration::from_secs(4);
    let cancel = Cancel::default();
    let flag = cancel.clone();
    let begun = Instant::now();
    after_cancelling(&flag, LONGEST, move || work(cancel));
    let step = begun.elapsed().min(LONGEST) / COUNT;
    (0..COUNT).map(move |moment| step * moment + Duration::from_millis(1))
}

/// Returns and prints the longest of many durations.
fn worst(name: &'static str, all: impl Iterator<Item = Duration>) -> (&'static str, Duration) {
    let worst = all.max().unwrap_or_default();
    eprintln!("{name}: {worst:?}");
    (name, worst)
}

/// Cancels evaluations of up to a GiB at many moments.
#[test]
#[ignore = "long: cargo xtask soak mangle"]
fn soak_mangle_cancel_evaluations() {
    let all: Vec<(&str, Duration)> = RUNAWAYS
        .iter()
        .map(|&runaway| {
            let moments = moments(move |cancel| evaluate(runaway, cancel));
            worst(runaway.name, moments.map_while(|when| evaluated(runaway, when)))
        })
        .collect();
    assert!(all.iter().all(|(_, worst)| *worst < Duration::from_millis(100)), "{all:#?}");
}

#[test]
fn what_is_one_token_can_be_cancelled_while_it_is_read() {
    const LONG: usize = 300 << 20;
    let long: [Burden; 4] = [
        ("a comment", || format!("p(1). #{}", "x".repeat(LONG))),
        ("blanks", || format!("p(1). {}", " \n".repeat(LONG / 2))),
        ("a string", || format!("p(\"{}\").", "x".repeat(LONG))),
        ("a string without an end", || format!("p(1). p(\"{}", "\\x".repeat(LONG / 2))),
    ];
    for (name, text) in long {
        let sources = burden(&text());
        for moment in [1, 10, 30] {
            let cancel = Cancel::default();
            let bounds = Bounds {
                cancel: cancel.clone(),
                ..Bounds::default()
            };
            let sources = sources.clone();
            let took = after_cancelling(&cancel, Duration::from_millis(moment), move || {
                let source = sources.get(0).expect("it was just added");
                drop(parse_within(source, Dialect::Extended, &bounds));
            });
            assert!(took.is_none_or(|took| took < Duration::from_millis(30)), "{name}: {took:?}");
        }
    }
}

#[test]
fn very_many_rows_can_be_cancelled_while_they_are_taken_in_and_indexed() {
    const ROWS: i64 = 1_500_000;
    let source = Source {
        name: "rows".to_owned(),
        text: "Decl e(X, Y) bound [/number, /number]. r(X, Z) :- e(X, Y), e(Y, Z), X > 10000000.".to_owned(),
    };
    let program = load(&[source], Dialect::Strict).expect("nothing is wrong with it");
    // Numbers of this size are stored in the word itself.
    let mut interner = Interner::new();
    for moment in 0..8 {
        let (program, cancel) = (Arc::clone(&program), Cancel::default());
        let options = Options {
            cancel: cancel.clone(),
            budget: WIDE,
            ..Options::default()
        };
        // Far apart, and in no order.
        let scattered = |number: i64| number.wrapping_mul(0x9e37_79b9_7f4a_7c15_u64 as i64) >> 20;
        let rows = (0..ROWS).flat_map(|number| [scattered(number), scattered(number + 1)]);
        let block = FactBlock {
            pred: program.find("e", 2).expect("it is declared"),
            len: ROWS as usize,
            rows: rows.map(|number| interner.number(number)).collect(),
            times: Vec::new(),
        };
        let facts = Facts { blocks: vec![block] };
        let when = Duration::from_millis(20 + 120 * moment);
        let took = after_cancelling(&cancel, when, move || {
            let mut evaluation = Evaluation::new(program, &options).expect("no facts yet");
            let ended = evaluation.give(&facts).and_then(|()| evaluation.run());
            drop(ended);
        });
        assert!(took.is_none_or(|took| took < Duration::from_millis(100)), "{moment}: {took:?}");
    }
}

#[test]
fn reading_and_analysing_can_be_cancelled() {
    let wide = u64::MAX;
    for (name, text) in BURDENS {
        let cancel = Cancel::default();
        let bounds = Bounds {
            bytes: wide,
            cancel: cancel.clone(),
        };
        let sources = burden(&text());
        let took = after_cancelling(&cancel, SOON, move || drop(read_within(&sources, &bounds)));
        // Freeing the memory of half a tree is included.
        assert!(took.is_none_or(|took| took < Duration::from_millis(LEEWAY)), "{name}: {took:?}");
    }
}

/// How many milliseconds a cancelled analysis may go on; more in a build that is not optimised.
const LEEWAY: u64 = if cfg!(debug_assertions) { 300 } else { 100 };

/// Cancels analyses within the default bounds at many moments.
#[test]
#[ignore = "long: cargo xtask soak mangle"]
fn soak_mangle_cancel() {
    let mut all = Vec::new();
    for (name, text) in BURDENS.iter().chain(TRAPS) {
        let sources = burden(&text());
        let read = |sources: Sources, cancel: Cancel| {
            let bounds = Bounds {
                cancel,
                ..Bounds::default()
            };
            drop(read_within(&sources, &bounds));
        };
        let whole = sources.clone();
        let moments = moments(move |cancel| read(whole, cancel));
        let took = moments.map_while(|when| {
            let (sources, cancel) = (sources.clone(), Cancel::default());
            let flag = cancel.clone();
            after_cancelling(&flag, when, move || read(sources, cancel))
        });
        all.push(worst(name, took));
    }
    assert!(all.iter().all(|(_, worst)| *worst < Duration::from_millis(LEEWAY)), "{all:#?}");
}

/// A program, and a fact of it that takes long to explain.
#[derive(Clone, Copy, Debug)]
struct Riddle {
    name: &'static str,
    text: fn() -> String,
    fact: &'static str,
    holds: bool,
}

/// Returns a hundred facts of `m`.
fn hundred() -> String {
    (0..100).map(|n| format!("m({n}). ")).collect()
}

const RIDDLES: &[Riddle] = &[
    Riddle {
        name: "a group of very many rows",
        text: || hundred() + "count(N) :- m(A), m(B), m(C), C < 9 |> do fn:group_by(), let N = fn:count().",
        fact: "count(90000)",
        holds: true,
    },
    Riddle {
        name: "a long way back",
        text: || "s(0). s(Y) :- s(X), X < 20000, Y = fn:plus(X, 1).".to_owned(),
        fact: "s(20000)",
        holds: true,
    },
    Riddle {
        name: "a long way back in time",
        text: || {
            hundred()
                + "Decl a(X) temporal bound [/number]. a(X)@[2024-01-01] :- m(X). \
                   a(X)@[U] :- a(X)@[T], :time:lt(T, 2024-01-01T00:10:00Z), U = fn:time:add(T, 2s)."
        },
        fact: "a(7)@[2024-01-01T00:10:00Z]",
        holds: true,
    },
    Riddle {
        name: "what many facts were merged to",
        text: || {
            "Decl most(X, N) descr [fundep([X], [N]), merge([N], \"more\")]. \
             Decl more(A, B, C) descr [mode(\"+\", \"+\", \"-\"), deferred()]. \
             more(A, B, C) :- A >= B, C = A. more(A, B, C) :- B > A, C = B. \
             most(0, 0). most(Y, D) :- most(X, E), X < 10, E < 900, next(X, Y), D = fn:plus(E, 1). "
                .to_owned()
                + &(0..10).map(|n| format!("next({n}, {}). ", (n + 1) % 10)).collect::<String>()
        },
        fact: "most(0, 900)",
        holds: true,
    },
    Riddle {
        name: "nothing of very many",
        text: || hundred() + "Decl none(X) descr [extensional()]. no(A) :- m(A), m(B), m(C), m(D), m(E), none(F).",
        fact: "no(5)",
        holds: false,
    },
    Riddle {
        name: "very many rules that might have been",
        text: || {
            let rules: String = (0..4_000).map(|n| format!("p(X, {n}) :- b(X), c(X, Y), Y > {n}. ")).collect();
            format!("b(1). b(2). c(1, 30000). c(2, 0). {rules}")
        },
        fact: "p(2, 7)",
        holds: false,
    },
    Riddle {
        name: "very long rules that might have been",
        text: || {
            let premises: String = (0..200).map(|n| format!(", c(X{n}, X{})", n + 1)).collect();
            let rules: String = (1..=40).map(|n| format!("p(X0) :- b(X0){premises}, X0 > {n}. ")).collect();
            format!("b(1). c(1, 1). {rules}")
        },
        fact: "p(1)",
        holds: false,
    },
];

fn model(riddle: &Riddle) -> Arc<Model> {
    let source = Source {
        name: riddle.name.to_owned(),
        text: (riddle.text)(),
    };
    let program = load(&[source], Dialect::Extended).unwrap_or_else(|codes| panic!("{}: {codes:?}", riddle.name));
    let options = Options {
        budget: WIDE,
        ..Options::default()
    };
    match Evaluation::new(program, &options).and_then(Evaluation::run) {
        Ok(Running::Done(model)) => Arc::new(*model),
        other => panic!("{}: {other:?}", riddle.name),
    }
}

/// Returns the predicate and the arguments of a fact to be explained, and the time in question.
fn question(riddle: &Riddle, model: &Model, interner: &mut Interner) -> (PredId, Vec<Value>, Option<Interval>) {
    let sources = Sources::of("fact", &format!("{} .", riddle.fact)).expect("it is short");
    let parsed = parse(sources.get(0).expect("it was just added"), Dialect::Extended);
    let clause = parsed.unit.clauses().next().expect("a fact");
    let args = &clause.head.args;
    let pred = model
        .program()
        .find(&clause.head.predicate.text, args.len())
        .expect("it is in the program");
    let args = args.iter().map(|arg| constant(arg, interner).expect("a constant")).collect();
    let time = clause.time.as_ref().map(|time| match time.start.kind {
        BoundKind::Time(nanos) => Interval::at(nanos),
        _ => panic!("{}: a point in time", riddle.name),
    });
    (pred, args, time)
}

/// Explains the fact, to the last line of the text.
fn explain(riddle: &Riddle, model: &Model, budget: Budget, cancel: Cancel) -> Result<String, EvalError> {
    let mut explainer = Explainer::new(model, budget, cancel);
    let (pred, args, time) = question(riddle, model, explainer.interner());
    let rule = |rule: RuleId| format!("{rule:?}");
    if riddle.holds {
        let proof = explainer.why(pred, &args, time)?;
        let proof = proof.unwrap_or_else(|| panic!("{}: it holds", riddle.name));
        explainer.proof_text(&proof, &rule)
    } else {
        let why_not = explainer.why_not(pred, &args, None)?;
        let why_not = why_not.unwrap_or_else(|| panic!("{}: it does not hold", riddle.name));
        explainer.why_not_text(&why_not, &rule, &|_, _| None)
    }
}

/// Returns how long an explanation goes on after it was cancelled at this moment; `None` if it ended before.
fn explained(riddle: Riddle, model: &Arc<Model>, when: Duration) -> Option<Duration> {
    let (model, cancel) = (Arc::clone(model), Cancel::default());
    let flag = cancel.clone();
    after_cancelling(&flag, when, move || drop(explain(&riddle, &model, WIDE, cancel)))
}

#[test]
fn an_explanation_is_not_begun_once_it_is_cancelled() {
    for riddle in RIDDLES {
        let (model, cancel) = (model(riddle), Cancel::default());
        cancel.cancel();
        match explain(riddle, &model, WIDE, cancel) {
            Err(EvalError::Exceeded(exceeded)) => assert_eq!(exceeded.limit, Limit::Cancelled, "{}", riddle.name),
            other => panic!("{}: {other:?}", riddle.name),
        }
    }
}

#[test]
fn a_cancelled_explanation_ends_within_a_tenth_of_a_second() {
    for riddle in RIDDLES {
        let model = model(riddle);
        for moment in 0..3 {
            let took = explained(*riddle, &model, Duration::from_millis(20 + 130 * moment));
            assert!(
                took.is_none_or(|took| took < Duration::from_millis(100)),
                "{}: {took:?}",
                riddle.name
            );
        }
    }
}

#[test]
fn an_explanation_has_a_budget() {
    let (mut too_large, mut too_long) = (0, 0);
    for riddle in RIDDLES {
        let model = model(riddle);
        for (limit, budget) in [
            (Limit::Steps, Budget { steps: 2_000, ..WIDE }),
            (Limit::Bytes, Budget { bytes: 100_000, ..WIDE }),
        ] {
            let ended = explain(riddle, &model, budget, Cancel::default()).map(drop);
            too_large += usize::from(limit == Limit::Bytes && ended.is_err());
            too_long += usize::from(limit == Limit::Steps && ended.is_err());
            match ended {
                Err(EvalError::Exceeded(exceeded)) => {
                    assert_eq!(exceeded.limit, limit, "{}", riddle.name);
                    assert!(exceeded.consumed < 2 * exceeded.allowed, "{}: {exceeded:?}", riddle.name);
                }
                // A large explanation need not take long, nor the reverse.
                ended => assert!(ended.is_ok(), "{}: {ended:?}", riddle.name),
            }
        }
    }
    assert!(
        too_large >= 3 && too_long + 1 >= RIDDLES.len(),
        "{too_large} too large, {too_long} too long"
    );
}

/// Coverage is reported rule by rule, so that a cancelled caller can stop. A rule with many premises, each of which
/// reads many rows, must not take longer than that either.
#[test]
fn what_became_of_rules_is_told_one_by_one() {
    let text = || {
        let facts: String = (0..2_000).map(|n| format!("row({n}, {n}). ")).collect();
        let premises = vec!["row(X, Y), none(Y)"; 100].join(", ");
        let rules: String = (0..20).map(|n| format!("r{n}(X) :- {premises}. ")).collect();
        format!("Decl none(X) descr [extensional()]. {facts}{rules}")
    };
    let name = "rules that lack facts";
    let (model, cancel) = (model(&Riddle { name, text, ..RIDDLES[0] }), Cancel::default());
    let mut told = 0;
    for rule in coverage(&model).take_while(|_| !cancel.is_cancelled()) {
        assert!(matches!(rule.life, Life::PartiallyAlive(_)), "{rule:?}");
        told += 1;
        if told == 3 {
            cancel.cancel();
        }
    }
    assert_eq!(told, 3, "of 20");
    let start = Instant::now();
    assert_eq!(coverage(&model).count(), 20);
    assert!(start.elapsed() < Duration::from_millis(100), "{:?} for 20 rules", start.elapsed());
}

/// Cancels explanations at many moments.
#[test]
#[ignore = "long: cargo xtask soak mangle"]
fn soak_mangle_cancel_explanations() {
    let mut all = Vec::new();
    for &riddle in RIDDLES {
        let model = model(&riddle);
        let whole = Arc::clone(&model);
        let moments = moments(move |cancel| drop(explain(&riddle, &whole, WIDE, cancel)));
        all.push(worst(riddle.name, moments.map_while(|when| explained(riddle, &model, when))));
    }
    assert!(all.iter().all(|(_, worst)| *worst < Duration::from_millis(100)), "{all:#?}");
}
