//! The facts about servers and their tools that a policy needs to judge a call.

use std::sync::Arc;

use model::{Digest, Permission, Risk, Role};

use crate::Checks;

/// The id under which access to the gateway's own tools is granted and denied (MGP D15). No configured server may have it.
pub const KERNEL: &str = "kernel";

/// The facts about a server.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct ServerFacts {
    /// The permissions that it wants for itself (MGP §2.3), by their canonical names.
    pub permissions: Vec<Permission>,
}

/// The facts about a tool. They are computed when a server's list is read, not when a call comes.
#[derive(Clone, Debug, PartialEq)]
pub struct ToolFacts {
    /// Its name on its server.
    pub name: Arc<str>,
    /// Its effective risk, from its server's declaration, the configuration and what is [`crate::inferred`].
    pub risk: Risk,
    /// Whether its server or the configuration requires a person's consent whatever the risk (`confirmation_required`).
    pub confirm: bool,
    /// The role that is needed to call it: some of the gateway's own tools are for operators. For tools of servers it is always `Agent`.
    pub role: Role,
    /// The permissions that it requires. If it names none, those that its server wants count.
    pub permissions: Vec<Permission>,
    /// The digest of its name, description and schemas, to be compared with its pin.
    pub digest: Digest,
    /// The validators of its arguments.
    pub checks: Arc<Checks>,
}
