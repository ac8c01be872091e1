//! Evaluates programs, and reports an early end as a finding with a place.

use std::hash::{BuildHasher as _, Hasher as _, RandomState};
use std::sync::Arc;
use std::time::SystemTime;

use mangle::{
    diagnostic::Diagnostic,
    eval::{Budget, Cancel, EvalError, Evaluation, Limit, Model, Options, Running},
    program::Program,
};

use super::{
    args::Limits,
    external::{Answers, Refusal},
};

/// Returns the limits of the command line; `cancel` ends the evaluation early.
pub(super) fn options(limits: &Limits, cancel: Cancel) -> Options {
    let default = Budget::default();
    Options {
        now: limits.eval_time.unwrap_or_else(clock),
        budget: Budget {
            steps: limits.max_steps.unwrap_or(default.steps),
            facts: limits.max_facts.unwrap_or(default.facts),
            intervals: limits.max_intervals.unwrap_or(default.intervals),
            bytes: limits.reading.max_bytes.unwrap_or(default.bytes),
        },
        cancel,
        // The seed is secret from the author of the facts, who could otherwise choose rows that collide in a hash
        // table.
        seed: RandomState::new().build_hasher().finish(),
    }
}

fn clock() -> i64 {
    let since = SystemTime::now().duration_since(SystemTime::UNIX_EPOCH).unwrap_or_default();
    i64::try_from(since.as_nanos()).unwrap_or(i64::MAX)
}

/// Evaluates a program; `answers` are the rows of its external predicates.
pub(super) fn evaluate(program: &Arc<Program>, options: &Options, answers: &Answers) -> Result<Model, Box<Diagnostic>> {
    let failed = |error| Box::new(finding(program, &error));
    let mut responder = answers.responder();
    let mut running = Evaluation::new(Arc::clone(program), options)
        .and_then(Evaluation::run)
        .map_err(failed)?;
    loop {
        running = match running {
            Running::Done(model) => return Ok(*model),
            Running::Asks(mut evaluation, batch) => match responder.answer(program, &mut evaluation, &batch) {
                Ok(()) => evaluation.run().map_err(failed)?,
                Err(Refusal::Unanswered(found)) => return Err(found),
                Err(Refusal::Failed(error)) => return Err(failed(error)),
            },
        };
    }
}

/// Returns the finding for the end of an evaluation, with the rule that was evaluated and the option that raises the
/// limit.
pub(super) fn finding(program: &Program, error: &EvalError) -> Diagnostic {
    let found = error.finding(program);
    let EvalError::Exceeded(exceeded) = error else {
        return found;
    };
    found.help(match exceeded.limit {
        Limit::Steps => "`--max-steps` allows more",
        Limit::Facts => "`--max-facts` allows more",
        Limit::Intervals => "`--max-intervals` allows more",
        Limit::Bytes => "`--max-bytes` allows more",
        Limit::Cancelled => "it was interrupted, or took longer than `--deadline` allows",
    })
}

#[cfg(test)]
mod tests;
