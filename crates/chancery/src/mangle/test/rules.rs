//! The rules that the cases of a suite test.

use anyhow::bail;
use mangle::syntax::{Dialect, Parsed, Sources, ast::Atom, parse};

use super::{
    super::{
        external::Answers,
        load::{read, report},
    },
    suite::Suite,
};

/// The rules under test: parsed sources, and the rows of external predicates.
#[derive(Clone)]
pub(super) struct Rules {
    pub(super) sources: Sources,
    pub(super) parsed: Vec<Parsed>,
    pub(super) dialect: Dialect,
    pub(super) answers: Answers,
}

impl Rules {
    /// Reads the rule files of a suite. They must parse; whether they are otherwise correct is for the cases to say.
    pub(super) fn read(suite: &Suite, extended: bool, answers: &Answers) -> anyhow::Result<Self> {
        let dialect = if extended || suite.extended {
            Dialect::Extended
        } else {
            Dialect::Strict
        };
        let mut sources = Sources::new();
        for file in &suite.rules {
            sources.add(&file.display().to_string(), &read(file)?)?;
        }
        let parsed: Vec<Parsed> = sources.iter().map(|source| parse(source, dialect)).collect();
        let found: Vec<_> = parsed.iter().flat_map(|parsed| parsed.diagnostics.iter().cloned()).collect();
        if parsed.iter().any(|parsed| !parsed.is_ok()) {
            bail!("the rules cannot be read:\n{}", report(&found, &sources));
        }
        Ok(Self {
            sources,
            parsed,
            dialect,
            answers: answers.clone(),
        })
    }

    /// Returns whether a clause or a declaration is about a predicate.
    pub(super) fn define(&self, name: &str, arity: usize) -> bool {
        let is_it = |package: &str, atom: &Atom| {
            let text = &*atom.predicate.text;
            let named = if package.is_empty() {
                text == name
            } else {
                format!("{package}.{text}") == name
            };
            named && atom.args.len() == arity
        };
        self.parsed.iter().any(|parsed| {
            let package = parsed.unit.package.as_ref().map_or("", |package| &package.name.text);
            parsed.unit.clauses().any(|clause| is_it(package, &clause.head)) || parsed.unit.decls().any(|decl| is_it(package, &decl.atom))
        })
    }
}
