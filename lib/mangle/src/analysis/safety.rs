//! Checks safety: every variable gets its value from facts, constants or functions of them, before it is needed.

use std::collections::HashSet;

use super::{
    model::{Meaning, Model, RuleInfo},
    order::{Flow, Order, order},
    report::Report,
    variables::{Variables, wildcard},
};
use crate::{
    diagnostic::{Code, Diagnostic},
    program::Mode,
    syntax::{
        Dialect, Span, Word,
        ast::{Clause, Literal, Premise, Term, TermKind},
    },
};

/// How many variables of one rule are reported.
const MAX_OF_ONE_RULE: usize = 20;

/// How many variables a rule may have; the rest of the slots is for those that the lowering creates.
const MAX_VARIABLES: usize = 30_000;

/// Checks a rule and returns the order of its premises.
pub(crate) fn check(model: &Model<'_>, rule: &RuleInfo<'_>, dialect: Dialect, report: &mut Report) -> Vec<usize> {
    let mut variables = Variables::default();
    let given = given(model, rule, &mut variables);
    let order = order(model, rule, dialect, &mut variables, &given);
    if variables.all.len() > MAX_VARIABLES {
        let found = Diagnostic::new(Code::TooManyVariables, rule.clause.head.span, "the rule has too many variables");
        report.push(found.help(format!("split it: {MAX_VARIABLES} are allowed")));
        return Vec::new();
    }
    let mut check = Check {
        rule,
        variables,
        reported: HashSet::new(),
        order,
        report,
    };
    check.stuck();
    check.wildcards(model);
    if dialect == Dialect::Strict {
        check.strict(&given);
    }
    check.after_body(dialect);
    // This comes last: a variable that the head or a transform needs is an error, and one finding for it is enough.
    check.only_negated();
    check.order.premises
}

/// Returns the variables of the head that a caller gives: those in `'+'` places of a predicate that is computed where it is called.
fn given(model: &Model<'_>, rule: &RuleInfo<'_>, variables: &mut Variables) -> Vec<usize> {
    let head = model.pred(rule.head);
    let Some(decl) = head.declaration.as_ref().filter(|_| head.deferred) else {
        return Vec::new();
    };
    let mut given = Vec::new();
    for (index, arg) in rule.clause.head.args.iter().enumerate() {
        let always = decl.modes.iter().all(|mode| mode.get(index) == Some(&Mode::In));
        // Without a mode, a caller promises no arguments.
        if always && !decl.modes.is_empty() {
            variables.of_term(arg, &mut given);
        }
    }
    given
}

struct Check<'c, 'u> {
    rule: &'c RuleInfo<'u>,
    variables: Variables,
    /// The variables that were reported: one finding for each is enough.
    reported: HashSet<usize>,
    order: Order,
    report: &'c mut Report,
}

impl Check<'_, '_> {
    fn clause(&self) -> &Clause {
        self.rule.clause
    }

    fn is_bound(&self, number: usize) -> bool {
        self.order.bound.get(number).copied().unwrap_or(false)
    }

    /// Returns whether this variable, or enough of this rule, was reported; else counts it as reported.
    fn is_reported(&mut self, number: usize) -> bool {
        self.reported.len() >= MAX_OF_ONE_RULE || !self.reported.insert(number)
    }

    /// Reports premises that cannot be evaluated, because a variable in them never gets a value.
    fn stuck(&mut self) {
        let mut done = vec![false; self.rule.premises.len()];
        self.order.premises.iter().for_each(|&index| done[index] = true);
        for index in (0..done.len()).filter(|&index| !done[index]) {
            let flow = &self.order.flows[index];
            let missing = |way: &super::order::Way| {
                way.needs
                    .iter()
                    .copied()
                    .filter(|&number| !self.is_bound(number))
                    .collect::<Vec<_>>()
            };
            let Some(missing) = flow.ways.iter().map(missing).min_by_key(Vec::len) else {
                continue;
            };
            let span = self.clause().premises[index].span();
            for number in missing {
                self.unbound(number, span);
            }
        }
    }

