//! The end of an evaluation as a finding, with the rule that was at work.

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
    /// As a finding in the sources of `program`, which has to be the one that was evaluated. Where no rule was at work it stands at the
    /// beginning of the first source.
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
    let found = match exceeded.rule {
        Some(_) => found
            .here("while this rule was evaluated")
            .note(format!("in stratum {}", exceeded.stratum)),
        None => found.here("before any rule was evaluated"),
    };
    found.help(match exceeded.limit {
        Limit::Steps => "look for a recursion without an end, or premises without a common variable; or allow more steps",
        Limit::Facts => "look for a recursion that makes new values in each round; or allow more facts",
        Limit::Intervals => "look for a recursion that shifts a time in each round; or allow more intervals",
        Limit::Bytes => "look for what grows; or allow more memory",
        Limit::Cancelled => "ask again, with more time if there was a deadline",
    })
}
