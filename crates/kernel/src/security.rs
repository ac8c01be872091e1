//! What the configuration says about who may do what: plain data, and what the gateway remembers beside it.

use std::collections::BTreeMap;
use std::sync::Arc;
use std::time::Duration;

use model::{Grant, Permission, PrincipalId, Role, ServerId, TrustLevel};
use policy::{Origin, Tables};
use store::{Remembered, Store};

/// What is configured. A gateway without it is open: everybody who is let in may do everything.
#[derive(Clone, Debug, PartialEq)]
pub struct Security {
    /// Defaults, risk, permissions, validators and rates.
    pub tables: Tables,
    /// What is different for some servers.
    pub servers: BTreeMap<ServerId, ServerSecurity>,
    /// Who may come in without a stored token, and from where. Agents with stored tokens are known by these.
    pub principals: Vec<(PrincipalId, Origin)>,
    /// Grants that the configuration makes. They hold until it says something else, and nobody can take them back.
    pub grants: Vec<Grant>,
    /// How long a person has to decide about a call.
    pub approval_ttl: Duration,
    /// How long the call itself waits for that, where its own client cannot be asked: then it is told to come back.
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

/// What is configured for one server.
#[derive(Clone, Debug, PartialEq)]
pub struct ServerSecurity {
    /// How far it is trusted. What it claims itself can only lower that.
    pub trust: TrustLevel,
    /// Who may see its tools and call them: everybody who has access, or of those only operators.
    pub role: Role,
    /// The permissions that it wants for itself, beside those that it names when it connects (MGP §2.3).
    pub permissions: Vec<Permission>,
    /// What an operator says of some of its tools.
    pub tools: BTreeMap<Arc<str>, mgp::tool::Override>,
}

/// A server in a file that the user owns (DESIGN 7).
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
