//! Decides `readonly` for a tool as a whole: its declarations have to say that it only reads.

/// What is known of a tool, from any source.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct Facts {
    /// Whether its effective risk is `safe`.
    pub safe: bool,
    /// Whether it declares side effects.
    pub side_effects: bool,
    /// The value of its annotation `readOnlyHint`, if it has one.
    pub read_only: Option<bool>,
}

/// Returns why `readonly` refuses a tool whatever its arguments; `None` when only they decide. The operator may
/// override it.
#[must_use]
pub fn refuses(facts: Facts) -> Option<&'static str> {
    match facts {
        Facts { side_effects: true, .. } => Some("the tool declares side effects"),
        Facts {
            read_only: Some(false), ..
        } => Some("the tool says that it does not only read"),
        Facts {
            safe: false,
            read_only: None,
            ..
        } => Some("nothing says that the tool only reads"),
        Facts { .. } => None,
    }
}
