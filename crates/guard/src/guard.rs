//! The guard: its parts, and the configuration in force.

use std::sync::{Arc, Mutex, MutexGuard, PoisonError};
use std::time::Duration;

use arc_swap::{ArcSwap, Guard as Loaded};
use mgp::audit::Redactor;
use model::{Permission, ServerId};
use policy::{Edit, Limits, Policy, Revision, ServerFacts};
use runtime::Runtime;
use store::Clock;
use tokio::sync::{Notify, watch};

use crate::calendar::Calendar;
use crate::config::{OwnTools, Records, Security};
use crate::decisions::{Decisions, Shown};
use crate::enforced::Enforced;
use crate::record::Record;
use crate::report_rate::Reports;
use crate::resolver::Resolver;
use crate::subject::Subject;

/// The guard of one gateway.
pub struct Guard {
    pub(crate) runtime: Arc<Runtime>,
    pub(crate) enforced: Arc<Enforced>,
    pub(crate) decisions: Decisions,
    limits: Mutex<Limits>,
    /// The configuration; none in an open gateway.
    security: ArcSwap<Option<Security>>,
    redactor: ArcSwap<Redactor>,
    /// Notified when another configuration is in force.
    pub(crate) configured: Notify,
    own_tools: OwnTools,
    record: Record,
    pub(crate) resolver: Arc<dyn Resolver>,
    calendar: Calendar,
    pub(crate) reports: Reports,
}

impl Guard {
    /// Starts the guard with the configuration and the stored state.
    #[must_use]
    pub fn new(
        security: Option<&Security>,
        records: Option<Records>,
        own_tools: OwnTools,
        resolver: Arc<dyn Resolver>,
        clock: Clock,
        runtime: Arc<Runtime>,
    ) -> Arc<Self> {
        let remembered = records.as_ref().map(|records| &records.remembered);
        let policy = match security {
            Some(security) => begin(security, &own_tools, remembered, Revision::default()),
            None => Policy::allow_all(),
        };
        let rates = security.map(|security| security.tables.rates.clone()).unwrap_or_default();
        Arc::new(Self {
            runtime,
            enforced: Arc::new(Enforced::new(policy)),
            decisions: Decisions::default(),
            limits: Mutex::new(Limits::new(rates)),
            redactor: ArcSwap::from_pointee(redactor(security)),
            security: ArcSwap::from_pointee(security.cloned()),
            configured: Notify::new(),
            own_tools,
            record: Record::new(records.map(|records| records.store)),
            resolver,
            calendar: Calendar::new(clock),
            reports: Reports::default(),
        })
    }

    /// Returns the policy in force.
    #[must_use]
    pub fn policy(&self) -> Loaded<Arc<Policy>> {
        self.enforced.policy()
    }

    /// Returns whether the token that let a subject in still does so: it is neither revoked nor expired. A subject without a token needs none.
    #[must_use]
    pub fn lets_in(&self, subject: &Subject) -> bool {
        let lets_in = |token: &str| self.enforced.policy().lets_in(token, &subject.principal, self.calendar.now());
        subject.token.as_deref().is_none_or(lets_in)
    }

    /// Returns the record, which writes to the audit.
    #[must_use]
    pub fn record(&self) -> &Record {
        &self.record
    }

    /// Returns the calendar by which everything expires.
    #[must_use]
    pub fn calendar(&self) -> &Calendar {
        &self.calendar
    }

    /// Puts another policy in force in place of the present one. What the old one admitted and is not sent yet is refused (DESIGN 9).
    pub fn put(&self, policy: Policy) {
        self.enforced.put(policy);
        self.decisions.tell();
    }

    /// Notes the permissions that a server wants for itself.
    pub fn wants(&self, server: &ServerId, permissions: Vec<Permission>) {
        self.enforced.edit(|edit| {
            edit.server(server, ServerFacts { permissions });
        });
    }

