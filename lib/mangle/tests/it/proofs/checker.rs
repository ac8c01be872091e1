//! Checks a proof step by step against the text of the rules: each step's premises follow from what the step rests on.
//! The checker reads the syntax tree of the program and uses the naive evaluator's notion of a premise; it knows
//! nothing of plans, rows or rounds.

use std::collections::{BTreeMap, BTreeSet, HashMap};

use mangle::{
    eval::Model,
    explain::{Because, Contribution, Derivation, Failure, Node, Obstacle, Proof, Support, WhyNot},
    program::{Interval, PredId, RuleId},
    syntax::{
        Word,
        ast::{Clause, Premise, Unit},
    },
    value::{Value, View},
};

use crate::engine::{Given, Outside, values};
use crate::naive::{
    Facts, Fail,
    body::{is_pattern, solve_from, unify},
    term::{Binding, eval},
    time::{self, ALWAYS},
    transform,
    value::{Real, Value as Plain},
};

/// How many steps were checked, and how many use constructs that the naive evaluator does not support.
#[derive(Clone, Debug, Default)]
pub(crate) struct Seen {
    pub checked: usize,
    /// The unsupported constructs, and how often each occurs.
    pub skipped: BTreeMap<String, usize>,
}

impl Seen {
    fn skip(&mut self, construct: String) {
        *self.skipped.entry(construct).or_default() += 1;
    }

    pub(crate) fn skipped(&self) -> usize {
        self.skipped.values().sum()
    }
}

/// The data that proofs about one model are checked against.
pub(crate) struct Checker<'m> {
    name: &'m str,
    model: &'m Model,
    /// The rules and facts by their place.
    clauses: HashMap<(u32, u32), &'m Clause>,
    stated: Vec<&'m Clause>,
    outside: &'m Outside,
    /// All facts that hold: for negations and groups.
    all: Facts,
}

impl<'m> Checker<'m> {
    pub(crate) fn new(name: &'m str, model: &'m Model, units: &'m [Unit], outside: &'m Outside) -> Self {
        let clauses = || units.iter().flat_map(Unit::clauses);
        let mut checker = Self {
            name,
            model,
            clauses: clauses().map(|clause| ((clause.span.start, clause.span.end), clause)).collect(),
            stated: clauses().filter(|clause| clause.is_fact()).collect(),
            outside,
            all: Facts::none(model.now()),
        };
        checker.all = checker.everything();
        checker
    }

    /// Returns all facts of the model.
    fn everything(&self) -> Facts {
        let mut all = Facts::none(self.model.now());
        for number in 0..self.model.program().predicates.len() {
            let pred = PredId(number as u32);
            for fact in self.model.facts(pred) {
                let row = self.row(&fact.args);
                all.add(&self.predicate(pred), row, fact.time.map_or(ALWAYS, ends));
            }
        }
        all
    }

    fn predicate(&self, pred: PredId) -> (String, usize) {
        let predicate = self.model.program().predicate(pred);
        (predicate.name.to_string(), predicate.arity)
    }

    /// Checks that a proof proves the fact in question, that each step holds, and that nothing rests on itself.
    pub(crate) fn proof(&self, proof: &Proof, seen: &mut Seen) {
        for node in &proof.nodes {
            let what = self.shown(node);
            assert!(!node.because.is_empty(), "{}: {what} has no reason", self.name);
            self.covers(node);
            for because in &node.because {
                match because {
                    Because::Answered => assert!(self.is_in(&self.outside.answers, node), "{}: {what} was not answered", self.name),
                    Because::Given => assert!(self.is_stated(node), "{}: {what} is not in the program", self.name),
                    Because::Rule(derivation) => self.count(self.step(proof, node, derivation), seen, &format!("{what}: {derivation:?}")),
                    Because::Merged { before, with } => {
                        let merges = self.merges(node, proof.node(*before), proof.node(*with));
                        self.count(merges, seen, &format!("{what}: merged"));
                    }
                }
            }
        }
        let mut path = Vec::new();
        self.rests_on_others(proof, 0, &mut path, &mut BTreeSet::new());
    }

    fn count(&self, outcome: Result<(), Fail>, seen: &mut Seen, what: &str) {
        match outcome {
            Ok(()) => seen.checked += 1,
            Err(Fail::NotCovered(construct)) => seen.skip(construct),
            Err(fail) => panic!("{}: it does not follow: {fail:?}\n{what}", self.name),
        }
    }

