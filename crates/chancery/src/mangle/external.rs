//! `--external NAME=FILE`: rows for an external predicate from a file, in place of the service that answers in
//! production.
//!
//! The evaluation asks with the arguments that it knows, as the declared modes say; it gets the rows that have them,
//! and no others.

use std::collections::{BTreeMap, HashMap};
use std::path::{Path, PathBuf};

use anyhow::{Context as _, bail, ensure};
use mangle::{
    analysis::constant,
    diagnostic::{Code, Diagnostic},
    eval::{Batch, EvalError, Evaluation, Question},
    program::Program,
    syntax::{Dialect, Sources, Span, ast::Term, parse},
    value::{Interner, Value},
};
use serde_json::Value as Json;

use super::load::{read, report};
use crate::words::plural;

/// Rows by predicate and number of arguments, as written in the files.
#[derive(Clone, Default)]
pub(super) struct Answers(BTreeMap<(String, usize), Rows>);

#[derive(Clone, Default)]
struct Rows {
    /// The names of the files.
    from: String,
    rows: Vec<Vec<Term>>,
}

impl Answers {
    /// Reads the files.
    pub(super) fn read(files: &[(String, PathBuf)]) -> anyhow::Result<Self> {
        let mut answers = Self::default();
        for (name, file) in files {
            let text = read(file)?;
            let shown = file.display().to_string();
            let facts = if is_json(file) {
                as_facts(name, &text).with_context(|| format!("`{shown}` has no rows for `{name}`"))?
            } else {
                text
            };
            answers.add(Some(name), &shown, &facts)?;
        }
        Ok(answers)
    }

    /// Takes facts as rows; with `only`, all of them must be of that predicate.
    pub(super) fn add(&mut self, only: Option<&str>, from: &str, facts: &str) -> anyhow::Result<()> {
        let sources = Sources::of(from, facts)?;
        let source = sources.get(0).context("there is one source")?;
        let parsed = parse(source, Dialect::Extended);
        if !parsed.is_ok() {
            bail!("`{from}` cannot be read:\n{}", report(&parsed.diagnostics, &sources));
        }
        // Values are made anew for each evaluation; this checks that they are valid.
        let mut interner = Interner::new();
        for clause in parsed.unit.clauses() {
            let line = source.position(clause.span.start).line;
            let (name, args) = (&*clause.head.predicate.text, &clause.head.args);
            ensure!(
                only.is_none_or(|only| only == name),
                "`{from}` is to have rows of `{}` only, but line {line} has one of `{name}`",
                only.unwrap_or_default()
            );
            let plain = clause.is_fact() && clause.time.is_none() && args.iter().all(|arg| constant(arg, &mut interner).is_some());
            ensure!(
                plain,
                "`{}` in line {line} of `{from}` is no fact of constants",
                sources.text(clause.span)
            );
            let rows = self.0.entry((name.to_owned(), args.len())).or_default();
            from.clone_into(&mut rows.from);
            rows.rows.push(args.clone());
        }
        // A file without rows answers too: there are none.
        if let Some(only) = only.filter(|only| !self.0.keys().any(|(name, _)| name == only)) {
            self.0.entry((only.to_owned(), usize::MAX)).or_default();
        }
        Ok(())
    }

    /// Refuses rows for predicates that the program does not use, which are a mistake.
    pub(super) fn check(&self, program: &Program) -> anyhow::Result<()> {
        let external = || program.predicates.iter().filter(|predicate| predicate.external.is_some());
        for ((name, arity), rows) in &self.0 {
            let Some(predicate) = external().find(|predicate| *predicate.name == **name) else {
                let names: Vec<String> = external().map(|predicate| format!("`{}`", predicate.name)).collect();
                let has = if names.is_empty() { "none".to_owned() } else { names.join(", ") };
                bail!("`{name}` is no external predicate of the program, which has {has}: declare it with `descr [external(), mode(..)]`");
            };
            ensure!(
                *arity == usize::MAX || *arity == predicate.arity,
                "`{}` has rows of {} for `{name}`, which has {}",
                rows.from,
                plural(*arity, "argument"),
                plural(predicate.arity, "argument")
            );
        }
        Ok(())
    }

    /// Returns the batch answerer of one evaluation.
    pub(super) fn responder(&self) -> Responder<'_> {
        Responder {
            answers: self,
            values: HashMap::new(),
        }
    }
}

fn is_json(file: &Path) -> bool {
    file.extension().is_some_and(|end| end.eq_ignore_ascii_case("json"))
}

