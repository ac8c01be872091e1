//! `readonly` for a tool as a whole: what it says of itself has to be that it only reads.

/// What is known of a tool, whoever said it.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct Facts {
    /// Its effective risk is `safe`.
    pub safe: bool,
    /// It declares side effects.
    pub side_effects: bool,
    /// Its annotation `readOnlyHint`, where it has one.
    pub read_only: Option<bool>,
}

/// Why `readonly` refuses a tool whatever its arguments; `None` when only they decide. The operator may overrule it.
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