    /// Checks that two facts of one key are merged to this one, by the rules of the merging predicate.
    fn merges(&self, node: &Node, before: &Node, with: &Node) -> Result<(), Fail> {
        let program = self.model.program();
        let spec = program
            .predicate(node.pred)
            .merge
            .as_ref()
            .expect("only merged predicates are merged");
        for other in [before, with] {
            let same_key = other.pred == node.pred && spec.keys.iter().all(|&key| other.args[key] == node.args[key]);
            assert!(same_key, "{}: {} is merged with another key", self.name, self.shown(node));
        }
        let value = |node: &Node| self.plain(node.args[spec.merged]);
        let (was, came, is) = (value(before), value(with), value(node));
        let all = &self.all;
        for (_, rule) in program.rules.iter().enumerate().filter(|(_, rule)| rule.head.pred == spec.by) {
            let clause = self.clauses[&(rule.span.start, rule.span.end)];
            let Some(known) = unify(&clause.head.args[0], &was, Binding::new())? else {
                continue;
            };
            let Some(known) = unify(&clause.head.args[1], &came, known)? else {
                continue;
            };
            for solution in solve_from(known, &clause.premises, all)? {
                if eval(&clause.head.args[2], &solution)? == is {
                    return Ok(());
                }
            }
        }
        Err(Fail::NoResult("its parts are merged to something else".to_owned()))
    }

    fn shown(&self, node: &Node) -> String {
        let args: Vec<String> = node.args.iter().map(|&arg| self.model.interner().print(arg).to_string()).collect();
        format!("{}({}) {:?}", self.predicate(node.pred).0, args.join(", "), node.time)
    }

    /// Checks that the proved interval of a temporal fact is covered by what its reasons prove.
    fn covers(&self, node: &Node) {
        let Some(wanted) = node.time else { return };
        let mut proved = Vec::new();
        for because in &node.because {
            match because {
                Because::Rule(derivation) => {
                    let derived = derivation
                        .time
                        .unwrap_or_else(|| panic!("{}: a temporal fact without a time", self.name));
                    time::add(&mut proved, ends(derived));
                }
                Because::Merged { .. } => panic!("{}: a temporal fact is not merged", self.name),
                Because::Given | Because::Answered => {
                    for interval in self.stated_at(node) {
                        time::add(&mut proved, interval);
                    }
                }
            }
        }
        let (start, end) = ends(wanted);
        let covered = proved.iter().any(|have| have.0 <= start && end <= have.1);
        assert!(covered, "{}: the reasons of {} only cover {proved:?}", self.name, self.shown(node));
    }

    fn is_stated(&self, node: &Node) -> bool {
        !self.stated_at(node).is_empty() || self.is_in(&self.outside.request, node)
    }

    /// Returns whether a fact is among those that came from outside.
    fn is_in(&self, given: &Given, node: &Node) -> bool {
        let (name, arity) = self.predicate(node.pred);
        let mut interner = self.model.interner().clone();
        let rows = given.get(&format!("{name}/{arity}")).into_iter().flatten();
        rows.map(|row| values(row, &mut interner)).any(|row| row == node.args)
    }

    /// Returns the intervals at which the program itself states that a fact holds.
    fn stated_at(&self, node: &Node) -> Vec<time::Interval> {
        let (name, _) = self.predicate(node.pred);
        let wanted = self.row(&node.args);
        let mut found = Vec::new();
        for clause in &self.stated {
            // The names of a package's predicates begin with the package.
            let named = *name == *clause.head.predicate.text || name.ends_with(&format!(".{}", clause.head.predicate.text));
            let row: Result<Vec<Plain>, Fail> = clause.head.args.iter().map(|arg| eval(arg, &Binding::new())).collect();
            if named && row.is_ok_and(|row| row == wanted) {
                let at = clause
                    .time
                    .as_ref()
                    .map(|time| time::of_head(time, &Binding::new(), self.model.now()));
                found.push(at.map_or(ALWAYS, |interval| interval.expect("a fact's interval was accepted")));
            }
        }
        found
    }

    /// Checks one use of a rule.
    fn step(&self, proof: &Proof, node: &Node, derivation: &Derivation) -> Result<(), Fail> {
        let clause = self.clause(derivation.rule)?;
        if derivation.group.is_empty() {
            let start = self.binding(&derivation.bindings);
            let solutions = self.fulfilled(proof, clause, start, &derivation.premises)?;
            let solutions = solutions.into_iter().map(|solution| transform::lets_of(clause, solution));
            let solutions = solutions.collect::<Result<Vec<_>, _>>()?;
            return self.head(clause, node, derivation, &solutions);
        }
        for row in &derivation.group {
            self.contributes(proof, clause, row)?;
        }
        let all = &self.all;
        let groups = transform::bindings(clause, all)?;
        self.head(clause, node, derivation, &groups)
    }

