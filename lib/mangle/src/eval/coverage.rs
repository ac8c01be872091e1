//! The work of each rule in an evaluation.

/// The work of one rule. The work for a snapshot counts in each request over it, too.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct RuleCount {
    /// How many times its premises were satisfied.
    pub fired: u64,
    /// How many facts it was the first to derive.
    pub derived: u64,
    /// How many steps it took: the measure of its cost, equal on every machine.
    pub steps: u64,
}
