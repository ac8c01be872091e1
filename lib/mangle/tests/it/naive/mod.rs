//! A second evaluator, written for clarity alone: nested loops over all facts until no new ones appear. It shares the
//! syntax tree with the engine, and nothing else. It covers what the generator writes.

pub(crate) mod body;
mod order;
pub(crate) mod term;
pub(crate) mod time;
pub(crate) mod transform;
pub(crate) mod value;

use std::collections::{BTreeMap, BTreeSet};

use mangle::syntax::ast::{Clause, Unit};

use self::{
    term::{Binding, eval},
    time::{ALWAYS, Interval},
    value::Value,
};

/// The reason why a program has no answer here.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(crate) enum Fail {
    /// A variable has no value where it needs one.
    Unbound,
    /// A predicate is negated or aggregated within its own recursion.
    Strata,
    /// A function has no result.
    NoResult(String),
    /// There are more facts than the caller allows.
    TooMany,
    /// This evaluator does not support the construct.
    NotCovered(String),
}

/// A predicate: its name and number of arguments.
pub(crate) type Predicate = (String, usize);

/// The facts that hold so far, and when.
#[derive(Debug, Default)]
pub(crate) struct Facts {
    known: BTreeMap<Predicate, BTreeMap<Vec<Value>, Vec<Interval>>>,
    temporal: BTreeSet<Predicate>,
    now: i64,
}

impl Facts {
    /// Returns an empty set of facts, for an evaluation at `now`.
    pub(crate) fn none(now: i64) -> Self {
        Self { now, ..Self::default() }
    }

    /// Returns the rows of a predicate with the intervals at which they hold.
    pub(crate) fn rows(&self, name: &str, arity: usize) -> impl Iterator<Item = (&Vec<Value>, &Vec<Interval>)> {
        self.known.get(&(name.to_owned(), arity)).into_iter().flatten()
    }

    /// Adds a fact, at an interval.
    pub(crate) fn add(&mut self, predicate: &Predicate, row: Vec<Value>, interval: Interval) -> bool {
        let rows = self.known.entry(predicate.clone()).or_default();
        time::add(rows.entry(row).or_default(), interval)
    }

    /// Returns all facts as `chancery mangle run` prints them: rows of terms by `name/arity`, the bounds of temporal
    /// facts at the end.
    pub(crate) fn print(&self) -> BTreeMap<String, BTreeSet<Vec<String>>> {
        let mut printed: BTreeMap<String, BTreeSet<Vec<String>>> = BTreeMap::new();
        for ((name, arity), rows) in &self.known {
            let temporal = self.temporal.contains(&(name.clone(), *arity));
            for (row, intervals) in rows {
                let row: Vec<String> = row.iter().map(Value::to_string).collect();
                let all = printed.entry(format!("{name}/{arity}")).or_default();
                if temporal {
                    all.extend(intervals.iter().map(|&interval| [&row[..], &ends(interval)].concat()));
                } else {
                    all.insert(row);
                }
            }
        }
        printed
    }

    fn count(&self) -> usize {
        self.known.values().flat_map(BTreeMap::values).map(Vec::len).sum()
    }
}

fn ends((start, end): Interval) -> [String; 2] {
    let text = |at: i64, open: i64| if at == open { "_".to_owned() } else { value::time(at) };
    [text(start, i64::MIN), text(end, i64::MAX)]
}

/// Returns everything that follows from the clauses of `unit`, if it is at most `limit` facts.
pub(crate) fn run(unit: &Unit, now: i64, limit: usize) -> Result<Facts, Fail> {
    let temporal = unit.decls().filter(|decl| decl.temporal.is_some());
    let mut facts = Facts {
        now,
        temporal: temporal.map(|decl| of(&decl.atom)).collect(),
        ..Facts::default()
    };
    for clause in unit.clauses().filter(|clause| clause.is_fact()) {
        derive(clause, &Binding::new(), &mut facts)?;
    }
    let rules: Vec<&Clause> = unit.clauses().filter(|clause| !clause.is_fact()).collect();
    for group in order::groups(&rules)? {
        loop {
            let mut grown = false;
            for rule in &group {
                for binding in transform::bindings(rule, &facts)? {
                    grown |= derive(rule, &binding, &mut facts)?;
                }
                if facts.count() > limit {
                    return Err(Fail::TooMany);
                }
            }
            if !grown {
                break;
            }
        }
    }
    Ok(facts)
}

fn of(atom: &mangle::syntax::ast::Atom) -> Predicate {
    (atom.predicate.text.to_string(), atom.args.len())
}

/// Adds the fact that a clause derives under a binding.
fn derive(clause: &Clause, binding: &Binding, facts: &mut Facts) -> Result<bool, Fail> {
    let row = clause.head.args.iter().map(|arg| eval(arg, binding)).collect::<Result<_, _>>()?;
    let interval = match &clause.time {
        Some(time) => time::of_head(time, binding, facts.now)?,
        None => ALWAYS,
    };
    Ok(facts.add(&of(&clause.head), row, interval))
}
