//! Tests of the evaluator with programs built by hand, without a parser.

mod build;

use std::sync::Arc;

use build::{Builder, any, fact, head, no, v};

use super::{Budget, Cancel, EvalError, Evaluation, Limit, Options, Running};
use crate::program::Program;

fn evaluate(program: Program, options: &Options) -> Result<String, EvalError> {
    let evaluation = Evaluation::new(Arc::new(program), options)?;
    match evaluation.run()? {
        Running::Asks(_, batch) => Ok(format!("{batch:?}")),
        Running::Done(model) => {
            let facts = model.to_text();
            let lines = facts.iter().flat_map(|(pred, rows)| {
                let name = pred.split('/').next().unwrap_or(pred).to_owned();
                rows.iter().map(move |row| format!("{name}({})", row.join(", ")))
            });
            Ok(lines.collect::<Vec<_>>().join("\n"))
        }
    }
}

fn shown(program: Program) -> String {
    evaluate(program, &Options::default()).unwrap_or_else(|error| error.to_string())
}

#[test]
fn recursion_reaches_the_fixpoint() {
    let mut b = Builder::default();
    let (edge, path) = (b.pred("edge", 2), b.pred("path", 2));
    for (x, y) in [(1, 2), (2, 3), (3, 1)] {
        b.give(edge, &[x, y]);
    }
    b.rule(head(path, [v(0), v(1)]), [fact(edge, [v(0), v(1)])]);
    b.rule(head(path, [v(0), v(2)]), [fact(edge, [v(0), v(1)]), fact(path, [v(1), v(2)])]);
    b.stratum(&[path], true);
    expect_test::expect![[r#"
        edge(1, 2)
        edge(2, 3)
        edge(3, 1)
        path(1, 1)
        path(1, 2)
        path(1, 3)
        path(2, 1)
        path(2, 2)
        path(2, 3)
        path(3, 1)
        path(3, 2)
        path(3, 3)"#]]
    .assert_eq(&shown(b.program()));
}

#[test]
fn a_row_that_several_bindings_give_is_there_once() {
    let mut b = Builder::default();
    let (tool, price, cost) = (b.pred("tool", 1), b.pred("price", 3), b.pred("cost", 2));
    b.give(tool, &[1]);
    // The third column is not read.
    b.give(price, &[1, 9, 5]);
    b.give(price, &[1, 9, 6]);
    b.rule(head(cost, [v(0), v(1)]), [fact(tool, [v(0)]), fact(price, [v(0), v(1), v(2)])]);
    b.stratum(&[cost], false);
    let all = shown(b.program());
    assert_eq!(
        all.lines().filter(|line| line.starts_with("cost")).collect::<Vec<_>>(),
        ["cost(1, 9)"]
    );
}

#[test]
fn three_ways_through_one_predicate() {
    let mut b = Builder::default();
    let (s, t) = (b.pred("s", 2), b.pred("t", 2));
    for x in 1..6 {
        b.give(s, &[x, x + 1]);
    }
    b.rule(head(t, [v(0), v(1)]), [fact(s, [v(0), v(1)])]);
    b.rule(
        head(t, [v(0), v(3)]),
        [fact(t, [v(0), v(1)]), fact(t, [v(1), v(2)]), fact(t, [v(2), v(3)])],
    );
    b.stratum(&[t], true);
    let all = shown(b.program());
    let derived: Vec<&str> = all.lines().filter(|line| line.starts_with('t')).collect();
    assert_eq!(
        derived,
        [
            "t(1, 2)", "t(1, 4)", "t(1, 6)", "t(2, 3)", "t(2, 5)", "t(3, 4)", "t(3, 6)", "t(4, 5)", "t(5, 6)"
        ]
    );
}

#[test]
fn negation_looks_at_what_is_done() {
    let mut b = Builder::default();
    let (tool, blocked, ok) = (b.pred("tool", 1), b.pred("blocked", 2), b.pred("ok", 1));
    for x in 1..4 {
        b.give(tool, &[x]);
    }
    b.give(blocked, &[2, 9]);
    b.rule(head(ok, [v(0)]), [no(blocked, [v(0), any()]), fact(tool, [v(0)])]);
    b.stratum(&[ok], false);
    let all = shown(b.program());
    assert!(all.contains("ok(1)\nok(3)") && !all.contains("ok(2)"), "{all}");
}

#[test]
fn groups_count_rows_not_values() {
    let mut b = Builder::default();
    let (r, total) = (b.pred("r", 3), b.pred("total", 2));
    for row in [[1, 7, 5], [1, 8, 5], [2, 7, 3]] {
        b.give(r, &row);
    }
    b.group(head(total, [v(0), v(2)]), [fact(r, [v(0), any(), v(1)])], &[0], 2, "fn:sum", &[1]);
    b.stratum(&[total], false);
    let all = shown(b.program());
    assert!(all.ends_with("total(1, 10)\ntotal(2, 3)"), "{all}");
}

#[test]
fn budgets_stop_what_does_not_end() {
    let mut b = Builder::default();
    let p = b.pred("p", 1);
    b.give(p, &[0]);
    b.successor(p);
    b.stratum(&[p], true);
    let program = b.program();
    let error = |budget| {
        let options = Options {
            budget,
            ..Options::default()
        };
        let copy = Program {
            predicates: program.predicates.clone(),
            rules: program.rules.clone(),
            facts: program.facts.clone(),
            strata: program.strata.clone(),
            interner: program.interner.clone(),
        };
        match evaluate(copy, &options) {
            Err(EvalError::Exceeded(exceeded)) => exceeded,
            other => panic!("{other:?}"),
        }
    };
    let facts = error(Budget {
        facts: 50,
        ..Budget::default()
    });
    assert_eq!((facts.limit, facts.allowed, facts.consumed), (Limit::Facts, 50, 51));
    let steps = error(Budget {
        steps: 5_000,
        ..Budget::default()
    });
    assert_eq!((steps.limit, steps.allowed), (Limit::Steps, 5_000));
    assert!(steps.consumed <= 5_001, "{steps:?}");
    let bytes = error(Budget {
        bytes: 1 << 20,
        ..Budget::UNLIMITED
    });
    assert_eq!(bytes.limit, Limit::Bytes);
    assert!(bytes.consumed < 2 << 20, "{bytes:?}");
}

#[test]
fn a_flag_ends_an_evaluation() {
    let mut b = Builder::default();
    let p = b.pred("p", 1);
    b.give(p, &[0]);
    b.successor(p);
    b.stratum(&[p], true);
    let cancel = Cancel::default();
    cancel.cancel();
    let options = Options {
        cancel,
        ..Options::default()
    };
    let error = evaluate(b.program(), &options).expect_err("it does not end by itself");
    assert_eq!(error.to_string(), "the evaluation was cancelled");
}

/// Returns a program in which `wanted` is given by requests; `good` and everything above it depends on it.
fn with_session() -> (Program, crate::program::PredId, crate::program::PredId) {
    let mut b = Builder::default();
    let (tag, wanted, good, linked) = (b.pred("tag", 2), b.session("wanted", 1), b.pred("good", 1), b.pred("linked", 2));
    for row in [[1, 10], [2, 10], [3, 11]] {
        b.give(tag, &row);
    }
    b.rule(head(linked, [v(0), v(1)]), [fact(tag, [v(0), v(2)]), fact(tag, [v(1), v(2)])]);
    b.stratum(&[linked], false);
    b.rule(head(good, [v(0)]), [fact(wanted, [v(1)]), fact(tag, [v(0), v(1)])]);
    b.rule(head(good, [v(1)]), [fact(good, [v(0)]), fact(linked, [v(0), v(1)])]);
    b.stratum(&[good], true);
    (b.program(), wanted, good)
}

#[test]
fn a_request_over_a_snapshot_says_what_a_run_from_scratch_says() {
    let (program, wanted, good) = with_session();
    let snapshot = super::Snapshot::new(Arc::new(program), &Options::default()).expect("it ends");
    assert_eq!((snapshot.strata(), snapshot.rows()), (1, 3 + 5));
    for (ask, answer) in [(10, vec![1, 2]), (11, vec![3]), (12, vec![])] {
        let mut request = snapshot.request(&Options::default()).expect("no fact depends on the time");
        let value = request.interner().number(ask);
        let mut facts = crate::program::Facts::default();
        facts.push(wanted, &[value], None);
        request.give(&facts).expect("a number is a fact");
        let Running::Done(model) = request.run().expect("it ends") else {
            panic!("nothing is external")
        };
        let mut got: Vec<i64> = model.rows(good).filter_map(|row| model.interner().as_number(row[0])).collect();
        got.sort_unstable();
        assert_eq!(got, answer, "wanted({ask})");
        assert_eq!(model.len(wanted), 1, "no request sees another's facts");
    }
}
