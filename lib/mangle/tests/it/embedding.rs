//! Tests of the engine embedded in a service: facts come as data, from clients that send requests.

use std::sync::Arc;

use expect_test::{Expect, expect};
use mangle::{
    analysis::{Input, Level, PredicateInfo, analyse},
    diagnostic::{Code, Diagnostic, human},
    eval::{Base, Budget, Cancel, EvalError, Evaluation, Model, Options, Question, Running, Snapshot},
    explain::Explainer,
    program::{Bound, Facts, HeadTime, Interval, PredId, Program},
    syntax::{Dialect, Sources, Span, parse},
    value::{Interner, Value},
};

#[path = "../../examples/requests.rs"]
mod requests;

const RULES: &str = "Decl tool(T) descr [extensional()] bound [/name].
Decl user(U) descr [session()] bound [/name].
Decl seen(T) temporal descr [session()] bound [/name].
Decl price(T, P) descr [external(), mode('+', '-')] bound [/name, /number].
Decl twice(X, Y) descr [mode('+', '-'), deferred()].
twice(X, Y) :- Y = fn:mult(X, 2).
allowed(T) :- tool(T), user(_).
known(T) :- tool(T).
offer(T, Q) :- allowed(T), price(T, P), twice(P, Q).
";

struct Rules {
    sources: Sources,
    predicates: Vec<PredicateInfo>,
    program: Arc<Program>,
}

impl Rules {
    fn new(text: &str) -> Self {
        let sources = Sources::of("rules.mg", text).expect("short");
        let parsed = parse(sources.get(0).expect("it was added"), Dialect::Strict);
        assert!(parsed.is_ok(), "good rules: {:?}", parsed.diagnostics);
        let level = Level::Policy;
        let analysis = analyse(&[Input { unit: &parsed.unit, level }], Dialect::Strict);
        Self {
            program: Arc::new(analysis.program.expect("good rules")),
            predicates: analysis.predicates,
            sources,
        }
    }

    fn pred(&self, name: &str) -> PredId {
        let found = (0..4).find_map(|arity| self.program.find(name, arity));
        found.expect("the rules have it")
    }
}

fn snapshot(rules: &Rules) -> Snapshot {
    let mut base = Base::new(Arc::clone(&rules.program), &Options::default()).expect("no facts yet");
    let mut facts = Facts::default();
    for name in ["/read", "/write"] {
        let name = base.interner().name(name);
        facts.push(rules.pred("tool"), &[name], None);
    }
    base.give(&facts).expect("they fit");
    base.freeze().expect("it ends")
}

fn done(evaluation: Evaluation) -> Model {
    match evaluation.run().expect("it ends") {
        Running::Done(model) => *model,
        Running::Asks(..) => panic!("nobody is asked"),
    }
}

/// Returns the error about each fact that `make` gives to a request.
fn refusals(make: impl Fn(&Rules, &mut Interner) -> Vec<(PredId, Vec<Value>, Option<HeadTime>)>) -> String {
    let rules = Rules::new(RULES);
    let snapshot = snapshot(&rules);
    let mut evaluation = snapshot.request(&Options::default()).expect("it begins");
    let mut said = String::new();
    for (pred, args, time) in make(&rules, evaluation.interner()) {
        let mut facts = Facts::default();
        let good = evaluation.interner().name("/ann");
        facts.push(rules.pred("user"), &[good], None);
        facts.push(pred, &args, time);
        let error = evaluation.give(&facts).expect_err("one of them does not fit");
        said += &format!("{error}\n");
    }
    // None of the fitting facts was added together with one that does not fit.
    assert_eq!(done(evaluation).len(rules.pred("user")), 0);
    said
}

fn check(said: &str, expected: &Expect) {
    expected.assert_eq(said);
}

#[test]
fn the_example_says_what_it_says() {
    requests::main().expect("it asserts what comes of it");
}

