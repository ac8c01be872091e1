//! Principals: the identities on whose behalf requests are made.

use std::fmt;
use std::sync::Arc;

use crate::Role;

/// The stable name of a principal, as policy, audit and session keys use it.
#[derive(Clone, Debug, PartialEq, Eq, Hash, PartialOrd, Ord)]
pub struct PrincipalId(Arc<str>);

impl PrincipalId {
    /// Returns a principal id from its text.
    #[must_use]
    pub fn new(text: &str) -> Self {
        Self(text.into())
    }

    /// Returns the id as text.
    #[must_use]
    pub fn as_str(&self) -> &str {
        &self.0
    }
}

impl fmt::Display for PrincipalId {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(&self.0)
    }
}

/// The identity behind a connection. Law: made from the connection's credentials, never from an argument of a message.
#[derive(Clone, Debug, PartialEq, Eq, Hash)]
pub struct Principal {
    /// The name by which policy, audit and sessions identify the principal.
    pub id: PrincipalId,
    /// What the principal may decide about others.
    pub role: Role,
}

impl Principal {
    /// Returns the sole local user: an stdio launch, or loopback without credentials. Its role is agent, because being
    /// able to start a client does not make a user an operator.
    #[must_use]
    pub fn local() -> Self {
        Self {
            id: PrincipalId::new("local"),
            role: Role::Agent,
        }
    }

    /// Returns whether the principal may see how the gateway and its servers are run: true for the local user and for
    /// operators.
    #[must_use]
    pub fn owns_the_machine(&self) -> bool {
        self.role == Role::Operator || *self == Self::local()
    }

    /// Returns an agent with the given name.
    #[must_use]
    pub fn named(name: &str) -> Self {
        Self {
            id: PrincipalId::new(name),
            role: Role::Agent,
        }
    }
}
