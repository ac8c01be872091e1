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

/// A predicate and what is known of it.
#[derive(Clone, Debug)]
pub struct PredicateInfo {
    /// With its package.
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
    /// Who owns it: the highest level that declares or defines it.
    pub level: Level,
    /// Where that level first does so.
    pub(crate) owned: Span,
    /// The level of its declaration, if it has one.
    pub(crate) declared_at: Level,
    /// Where it is declared, or first defined.
    pub span: Span,
    /// How many facts of it stand in the sources.
    pub facts: usize,
    /// Its rules.
    pub rules: SmallVec<[RuleId; 2]>,
    /// What its rows are: alternatives, each with a type for every argument. Declared, or inferred.
    pub types: Vec<Vec<Type>>,
    /// In which stratum its rules run.
    pub stratum: Option<usize>,
}

impl PredicateInfo {
    /// One of which nothing is known but its name.
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

    /// `name/arity`, as people write it.
    pub fn label(&self) -> String {
        format!("{}/{}", self.name, self.arity)
    }

    /// Whether rows may come from elsewhere than the sources.
    pub fn is_open(&self) -> bool {
        self.declaration
            .as_ref()
            .is_some_and(|decl| decl.extensional || decl.external || decl.session)
    }

    /// Whether anything in the sources defines it.
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
    /// What each premise means, as many as the clause has.
    pub(crate) premises: SmallVec<[Meaning; 2]>,
    /// The premises in an order in which every variable has its value in time.
    pub(crate) order: SmallVec<[usize; 2]>,
}

/// What a premise means.
#[derive(Clone, Copy, Debug)]
pub(crate) enum Meaning {
    /// Facts of a predicate.
    Fact(PredId),
    /// No facts of a predicate.
    NoFact(PredId),
    /// A built-in relation holds, or does not.
    Built { relation: Relation, negated: bool },
    /// An order, as an operator or as in `:lt(X, Y)`.
    Compare { op: Comparison, of: Operand },
    /// `=`
    Equal,
    /// It was reported.
    Broken,
}

impl Meaning {
    /// The predicate, and whether it is negated.
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
    /// Names are chosen by whoever writes programs: nobody else knows where they come to lie.
    hasher: RandomState,
    /// For each predicate the next one of the same name, with another arity.
    next: Vec<Option<PredId>>,
}

impl Model<'_> {
    pub(crate) fn pred(&self, id: PredId) -> &PredicateInfo {
        &self.predicates[id.index()]
    }

    pub(crate) fn pred_mut(&mut self, id: PredId) -> &mut PredicateInfo {
        &mut self.predicates[id.index()]
    }

    /// The predicates of this name, whatever their arity.
    pub(crate) fn named(&self, name: &str) -> impl Iterator<Item = PredId> {
        let is_it = |number: u32| *self.predicates[number as usize].name == *name;
        let first = self.by_name.find(self.hasher.hash_one(name), is_it);
        std::iter::successors(first.map(PredId), |pred| self.next[pred.index()])
    }

    pub(crate) fn find(&self, name: &str, arity: usize) -> Option<PredId> {
        self.named(name).find(|&id| self.pred(id).arity == arity)
    }

    /// Every name.
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
