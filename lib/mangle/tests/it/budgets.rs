//! Programs that would run for ever, or fill all memory, end at their limits: not before, and not far behind.

use std::{
    sync::{Arc, mpsc},
    thread,
    time::{Duration, Instant},
};

use mangle::{
    eval::{Budget, Cancel, EvalError, Evaluation, Exceeded, Limit, Options},
    program::Program,
    syntax::Dialect,
};

use crate::engine::{Source, load};

/// A program without end, and what it uses up on its way.
#[derive(Clone, Copy, Debug)]
struct Runaway {
    name: &'static str,
    text: &'static str,
    uses: &'static [Limit],
}

/// Ten times ten facts to join.
const DIGITS: &str = "n(0). n(1). n(2). n(3). n(4). n(5). n(6). n(7). n(8). n(9). m(X) :- n(A), n(B), X = fn:plus(A, fn:mult(10, B)).";

const RUNAWAYS: &[Runaway] = &[
    Runaway {
        name: "a join of five that says nothing",
        text: "no(A) :- m(A), m(B), m(C), m(D), m(E), fn:plus(A, B, C, D, E) < 0.",
        uses: &[Limit::Steps],
    },
    Runaway {
        name: "a join of five",
        text: "all(A, B, C, D, E) :- m(A), m(B), m(C), m(D), m(E).",
        uses: &[Limit::Steps, Limit::Facts, Limit::Bytes],
    },
    Runaway {
        name: "a join of five behind a group",
        text: "count(N) :- m(A), m(B), m(C), m(D), m(E) |> do fn:group_by(), let N = fn:count().",
        uses: &[Limit::Steps, Limit::Bytes],
    },
    Runaway {
        name: "the successor",
        text: "s(0). s(Y) :- s(X), Y = fn:plus(X, 1).",
        uses: &[Limit::Steps, Limit::Facts, Limit::Bytes],
    },
    Runaway {
        name: "the next nanosecond but one",
        text: "Decl a(X) temporal bound [/name]. a(/x)@[2024-01-01]. \
               a(X)@[U] :- a(X)@[T], U = fn:time:add(T, fn:duration:from_nanos(2)).",
        uses: &[Limit::Steps, Limit::Intervals],
    },
    Runaway {
        name: "a list that grows",
        text: "l([]). l(M) :- l(L), M = fn:list:append(L, 1).",
        uses: &[Limit::Steps, Limit::Facts, Limit::Bytes],
    },
    Runaway {
        name: "lists of lists",
        text: "l([]). l([A, B]) :- l(A), l(B).",
        uses: &[Limit::Steps, Limit::Facts, Limit::Bytes],
    },
    Runaway {
        name: "a string that doubles",
        text: "s(\"x\"). s(T) :- s(S), T = fn:string:concat(S, S).",
        uses: &[Limit::Bytes],
    },
    Runaway {
        name: "a merge on a circle that never settles",
        text: "Decl far(X, D) descr [fundep([X], [D]), merge([D], \"more\")]. \
               Decl more(A, B, C) descr [mode(\"+\", \"+\", \"-\"), deferred()]. \
               more(A, B, C) :- A >= B, C = A. more(A, B, C) :- B > A, C = B. \
               road(/a, /b). road(/b, /a). far(/a, 0). far(Y, D) :- far(X, E), road(X, Y), D = fn:plus(E, 1).",
        uses: &[Limit::Steps],
    },
    Runaway {
        name: "a call that calls itself twice",
        text: "Decl fib(N, F) descr [mode(\"+\", \"-\"), deferred()]. \
               fib(N, F) :- N < 2, F = N. \
               fib(N, F) :- N >= 2, A = fn:minus(N, 1), B = fn:minus(N, 2), fib(A, X), fib(B, Y), F = fn:plus(X, Y). \
               k(60). f(F) :- k(N), fib(N, F).",
        uses: &[Limit::Steps],
    },
];

fn program(runaway: &Runaway) -> Arc<Program> {
    let source = Source {
        name: runaway.name.to_owned(),
        text: format!("{DIGITS} {}", runaway.text),
    };
    load(&[source], Dialect::Extended).unwrap_or_else(|codes| panic!("{}: {codes:?}", runaway.name))
}