    /// Reports a variable without a value that is needed in `span`.
    fn unbound(&mut self, number: usize, span: Span) {
        if self.is_reported(number) {
            return;
        }
        let (name, first) = self.variables.all[number].clone();
        let place = self.place_in(number, span).unwrap_or(first);
        let mut found = Diagnostic::new(Code::UnboundVariable, place, format!("`{name}` has no value")).here("needed here");
        for premise in &self.rule.clause.premises {
            let (why, literal_span) = match premise {
                Premise::Negated(literal) => ("a negated premise tests and gives no value", literal.span),
                Premise::Compare(comparison) => ("a comparison tests and gives no value", comparison.span),
                Premise::Atom(literal) => {
                    let is_argument = literal.atom.args.iter().any(|arg| arg.span == place);
                    if is_argument && !literal.atom.predicate.text.starts_with(':') {
                        found = found.here(format!("`{}` has to be told this: its mode says `+`", literal.atom.predicate.text));
                    }
                    continue;
                }
            };
            if !literal_span.contains(place) && self.mentions(premise, &name) && found.labels.is_empty() {
                found = found.label(literal_span, why);
            }
        }
        let variables = self.variables.all.iter().zip(&self.order.bound);
        let bound = variables.filter_map(|((other, _), bound)| bound.then_some(&**other));
        let near = self.report.nearest(&name, bound);
        // The value meant in a negated premise is rarely the one at a `_`.
        let free = self.free_place().filter(|_| found.labels.is_empty());
        found = match (near.map(str::to_owned), free) {
            (Some(meant), _) => found.fix(format!("write `{meant}`"), place, meant),
            (None, Some((free, premise))) => {
                found
                    .label(premise, "this premise could give it")
                    .fix(format!("put `{name}` in the place of `_`"), free, &*name)
            }
            (None, None) => found.help(format!("add a premise that gives it a value, as `p({name})` would")),
        };
        self.report.push(found);
    }

    fn mentions(&self, premise: &Premise, name: &str) -> bool {
        let mut found = false;
        let mut see = |other: &Word, _: Span| found |= &**other == name;
        match premise {
            Premise::Atom(literal) | Premise::Negated(literal) => {
                literal.atom.args.iter().for_each(|arg| super::variables::each(arg, &mut see));
            }
            Premise::Compare(comparison) => {
                super::variables::each(&comparison.left, &mut see);
                super::variables::each(&comparison.right, &mut see);
            }
        }
        found
    }

    /// Returns where the variable occurs within a span.
    fn place_in(&self, number: usize, within: Span) -> Option<Span> {
        let name = self.variables.name(number);
        let mut found = None;
        let mut see = |other: &Word, span: Span| {
            if other == name && within.contains(span) && found.is_none() {
                found = Some(span);
            }
        };
        each_term(self.clause(), &mut |term| super::variables::each(term, &mut see));
        found
    }

    /// Returns a `_` of a premise that binds, where a variable without a value could be written.
    fn free_place(&self) -> Option<(Span, Span)> {
        let facts = self.rule.clause.premises.iter().zip(&self.rule.premises);
        let mut atoms = facts.filter_map(|(premise, meaning)| match (premise, meaning) {
            (Premise::Atom(literal), Meaning::Fact(_)) => Some(literal),
            _ => None,
        });
        atoms.find_map(|literal| {
            let free = literal.atom.args.iter().find(|arg| arg.kind == TermKind::Wildcard)?;
            Some((free.span, literal.span))
        })
    }

    /// Reports `_` where a value is needed: in functions, comparisons and given arguments.
    fn wildcards(&mut self, model: &Model<'_>) {
        for (premise, meaning) in self.rule.clause.premises.iter().zip(&self.rule.premises) {
            let spans: Vec<Span> = match premise {
                Premise::Compare(comparison) => [&comparison.left, &comparison.right].into_iter().filter_map(wildcard).collect(),
                Premise::Atom(literal) | Premise::Negated(literal) => needed_wildcards(model, literal, *meaning),
            };
            spans.into_iter().for_each(|span| self.no_value(span));
        }
    }

