//! Runs our engine, with its budgets on.

use std::{fmt::Write, sync::Arc};

use mangle::{
    analysis::{Input as Source, Level, analyse},
    eval::{Budget, Evaluation, Model, Options, Running},
    program::{FactBlock, Facts, PredId, Program},
    syntax::{Dialect, Sources, parse as read},
    value::{Interner, Value},
};

use crate::{Outcome, data::Input, data::Table, programs, timed};

/// Returns options whose budget is large enough for every case, but still counted.
pub fn options() -> Options {
    Options {
        budget: Budget {
            steps: 1 << 40,
            facts: 1 << 40,
            bytes: 2 << 30,
            ..Budget::default()
        },
        ..Options::default()
    }
}

/// Parses and analyses a program.
pub fn program(text: &str) -> Program {
    let sources = Sources::of("case.mg", text).expect("it is short");
    let parsed = read(sources.get(0).expect("it was just added"), Dialect::default());
    assert!(parsed.diagnostics.is_empty(), "{:?}", parsed.diagnostics);
    let source = Source {
        unit: &parsed.unit,
        level: Level::default(),
    };
    let analysis = analyse(&[source], Dialect::default());
    analysis.program.unwrap_or_else(|| panic!("{:?}", analysis.diagnostics))
}

/// Returns the case's rules with declarations of what they read, so that they are complete.
pub fn rules(input: &Input) -> String {
    let mut text = String::new();
    for table in &input.tables {
        let args = ["A", "B", "C"][..table.width].join(", ");
        // Writing to a string cannot fail.
        let _ = writeln!(
            text,
            "Decl {}({args}) bound [{}].",
            table.name,
            ["/number"; 3][..table.width].join(", ")
        );
    }
    text + programs::mangle(input.case).0
}

/// Converts rows to the engine's form.
pub fn block(program: &Program, interner: &mut Interner, table: &Table) -> FactBlock {
    FactBlock {
        pred: find(program, table.name, table.width),
        len: table.rows.len() / table.width,
        rows: table
            .rows
            .iter()
            .map(|&word| interner.number(i64::from(word)))
            .collect::<Vec<Value>>(),
        times: Vec::new(),
    }
}

fn find(program: &Program, name: &str, arity: usize) -> PredId {
    program.find(name, arity).expect("the rules name it")
}

/// Runs an evaluation that asks no questions, and returns its model.
pub fn model(evaluation: Evaluation) -> Model {
    match evaluation.run() {
        Ok(Running::Done(model)) => *model,
        Ok(Running::Asks(..)) => panic!("nothing is external"),
        Err(error) => panic!("{error}"),
    }
}

pub fn run(input: &Input) -> Outcome {
    let program = Arc::new(program(&rules(input)));
    let mut interner = Interner::new();
    timed(|| {
        let mut evaluation = Evaluation::new(Arc::clone(&program), &options()).expect("there are no facts yet");
        for table in &input.tables {
            let block = block(&program, &mut interner, table);
            evaluation.give(&Facts { blocks: vec![block] }).expect("numbers are facts");
        }
        let model = model(evaluation);
        let counted = programs::mangle(input.case).1;
        counted.iter().map(|&(name, arity)| model.len(find(&program, name, arity))).sum()
    })
}

/// Parses, analyses and evaluates a program of `count` rules, each of which reads what the one before derives.
pub fn rules_in_a_row(count: usize) -> Outcome {
    let mut text = "p0(1). p0(2).\n".to_owned();
    for rule in 1..=count {
        // Writing to a string cannot fail.
        let _ = writeln!(text, "p{rule}(X) :- p{}(X).", rule - 1);
    }
    timed(|| {
        let program = Arc::new(program(&text));
        let evaluation = Evaluation::new(Arc::clone(&program), &options()).expect("two numbers are facts");
        let model = model(evaluation);
        model.len(find(&program, &format!("p{count}"), 1))
    })
}

/// Parses the facts as text, analyses and loads them.
pub fn parse(input: &Input) -> Outcome {
    let mut text = String::new();
    for table in &input.tables {
        for row in table.rows.chunks_exact(table.width) {
            let args: Vec<String> = row.iter().map(|word| format!("/{}/{word}", table.name)).collect();
            // Writing to a string cannot fail.
            let _ = writeln!(text, "{}({}).", table.name, args.join(", "));
            if text.len() >= 1 << 20 {
                break;
            }
        }
    }
    timed(|| {
        let program = Arc::new(program(&text));
        let evaluation = Evaluation::new(Arc::clone(&program), &options()).expect("names are facts");
        drop(evaluation);
        program.facts.len()
    })
}
