//! What the configuration says about permissions: plain data, and what the gateway remembers beside it.

use std::collections::BTreeMap;
use std::sync::Arc;
use std::time::Duration;

use model::{Grant, Permission, PrincipalId, Role, ServerId, TrustLevel};
use policy::{Origin, Tables, ToolFacts};
use store::{Remembered, Store};

/// The configuration of the guard. A gateway without it is open: every principal that is let in may do everything.
#[derive(Clone, Debug, PartialEq)]
pub struct Security {
    /// Defaults, risk, permissions, validators and rates.
    pub tables: Tables,
    /// What is configured for single servers.
    pub servers: BTreeMap<ServerId, ServerSecurity>,
    /// The principals that may come in without a stored token, and from where. Agents with stored tokens are known by these.
    pub principals: Vec<(PrincipalId, Origin)>,
    /// Grants that the configuration makes. They hold until the configuration changes; an operator cannot revoke them.
    pub grants: Vec<Grant>,
    /// How long a person has to decide about a call.
    pub approval_ttl: Duration,
    /// How long the call itself waits for that where its own client cannot be asked. After that the client is told to send it again.
    pub approval_hold: Duration,
    /// Whether lists name the gateway's own tools without dots, for providers of models that allow none (D29). Both names can be called.
    pub underscored_tools: bool,
    /// Words, beside those that the gateway knows, that name secrets: what stands under such a name is not written into the audit.
    pub redact: Vec<String>,
    /// What raises alerts.
    pub alerts: Vec<Alert>,
}

/// When so many events of a type come within a time, an event `security.NAME` is raised, and again only after as many have come anew.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Alert {
    /// The last part of the raised event's type.
    pub name: Arc<str>,
    /// The type of the events that are counted.
    pub event: Arc<str>,
    /// Whose events are counted, by the actor's id; none counts those of each actor by themselves.
    pub actor: Option<Arc<str>>,
    /// How many; at least one.
    pub count: usize,
    /// Within how much time.
    pub window: Duration,
}

impl Default for Security {
    fn default() -> Self {
        Self {
            tables: Tables::default(),
            servers: BTreeMap::new(),
            principals: vec![(model::Principal::local().id, Origin::Local)],
            grants: Vec::new(),
            approval_ttl: Duration::from_secs(5 * 60),
            approval_hold: Duration::from_secs(20),
            underscored_tools: false,
            redact: Vec::new(),
            alerts: Vec::new(),
        }
    }
}

/// The guard's configuration of one server.
#[derive(Clone, Debug, PartialEq)]
pub struct ServerSecurity {
    /// How far it is trusted. What it claims itself can only lower that.
    pub trust: TrustLevel,
    /// The role that a principal with access needs to see its tools and to call them.
    pub role: Role,
    /// The permissions that it wants for itself, beside those that it names when it connects (MGP §2.3).
    pub permissions: Vec<Permission>,
    /// What an operator says of some of its tools.
    pub tools: BTreeMap<Arc<str>, mgp::tool::Override>,
}

/// The defaults are those of a server in a file that the user owns (DESIGN 7).
impl Default for ServerSecurity {
    fn default() -> Self {
        Self {
            trust: TrustLevel::Standard,
            role: Role::Agent,
            permissions: Vec::new(),
            tools: BTreeMap::new(),
        }
    }
}

/// What the gateway remembers: a store, and what it held when it was opened.
#[derive(Clone, Debug)]
pub struct Records {
    /// Where everything is stored that has to outlive the process.
    pub store: Arc<dyn Store>,
    /// What it held.
    pub remembered: Remembered,
}

/// The gateway's own tools as policy has to know them. The kernel gives them when it starts the guard.
#[derive(Clone, Debug)]
pub struct OwnTools {
    /// The id of the server that they belong to.
    pub server: ServerId,
    /// Each tool.
    pub facts: Vec<ToolFacts>,
}
