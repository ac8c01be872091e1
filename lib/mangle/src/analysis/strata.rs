//! Strata: which predicates are computed together, and which have to be complete before. A cycle through a negation or
//! an aggregation cannot be ordered, so it is refused, and the finding shows the cycle.

use std::collections::{HashMap, VecDeque};

use super::{
    model::{Model, RuleInfo},
    report::Report,
};
use crate::{
    diagnostic::{Code, Diagnostic},
    program::PredId,
    syntax::Span,
};

/// A dependency of one predicate on the predicate `on`.
#[derive(Clone, Copy, Debug)]
pub(crate) struct Edge {
    pub(crate) on: PredId,
    /// Whether and why `on` has to be complete first.
    pub(crate) why: Why,
    /// The place of the premise.
    pub(crate) span: Span,
    /// The number of the rule.
    pub(crate) rule: usize,
}

/// How one predicate depends on another.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Why {
    Positive,
    Negated,
    Aggregated,
}

/// The groups of predicates that depend on each other, each after the groups that it needs.
#[derive(Clone, Debug, Default)]
pub(crate) struct Strata {
    pub(crate) groups: Vec<Vec<PredId>>,
    /// The group of each predicate.
    pub(crate) of: Vec<usize>,
    /// The dependencies of each predicate.
    pub(crate) edges: Vec<Vec<Edge>>,
}

impl Strata {
    /// Returns whether a predicate depends on one of its own group.
    pub(crate) fn is_recursive(&self, pred: PredId) -> bool {
        let group = self.of[pred.index()];
        self.edges[pred.index()].iter().any(|edge| self.of[edge.on.index()] == group)
    }
}

/// Orders the predicates; cycles through negation or aggregation are reported.
pub(crate) fn stratify(model: &Model<'_>, report: &mut Report) -> Strata {
    let edges = edges(model, report);
    let (groups, of) = components(&edges, report);
    let strata = Strata { groups, of, edges };
    for group in &strata.groups {
        if report.is_cancelled() || report.is_full() {
            break;
        }
        if let Some((head, edge)) = broken(&strata, group) {
            report.push(cycle(model, &strata, head, edge));
        }
    }
    strata
}

fn edges(model: &Model<'_>, report: &Report) -> Vec<Vec<Edge>> {
    let mut edges = vec![Vec::new(); model.predicates.len()];
    for (number, rule) in model.rules.iter().enumerate() {
        if report.is_cancelled() {
            break;
        }
        let grouped = rule.clause.transforms.iter().any(|transform| transform.group.is_some());
        for (premise, meaning) in rule.clause.premises.iter().zip(&rule.premises) {
            let Some((on, negated)) = meaning.pred() else { continue };
            let why = match (negated, grouped) {
                (true, _) => Why::Negated,
                (false, true) => Why::Aggregated,
                (false, false) => Why::Positive,
            };
            let span = premise.span();
            edges[rule.head.index()].push(Edge {
                on,
                why,
                span,
                rule: number,
            });
        }
    }
    merges(model, &mut edges);
    edges
}

/// Adds the dependency of a merged predicate on the one that merges.
fn merges(model: &Model<'_>, edges: &mut [Vec<Edge>]) {
    for (index, info) in model.predicates.iter().enumerate() {
        let Some(merge) = info.declaration.as_ref().and_then(|decl| decl.merge.as_ref()) else {
            continue;
        };
        if let (Some(by), Some(&rule)) = (super::merge::target(model, info, merge), info.rules.first()) {
            edges[index].push(Edge {
                on: by,
                why: Why::Positive,
                span: merge.span,
                rule: rule.index(),
            });
        }
    }
}