    /// Checks that a row of a group satisfies the body.
    fn contributes(&self, proof: &Proof, clause: &Clause, row: &Contribution) -> Result<(), Fail> {
        let body: BTreeSet<String> = transform::body_variables(clause);
        let mut start = self.binding(&row.bindings);
        start.retain(|name, _| body.contains(name));
        self.fulfilled(proof, clause, start, &row.premises).map(|_| ())
    }

    /// Returns the bindings of a body that follow from its supports alone; negations are checked against all facts.
    fn fulfilled(&self, proof: &Proof, clause: &Clause, start: Binding, supports: &[Support]) -> Result<Vec<Binding>, Fail> {
        let mut facts = Facts::none(self.model.now());
        for support in supports {
            match support {
                Support::Fact(id) => {
                    let node = proof.node(*id);
                    let row = self.row(&node.args);
                    facts.add(&self.predicate(node.pred), row, node.time.map_or(ALWAYS, ends));
                }
                Support::Called(..) => return Err(Fail::NotCovered("deferred predicates".to_owned())),
                Support::Absent(..) | Support::Computed => {}
            }
        }
        let (negated, positive): (Vec<Premise>, Vec<Premise>) = clause
            .premises
            .iter()
            .cloned()
            .partition(|premise| matches!(premise, Premise::Negated(_)));
        // `_` beside a variable means something else once that has a value: the bounds of intervals are found again,
        // and compared.
        let bounds = time::variables(&positive);
        let open: Binding = start.clone().into_iter().filter(|(name, _)| !bounds.contains(name)).collect();
        let mut solutions = solve_from(open, &positive, &facts)?;
        solutions.retain(|solution| {
            start
                .iter()
                .all(|(name, value)| solution.get(name).is_none_or(|found| found == value))
        });
        if !negated.is_empty() {
            let all = &self.all;
            let mut kept = Vec::new();
            for solution in solutions {
                kept.extend(solve_from(solution, &negated, all)?);
            }
            solutions = kept;
        }
        match solutions.is_empty() {
            true => Err(Fail::NoResult("its premises are not fulfilled".to_owned())),
            false => Ok(solutions),
        }
    }

    /// Checks that under one of the bindings the head is the fact, at the time that the step gives.
    fn head(&self, clause: &Clause, node: &Node, derivation: &Derivation, solutions: &[Binding]) -> Result<(), Fail> {
        let wanted = self.row(&node.args);
        for solution in solutions {
            let row: Vec<Plain> = clause.head.args.iter().map(|arg| eval(arg, solution)).collect::<Result<_, _>>()?;
            let at = clause
                .time
                .as_ref()
                .map(|time| time::of_head(time, solution, self.model.now()))
                .transpose()?;
            if row == wanted && at == derivation.time.map(ends) {
                return Ok(());
            }
        }
        Err(Fail::NoResult("its head is another fact".to_owned()))
    }

    /// Walks down a proof and fails if a fact occurs above itself.
    fn rests_on_others(&self, proof: &Proof, at: u32, path: &mut Vec<u32>, done: &mut BTreeSet<u32>) {
        assert!(
            !path.contains(&at),
            "{}: {} rests on itself",
            self.name,
            self.shown(&proof.nodes[at as usize])
        );
        if !done.insert(at) {
            return;
        }
        path.push(at);
        for because in &proof.nodes[at as usize].because {
            if let Because::Merged { before, with } = because {
                self.rests_on_others(proof, before.0, path, done);
                self.rests_on_others(proof, with.0, path, done);
            }
            let Because::Rule(derivation) = because else { continue };
            let rows = derivation.group.iter().flat_map(|row| &row.premises);
            for support in derivation.premises.iter().chain(rows) {
                if let Support::Fact(id) = support {
                    self.rests_on_others(proof, id.0, path, done);
                }
            }
        }
        path.pop();
    }

