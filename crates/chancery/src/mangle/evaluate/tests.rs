//! Evaluations that end badly, as the command line shows them.

use std::sync::Arc;
use std::time::{Duration, Instant};

use expect_test::{Expect, expect};
use mangle::{
    analysis::Level,
    diagnostic::{Code, human},
    eval::Cancel,
    syntax::{Dialect, Sources},
};

use super::{
    super::args::{Limits, Reading},
    super::deadline::Deadline,
    super::external::Answers,
    super::load::understand,
    evaluate, options,
};

const NONE: Limits = Limits {
    eval_time: Some(0),
    max_facts: None,
    max_steps: None,
    max_intervals: None,
    reading: Reading {
        max_bytes: None,
        deadline: None,
    },
    external: Vec::new(),
};

fn end(text: &str, limits: &Limits) -> String {
    let sources = Sources::of("rules.mg", text).expect("short");
    let deadline = Deadline::start(limits.reading.deadline, Cancel::default());
    let mut loaded = understand(sources, vec![Level::Schema], Dialect::Strict, &deadline.bounds(&limits.reading));
    let program = loaded.analysis.program.take().expect("it is well");
    let options = options(limits, deadline.cancel());
    let found = evaluate(&Arc::new(program), &options, &Answers::default()).expect_err("it ends badly");
    human(&found, &loaded.sources)
}

fn check(text: &str, limits: &Limits, expected: &Expect) {
    expected.assert_eq(&end(text, limits));
}

#[test]
fn a_budget_says_which_rule_was_at_work() {
    let limits = Limits {
        max_facts: Some(100),
        ..NONE
    };
    check(
        "n(0).\nn(Y) :- n(X), X < 1000000, Y = fn:plus(X, 1).\n",
        &limits,
        &expect![[r#"
            error[M0901]: the evaluation used 101 facts, but 100 are allowed
             --> rules.mg:2:1
              |
            2 | n(Y) :- n(X), X < 1000000, Y = fn:plus(X, 1).
              | ^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^ while this rule was evaluated
              |
              = note: in stratum 0
              = help: look for a recursion that makes new values in each round
              = help: `--max-facts` allows more

        "#]],
    );
}

#[test]
fn facts_alone_may_be_too_many() {
    let limits = Limits {
        max_steps: Some(1),
        ..NONE
    };
    check(
        "p(/a).\np(/b).\nq(X) :- p(X).\n",
        &limits,
        &expect![[r#"
            error[M0901]: the evaluation used 2 steps, but 1 are allowed
             --> rules.mg:1:1
              |
            1 | p(/a).
              | ^ before any rule was evaluated: there are too many facts
              |
              = help: `--max-steps` allows more

        "#]],
    );
}

#[test]
fn a_function_without_an_answer_says_where() {
    check(
        "m(7, 0).\nr(Q) :- m(A, B) |> let Q = fn:div(A, B).\n",
        &NONE,
        &expect![[r#"
            error[M0902]: division by zero: test the divisor first
             --> rules.mg:2:1
              |
            2 | r(Q) :- m(A, B) |> let Q = fn:div(A, B).
              | ^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^ while this rule was evaluated

        "#]],
    );
}

#[test]
fn nobody_answers_for_an_external_predicate_here() {
    check(
        "Decl price(Tool, P) descr [external(), mode('+', '-')] bound [/name, /number].\ntool(/a).\ncost(T, P) :- tool(T), price(T, P).\n",
        &NONE,
        &expect![[r#"
            error[M0903]: `price` is external, and no file answers for it here
             --> rules.mg:1:6
              |
            1 | Decl price(Tool, P) descr [external(), mode('+', '-')] bound [/name, /number].
              |      ^^^^^
              |
              = help: give its rows with `--external price=FILE`, a file of facts (.mg) or of rows (.json)

        "#]],
    );
}

#[test]
fn a_deadline_ends_what_runs_on() {
    let limits = Limits {
        max_facts: Some(u64::MAX),
        max_steps: Some(u64::MAX),
        reading: Reading {
            deadline: Some(Duration::from_millis(50)),
            ..NONE.reading
        },
        ..NONE
    };
    let start = Instant::now();
    let text = end("n(0).\nn(Y) :- n(X), X < 1000000000, Y = fn:plus(X, 1).\n", &limits);
    assert!(text.contains("M0901") && text.contains("--deadline"), "{text}");
    assert!(start.elapsed() < Duration::from_secs(10), "it ended because of the deadline");
}

#[test]
fn reading_ends_when_the_time_is_up() {
    let sources = Sources::of("rules.mg", "p(/a).\n").expect("short");
    let deadline = Deadline::start(None, Cancel::default());
    deadline.cancel().cancel();
    let loaded = understand(sources, vec![Level::Schema], Dialect::Strict, &deadline.bounds(&NONE.reading));
    let codes: Vec<Code> = loaded.diagnostics.iter().map(|found| found.code).collect();
    assert_eq!(codes, [Code::BudgetExceeded]);
    assert!(loaded.is_rejected());
}
