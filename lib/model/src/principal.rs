//! Who is asking.

use std::fmt;
use std::sync::Arc;

use crate::Role;

/// The stable name of a principal, as policy, audit and keys of sessions use it.
#[derive(Clone, Debug, PartialEq, Eq, Hash, PartialOrd, Ord)]
pub struct PrincipalId(Arc<str>);

impl PrincipalId {
    /// A principal id from its text.
    #[must_use]
    pub fn new(text: &str) -> Self {
        Self(text.into())
    }

    /// The id as text.
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

/// Who stands behind a connection. Law: made from the connection's credentials, never from an argument of a message.
#[derive(Clone, Debug, PartialEq, Eq, Hash)]
pub struct Principal {
    /// The name under which everything is keyed.
    pub id: PrincipalId,
    /// What it may decide about others.
    pub role: Role,
}

impl Principal {
    /// The sole local user: an stdio launch, or loopback without credentials. An agent: who can start a client is not thereby an operator.
    #[must_use]
    pub fn local() -> Self {
        Self {
            id: PrincipalId::new("local"),
            role: Role::Agent,
        }
    }

    /// Whether it may see how the gateway and its servers are run: the local user, and operators.
    #[must_use]
    pub fn owns_the_machine(&self) -> bool {
        self.role == Role::Operator || *self == Self::local()
    }

    /// An agent known by name.
    #[must_use]
    pub fn named(name: &str) -> Self {
        Self {
            id: PrincipalId::new(name),
            role: Role::Agent,
        }
    }
}
