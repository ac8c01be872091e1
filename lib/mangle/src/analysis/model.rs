//! The program with its names resolved: predicates, rules and facts by number.

use std::{
    hash::{BuildHasher, RandomState},
    sync::Arc,
};

use smallvec::SmallVec;

use super::{declaration::Declaration, level::Level, types::Type};
use crate::{
    builtin::{Operand, Relation},
    eval::table::Table,
    program::{Comparison, PredId, RuleId},
    syntax::{Span, Word, ast::Clause},
};

/// A predicate and what the analysis knows of it.
#[derive(Clone, Debug)]
pub struct PredicateInfo {
    /// Its name, with its package.
    pub name: Word,
    /// The number of arguments.
    pub arity: usize,
    /// The package that it is defined in; empty for none.
    pub package: Arc<str>,
    /// Its declaration, if it has one.
    pub declaration: Option<Box<Declaration>>,
    /// Whether its facts hold at intervals.
    pub temporal: bool,
    /// Whether it is computed where it is called and has no rows.
    pub deferred: bool,
    /// The level that owns it: the highest level that declares or defines it.
    pub level: Level,
    /// The place where that level first does so.
    pub(crate) owned: Span,
    /// The level of its declaration, if it has one.
    pub(crate) declared_at: Level,
    /// The place where it is declared, or first defined.
    pub span: Span,
    /// How many facts of it the sources contain.
    pub facts: usize,
    /// Its rules.
    pub rules: SmallVec<[RuleId; 2]>,
    /// The types of its rows: alternatives, each with a type for every argument. Declared, or inferred.
    pub types: Vec<Vec<Type>>,
    /// The stratum in which its rules run.
    pub stratum: Option<usize>,
}

impl PredicateInfo {
    /// Returns a predicate of which only the name is known.
    pub(crate) fn named(name: Word) -> Self {
        Self {
            name,
            arity: 0,
            package: Arc::default(),
            declaration: None,
            temporal: false,
            deferred: false,
            level: Level::default(),
            owned: Span::default(),
            declared_at: Level::default(),
            span: Span::default(),
            facts: 0,
            rules: SmallVec::new(),
            types: Vec::new(),
            stratum: None,
        }
    }

    /// Returns its label for people: `name/arity`.
    pub fn label(&self) -> String {
        format!("{}/{}", self.name, self.arity)
    }

    /// Returns whether rows may come from outside the sources.
    pub fn is_open(&self) -> bool {
        self.declaration
            .as_ref()
            .is_some_and(|decl| decl.extensional || decl.external || decl.session)
    }

    /// Returns whether anything in the sources defines it.
    pub fn is_defined(&self) -> bool {
        self.facts > 0 || !self.rules.is_empty()
    }
}

/// A fact of the sources.
#[derive(Clone, Copy, Debug)]
pub(crate) struct FactInfo<'u> {
    pub(crate) pred: PredId,
    pub(crate) clause: &'u Clause,
    pub(crate) level: Level,
}

/// A rule of the sources.
#[derive(Clone, Debug)]
pub(crate) struct RuleInfo<'u> {
    pub(crate) head: PredId,
    pub(crate) clause: &'u Clause,
    pub(crate) level: Level,
    /// The meaning of each premise of the clause.
    pub(crate) premises: SmallVec<[Meaning; 2]>,
    /// The premises in an order in which every variable has its value when it is needed.
    pub(crate) order: SmallVec<[usize; 2]>,
}

/// The meaning of a premise.
#[derive(Clone, Copy, Debug)]
pub(crate) enum Meaning {
    /// A fact of a predicate exists.
    Fact(PredId),
    /// No fact of a predicate exists.
    NoFact(PredId),
    /// A built-in relation holds, or does not.
    Built { relation: Relation, negated: bool },
    /// A comparison, as an operator or as in `:lt(X, Y)`.
    Compare { op: Comparison, of: Operand },
    /// An equation with `=`.
    Equal,
    /// A premise that was reported as wrong.
    Broken,
}

impl Meaning {
    /// Returns the predicate, and whether it is negated.
    pub(crate) fn pred(self) -> Option<(PredId, bool)> {
        match self {
            Self::Fact(pred) => Some((pred, false)),
            Self::NoFact(pred) => Some((pred, true)),
            _ => None,
        }
    }
}

/// The whole program.
#[derive(Debug, Default)]
pub(crate) struct Model<'u> {
    pub(crate) predicates: Vec<PredicateInfo>,
    pub(crate) rules: Vec<RuleInfo<'u>>,
    pub(crate) facts: Vec<FactInfo<'u>>,
    /// Finds the first predicate of each name.
    by_name: Table,
    /// The keyed hash: authors of programs choose names, but cannot know where in the table they are placed.
    hasher: RandomState,
    /// For each predicate, the next one of the same name with another arity.
    next: Vec<Option<PredId>>,
}

impl Model<'_> {
    pub(crate) fn pred(&self, id: PredId) -> &PredicateInfo {
        &self.predicates[id.index()]
    }

    pub(crate) fn pred_mut(&mut self, id: PredId) -> &mut PredicateInfo {
        &mut self.predicates[id.index()]
    }

    /// Returns the predicates of this name, whatever their arity.
    pub(crate) fn named(&self, name: &str) -> impl Iterator<Item = PredId> {
        let is_it = |number: u32| *self.predicates[number as usize].name == *name;
        let first = self.by_name.find(self.hasher.hash_one(name), is_it);
        std::iter::successors(first.map(PredId), |pred| self.next[pred.index()])
    }

    pub(crate) fn find(&self, name: &str, arity: usize) -> Option<PredId> {
        self.named(name).find(|&id| self.pred(id).arity == arity)
    }

    /// Returns every name.
    pub(crate) fn names(&self) -> impl Iterator<Item = &str> {
        self.predicates.iter().map(|pred| &*pred.name)
    }

    pub(crate) fn add(&mut self, info: PredicateInfo) -> PredId {
        let id = PredId(self.predicates.len() as u32);
        match self.named(&info.name).last() {
            Some(last) => self.next[last.index()] = Some(id),
            None => {
                let hash = self.hasher.hash_one(&*info.name);
                self.by_name.insert(hash, id.0);
            }
        }
        self.next.push(None);
        self.predicates.push(info);
        id
    }
}
