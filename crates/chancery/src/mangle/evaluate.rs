//! Evaluation with a deadline, and its end as a finding with a place.

use std::sync::{Arc, mpsc};
use std::time::{Duration, SystemTime};

use mangle::{
    diagnostic::{Code, Diagnostic},
    eval::{Budget, Cancel, EvalError, Evaluation, Limit, Model, Options, Running},
    program::Program,
    syntax::Span,
};

use super::{
    args::Limits,
    external::{Answers, Refusal},
};

/// What the command line allows.
pub(super) fn options(limits: &Limits) -> Options {
    let default = Budget::default();
    Options {
        now: limits.eval_time.unwrap_or_else(clock),
        budget: Budget {
            steps: limits.max_steps.unwrap_or(default.steps),
            facts: limits.max_facts.unwrap_or(default.facts),
            intervals: limits.max_intervals.unwrap_or(default.intervals),
            bytes: limits.max_bytes.unwrap_or(default.bytes),
        },
        cancel: Cancel::default(),
        ..Options::default()
    }
}

fn clock() -> i64 {
    let since = SystemTime::now().duration_since(SystemTime::UNIX_EPOCH).unwrap_or_default();
    i64::try_from(since.as_nanos()).unwrap_or(i64::MAX)
}

/// Evaluates a program; `answers` stand for whoever knows its external predicates.
pub(super) fn evaluate(program: &Arc<Program>, limits: &Limits, answers: &Answers) -> Result<Model, Box<Diagnostic>> {
    evaluate_until(program, &options(limits), limits.deadline, answers)
}

/// The same with options as the library wants them, and a deadline.
pub(super) fn evaluate_until(
    program: &Arc<Program>,
    options: &Options,
    deadline: Option<Duration>,
    answers: &Answers,
) -> Result<Model, Box<Diagnostic>> {
    let (done, wait) = mpsc::sync_channel::<()>(1);
    let watch = deadline.map(|deadline| {
        let cancel = options.cancel.clone();
        std::thread::spawn(move || {
            if wait.recv_timeout(deadline) == Err(mpsc::RecvTimeoutError::Timeout) {
                cancel.cancel();
            }
        })
    });
    let result = evaluate_with(program, options, answers);
    drop(done);
    if let Some(watch) = watch {
        // The thread only waits and sets a flag.
        let _ended = watch.join();
    }
    result
}

/// The same without a deadline.
pub(super) fn evaluate_with(program: &Arc<Program>, options: &Options, answers: &Answers) -> Result<Model, Box<Diagnostic>> {
    let failed = |error| Box::new(finding(program, &error));
    let mut desk = answers.desk();
    let mut running = Evaluation::new(Arc::clone(program), options)
        .and_then(Evaluation::run)
        .map_err(failed)?;
    loop {
        running = match running {
            Running::Done(model) => return Ok(*model),
            Running::Asks(mut evaluation, batch) => match desk.answer(program, &mut evaluation, &batch) {
                Ok(()) => evaluation.run().map_err(failed)?,
                Err(Refusal::Unanswered(found)) => return Err(found),
                Err(Refusal::Failed(error)) => return Err(failed(error)),
            },
        };
    }
}

/// What ended an evaluation, with the rule that was at work.
pub(super) fn finding(program: &Program, error: &EvalError) -> Diagnostic {
    let span = error.rule().map_or_else(Span::default, |rule| program.rule(rule).span);
    match error {
        EvalError::Exceeded(exceeded) => {
            let found = Diagnostic::new(Code::BudgetExceeded, span, exceeded.to_string());
            let found = found
                .here("while this rule was evaluated")
                .note(format!("in stratum {}", exceeded.stratum));
            found.help(match exceeded.limit {
                Limit::Steps => {
                    "look for a recursion without an end, or premises without a common variable; or allow more with `--max-steps`"
                }
                Limit::Facts => "look for a recursion that makes new values in each round; or allow more with `--max-facts`",
                Limit::Intervals => "look for a recursion that shifts a time in each round; or allow more with `--max-intervals`",
                Limit::Bytes => "look for what grows; or allow more with `--max-bytes`",
                Limit::Cancelled => "it was interrupted, or took longer than `--deadline` allows",
            })
        }
        other => Diagnostic::new(Code::EvaluationFailed, span, other.to_string()).here("while this rule was evaluated"),
    }
}

#[cfg(test)]
mod tests;
