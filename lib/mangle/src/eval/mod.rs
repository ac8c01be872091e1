//! Evaluation: rows, joins, strata, budgets.

pub(crate) mod hash;
