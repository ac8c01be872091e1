//! Tests that equal input gives equal output, byte for byte, whatever the seed of the hashes and the number of threads,
//! and that equal facts occur once.

use std::sync::Arc;

use mangle::{
    eval::{Running, Snapshot},
    program::PredId,
    syntax::Dialect,
    value::Value,
};

use crate::{
    agreement::engine_answer,
    engine::{Answer, Limits, Source, evaluate, facts, load},
    generate::{self, NOW},
    naive,
};

fn limits(seed: u64) -> Limits {
    Limits {
        now: Some(naive::value::time(NOW)),
        seed,
        ..Limits::default()
    }
}

#[test]
fn groups_that_come_to_the_same_are_one_fact() {
    let source = Source {
        name: "groups.mg".to_owned(),
        text: "sale(/ann, 1, 3). sale(/ann, 2, 4). sale(/bo, 1, 7). sale(/cy, 1, 5). \
               total(S) :- sale(Who, _, V) |> do fn:group_by(Who), let S = fn:sum(V)."
            .to_owned(),
    };
    let program = load(&[source], Dialect::Strict).expect("nothing is wrong with it");
    let found = facts(&evaluate(program, &Limits::default()).expect("it ends"));
    let totals: Vec<&str> = found["total/1"].iter().flatten().map(String::as_str).collect();
    assert_eq!(totals, ["5", "7"]);
}

#[test]
fn threads_make_no_difference() {
    let texts: Vec<String> = (900..1_000).map(|seed| generate::program(seed).text()).collect();
    let alone: Vec<Answer> = texts.iter().map(|text| engine_answer(text)).collect();
    let all = || texts.iter().map(|text| engine_answer(text)).collect::<Vec<_>>();
    std::thread::scope(|scope| {
        let threads: Vec<_> = (0..4).map(|_| scope.spawn(all)).collect();
        for thread in threads {
            assert_eq!(thread.join().expect("no panic"), alone);
        }
    });
}

#[test]
fn the_seed_of_hashes_makes_no_difference() {
    for text in (800..900).map(|seed| generate::program(seed).text()) {
        let source = Source {
            name: "seeded.mg".to_owned(),
            text,
        };
        let program = load(std::slice::from_ref(&source), Dialect::Extended).expect("the generator writes good programs");
        // Not only the facts are equal: also their order, and the number of steps.
        let whole = |seed: u64| {
            let model = evaluate(Arc::clone(&program), &limits(seed)).expect("it ends");
            let rows: Vec<Vec<Vec<Value>>> = (0..program.predicates.len())
                .map(|at| model.rows(PredId(at as u32)).collect())
                .collect();
            (rows, model.steps(), model.derived(), model.to_text())
        };
        let want = whole(0);
        for seed in [1, 0xdead_beef, u64::MAX] {
            assert_eq!(whole(seed), want, "{}", source.text);
        }
    }
}

/// Runs requests on many threads over one snapshot, whose indexes are built while others read it.
#[test]
fn requests_on_many_threads_over_one_snapshot_say_the_same() {
    for text in (700..760).map(|seed| generate::program(seed).text()) {
        let source = Source {
            name: "shared.mg".to_owned(),
            text,
        };
        let program = load(std::slice::from_ref(&source), Dialect::Extended).expect("the generator writes good programs");
        let mut program = Arc::into_inner(program).expect("nobody else has it");
        // Every third predicate comes with the request: what depends on it is evaluated on each thread.
        for predicate in program.predicates.iter_mut().step_by(3) {
            predicate.session = true;
        }
        let options = limits(7).options();
        let program = Arc::new(program);
        let answer = |snapshot: &Snapshot| {
            let request = snapshot.request(&options).expect("no fact has a bad time");
            match request.run().expect("it ends") {
                Running::Done(model) => (format!("{:?}", model.to_text()), model.steps()),
                Running::Asks(..) => unreachable!("nothing is external"),
            }
        };
        let snapshot = || Snapshot::new(Arc::clone(&program), &options).expect("it ends");
        let alone = answer(&snapshot());
        let shared = snapshot();
        std::thread::scope(|scope| {
            let threads: Vec<_> = (0..4).map(|_| scope.spawn(|| [answer(&shared), answer(&shared)])).collect();
            for thread in threads {
                assert_eq!(thread.join().expect("no panic"), [alone.clone(), alone.clone()], "{}", source.text);
            }
        });
    }
}
