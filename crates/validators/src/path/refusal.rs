//! The refusal of a path.

/// The reason why a path is refused.
#[derive(Clone, Debug)]
pub(crate) struct Refusal {
    pub(crate) rule: &'static str,
    pub(crate) reason: String,
}

impl Refusal {
    pub(crate) fn new(rule: &'static str, reason: impl Into<String>) -> Self {
        Self {
            rule,
            reason: reason.into(),
        }
    }
}