    /// Checks that each rule that could derive the fact has a failure, and that it is one.
    pub(crate) fn why_not(&self, why_not: &WhyNot, seen: &mut Seen) {
        let rules = self.model.program().rules.iter().enumerate();
        let could: Vec<RuleId> = rules
            .filter(|(_, rule)| rule.head.pred == why_not.pred)
            .map(|(number, _)| RuleId(number as u32))
            .collect();
        let named: Vec<RuleId> = why_not.failures.iter().map(|failure| failure.rule).collect();
        assert_eq!(named, could, "{}: a rule is left out", self.name);
        for failure in &why_not.failures {
            match self.fails(why_not, failure) {
                Ok(()) => seen.checked += 1,
                Err(Fail::NotCovered(construct)) => seen.skip(construct),
                Err(Fail::Unbound) => seen.skip("a variable without a value".to_owned()),
                Err(fail) => panic!("{}: {fail:?}\n{failure:?}", self.name),
            }
        }
    }

    fn fails(&self, why_not: &WhyNot, failure: &Failure) -> Result<(), Fail> {
        let clause = self.clause(failure.rule)?;
        let wanted = self.row(&why_not.args);
        let all = &self.all;
        let mut start = Some(self.binding(&failure.bindings));
        // What the head computes is unknown before its variables are known.
        let patterns = clause.head.args.iter().zip(&wanted).filter(|(arg, _)| is_pattern(arg));
        let all_patterns = clause.head.args.iter().all(is_pattern);
        for (arg, value) in patterns {
            start = match start {
                Some(binding) => unify(arg, value, binding)?,
                None => break,
            };
        }
        let wrong = |what: &str| Err(Fail::NoResult(what.to_owned()));
        match (&failure.obstacle, start) {
            (Obstacle::Head, Some(_)) if all_patterns => wrong("the head fits"),
            (Obstacle::Premise { .. }, Some(binding)) => match solve_from(binding, &clause.premises, all)?.is_empty() {
                true => Ok(()),
                false => wrong("its premises are fulfilled with these bindings"),
            },
            (Obstacle::Premise { premise, .. }, None) => wrong(&format!("the head does not fit, but premise {premise} is named")),
            (Obstacle::Result(_) | Obstacle::Replaced(_) | Obstacle::Head, _) => Ok(()),
        }
    }

    /// Returns the text of a rule. Within a package names are shorter than in the model: that is not supported.
    fn clause(&self, rule: RuleId) -> Result<&'m Clause, Fail> {
        let rule = self.model.program().rule(rule);
        let span = rule.span;
        let clause = self.clauses.get(&(span.start, span.end)).copied();
        let clause = clause.unwrap_or_else(|| panic!("{}: no rule stands at {span:?}", self.name));
        match *self.predicate(rule.head.pred).0 == *clause.head.predicate.text {
            true => Ok(clause),
            false => Err(Fail::NotCovered("packages".to_owned())),
        }
    }

    fn binding(&self, bindings: &[(Word, Value)]) -> Binding {
        let named = bindings.iter().filter(|(name, _)| !name.is_empty());
        named.map(|(name, value)| (name.to_string(), self.plain(*value))).collect()
    }

    fn row(&self, args: &[Value]) -> Vec<Plain> {
        args.iter().map(|&arg| self.plain(arg)).collect()
    }

    fn entries(&self, all: impl Iterator<Item = (Value, Value)>) -> Vec<(Plain, Plain)> {
        let mut entries: Vec<(Plain, Plain)> = all.map(|(key, value)| (self.plain(key), self.plain(value))).collect();
        entries.sort();
        entries
    }

    /// Returns the value in the naive evaluator's form.
    fn plain(&self, value: Value) -> Plain {
        match self.model.interner().view(value) {
            View::Number(number) => Plain::Number(number),
            View::Float(float) => Plain::Float(Real(float)),
            View::Time(nanos) => Plain::Time(nanos),
            View::Duration(nanos) => Plain::Duration(nanos),
            View::Name(name) => Plain::Name(name.to_owned()),
            View::String(text) => Plain::Text(text.to_owned()),
            View::Bytes(bytes) => Plain::Bytes(bytes.to_vec()),
            View::Pair(first, second) => Plain::Pair(Box::new((self.plain(first), self.plain(second)))),
            View::List(items) => Plain::List(items.iter().map(|item| self.plain(item)).collect()),
            View::Map(all) => Plain::Map(self.entries(all.iter())),
            View::Struct(all) => Plain::Struct(self.entries(all.iter())),
        }
    }
}

fn ends(interval: Interval) -> time::Interval {
    (interval.start, interval.end)
}