#[test]
fn facts_that_cannot_be_are_refused() {
    let said = refusals(|rules, interner| {
        let one = interner.name("/one");
        let backwards = HeadTime {
            start: Bound::At(2),
            end: Bound::At(1),
        };
        let number = PredId(99);
        vec![
            (number, vec![one], None),
            (rules.pred("tool"), vec![one], None),
            (rules.pred("allowed"), vec![one], None),
            (rules.pred("price"), vec![one, one], None),
            (rules.pred("twice"), vec![one, one], None),
            (rules.pred("user"), vec![], None),
            (rules.pred("user"), vec![one, one], None),
            (rules.pred("user"), vec![one], Some(Interval::ALWAYS.into())),
            (rules.pred("seen"), vec![one], None),
            (rules.pred("seen"), vec![one, one], Some(backwards)),
        ]
    });
    check(
        &said,
        &expect![[r#"
            there is no predicate number 99, the program has 8: look its name up in the program that is evaluated
            a request may not bring facts of `tool`: give them to the snapshot, or declare it `descr [session()]`
            a request may not bring facts of `allowed`: give them to the snapshot, or declare it `descr [session()]`
            `price` is external: its rows are asked for, so answer the questions about it
            `twice` is computed where it is called and has no facts: give those that it reads
            a fact of `user` has 0 arguments, but needs 1
            a fact of `user` has 2 arguments, but needs 1
            `user` does not hold at times: leave the time out, or declare it `temporal`
            `seen` holds at times: say of each fact from when to when, or that it holds always
            a fact of `seen` has 2 arguments, but needs 1
        "#]],
    );
}

#[test]
fn values_that_cannot_be_worked_on_are_refused() {
    let said = refusals(|rules, interner| {
        let mut elsewhere = Interner::new();
        let foreign = (0..100).map(|number| elsewhere.string(&format!("text {number}"))).last();
        let deep = (0..100_000).fold(interner.number(1), |inner, _| interner.list(&[inner]));
        let wide = (0..40).fold(interner.number(1), |inner, _| interner.list(&[inner, inner]));
        let long = interner.string(&"x".repeat(17 << 20));
        let values = [foreign.expect("a hundred"), deep, wide, long];
        values.map(|value| (rules.pred("user"), vec![value], None)).to_vec()
    });
    check(
        &said,
        &expect![[r#"
            a value in a fact of `user` was made elsewhere: make it with the interner of this evaluation
            a value in a fact of `user` is nested 100000 levels deep, but 500 are allowed: give its parts as facts of their own
            a value in a fact of `user` has more than the 16777216 bytes that are allowed: leave it out, or a part of it
            a value in a fact of `user` has more than the 16777216 bytes that are allowed: leave it out, or a part of it
        "#]],
    );
}

#[test]
fn deep_and_wide_values_are_printed_and_compared() {
    let mut interner = Interner::new();
    let mut nested = |innermost: i64| {
        let one = interner.number(innermost);
        (0..100_000).fold(one, |inner, _| interner.list(&[inner, inner]))
    };
    let (less, more) = (nested(1), nested(2));
    assert!(interner.compare(less, more).is_lt());
    let list = interner.list(&[less]);
    assert_eq!(interner.print(list).to_string(), "…");
}

#[test]
fn facts_of_a_snapshot_reach_every_request() {
    let rules = Rules::new(RULES);
    let snapshot = snapshot(&rules);
    for _ in 0..2 {
        let model = done(snapshot.request(&Options::default()).expect("it begins"));
        assert_eq!((model.len(rules.pred("known")), model.len(rules.pred("allowed"))), (2, 0));
    }
}

#[test]
fn a_request_pays_for_the_times_that_it_adds() {
    const MANY: i64 = 50_000;
    const DAY: i64 = 86_400_000_000_000;
    let rules = Rules::new(
        "Decl seen(T) temporal descr [session()] bound [/name].
Decl wants(T) descr [session()] bound [/name].
often(T) :- wants(T), seen(T)@[1970-01-01], seen(T)@[1970-01-03].
",
    );
    let seen = |interner: &mut Interner, number: i64, day: i64| {
        let mut facts = Facts::default();
        let name = interner.name(&format!("/tool/{number}"));
        facts.push(rules.pred("seen"), &[name], Some(Interval::at(day * DAY).into()));
        // Enough rows for the budget to be checked.
        for number in (0..2_000).chain([number]) {
            let name = interner.name(&format!("/tool/{number}"));
            facts.push(rules.pred("wants"), &[name], None);
        }
        facts
    };
    let mut base = Base::new(Arc::clone(&rules.program), &Options::default()).expect("no facts yet");
    let mut facts = Facts::default();
    for number in 0..MANY {
        let name = base.interner().name(&format!("/tool/{number}"));
        facts.push(rules.pred("seen"), &[name], Some(Interval::at(0).into()));
    }
    base.give(&facts).expect("they fit");
    let snapshot = base.freeze().expect("it ends");
    // Far less than the times of the snapshot would take.
    let little = Budget {
        bytes: 1_000_000,
        ..Budget::default()
    };
    // An old row that holds longer, a new one, and again the old one, without the times of the first request.
    for (number, days, often) in [(7, vec![2], 1), (MANY, vec![0, 2], 1), (7, vec![0], 0)] {
        let mut evaluation = snapshot
            .request(&Options {
                budget: little,
                ..Options::default()
            })
            .expect("it begins");
        for day in days {
            let facts = seen(evaluation.interner(), number, day);
            evaluation.give(&facts).expect("there is room");
        }
        assert_eq!(done(evaluation).len(rules.pred("often")), often, "{number}");
    }
}

#[test]
fn facts_of_a_snapshot_hold_at_times_that_are_known() {
    let rules = Rules::new(RULES);
    let mut base = Base::new(Arc::clone(&rules.program), &Options::default()).expect("no facts yet");
    let tool = base.interner().name("/read");
    let mut facts = Facts::default();
    let since = HeadTime {
        start: Bound::Now,
        end: Bound::Open,
    };
    facts.push(rules.pred("seen"), &[tool], Some(since));
    let error = base.give(&facts).expect_err("each request has its own now");
    check(
        &error.to_string(),
        &expect!["a fact of a snapshot may not hold relative to `now`: say from when, or give it to each request"],
    );
}

#[test]
fn facts_come_before_an_evaluation_runs() {
    let rules = Rules::new(RULES);
    let snapshot = snapshot(&rules);
    let mut evaluation = snapshot.request(&Options::default()).expect("it begins");
    let mut facts = Facts::default();
    let ann = evaluation.interner().name("/ann");
    facts.push(rules.pred("user"), &[ann], None);
    evaluation.give(&facts).expect("it fits");
    let Running::Asks(mut asking, batch) = evaluation.run().expect("it goes on") else {
        panic!("a price has to be asked")
    };
    let mut said = format!("{}\n", asking.give(&facts).expect_err("it is too late"));
    let [first, second] = &batch.questions[..] else {
        panic!("two tools have prices")
    };
    let price = asking.interner().number(3);
    let name = first.args[0].expect("the tool is known");
    let mut refused = |question: &Question, rows: &[Vec<Value>]| {
        let error = asking.answer(question, rows).expect_err("it does not fit");
        said += &format!("{error}\n");
    };
    let nowhere = Question {
        pred: PredId(99),
        args: vec![],
    };
    refused(&nowhere, &[]);
    refused(first, &[vec![name]]);
    let unasked = Question {
        pred: first.pred,
        args: vec![None, None],
    };
    refused(&unasked, &[]);
    // A question whose answer was refused may be answered again.
    asking.answer(first, &[vec![name, price]]).expect("it was asked");
    let error = asking.answer(first, &[]).expect_err("once is enough");
    said += &format!("{error}\n");
    let Running::Asks(mut asking, rest) = asking.run().expect("it goes on") else {
        panic!("half of the answers are missing")
    };
    assert_eq!(rest.questions, std::slice::from_ref(second));
    asking.answer(second, &[]).expect("it was asked");
    assert_eq!(done(*asking).len(rules.pred("offer")), 1);
    check(
        &said,
        &expect![[r#"
            facts are given before an evaluation runs: start another one
            there is no predicate number 99, the program has 8: look its name up in the program that is evaluated
            a fact of `price` has 1 argument, but needs 2
            nothing like this is asked of `price`: answer each question of the batch once
            nothing like this is asked of `price`: answer each question of the batch once
        "#]],
    );
}

#[test]
fn declared_types_are_looked_at_before_facts_are_given() {
    let rules = Rules::new(
        "Decl order(Id, What, Extra) descr [session()]
  bound [/number, .Struct</item : /string, opt /count : /number>, .List</fast>]
  bound [/name, /any, .Union<.Pair</string, /time>, .Map</string, /number>>].
loose(1).
",
    );
    let mut i = Interner::new();
    let (one, half, text, name, fast) = (i.number(1), i.float(0.5), i.string("tea"), i.name("/x"), i.name("/fast/lane"));
    let (item, count, time) = (i.name("/item"), i.name("/count"), i.time(0));
    let whole = i.structure(vec![(item, text)]).expect("one field");
    let wrong = i.structure(vec![(item, text), (count, text)]).expect("two fields");
    let (list, names, none) = (i.list(&[fast]), i.list(&[fast, name]), i.list(&[]));
    let (pair, map) = (i.pair(text, time), i.map(vec![(text, one)]).expect("one entry"));
    let order = &rules.predicates[rules.pred("order").index()];
    let rows = [
        [one, whole, list],
        [one, whole, none],
        [name, half, pair],
        [name, half, map],
        [half, whole, list],
        [one, wrong, list],
        [one, whole, names],
        [name, whole, list],
    ];
    let said: Vec<String> = rows
        .iter()
        .map(|row| order.misfit(row, &i).map_or_else(|| "fits".to_owned(), |misfit| misfit.to_string()))
        .collect();
    check(
        &said.join("\n"),
        &expect![[r#"
        fits
        fits
        fits
        fits
        argument 1 of `order/3`, `Id`, has to be of type `/number`
        argument 2 of `order/3`, `What`, has to be of type `.Struct<opt /count : /number, /item : /string>`
        argument 3 of `order/3`, `Extra`, has to be of type `.List</fast>`
        argument 3 of `order/3`, `Extra`, has to be of type `.Union<.Pair</string, /time>, .Map</string, /number>>`"#]],
    );
    // The present rows of an undeclared predicate do not restrict new ones.
    assert_eq!(rules.predicates[rules.pred("loose").index()].misfit(&[text], &i), None);
}

#[test]
fn questions_about_impossible_facts_are_refused() {
    let rules = Rules::new(RULES);
    let model = done(snapshot(&rules).request(&Options::default()).expect("it begins"));
    let mut explainer = Explainer::new(&model, Budget::default(), Cancel::default());
    let name = explainer.interner().name("/read");
    let mut said = String::new();
    for (pred, args) in [
        (PredId(99), vec![]),
        (rules.pred("known"), vec![]),
        (rules.pred("known"), vec![name, name]),
    ] {
        let why = explainer.why(pred, &args, None).expect_err("there is no such fact");
        let why_not = explainer.why_not(pred, &args, None).expect_err("there is no such fact");
        assert_eq!(why, why_not);
        said += &format!("{why}\n");
    }
    check(
        &said,
        &expect![[r#"
            there is no predicate number 99, the program has 8: look its name up in the program that is evaluated
            a fact of `known` has 0 arguments, but needs 1
            a fact of `known` has 2 arguments, but needs 1
        "#]],
    );
}

#[test]
fn the_end_of_an_evaluation_has_a_place() {
    let rules = Rules::new("n(0).\nn(Y) :- n(X), X < 1000, Y = fn:plus(X, 1).\nhalf(Y) :- n(X), Y = fn:div(X, 0).\n");
    let end = |budget: Budget, cancel: &Cancel| {
        let options = Options {
            budget,
            cancel: cancel.clone(),
            ..Options::default()
        };
        let evaluation = Evaluation::new(Arc::clone(&rules.program), &options);
        let error = evaluation.and_then(Evaluation::run).expect_err("it ends badly");
        human(&error.finding(&rules.program), &rules.sources)
    };
    let few = Budget {
        facts: 100,
        ..Budget::default()
    };
    let cancelled = Cancel::default();
    cancelled.cancel();
    let fact = EvalError::BadFact("a fact does not fit".to_owned());
    let said = [
        end(few, &Cancel::default()),
        end(Budget::default(), &Cancel::default()),
        end(Budget::default(), &cancelled),
        human(&fact.finding(&rules.program), &rules.sources),
    ];
    check(
        &said.concat(),
        &expect![[r#"
            error[M0901]: the evaluation used 101 facts, but 100 are allowed
             --> rules.mg:2:1
              |
            2 | n(Y) :- n(X), X < 1000, Y = fn:plus(X, 1).
              | ^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^ while this rule was evaluated
              |
              = note: in stratum 0
              = help: look for a recursion that makes new values in each round

            error[M0902]: division by zero: test the divisor first
             --> rules.mg:3:1
              |
            3 | half(Y) :- n(X), Y = fn:div(X, 0).
              | ^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^ while this rule was evaluated

            error[M0901]: the evaluation was cancelled
             --> rules.mg:1:1
              |
            1 | n(0).
              | ^ before any rule was evaluated

            error[M0902]: a fact does not fit
             --> rules.mg:1:1
              |
            1 | n(0).
              | ^

        "#]],
    );
}

#[test]
fn findings_with_odd_places_are_shown() {
    let sources = Sources::of("a.mg", "p(ä).\nq").expect("short");
    let found = Diagnostic::new(Code::UnexpectedCharacter, Span::new(9, 3), "odd");
    let found = found.fix("do this", Span::new(7, 2), "z").fix("or that", Span::new(3, 900), "z");
    assert!(human(&found, &sources).starts_with("error"));
}
