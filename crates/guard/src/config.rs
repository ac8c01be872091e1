//! The configuration of permissions as plain data, with what the gateway has stored.

use std::collections::BTreeMap;
use std::sync::Arc;
use std::time::Duration;

use model::{Grant, Permission, PrincipalId, Role, ServerId, TrustLevel};
use policy::{Origin, Tables, ToolFacts};
use store::{Remembered, Store};

/// The configuration of the guard. A gateway without one is open: every principal that is let in may do everything.
#[derive(Clone, Debug, PartialEq)]
pub struct Security {
    /// Defaults, risk, permissions, validators and rates.
    pub tables: Tables,
    /// The configuration of single servers.
    pub servers: BTreeMap<ServerId, ServerSecurity>,
    /// The principals that may come in without a stored token, and from where. Agents with stored tokens are known by these.
    pub principals: Vec<(PrincipalId, Origin)>,
    /// Grants that the configuration makes. They hold until the configuration changes; an operator cannot revoke them.
    pub grants: Vec<Grant>,
    /// The time in which a person has to decide about a call.
    pub approval_ttl: Duration,
    /// The time that a call waits for the decision if its own client cannot be asked. After that the client is told to send the call again.
    pub approval_hold: Duration,
    /// Whether lists name the gateway's own tools without dots, for providers of models that allow none (D29). Both names can be called.
    pub underscored_tools: bool,
    /// Words that name secrets, in addition to those that the gateway knows: values under such a name are not written into the audit.
    pub redact: Vec<String>,
    /// The rules that raise alerts.
    pub alerts: Vec<Alert>,
}

/// A rule that raises an event `security.NAME` when so many events of a type come within a time, and again only after as many new ones.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Alert {
    /// The last part of the raised event's type.
    pub name: Arc<str>,
    /// The type of the events that are counted.
    pub event: Arc<str>,
    /// The id of the actor whose events are counted; none counts those of each actor separately.
    pub actor: Option<Arc<str>>,
    /// The number of events; at least one.
    pub count: usize,
    /// The time within which they come.
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
    /// The trust that it has. What it claims itself can only lower that.
    pub trust: TrustLevel,
    /// The role that a principal with access needs to see its tools and to call them.
    pub role: Role,
    /// The permissions that it wants for itself, beside those that it names when it connects (MGP §2.3).
    pub permissions: Vec<Permission>,
    /// The operator's settings for some of its tools.
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

/// The gateway's stored state: a store, and its content when it was opened.
#[derive(Clone, Debug)]
pub struct Records {
    /// The store of everything that has to outlive the process.
    pub store: Arc<dyn Store>,
    /// The content that it had.
    pub remembered: Remembered,
}

/// The gateway's own tools, as policy needs them. The kernel passes them when it starts the guard.
#[derive(Clone, Debug)]
pub struct OwnTools {
    /// The id of the server that they belong to.
    pub server: ServerId,
    /// Each tool.
    pub facts: Vec<ToolFacts>,
}
