//! Lowers the checked model to the program that the evaluator runs.

mod rule;
mod value;

use std::collections::HashMap;

use super::{
    merge,
    model::{Model, PredicateInfo},
    report::Report,
    strata::Strata,
};
use crate::{
    program::{External, FactBlock, Merge, PredId, Predicate, Program, RuleId, Stratum},
    syntax::ast::Term,
    value::{Interner, Value},
};

/// Builds the program. The model has no errors; what only shows now (a repeated key) is reported.
pub(crate) fn lower(model: &Model<'_>, strata: &Strata, report: &mut Report) -> Program {
    let mut interner = Interner::new();
    let mut predicates = Vec::with_capacity(model.predicates.len());
    for info in &model.predicates {
        if report.is_cancelled() {
            return Program::default();
        }
        predicates.push(predicate(model, info));
    }
    let mut rules = Vec::with_capacity(model.rules.len());
    for info in &model.rules {
        if report.is_cancelled() {
            return Program::default();
        }
        rules.push(rule::lower(model, info, &mut interner, report));
    }
    let mut program = Program {
        predicates,
        rules,
        strata: runs(model, strata, report),
        ..Program::default()
    };
    program.facts.blocks = facts(model, &mut interner, report);
    program.interner = interner;
    program
}

/// Returns the value of a term, if it is a constant.
pub(super) fn constant(term: &Term, interner: &mut Interner, report: &mut Report) -> Option<Value> {
    value::is_constant(term).then(|| value::constant(term, interner, report))
}

fn predicate(model: &Model<'_>, info: &PredicateInfo) -> Predicate {
    let decl = info.declaration.as_ref();
    let external = decl.filter(|decl| decl.external).map(|decl| External {
        modes: decl.modes.clone(),
        deterministic: !decl.nondeterministic,
    });
    Predicate {
        name: (*info.name).into(),
        arity: info.arity,
        temporal: info.temporal,
        generated: false,
        session: decl.is_some_and(|decl| decl.session),
        external,
        merge: merged(model, info),
        deferred: decl
            .filter(|_| info.deferred)
            .map(|decl| decl.modes.first().cloned().unwrap_or_default()),
        span: info.span,
    }
}

fn merged(model: &Model<'_>, info: &PredicateInfo) -> Option<Merge> {
    let decl = info.declaration.as_ref()?;
    let by = decl.merge.as_ref()?;
    let target = merge::target(model, info, by)?;
    let (keys, _) = decl.fundeps.iter().find(|(_, values)| values.contains(&by.merged))?;
    Some(Merge {
        keys: keys.clone(),
        merged: by.merged,
        by: target,
        rules: model.pred(target).rules.to_vec(),
    })
}

fn facts(model: &Model<'_>, interner: &mut Interner, report: &mut Report) -> Vec<FactBlock> {
    let mut blocks: Vec<FactBlock> = Vec::new();
    let mut block_of: HashMap<PredId, usize> = HashMap::new();
    for fact in &model.facts {
        if report.is_cancelled() {
            break;
        }
        let info = model.pred(fact.pred);
        let at = *block_of.entry(fact.pred).or_insert_with(|| {
            let (len, rows, times) = (0, Vec::with_capacity(info.facts * info.arity), Vec::new());
            let pred = fact.pred;
            blocks.push(FactBlock { pred, len, rows, times });
            blocks.len() - 1
        });
        let block = &mut blocks[at];
        block.len += 1;
        for arg in &fact.clause.head.args {
            block.rows.push(value::constant(arg, interner, report));
        }
        if info.temporal {
            block.times.push(rule::fact_time(fact.clause.time.as_deref()));
        }
    }
    blocks
}

/// Returns one stratum for each group that has rules, after those that it reads.
fn runs(model: &Model<'_>, strata: &Strata, report: &Report) -> Vec<Stratum> {
    let run = |group: &Vec<PredId>| {
        let mut rules: Vec<RuleId> = group.iter().flat_map(|&pred| model.pred(pred).rules.iter().copied()).collect();
        rules.sort();
        Stratum {
            predicates: group.clone(),
            rules,
            recursive: group.iter().any(|&pred| strata.is_recursive(pred)),
        }
    };
    let groups = strata.groups.iter().take_while(|_| !report.is_cancelled());
    groups.map(run).filter(|stratum| !stratum.rules.is_empty()).collect()
}