    fn no_value(&mut self, span: Span) {
        let found = Diagnostic::new(Code::UnboundVariable, span, "`_` has no value").here("a value is needed here");
        self.report.push(found.help("write a variable that a premise gives a value"));
    }

    /// Reports named variables that occur only in negated premises, where they mean "any".
    fn only_negated(&mut self) {
        for (index, premise) in self.rule.clause.premises.iter().enumerate() {
            let Premise::Negated(literal) = premise else { continue };
            for arg in &literal.atom.args {
                let TermKind::Variable(name) = &arg.kind else { continue };
                let Some(number) = self.variables.get(name) else { continue };
                let needed = self.order.flows[index].ways.iter().any(|way| way.needs.contains(&number));
                if needed || self.is_bound(number) || self.is_reported(number) {
                    continue;
                }
                let found = Diagnostic::new(Code::OnlyNegated, arg.span, format!("`{name}` stands in negated premises only"));
                let text = format!("no `{}` at all, whatever `{name}` is", literal.atom.predicate.text);
                let found = found.here(format!("so this asks for {text}"));
                self.report.push(found.fix("say so with `_`", arg.span, "_"));
            }
        }
    }

    /// Checks the order of the strict language, which evaluates premises in the order of the source, except negated
    /// ones.
    fn strict(&mut self, given: &[usize]) {
        let mut bound = vec![false; self.variables.all.len()];
        given.iter().for_each(|&number| bound[number] = true);
        for (index, premise) in self.rule.clause.premises.iter().enumerate() {
            let flow = &self.order.flows[index];
            if flow.negated {
                continue;
            }
            let mut late = None;
            if needs_order(premise, self.rule.premises[index]) && !ready(flow, &bound) {
                late = flow.ways.iter().flat_map(|way| &way.needs).copied().find(|&number| !bound[number]);
            }
            let taken = match (premise, self.rule.premises[index]) {
                (Premise::Atom(literal), Meaning::Built { relation, .. }) => self.taken_output(relation.modes, &literal.atom.args, &bound),
                _ => None,
            };
            flow.ways.iter().flat_map(|way| &way.gives).for_each(|&number| bound[number] = true);
            if let Some(number) = late.filter(|&number| self.is_bound(number)) {
                self.too_early(index, number);
            }
            if let Some(span) = taken {
                let found = Diagnostic::new(Code::Extension, span, "a value in the place of an output is an extension");
                let found = found.here("this has a value already");
                self.report
                    .push(found.help("write a new variable here and compare it behind: `:match_pair(P, X, Y), Y = 2`"));
            }
        }
    }

    /// Returns an output of a built-in predicate that is not a variable without a value.
    fn taken_output(&self, modes: &[Mode], args: &[Term], bound: &[bool]) -> Option<Span> {
        let mut given: Vec<&str> = Vec::new();
        let outputs = args.iter().zip(modes).filter(|(_, mode)| **mode == Mode::Out);
        let mut taken = outputs.filter(|(arg, _)| match &arg.kind {
            TermKind::Wildcard => false,
            TermKind::Variable(name) if self.variables.get(name).is_some_and(|number| !bound[number]) => {
                let twice = given.contains(&&**name);
                given.push(name);
                twice
            }
            _ => true,
        });
        taken.next().map(|(arg, _)| arg.span)
    }

    fn too_early(&mut self, index: usize, number: usize) {
        if self.is_reported(number) {
            return;
        }
        let premise = &self.rule.clause.premises[index];
        let name = self.variables.name(number).clone();
        let later = self.rule.clause.premises[index + 1..]
            .iter()
            .find(|later| self.mentions(later, &name));
        let found = Diagnostic::new(Code::PremiseTooEarly, premise.span(), format!("`{name}` has no value yet"));
        let found = match later {
            Some(later) => found.label(later.span(), "it gets one here"),
            None => found,
        };
        self.report.push(
            found.help("move this premise behind the one that gives the value; the extended language (`--extended`) does that for you"),
        );
    }

