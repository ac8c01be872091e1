//! Checks input from outside: whether it is a fact, an answer or a question of this program, and why not.

use super::{MAX_DEPTH, MAX_VALUE, error::EvalError, evaluation::Evaluation, external::Question};
use crate::{
    program::{FactBlock, PredId, Predicate, Program},
    value::{Interner, Value},
};

impl Evaluation {
    /// Checks whether a block has facts that may be given to this evaluation.
    pub(super) fn check_block(&self, block: &FactBlock) -> Result<(), EvalError> {
        let predicate = predicate(&self.program, block.pred).map_err(EvalError::BadFact)?;
        let over_snapshot = self.relations[block.pred.index()].frozen.is_some();
        is_given(predicate, over_snapshot)
            .and_then(|()| shape(block, predicate))
            .and_then(|()| values(&self.interner, predicate, &block.rows))
            .map_err(EvalError::BadFact)
    }

    /// Checks whether rows can be the answer to a question.
    pub(super) fn check_answer(&self, question: &Question, rows: &[Vec<Value>]) -> Result<(), EvalError> {
        let check = || {
            let predicate = predicate(&self.program, question.pred)?;
            for row in rows {
                arity(predicate, row.len())?;
                values(&self.interner, predicate, row)?;
            }
            Ok(())
        };
        check().map_err(EvalError::BadAnswer)
    }
}

/// Checks whether a row can be asked about.
pub(crate) fn check_row(program: &Program, interner: &Interner, pred: PredId, args: &[Value]) -> Result<(), EvalError> {
    predicate(program, pred)
        .and_then(|predicate| arity(predicate, args.len()).and_then(|()| values(interner, predicate, args)))
        .map_err(EvalError::BadFact)
}

fn predicate(program: &Program, pred: PredId) -> Result<&Predicate, String> {
    let all = &program.predicates;
    all.get(pred.index()).ok_or_else(|| {
        format!(
            "there is no predicate number {}, the program has {}: look its name up in the program that is evaluated",
            pred.0,
            all.len()
        )
    })
}

/// Checks whether a predicate's facts can be given from outside.
fn is_given(predicate: &Predicate, over_snapshot: bool) -> Result<(), String> {
    let name = &predicate.name;
    if predicate.external.is_some() {
        return Err(format!(
            "`{name}` is external: its rows are asked for, so answer the questions about it"
        ));
    }
    if predicate.deferred.is_some() {
        return Err(format!(
            "`{name}` is computed where it is called and has no facts: give those that it reads"
        ));
    }
    // Predicates that depend on the others are evaluated already.
    if over_snapshot && !predicate.session {
        return Err(format!(
            "a request may not bring facts of `{name}`: give them to the snapshot, or declare it `descr [session()]`"
        ));
    }
    Ok(())
}

/// Checks that each fact has as many arguments as the predicate, and a time exactly if it holds at times.
fn shape(block: &FactBlock, predicate: &Predicate) -> Result<(), String> {
    let name = &predicate.name;
    if block.rows.len() != block.len.saturating_mul(predicate.arity) {
        let given = block.rows.len().checked_div(block.len).unwrap_or(block.rows.len());
        arity(predicate, given)?;
        return Err(format!(
            "{} facts of `{name}` have {} values: give {} each",
            block.len,
            block.rows.len(),
            predicate.arity
        ));
    }
    match (predicate.temporal, block.times.len()) {
        (true, times) if times != block.len => Err(format!(
            "`{name}` holds at times: say of each fact from when to when, or that it holds always"
        )),
        (false, 1..) => Err(format!(
            "`{name}` does not hold at times: leave the time out, or declare it `temporal`"
        )),
        _ => Ok(()),
    }
}

fn arity(predicate: &Predicate, given: usize) -> Result<(), String> {
    if given == predicate.arity {
        return Ok(());
    }
    let plural = if given == 1 { "" } else { "s" };
    Err(format!(
        "a fact of `{}` has {given} argument{plural}, but needs {}",
        predicate.name, predicate.arity
    ))
}

/// Checks that an evaluation can process the values: on larger or deeper ones it could not be interrupted in time.
fn values(interner: &Interner, predicate: &Predicate, values: &[Value]) -> Result<(), String> {
    let name = &predicate.name;
    for &value in values.iter().filter(|value| !value.is_inline()) {
        if !interner.knows(value) {
            return Err(format!(
                "a value in a fact of `{name}` was made elsewhere: make it with the interner of this evaluation"
            ));
        }
        let shape = interner.shape(value);
        if shape.bytes as usize > MAX_VALUE {
            return Err(format!(
                "a value in a fact of `{name}` has more than the {MAX_VALUE} bytes that are allowed: leave it out, or a part of it"
            ));
        }
        if shape.depth > MAX_DEPTH {
            return Err(format!(
                "a value in a fact of `{name}` is nested {} levels deep, but {MAX_DEPTH} are allowed: give its parts as facts of their own",
                shape.depth
            ));
        }
    }
    Ok(())
}
