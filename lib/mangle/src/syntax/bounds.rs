//! Limits on parsing and analysing a program, both of which happen before an evaluation counts its first step.

use crate::eval::Cancel;

/// The limits of [`super::parse_within`] and [`crate::analysis::analyse_within`]. A program that exceeds them is
/// refused with [`crate::diagnostic::Code::BudgetExceeded`].
#[derive(Clone, Debug)]
pub struct Bounds {
    /// How many bytes of memory the tree of a source may take, and as many for the analysis of all of them together.
    /// They are estimated beforehand, from the number of tokens and from the parts of the clauses.
    pub bytes: u64,
    /// The flag that ends it early: within some thousand tokens, or one rule.
    pub cancel: Cancel,
}

impl Default for Bounds {
    /// Returns half a GiB: about 600,000 facts of three arguments, or 200,000 rules.
    fn default() -> Self {
        Self {
            bytes: 512 << 20,
            cancel: Cancel::default(),
        }
    }
}