    /// Checks transforms and the head.
    fn after_body(&mut self, dialect: Dialect) {
        let env = super::transform::check(self.rule, &self.order.bound, &mut self.variables, dialect, self.report);
        let mut head = Vec::new();
        self.rule
            .clause
            .head
            .args
            .iter()
            .for_each(|arg| self.variables.of_term(arg, &mut head));
        if let Some(time) = &self.rule.clause.time {
            self.variables.of_time(time, &mut head);
        }
        for arg in &self.rule.clause.head.args {
            wildcard(arg).into_iter().for_each(|span| self.no_value(span));
        }
        let span = self.clause().head.span;
        let span = self.clause().time.as_ref().map_or(span, |time| span.to(time.span));
        for number in head {
            if env.contains(number) {
                continue;
            }
            if env.grouped && self.is_bound(number) {
                self.not_in_group(number, span);
            } else {
                self.unbound(number, span);
            }
        }
    }

    fn not_in_group(&mut self, number: usize, span: Span) {
        if self.is_reported(number) {
            return;
        }
        let name = self.variables.name(number);
        let place = self.place_in(number, span).unwrap_or(span);
        let found = Diagnostic::new(
            Code::NotInGroup,
            place,
            format!("`{name}` is neither a key of the group nor computed for it"),
        );
        let found = found.here("after grouping it has many values");
        let group = self
            .rule
            .clause
            .transforms
            .iter()
            .rev()
            .find_map(|transform| transform.group.as_ref());
        let found = match group {
            Some(group) => found.label(group.span, "grouped here"),
            None => found,
        };
        let help = format!("add it to `fn:group_by(..)`, or compute one value: `let N = fn:max({name})`");
        self.report.push(found.help(help));
    }
}

/// Calls `see` with every term of a clause.
fn each_term(clause: &Clause, see: &mut impl FnMut(&Term)) {
    clause.head.args.iter().for_each(&mut *see);
    for premise in &clause.premises {
        match premise {
            Premise::Atom(literal) | Premise::Negated(literal) => literal.atom.args.iter().for_each(&mut *see),
            Premise::Compare(comparison) => {
                see(&comparison.left);
                see(&comparison.right);
            }
        }
    }
    for transform in &clause.transforms {
        transform.group.iter().flat_map(|group| &group.args).for_each(&mut *see);
        transform.lets.iter().for_each(|one| see(&one.value));
    }
}

/// Returns the wildcards of an atom in places that need a value.
fn needed_wildcards(model: &Model<'_>, literal: &Literal, meaning: Meaning) -> Vec<Span> {
    let modes: Option<&[Mode]> = match meaning {
        Meaning::Built { relation, negated: false } => Some(relation.modes),
        Meaning::Compare { .. } => Some(&[Mode::In, Mode::In]),
        Meaning::Fact(pred) => model.pred(pred).declaration.as_ref().and_then(|decl| match &decl.modes[..] {
            [only] => Some(&only[..]),
            _ => None,
        }),
        _ => None,
    };
    let needed = |(index, arg): (usize, &Term)| match &arg.kind {
        TermKind::Wildcard => modes.filter(|modes| modes.get(index) == Some(&Mode::In)).map(|_| arg.span),
        _ => wildcard(arg),
    };
    literal.atom.args.iter().enumerate().filter_map(needed).collect()
}

/// Returns whether the strict language requires the values of this premise to be known when it is evaluated.
fn needs_order(premise: &Premise, meaning: Meaning) -> bool {
    match meaning {
        Meaning::Built { negated: false, .. } => true,
        Meaning::Compare { op, .. } => op != crate::program::Comparison::NotEqual,
        Meaning::Equal => match premise {
            Premise::Compare(comparison) => {
                let computed = |term: &Term| !matches!(term.kind, TermKind::Variable(_) | TermKind::Wildcard);
                computed(&comparison.left) || computed(&comparison.right)
            }
            _ => false,
        },
        _ => false,
    }
}

fn ready(flow: &Flow, bound: &[bool]) -> bool {
    flow.ways.iter().any(|way| way.needs.iter().all(|&number| bound[number]))
}
