//! Evaluations that end badly, as the command line shows them.

use std::sync::Arc;
use std::time::{Duration, Instant};

use expect_test::{Expect, expect};
use mangle::{analysis::Level, diagnostic::human, syntax::Dialect, syntax::Sources};

use super::{super::args::Limits, super::external::Answers, super::load::understand, evaluate};

const NONE: Limits = Limits {
    eval_time: Some(0),
    max_facts: None,
    max_steps: None,
    max_intervals: None,
    max_bytes: None,
    deadline: None,
    external: Vec::new(),
};

fn end(text: &str, limits: &Limits) -> String {
    let sources = Sources::of("rules.mg", text).expect("short");
    let mut loaded = understand(sources, vec![Level::Schema], Dialect::Strict);
    let program = loaded.analysis.program.take().expect("it is well");
    let found = evaluate(&Arc::new(program), limits, &Answers::default()).expect_err("it ends badly");
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
              = help: look for a recursion that makes new values in each round; or allow more with `--max-facts`

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
              |

        "#]],
    );
}

#[test]
fn nobody_answers_for_an_external_predicate_here() {
    check(
        "Decl price(Tool, P) descr [external(), mode('+', '-')] bound [/name, /number].\ntool(/a).\ncost(T, P) :- tool(T), price(T, P).\n",
        &NONE,
        &expect![[r#"
            error[M0903]: `price` is external, and nobody answers for it here
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
        deadline: Some(Duration::from_millis(50)),
        ..NONE
    };
    let start = Instant::now();
    let text = end("n(0).\nn(Y) :- n(X), X < 1000000000, Y = fn:plus(X, 1).\n", &limits);
    assert!(text.contains("M0901") && text.contains("--deadline"), "{text}");
    assert!(start.elapsed() < Duration::from_secs(10), "it ended because of the deadline");
}
