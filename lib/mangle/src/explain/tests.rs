//! Tests of explanations as people read them.

use std::sync::Arc;

use expect_test::{Expect, expect};

use super::{Explainer, Life, coverage};
use crate::{
    analysis::{Input, Level, analyse},
    eval::{Budget, Cancel, Evaluation, Model, Options, Running},
    program::RuleId,
    syntax::{Dialect, Sources, parse},
    value::Value,
};

/// The instant 2024-06-01T00:00:00Z.
const NOW: i64 = 1_717_200_000_000_000_000;

fn model(text: &str) -> Model {
    let sources = Sources::of("test.mg", text).expect("tests are short");
    let source = sources.get(0).expect("it was just added");
    let parsed = parse(source, Dialect::default());
    assert!(parsed.diagnostics.is_empty(), "{:?}", parsed.diagnostics);
    let input = Input {
        unit: &parsed.unit,
        level: Level::default(),
    };
    let analysis = analyse(&[input], Dialect::default());
    let program = analysis.program.unwrap_or_else(|| panic!("{:?}", analysis.diagnostics));
    let options = Options {
        now: NOW,
        ..Options::default()
    };
    let evaluation = Evaluation::new(Arc::new(program), &options).expect("its facts are facts");
    match evaluation.run().expect("it ends") {
        Running::Done(model) => *model,
        Running::Asks(..) => panic!("nothing is external"),
    }
}

fn explainer(model: &Model) -> Explainer<'_> {
    Explainer::new(model, Budget::default(), Cancel::default())
}

fn rule(id: RuleId) -> String {
    format!("rule {}", id.0 + 1)
}

/// Checks the proof of the only fact of `pred` that has `first` as its first argument.
fn proof(text: &str, pred: &str, arity: usize, first: &str, expected: &Expect) {
    let model = model(text);
    let pred = model.program().find(pred, arity).expect("it is in the program");
    let row: Vec<Value> = model
        .rows(pred)
        .find(|row| row.first().is_none_or(|value| model.interner().print(*value).to_string() == first))
        .expect("it holds");
    let mut explainer = explainer(&model);
    let proof = explainer.why(pred, &row, None).expect("within the budget").expect("it holds");
    expected.assert_eq(&explainer.proof_text(&proof, &rule).expect("within the budget"));
}