/// Every limit out of reach but memory.
const WIDE: Budget = Budget {
    bytes: 1 << 30,
    ..Budget::UNLIMITED
};

fn narrow(limit: Limit) -> Budget {
    match limit {
        Limit::Steps => Budget { steps: 30_000, ..WIDE },
        Limit::Facts => Budget { facts: 2_000, ..WIDE },
        Limit::Intervals => Budget { intervals: 500, ..WIDE },
        Limit::Bytes => Budget { bytes: 1 << 20, ..WIDE },
        Limit::Cancelled => unreachable!("no budget"),
    }
}

fn stopped(runaway: &Runaway, options: &Options) -> Exceeded {
    match Evaluation::new(program(runaway), options).and_then(Evaluation::run) {
        Err(EvalError::Exceeded(exceeded)) => exceeded,
        other => panic!("{}: {other:?}", runaway.name),
    }
}

#[test]
fn every_limit_stops_every_runaway_before_twice_of_it() {
    for runaway in RUNAWAYS {
        for &limit in runaway.uses {
            let options = Options {
                budget: narrow(limit),
                ..Options::default()
            };
            let exceeded = stopped(runaway, &options);
            assert_eq!(exceeded.limit, limit, "{}", runaway.name);
            let within = exceeded.allowed..=2 * exceeded.allowed;
            assert!(within.contains(&exceeded.consumed), "{}: {exceeded:?}", runaway.name);
        }
    }
}

#[test]
fn what_was_consumed_is_the_same_each_time() {
    for runaway in RUNAWAYS {
        let options = Options {
            budget: narrow(runaway.uses[0]),
            ..Options::default()
        };
        assert_eq!(stopped(runaway, &options), stopped(runaway, &options), "{}", runaway.name);
    }
}

#[test]
fn the_default_budget_stops_every_runaway() {
    // Steps are lowered, so that the test ends soon; the other limits are what a caller gets who says nothing.
    let budget = Budget {
        steps: 100_000,
        ..Budget::default()
    };
    for runaway in RUNAWAYS {
        let options = Options {
            budget,
            ..Options::default()
        };
        stopped(runaway, &options);
    }
}

#[test]
fn a_report_names_the_rule_that_ran() {
    for runaway in RUNAWAYS {
        let options = Options {
            budget: narrow(runaway.uses[0]),
            ..Options::default()
        };
        let program = program(runaway);
        let rule = stopped(runaway, &options)
            .rule
            .unwrap_or_else(|| panic!("{}: no rule", runaway.name));
        let head = &program.predicate(program.rule(rule).head.pred).name;
        assert_ne!(&**head, "m", "{}", runaway.name);
    }
}

#[test]
fn a_cancelled_evaluation_ends_within_a_tenth_of_a_second() {
    for runaway in RUNAWAYS {
        let cancel = Cancel::default();
        let options = Options {
            cancel: cancel.clone(),
            budget: WIDE,
            ..Options::default()
        };
        let program = program(runaway);
        let (done, ended) = mpsc::sync_channel(1);
        let run = thread::spawn(move || {
            let result = Evaluation::new(program, &options).and_then(Evaluation::run);
            // The receiver waits for it; the time counts until the evaluation has given up its memory.
            done.send(result.err()).expect("somebody waits");
        });
        // Nothing comes while it runs; a runaway that filled its memory first ended by itself.
        if let Err(mpsc::RecvTimeoutError::Timeout) = ended.recv_timeout(Duration::from_millis(100)) {
            let since = Instant::now();
            cancel.cancel();
            let error = ended
                .recv_timeout(Duration::from_secs(10))
                .unwrap_or_else(|error| panic!("{}: {error}", runaway.name));
            let took = since.elapsed();
            let exceeded = matches!(
                error,
                Some(EvalError::Exceeded(Exceeded {
                    limit: Limit::Cancelled | Limit::Bytes,
                    ..
                }))
            );
            assert!(exceeded, "{}: {error:?}", runaway.name);
            assert!(took < Duration::from_millis(100), "{}: {took:?}", runaway.name);
        }
        run.join().expect("no panic");
    }
}
