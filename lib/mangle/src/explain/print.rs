//! Formats proofs as indented text.

use std::fmt::Write;

use super::{
    Explainer, Failure, Obstacle, WhyNot,
    proof::{Because, Derivation, NodeId, Proof, Support},
};
use crate::{
    eval::EvalError,
    program::{Interval, PredId, RuleId},
    value::{Value, write_time},
};

/// How many rows of a group are shown; the others are counted.
const ROWS: usize = 20;

impl Explainer<'_> {
    /// Returns a fact as it would be written in a program.
    pub fn fact_text(&self, pred: PredId, args: &[Value], time: Option<Interval>) -> String {
        let args: Vec<Option<Value>> = args.iter().map(|&value| Some(value)).collect();
        let mut text = self.pattern_text(pred, &args);
        text.extend(time.map(interval_text));
        text
    }

    fn pattern_text(&self, pred: PredId, args: &[Option<Value>]) -> String {
        let args: Vec<String> = args
            .iter()
            .map(|arg| arg.map_or_else(|| "_".to_owned(), |value| self.interner.print_source(value).to_string()))
            .collect();
        format!("{}({})", self.model.program.predicate(pred).name, args.join(", "))
    }

    fn values_text(&self, pred: PredId, rows: &[Vec<Value>]) -> String {
        let rows: Vec<String> = rows.iter().map(|row| self.fact_text(pred, row, None)).collect();
        rows.join(", ")
    }

    /// Returns a proof with one fact on each line, followed by what it rests on. `rule` gives the name of a rule, for
    /// example its place.
    ///
    /// # Errors
    /// The text needs more than what is left of the budget.
    pub fn proof_text(&mut self, proof: &Proof, rule: &dyn Fn(RuleId) -> String) -> Result<String, EvalError> {
        let mut text = String::new();
        let mut shown = vec![false; proof.nodes.len()];
        // A stack instead of recursion: a proof may be deeper than the stack of a thread. The last item is shown first.
        let mut left: Vec<(usize, Item)> = vec![(0, Item::Node(NodeId(0)))];
        while let Some((depth, item)) = left.pop() {
            let line = match item {
                Item::Line(line) => line,
                Item::Node(id) => {
                    let node = proof.node(id);
                    let fact = self.fact_text(node.pred, &node.args, node.time);
                    if std::mem::replace(&mut shown[id.0 as usize], true) {
                        format!("{fact} (above)")
                    } else {
                        let mut below = Vec::new();
                        let how = self.reasons(depth, &node.because, rule, &mut below);
                        left.extend(below.into_iter().rev());
                        format!("{fact} {how}")
                    }
                }
            };
            self.charge(&text, &line)?;
            let _ = writeln!(text, "{}{line}", "  ".repeat(depth.min(60)));
        }
        Ok(text)
    }

    /// Counts a line that is added to a text: one of many values is many steps.
    fn charge(&mut self, text: &str, line: &str) -> Result<(), EvalError> {
        const BYTES_A_STEP: usize = 64;
        let bytes = text.len() + line.len();
        self.meter.step(1 + (line.len() / BYTES_A_STEP) as u64, || bytes)?;
        Ok(())
    }

    fn reasons(&self, depth: usize, because: &[Because], rule: &dyn Fn(RuleId) -> String, below: &mut Vec<(usize, Item)>) -> String {
        let mut how = Vec::new();
        for reason in because {
            match reason {
                Because::Given => how.push("given".to_owned()),
                Because::Answered => how.push("answered from outside".to_owned()),
                Because::Merged { before, with } => {
                    how.push("merged from".to_owned());
                    below.extend([before, with].map(|&id| (depth + 1, Item::Node(id))));
                }
                Because::Rule(derivation) => {
                    how.push(format!("by {}", rule(derivation.rule)));
                    self.derivation(depth + 1, derivation, below);
                }
            }
        }
        how.join(", ")
    }

    fn derivation(&self, depth: usize, derivation: &Derivation, below: &mut Vec<(usize, Item)>) {
        for support in &derivation.premises {
            below.extend(self.support(support).map(|item| (depth, item)));
        }
        for row in derivation.group.iter().take(ROWS) {
            for support in &row.premises {
                below.extend(self.support(support).map(|item| (depth, item)));
            }
        }
        if derivation.group.len() > ROWS {
            let more = derivation.group.len() - ROWS;
            below.push((depth, Item::Line(format!("and {more} more rows of the group"))));
        }
    }

    fn support(&self, support: &Support) -> Option<Item> {
        match support {
            Support::Fact(id) => Some(Item::Node(*id)),
            Support::Absent(pred, args) => Some(Item::Line(format!("no {}", self.pattern_text(*pred, args)))),
            Support::Called(pred, args) => Some(Item::Line(format!("{} computed", self.fact_text(*pred, args, None)))),
            Support::Computed => None,
        }
    }

    /// Explains in text why a fact does not hold, with a paragraph for each rule. `premise` gives the text of a rule's
    /// premise by its number, if that is known.
    ///
    /// # Errors
    /// The text needs more than what is left of the budget.
    pub fn why_not_text(
        &mut self,
        why_not: &WhyNot,
        rule: &dyn Fn(RuleId) -> String,
        premise: &dyn Fn(RuleId, usize) -> Option<String>,
    ) -> Result<String, EvalError> {
        let mut text = format!("{} does not hold\n", self.fact_text(why_not.pred, &why_not.args, why_not.time));
        if !why_not.times.is_empty() {
            let times: Vec<String> = why_not.times.iter().copied().map(interval_text).collect();
            let _ = writeln!(text, "  it holds at other times, nearest: {}", times.join(", "));
            return Ok(text);
        }
        if why_not.failures.is_empty() {
            let _ = writeln!(text, "  no rule derives it, and it is not given");
        }
        if !why_not.nearest.is_empty() {
            let _ = writeln!(text, "  nearest: {}", self.values_text(why_not.pred, &why_not.nearest));
        }
        for failure in &why_not.failures {
            let line = format!("  {}: {}", rule(failure.rule), self.failure_text(why_not.pred, failure, premise));
            self.charge(&text, &line)?;
            let _ = writeln!(text, "{line}");
        }
        Ok(text)
    }

    fn failure_text(&self, pred: PredId, failure: &Failure, text: &dyn Fn(RuleId, usize) -> Option<String>) -> String {
        let bindings: Vec<String> = failure
            .bindings
            .iter()
            .map(|(name, value)| format!("{name} = {}", self.interner.print_source(*value)))
            .collect();
        let with = if bindings.is_empty() {
            String::new()
        } else {
            format!(" with {}", bindings.join(", "))
        };
        match &failure.obstacle {
            Obstacle::Head => "its head is about other facts".to_owned(),
            Obstacle::Premise { premise, nearest } => {
                let of = self.model.program.rule(failure.rule).premises[*premise].pred();
                let near = match of {
                    Some(of) if !nearest.is_empty() => format!("; nearest: {}", self.values_text(of, nearest)),
                    _ => String::new(),
                };
                let text = text(failure.rule, *premise).map_or_else(|| format!("premise {}", premise + 1), |text| format!("`{text}`"));
                format!("{text} fails{with}{near}")
            }
            Obstacle::Replaced(row) => format!(
                "it derives this{with}, but {} is kept in its place",
                self.fact_text(pred, row, None)
            ),
            Obstacle::Result(rows) if rows.is_empty() => format!("all premises hold{with}, but nothing comes of them"),
            Obstacle::Result(rows) => format!("all premises hold{with}, but give {}", self.values_text(pred, rows)),
        }
    }
}

/// Returns when a fact holds, as it would be written in a program; a moment has one bound.
fn interval_text(time: Interval) -> String {
    let bound = |nanos: i64, open: i64| if nanos == open { "_".to_owned() } else { write_time(nanos) };
    let (start, end) = (bound(time.start, i64::MIN), bound(time.end, i64::MAX));
    if time.start == time.end {
        format!("@[{start}]")
    } else {
        format!("@[{start}, {end}]")
    }
}

/// An item that is still to be shown.
enum Item {
    Node(NodeId),
    Line(String),
}
