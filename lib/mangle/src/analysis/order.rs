//! Orders the premises of a rule so that every variable has its value when it is needed.

use std::collections::BTreeSet;

use super::{
    model::{Meaning, Model, RuleInfo},
    variables::Variables,
};
use crate::{
    program::Mode,
    syntax::{
        Dialect,
        ast::{Literal, Premise, Term, TermKind},
    },
};

/// One way to evaluate a premise.
#[derive(Clone, Debug, Default)]
pub(crate) struct Way {
    /// The variables that need a value before.
    pub(crate) needs: Vec<usize>,
    /// The variables that have a value afterwards.
    pub(crate) gives: Vec<usize>,
}

/// The variables that a premise needs and gives; there are several ways if it can be evaluated from several sides.
#[derive(Clone, Debug, Default)]
pub(crate) struct Flow {
    pub(crate) ways: Vec<Way>,
    /// Whether it is only a test, in which an argument that no other premise binds means "any".
    pub(crate) negated: bool,
}

impl Flow {
    fn one(needs: Vec<usize>, gives: Vec<usize>) -> Self {
        Self {
            ways: vec![Way { needs, gives }],
            negated: false,
        }
    }
}

/// The order that was found.
#[derive(Debug, Default)]
pub(crate) struct Order {
    /// The premises that can be evaluated, in order.
    pub(crate) premises: Vec<usize>,
    /// The variables that have a value then.
    pub(crate) bound: Vec<bool>,
    /// The variables that each premise needs and gives.
    pub(crate) flows: Vec<Flow>,
}

/// Orders the premises of a rule, as near to the order of the source as possible; `given` variables have values from
/// the start.
pub(crate) fn order(model: &Model<'_>, rule: &RuleInfo<'_>, dialect: Dialect, variables: &mut Variables, given: &[usize]) -> Order {
    let flow = |(premise, meaning): (&Premise, &Meaning)| flow(model, premise, *meaning, dialect, variables);
    let mut flows: Vec<Flow> = rule.clause.premises.iter().zip(&rule.premises).map(flow).collect();
    let mut bindable = vec![false; variables.all.len()];
    given.iter().for_each(|&number| bindable[number] = true);
    for way in flows.iter().filter(|flow| !flow.negated).flat_map(|flow| &flow.ways) {
        way.gives.iter().for_each(|&number| bindable[number] = true);
    }
    for way in flows.iter_mut().filter(|flow| flow.negated).flat_map(|flow| &mut flow.ways) {
        // A test gives no values; it waits for the variables that it names, if another premise binds them.
        let named = std::mem::take(&mut way.gives);
        way.needs.extend(named.into_iter().filter(|&number| bindable[number]));
    }
    Sorter::new(&flows, variables.all.len()).run(given, flows.len()).with(flows)
}

/// Returns whether the rule gives every variable of its head a value without a caller.
pub(crate) fn stands_alone(model: &Model<'_>, rule: &RuleInfo<'_>, dialect: Dialect) -> bool {
    let mut variables = Variables::default();
    let order = order(model, rule, dialect, &mut variables, &[]);
    let lets = rule.clause.transforms.iter().flat_map(|transform| &transform.lets);
    let computed: Vec<usize> = lets.map(|one| variables.number(&one.variable.text, one.variable.span)).collect();
    let mut head = Vec::new();
    rule.clause.head.args.iter().for_each(|arg| variables.of_term(arg, &mut head));
    rule.clause.time.iter().for_each(|time| variables.of_time(time, &mut head));
    let has_value = |number: &usize| order.bound.get(*number) == Some(&true) || computed.contains(number);
    order.premises.len() == rule.premises.len() && head.iter().all(has_value)
}

/// A sorter that takes each premise as soon as one of its ways has the values that it needs; of several, the first in
/// the source.
struct Sorter {
    /// For each variable, the premises and ways that wait for it.
    waiting: Vec<Vec<(usize, usize)>>,
    /// For each premise and way, the number of variables that are missing.
    missing: Vec<Vec<usize>>,
    gives: Vec<Vec<Vec<usize>>>,
    ready: BTreeSet<usize>,
    bound: Vec<bool>,
}

impl Sorter {
    fn new(flows: &[Flow], variables: usize) -> Self {
        let mut sorter = Self {
            waiting: vec![Vec::new(); variables],
            missing: Vec::with_capacity(flows.len()),
            gives: Vec::with_capacity(flows.len()),
            ready: BTreeSet::new(),
            bound: vec![false; variables],
        };
        for (index, flow) in flows.iter().enumerate() {
            let mut missing = Vec::new();
            for (way, Way { needs, .. }) in flow.ways.iter().enumerate() {
                let mut needs = needs.clone();
                needs.sort_unstable();
                needs.dedup();
                missing.push(needs.len());
                needs.iter().for_each(|&number| sorter.waiting[number].push((index, way)));
            }
            if missing.contains(&0) {
                sorter.ready.insert(index);
            }
            sorter.missing.push(missing);
            sorter.gives.push(flow.ways.iter().map(|way| way.gives.clone()).collect());
        }
        sorter
    }