/// Returns the strongly connected components, each after those that it depends on (Tarjan's algorithm, without
/// recursion: programs are large). Some are missing once the analysis is cancelled.
fn components(edges: &[Vec<Edge>], report: &Report) -> (Vec<Vec<PredId>>, Vec<usize>) {
    const NEW: usize = usize::MAX;
    let count = edges.len();
    let (mut seen, mut low, mut of) = (vec![NEW; count], vec![0; count], vec![NEW; count]);
    let (mut open, mut groups, mut time) = (Vec::new(), Vec::new(), 0);
    for root in 0..count {
        if seen[root] != NEW {
            continue;
        }
        let mut path = vec![(root, 0)];
        while let Some(&mut (node, ref mut next)) = path.last_mut() {
            if report.is_cancelled() {
                return (groups, of);
            }
            if *next == 0 {
                (seen[node], low[node]) = (time, time);
                time += 1;
                open.push(node);
            }
            let Some(edge) = edges[node].get(*next) else {
                path.pop();
                if let Some(&(parent, _)) = path.last() {
                    low[parent] = low[parent].min(low[node]);
                }
                if low[node] == seen[node] {
                    groups.push(close(&mut open, node, groups.len(), &mut of));
                }
                continue;
            };
            *next += 1;
            let on = edge.on.index();
            if seen[on] == NEW {
                path.push((on, 0));
            } else if of[on] == NEW {
                low[node] = low[node].min(seen[on]);
            }
        }
    }
    (groups, of)
}

/// Removes a finished component from the stack.
fn close(open: &mut Vec<usize>, root: usize, group: usize, of: &mut [usize]) -> Vec<PredId> {
    let from = open.iter().rposition(|&node| node == root).unwrap_or(0);
    let mut members: Vec<PredId> = open.drain(from..).map(|node| PredId(node as u32)).collect();
    members.iter().for_each(|member| of[member.index()] = group);
    members.sort();
    members
}

/// Returns an edge within the group that requires completeness.
fn broken(strata: &Strata, group: &[PredId]) -> Option<(PredId, Edge)> {
    let within = |edge: &Edge| strata.of[edge.on.index()] == strata.of[group[0].index()];
    let mut all = group
        .iter()
        .flat_map(|&head| strata.edges[head.index()].iter().map(move |&edge| (head, edge)));
    all.find(|(_, edge)| edge.why != Why::Positive && within(edge))
}

fn cycle(model: &Model<'_>, strata: &Strata, head: PredId, edge: Edge) -> Diagnostic {
    let back = way_back(strata, edge.on, head);
    let name = |pred: PredId| model.pred(pred).name.clone();
    let (text, sign) = match edge.why {
        Why::Aggregated => ("cannot be aggregated while it is being computed", "aggregates "),
        _ => ("cannot be negated while it is being computed", "!"),
    };
    let mut path = format!("{} <- {sign}{}", name(head), name(edge.on));
    for step in &back {
        path += match step.why {
            Why::Positive => " <- ",
            Why::Negated => " <- !",
            Why::Aggregated => " <- aggregates ",
        };
        path += &name(step.on);
    }
    let found = Diagnostic::new(Code::NotStratifiable, edge.span, format!("`{}` {text}", name(edge.on)));
    let here = format!("`{}` needs all of `{}` here", name(head), name(edge.on));
    let mut found = found.here(here).note(format!("the cycle: {path}"));
    for step in back.iter().take(6) {
        let rule: &RuleInfo<'_> = &model.rules[step.rule];
        found = found.label(step.span, format!("`{}` comes from `{}`", name(rule.head), name(step.on)));
    }
    let what = if edge.why == Why::Aggregated { "aggregated" } else { "negated" };
    found.help(format!(
        "break the cycle: give each phase a predicate of its own, so that what is {what} is complete before it is used"
    ))
}

/// Returns the shortest path of dependencies from one predicate of a group to another.
fn way_back(strata: &Strata, from: PredId, to: PredId) -> Vec<Edge> {
    let group = strata.of[from.index()];
    let mut came: HashMap<PredId, (PredId, Edge)> = HashMap::new();
    let mut queue = VecDeque::from([from]);
    while let Some(pred) = queue.pop_front().filter(|&pred| pred != to) {
        for &edge in &strata.edges[pred.index()] {
            if strata.of[edge.on.index()] == group && edge.on != from && !came.contains_key(&edge.on) {
                came.insert(edge.on, (pred, edge));
                queue.push_back(edge.on);
            }
        }
    }
    let mut way = Vec::new();
    let mut at = to;
    while let Some(&(before, edge)) = came.get(&at).filter(|_| at != from) {
        way.push(edge);
        at = before;
    }
    way.reverse();
    way
}
