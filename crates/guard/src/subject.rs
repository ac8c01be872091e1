//! The subject of a decision.

use std::sync::Arc;

use model::Principal;

/// A principal with the token and the session by which it came in. It is made of what a connection proved, never of what a message says.
#[derive(Clone, Debug)]
pub struct Subject {
    /// The principal on whose behalf something is done.
    pub principal: Principal,
    /// The id of the remembered token that let the principal in; none for an stdio launch, loopback without credentials, and configured tokens.
    pub token: Option<Arc<str>>,
    /// The kernel's number of the client session; none outside of a session.
    pub session: Option<u64>,
}

impl Subject {
    /// A subject without a token and without a session.
    #[must_use]
    pub fn new(principal: Principal) -> Self {
        Self {
            principal,
            token: None,
            session: None,
        }
    }
}
