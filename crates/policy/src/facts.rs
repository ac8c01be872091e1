//! What a policy has to know of servers and their tools before it can judge a call.

use std::sync::Arc;

use model::{Digest, Permission, Risk, Role};

use crate::Checks;

/// The id under which access to the gateway's own tools is granted and denied (MGP D15). No configured server may have it.
pub const KERNEL: &str = "kernel";

/// What is known of a server.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct ServerFacts {
    /// The permissions that it wants for itself (MGP §2.3), by their canonical names.
    pub permissions: Vec<Permission>,
}

/// What is known of a tool. Made when a server's list is read, not when a call comes.
#[derive(Clone, Debug, PartialEq)]
pub struct ToolFacts {
    /// Its name on its server.
    pub name: Arc<str>,
    /// Its effective risk, out of what its server declares, what is configured and what is [`crate::inferred`].
    pub risk: Risk,
    /// Whether its server wants a person to be asked whatever the risk, or the configuration does (`confirmation_required`).
    pub confirm: bool,
    /// Who may call it at all: the gateway's own tools are partly for operators. For tools of servers always `Agent`.
    pub role: Role,
    /// The permissions that it requires. Where it names none, what its server wants counts.
    pub permissions: Vec<Permission>,
    /// The digest of its name, description and schemas, to be compared with its pin.
    pub digest: Digest,
    /// What its arguments are judged by.
    pub checks: Arc<Checks>,
}
