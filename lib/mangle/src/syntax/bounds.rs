//! What reading and analysing a program may take: both come before an evaluation counts its first step.

use crate::eval::Cancel;

/// The limits of [`super::parse_within`] and [`crate::analysis::analyse_within`]. A program that wants more is refused with
/// [`crate::diagnostic::Code::BudgetExceeded`].
#[derive(Clone, Debug)]
pub struct Bounds {
    /// Bytes of memory for the tree of a source, and as many for the analysis of all of them together. They are estimated
    /// beforehand, from the number of tokens and from what the clauses consist of.
    pub bytes: u64,
    /// Ends it early: within some thousand tokens, or one rule.
    pub cancel: Cancel,
}

impl Default for Bounds {
    /// Half a GiB: about 600,000 facts of three arguments, or 200,000 rules.
    fn default() -> Self {
        Self {
            bytes: 512 << 20,
            cancel: Cancel::default(),
        }
    }
}