/// Reads rows in JSON as facts, a row a line: a list of rows, or the object that `run --format json` writes.
fn as_facts(name: &str, text: &str) -> anyhow::Result<String> {
    let json: Json = serde_json::from_str(text)?;
    let rows = match &json {
        Json::Array(rows) => rows.iter().collect(),
        Json::Object(all) => {
            let of_name = all
                .iter()
                .filter(|(label, _)| label.rsplit_once('/').map_or(&***label, |(name, _)| name) == name);
            let rows: Option<Vec<&Vec<Json>>> = of_name.map(|(_, rows)| rows.as_array()).collect();
            rows.context("a predicate's rows are a list")?
                .into_iter()
                .flatten()
                .collect::<Vec<_>>()
        }
        _ => bail!("write a list of rows, such as `[[\"/saw\", 40]]`"),
    };
    let mut facts = String::new();
    for (number, row) in rows.into_iter().enumerate() {
        let cells = row.as_array().with_context(|| format!("row {} is no list", number + 1))?;
        let cells: anyhow::Result<Vec<String>> = cells
            .iter()
            .map(|cell| term(cell).with_context(|| format!("row {}", number + 1)))
            .collect();
        facts += &format!("{name}({}).\n", cells?.join(", "));
    }
    Ok(facts)
}

/// Returns a cell: a term as `run` writes it, or a number.
fn term(cell: &Json) -> anyhow::Result<String> {
    let text = match cell {
        Json::Number(number) => return Ok(number.to_string()),
        Json::String(text) => text,
        other => bail!("`{other}` is neither a number nor a term in quotes"),
    };
    let sources = Sources::of("a cell", &format!("x({text} )."))?;
    let parsed = parse(sources.get(0).context("there is one source")?, Dialect::Extended);
    let mut clauses = parsed.unit.clauses();
    let is_constant = matches!((clauses.next(), clauses.next()), (Some(one), None)
        if one.head.args.len() == 1 && constant(&one.head.args[0], &mut Interner::new()).is_some());
    ensure!(
        parsed.is_ok() && is_constant,
        "`{text}` is no constant: names are written \"/{text}\", strings with their own quotes, \"\\\"{text}\\\"\""
    );
    Ok(text.clone())
}

/// Answers the questions of one evaluation from the rows.
pub(super) struct Responder<'a> {
    answers: &'a Answers,
    /// The rows as values of this evaluation, found by the arguments that were asked for.
    values: HashMap<(String, Vec<bool>), ByKnown>,
}

/// Rows by the known arguments.
type ByKnown = HashMap<Vec<Value>, Vec<Vec<Value>>>;

impl Responder<'_> {
    /// Answers every question, or reports which predicate has no answer.
    pub(super) fn answer(&mut self, program: &Program, evaluation: &mut Evaluation, batch: &Batch) -> Result<(), Refusal> {
        for question in &batch.questions {
            let predicate = program.predicate(question.pred);
            let rows = self.rows(&predicate.name, predicate.arity, question, evaluation.interner());
            let Some(rows) = rows else {
                return Err(Refusal::Unanswered(Box::new(unanswered(&predicate.name, predicate.span))));
            };
            evaluation.answer(question, rows).map_err(Refusal::Failed)?;
        }
        Ok(())
    }

    fn rows(&mut self, name: &str, arity: usize, question: &Question, interner: &mut Interner) -> Option<&[Vec<Value>]> {
        let answers = &self.answers.0;
        if !answers.keys().any(|(known, _)| known == name) {
            return None;
        }
        let which: Vec<bool> = question.args.iter().map(Option::is_some).collect();
        let key: Vec<Value> = question.args.iter().flatten().copied().collect();
        let index = self.values.entry((name.to_owned(), which.clone())).or_insert_with(|| {
            let mut index = ByKnown::new();
            let written = answers.get(&(name.to_owned(), arity)).map_or(&[][..], |rows| &rows.rows);
            for row in written {
                let Some(row) = row.iter().map(|term| constant(term, interner)).collect::<Option<Vec<Value>>>() else {
                    continue;
                };
                let key = row
                    .iter()
                    .zip(&which)
                    .filter(|(_, known)| **known)
                    .map(|(value, _)| *value)
                    .collect();
                index.entry(key).or_default().push(row);
            }
            index
        });
        Some(index.get(&key).map_or(&[], Vec::as_slice))
    }
}

/// Why a question has no answer.
pub(super) enum Refusal {
    /// No file has rows for the predicate.
    Unanswered(Box<Diagnostic>),
    /// The evaluation refuses the answer.
    Failed(EvalError),
}

fn unanswered(name: &str, span: Span) -> Diagnostic {
    let text = format!("`{name}` is external, and no file answers for it here");
    let found = Diagnostic::new(Code::ExternalUnanswered, span, text);
    found.help(format!(
        "give its rows with `--external {name}=FILE`, a file of facts (.mg) or of rows (.json)"
    ))
}
