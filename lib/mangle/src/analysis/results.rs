//! Calls of constants: one without a result, such as a date that does not exist, is found before anything runs.

use super::{functions, lower, model::Model, report::Report};
use crate::{
    builtin::{Context, Fault},
    diagnostic::{Code, Diagnostic, Severity},
    syntax::ast::{Call, Clause, Term, TermKind},
    value::{Interner, Value},
};

/// The length in bytes above which calls are left to the evaluation: they were not written by hand, and have a budget
/// there.
const MAX_CALL: u32 = 4 << 10;

/// Evaluates each call of constants once: a missing result is an error in a fact, and a warning in a rule, which may
/// never get to it.
pub(crate) fn check(model: &Model<'_>, report: &mut Report) {
    let facts = model.facts.iter().map(|fact| fact.clause);
    for clause in facts.chain(model.rules.iter().map(|rule| rule.clause)) {
        if report.is_cancelled() {
            return;
        }
        let mut calls = Calls {
            interner: None,
            severity: severity(clause),
            report,
        };
        clause.terms().for_each(|term| {
            calls.value(term);
        });
    }
}

fn severity(clause: &Clause) -> Severity {
    if clause.premises.is_empty() && clause.transforms.is_empty() {
        Severity::Error
    } else {
        Severity::Warning
    }
}

struct Calls<'r> {
    /// The interner, created for the first call of a clause: most clauses have none.
    interner: Option<Interner>,
    severity: Severity,
    report: &'r mut Report,
}

impl Calls<'_> {
    /// Returns the value of a call of constants. Other terms are only searched.
    fn value(&mut self, term: &Term) -> Option<Value> {
        match &term.kind {
            TermKind::Call(call) => return self.call(call),
            TermKind::List(items) => items.iter().for_each(|item| {
                self.value(item);
            }),
            TermKind::Map(entries) | TermKind::Struct(entries) => entries.iter().for_each(|(key, value)| {
                self.value(key);
                self.value(value);
            }),
            _ => {}
        }
        None
    }

    fn call(&mut self, call: &Call) -> Option<Value> {
        if self.report.is_cancelled() {
            return None;
        }
        if call.span.end - call.span.start > MAX_CALL {
            call.args.iter().for_each(|arg| {
                self.value(arg);
            });
            return None;
        }
        let mut args = Vec::with_capacity(call.args.len());
        for arg in &call.args {
            let constant = lower::constant(arg, self.interner.get_or_insert_with(Interner::new), &mut Report::default());
            args.push(constant.or_else(|| self.value(arg)));
        }
        let args: Vec<Value> = args.into_iter().collect::<Option<_>>()?;
        let (function, _) = functions::function(&call.function.text)?;
        if is_left_alone(&call.function.text) || !function.params.accept(args.len()) {
            return None;
        }
        let interner = self.interner.as_mut()?;
        match (function.eval)(&mut Context { interner, now: 0 }, &args) {
            Ok(value) => Some(value),
            // The type check reports that.
            Err(Fault::Kind { .. }) => None,
            Err(fault) => {
                let mut found = Diagnostic::new(Code::NoResult, call.span, fault.to_string()).here("this has no result");
                found.severity = self.severity;
                self.report.push(found);
                None
            }
        }
    }
}

/// Returns the value of a call that can be written in a fact: a pair or tuple, a list, a time, a duration.
pub(super) fn written(call: &Call, interner: &mut Interner) -> Option<Value> {
    let name = &*call.function.text;
    let is_written = matches!(name, "fn:pair" | "fn:tuple" | "fn:list") || name.starts_with("fn:time:") || name.starts_with("fn:duration:");
    let (function, _) = functions::function(name).filter(|_| is_written && !is_left_alone(name))?;
    let args: Option<Vec<Value>> = call.args.iter().map(|arg| super::constant(arg, interner)).collect();
    let args = args.filter(|args| function.params.accept(args.len()))?;
    (function.eval)(&mut Context { interner, now: 0 }, &args).ok()
}

/// Returns whether a function is not evaluated here: because it depends on the time of the evaluation, or because it
/// makes strings, which grow with each call around them, and always succeeds.
fn is_left_alone(function: &str) -> bool {
    function == "fn:time:now" || function.starts_with("fn:string:")
}
