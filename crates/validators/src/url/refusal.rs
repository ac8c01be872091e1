//! The refusal of an address.

/// The reason why an address is refused.
pub(super) struct Refusal {
    pub(super) rule: &'static str,
    pub(super) reason: String,
}

impl Refusal {
    pub(super) fn new(rule: &'static str, reason: impl Into<String>) -> Self {
        Self {
            rule,
            reason: reason.into(),
        }
    }
}