    /// Puts a configuration in force, and returns whether it differs from the present one. What people decided stays.
    pub fn configure(&self, security: Option<&Security>) -> bool {
        if self.security.load().as_ref().as_ref() == security {
            return false;
        }
        self.security.store(Arc::new(security.cloned()));
        self.redactor.store(Arc::new(redactor(security)));
        // One task watches; where it is not waiting yet, it looks first.
        self.configured.notify_one();
        let Some(security) = security else {
            self.put(Policy::allow_all());
            return true;
        };
        self.limits().set(security.tables.rates.clone());
        let before = self.policy();
        if before.tables().is_none() {
            self.put(begin(security, &self.own_tools, None, before.revision()));
            return true;
        }
        self.enforced.edit(|edit| {
            edit.tables(security.tables.clone());
            configured(edit, security, &self.own_tools);
        });
        self.decisions.tell();
        true
    }

    /// Returns whether anything is configured about permissions. A gateway without that is open, and does not speak MGP.
    #[must_use]
    pub fn is_guarded(&self) -> bool {
        self.security.load().is_some()
    }

    /// Reads the configuration, where there is one.
    pub fn with_security<T>(&self, read: impl FnOnce(&Security) -> T) -> Option<T> {
        self.security.load().as_ref().as_ref().map(read)
    }

    /// Returns the redactor, which removes secrets from a text or a value before people or the audit see it.
    #[must_use]
    pub fn redactor(&self) -> Arc<Redactor> {
        self.redactor.load_full()
    }

    /// Returns the permissions that a server wants for itself, by configuration.
    #[must_use]
    pub fn wanted(&self, server: &ServerId) -> Vec<Permission> {
        let wanted = self.with_security(|security| security.servers.get(server).map(|server| server.permissions.clone()));
        wanted.flatten().unwrap_or_default()
    }

    /// Lists the calls that wait for a person, in the order of asking, and what a person is shown of each.
    #[must_use]
    pub fn waiting(&self) -> Vec<(model::Approval, Option<Shown>)> {
        self.decisions.list(self.calendar.now(), &self.policy())
    }

    /// Returns a receiver that changes when something is decided, or begins to wait for a person.
    #[must_use]
    pub fn decisions(&self) -> watch::Receiver<u64> {
        self.decisions.changes()
    }

    /// Returns how long a person has to decide about a call.
    #[must_use]
    pub fn approval_ttl(&self) -> Duration {
        self.with_security(|security| security.approval_ttl).unwrap_or_default()
    }

    /// Returns how long a call waits for a person where its own client cannot be asked.
    #[must_use]
    pub fn approval_hold(&self) -> Duration {
        self.with_security(|security| security.approval_hold.min(security.approval_ttl))
            .unwrap_or_default()
    }

    pub(crate) fn limits(&self) -> MutexGuard<'_, Limits> {
        self.limits.lock().unwrap_or_else(PoisonError::into_inner)
    }
}

/// Builds the policy from the configuration and the stored state.
fn begin(security: &Security, own_tools: &OwnTools, remembered: Option<&store::Remembered>, after: Revision) -> Policy {
    let stored = remembered.map_or(0, |remembered| remembered.revision);
    let mut edit = Policy::begin(security.tables.clone(), after.max(Revision(stored)));
    if let Some(remembered) = remembered {
        for token in &remembered.tokens {
            edit.token(token.clone());
        }
        for grant in &remembered.grants {
            edit.grant(grant.clone());
        }
        for request in &remembered.requests {
            edit.ask_permission(&request.server, request.permission.clone(), request.request.clone());
        }
        for decision in &remembered.permissions {
            edit.permission(decision.clone());
        }
        for pin in &remembered.pins {
            edit.pin(pin.clone());
        }
    }
    configured(&mut edit, security, own_tools);
    edit.finish()
}

/// Adds the configured principals and the gateway's own tools to a policy.
fn configured(edit: &mut Edit, security: &Security, own_tools: &OwnTools) {
    edit.tools(&own_tools.server, own_tools.facts.clone());
    for (principal, origin) in &security.principals {
        edit.know(principal, *origin);
    }
    edit.configure(&security.grants);
}

fn redactor(security: Option<&Security>) -> Redactor {
    let words = security.map(|security| security.redact.as_slice()).unwrap_or_default();
    words.iter().fold(Redactor::default(), |redactor, word| redactor.word(word))
}

impl std::fmt::Debug for Guard {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        f.debug_struct("Guard")
            .field("revision", &self.policy().revision())
            .finish_non_exhaustive()
    }
}
