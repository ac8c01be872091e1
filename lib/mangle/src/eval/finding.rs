//! Converts the error of an evaluation to a finding, with the rule that was running.

use super::{
    budget::{Exceeded, Limit},
    error::EvalError,
};
use crate::{
    diagnostic::{Code, Diagnostic},
    program::Program,
    syntax::Span,
};

impl EvalError {
    /// Returns the error as a finding in the sources of `program`, which has to be the one that was evaluated. If no
    /// rule was running, its place is the beginning of the first source.
    pub fn finding(&self, program: &Program) -> Diagnostic {
        let rule = self.rule().and_then(|rule| program.rules.get(rule.index()));
        let span = rule.map_or_else(Span::default, |rule| rule.span);
        let found = match self {
            Self::Exceeded(exceeded) => return beyond(exceeded, span),
            other => Diagnostic::new(Code::EvaluationFailed, span, other.to_string()),
        };
        match rule {
            Some(_) => found.here("while this rule was evaluated"),
            None => found,
        }
    }
}

fn beyond(exceeded: &Exceeded, span: Span) -> Diagnostic {
    let found = Diagnostic::new(Code::BudgetExceeded, span, exceeded.to_string());
    if exceeded.rule.is_none() {
        return found.here(match exceeded.limit {
            Limit::Cancelled => "before any rule was evaluated",
            _ => "before any rule was evaluated: there are too many facts",
        });
    }
    let found = found
        .here("while this rule was evaluated")
        .note(format!("in stratum {}", exceeded.stratum));
    match exceeded.limit {
        Limit::Steps => found.help("look for a recursion without an end, or premises without a common variable"),
        Limit::Facts => found.help("look for a recursion that makes new values in each round"),
        Limit::Intervals => found.help("look for a recursion that shifts a time in each round"),
        Limit::Bytes => found.help("look for what grows"),
        Limit::Cancelled => found,
    }
}