#[test]
fn a_proof_goes_down_to_what_was_given() {
    proof(
        "edge(1, 2). edge(2, 3). edge(3, 1). blocked(9).
         path(X, Y) :- edge(X, Y), !blocked(X).
         path(X, Z) :- edge(X, Y), path(Y, Z).
         far(X) :- path(X, X), edge(X, _).",
        "far",
        1,
        "1",
        &expect![[r#"
            far(1) by rule 3
              path(1, 1) by rule 2
                edge(1, 2) given
                path(2, 1) by rule 2
                  edge(2, 3) given
                  path(3, 1) by rule 1
                    edge(3, 1) given
                    no blocked(3)
              edge(1, 2) (above)
        "#]],
    );
}

#[test]
fn a_group_rests_on_its_rows() {
    proof(
        "sale(/a, 10). sale(/a, 5). sale(/b, 7). open(/a). open(/b).
         total(S, T) :- sale(S, V), open(S) |> do fn:group_by(S), let T = fn:sum(V).
         good(S) :- total(S, T), T > 10.",
        "good",
        1,
        "/a",
        &expect![[r#"
            good(/a) by rule 2
              total(/a, 15) by rule 1
                sale(/a, 10) given
                open(/a) given
                sale(/a, 5) given
                open(/a) (above)
        "#]],
    );
}

#[test]
fn times_rest_on_intervals() {
    proof(
        "Decl up(S) temporal bound [/name].
         up(/s1)@[2024-01-01, 2024-12-31].
         steady(S) :- [-[0d, 7d] up(S).",
        "steady",
        1,
        "/s1",
        &expect![[r#"
            steady(/s1) by rule 1
              up(/s1)@[2024-05-25T00:00:00Z, 2024-06-01T00:00:00Z] given
        "#]],
    );
}

#[test]
fn what_fails_is_named_with_what_comes_near() {
    let model = model(
        "tool(/t1, 40). tool(/t2, 70). blocked(/t2).
         ok(T) :- tool(T, S), S >= 50, !blocked(T).
         ok(T) :- tool(T, S), S > 90.",
    );
    let pred = model.program().find("ok", 1).expect("it is in the program");
    let mut explainer = explainer(&model);
    let mut text = String::new();
    for name in ["/t1", "/t2", "/t3"] {
        let arg = explainer.interner().name(name);
        let why_not = explainer
            .why_not(pred, &[arg], None)
            .expect("within the budget")
            .expect("it does not hold");
        text.push_str(&explainer.why_not_text(&why_not, &rule, &|_, _| None).expect("within the budget"));
    }
    expect![[r#"
        ok(/t1) does not hold
          rule 1: premise 2 fails with T = /t1, S = 40
          rule 2: premise 2 fails with T = /t1, S = 40
        ok(/t2) does not hold
          rule 1: premise 3 fails with T = /t2
          rule 2: premise 2 fails with T = /t2, S = 70
        ok(/t3) does not hold
          rule 1: premise 1 fails with T = /t3; nearest: tool(/t1, 40), tool(/t2, 70)
          rule 2: premise 1 fails with T = /t3; nearest: tool(/t1, 40), tool(/t2, 70)
    "#]]
    .assert_eq(&text);
}

#[test]
fn rules_that_did_nothing_say_what_they_lack() {
    let model = model(
        "Decl never(X) bound [/number].
         a(1). b(2).
         one(X) :- a(X).
         two(X) :- a(X), b(X).
         three(X) :- a(X), never(X).
         four(X) :- never(X).",
    );
    let never = model.program().find("never", 1).expect("it is in the program");
    let lives: Vec<Life> = coverage(&model).map(|coverage| coverage.life).collect();
    assert_eq!(
        lives,
        [
            Life::Fired,
            Life::Dormant,
            Life::PartiallyAlive(vec![never]),
            Life::Dead(vec![never])
        ]
    );
}

const BEST: &str = include_str!("../../tests/data/corpus/merge_parts.mg");

#[test]
fn what_was_merged_rests_on_what_was_replaced() {
    proof(
        BEST,
        "best",
        2,
        "/x",
        &expect![[r#"
        best(/x, fn:pair(1, 1)) merged from
          best(/x, fn:pair(1, 0)) by rule 5
            found(/x, 1, 0) given
          best(/x, fn:pair(0, 1)) by rule 6
            link(/y, /x) given
            best(/y, fn:pair(0, 1)) by rule 5
              found(/y, 0, 1) given
    "#]],
    );
}

#[test]
fn what_was_replaced_says_by_what() {
    let text = "Decl top(X, N) descr [fundep([X], [N]), merge([N], \"larger\")].\n\
                Decl larger(A, B, C) descr [mode(\"+\", \"+\", \"-\"), deferred()].\n\
                larger(A, B, C) :- A >= B, C = A.\n\
                larger(A, B, C) :- A < B, C = B.\n\
                seen(/a, 1). seen(/a, 2). seen(/a, 3). seen(/a, 4). seen(/a, 5).\n\
                top(X, N) :- seen(X, N).\n";
    let model = model(text);
    let pred = model.program().find("top", 2).expect("it is in the program");
    let mut explainer = explainer(&model);
    let name = explainer.interner().name("/a");
    let args = [name, explainer.interner().number(4)];
    let why_not = explainer
        .why_not(pred, &args, None)
        .expect("within the budget")
        .expect("it does not hold");
    expect![[r#"
        top(/a, 4) does not hold
          nearest: top(/a, 5)
          rule 3: it derives this with X = /a, N = 4, but top(/a, 5) is kept in its place
    "#]]
    .assert_eq(&explainer.why_not_text(&why_not, &rule, &|_, _| None).expect("within the budget"));
}