    fn run(mut self, given: &[usize], premises: usize) -> Order {
        let mut done = vec![false; premises];
        let mut out = Vec::with_capacity(premises);
        given.iter().for_each(|&number| self.bind(number));
        while let Some(index) = self.ready.pop_first() {
            if std::mem::replace(&mut done[index], true) {
                continue;
            }
            out.push(index);
            for number in self.gives[index].concat() {
                self.bind(number);
            }
        }
        Order {
            premises: out,
            bound: self.bound,
            flows: Vec::new(),
        }
    }

    fn bind(&mut self, number: usize) {
        if std::mem::replace(&mut self.bound[number], true) {
            return;
        }
        for (index, way) in std::mem::take(&mut self.waiting[number]) {
            self.missing[index][way] -= 1;
            if self.missing[index][way] == 0 {
                self.ready.insert(index);
            }
        }
    }
}

impl Order {
    fn with(self, flows: Vec<Flow>) -> Self {
        Self { flows, ..self }
    }
}

fn flow(model: &Model<'_>, premise: &Premise, meaning: Meaning, dialect: Dialect, variables: &mut Variables) -> Flow {
    match (premise, meaning) {
        (Premise::Compare(comparison), Meaning::Equal) => equal(&comparison.left, &comparison.right, dialect, variables),
        (Premise::Compare(comparison), _) => {
            let mut needs = Vec::new();
            variables.of_term(&comparison.left, &mut needs);
            variables.of_term(&comparison.right, &mut needs);
            Flow::one(needs, Vec::new())
        }
        (Premise::Atom(literal), Meaning::Fact(pred)) => {
            let decl = model.pred(pred).declaration.as_ref();
            let modes = decl.map_or(&[][..], |decl| &decl.modes);
            fact(literal, modes, variables)
        }
        (Premise::Atom(literal), Meaning::Built { relation, .. }) => through(&literal.atom.args, relation.modes, variables),
        (Premise::Atom(literal), Meaning::Compare { .. }) => through(&literal.atom.args, &[Mode::In], variables),
        // A premise that is not understood counts as binding the variables that it names, so that one mistake is one
        // finding.
        (Premise::Atom(literal), _) => fact(literal, &[], variables),
        (Premise::Negated(literal), meaning) => Flow {
            negated: true,
            ..match meaning {
                Meaning::Built { relation, .. } => through(&literal.atom.args, relation.modes, variables),
                Meaning::Compare { .. } => through(&literal.atom.args, &[Mode::In], variables),
                _ => fact(literal, &[], variables),
            }
        },
    }
}

/// Returns the flow of an equation: either side may get the value of the other; between two variables, in the strict
/// language, the left one does.
fn equal(left: &Term, right: &Term, dialect: Dialect, variables: &mut Variables) -> Flow {
    let mut flow = Flow::default();
    let one_way = dialect == Dialect::Strict && matches!(left.kind, TermKind::Variable(_));
    let ways = [(left, right), (right, left)];
    for (target, source) in ways.into_iter().take(if one_way { 1 } else { 2 }) {
        if let TermKind::Variable(name) = &target.kind {
            let gives = vec![variables.number(name, target.span)];
            let mut needs = Vec::new();
            variables.of_term(source, &mut needs);
            flow.ways.push(Way { needs, gives });
        }
    }
    if flow.ways.is_empty() {
        let mut needs = Vec::new();
        variables.of_term(left, &mut needs);
        variables.of_term(right, &mut needs);
        return Flow::one(needs, Vec::new());
    }
    flow
}

fn fact(literal: &Literal, modes: &[Vec<Mode>], variables: &mut Variables) -> Flow {
    let any = vec![Mode::Any; literal.atom.args.len()];
    let modes = if modes.is_empty() { std::slice::from_ref(&any) } else { modes };
    let mut flow = Flow::default();
    for mode in modes {
        let mut way = through(&literal.atom.args, mode, variables).ways.remove(0);
        operator_needs(literal, variables, &mut way.needs);
        literal.time.iter().for_each(|time| variables.of_time(time, &mut way.gives));
        flow.ways.push(way);
    }
    flow
}

/// Adds the variables in the bounds of an operator, which need a value.
fn operator_needs(literal: &Literal, variables: &mut Variables, needs: &mut Vec<usize>) {
    if let Some(operator) = &literal.operator {
        needs.extend(variables.of_bound(&operator.start));
        needs.extend(operator.end.as_ref().and_then(|end| variables.of_bound(end)));
    }
}

/// Returns the flow of arguments with modes: a variable as an argument gets a value unless its mode requires one;
/// variables inside other terms need one.
fn through(args: &[Term], modes: &[Mode], variables: &mut Variables) -> Flow {
    let mut way = Way::default();
    for (index, arg) in args.iter().enumerate() {
        let given = modes.get(index.min(modes.len().saturating_sub(1))) == Some(&Mode::In);
        match &arg.kind {
            TermKind::Variable(name) if !given => way.gives.push(variables.number(name, arg.span)),
            _ => variables.of_term(arg, &mut way.needs),
        }
    }
    Flow {
        ways: vec![way],
        negated: false,
    }
}
