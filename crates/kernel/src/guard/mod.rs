//! What stands between a request and its leave: the policy in force, who waits for a person, how many calls may pass, and the record of it all.
//!
//! `calls` is the way of a tool call, `consent` asks people, `learn` tells policy what servers offer, `decide` changes who may do what, and
//! `ledger` writes the audit, `forward` tells servers of it, and `alerts` watches it.

pub(crate) mod alerts;
mod calendar;
pub(crate) mod calls;
mod consent;
pub(crate) mod decide;
pub(crate) mod forward;
mod learn;
pub(crate) mod ledger;
pub(crate) mod permissions;
mod refusal;
pub(crate) mod reported;

use std::sync::{Arc, Mutex, MutexGuard, PoisonError};
use std::time::{Duration, SystemTime, UNIX_EPOCH};

use arc_swap::{ArcSwap, Guard as Loaded};
use mgp::audit::Redactor;
use model::{Grant, GrantScope, Permission, PrincipalId, ServerId, Timestamp, ToolId};
use policy::{Approvals, Bounds, Edit, Limits, Policy, Reason, Revision, ServerFacts};
use store::Clock;
use tokio::sync::{Notify, watch};

use crate::departure::Waves;
use crate::kernel_tools;
use crate::outside::Resolver;
use crate::{Records, Security};
use calendar::Calendar;
use consent::Continued;
use decide::Waiting;
use ledger::Ledger;
use reported::Reports;

pub(crate) use refusal::refusal;

/// The guard.
pub(crate) struct Guard {
    policy: ArcSwap<Policy>,
    /// Held from reading the policy in force until another one takes its place.
    changing: Mutex<()>,
    /// Held from storing a decision until it is in force, so that both happen in the same order.
    deciding: tokio::sync::Mutex<()>,
    approvals: Mutex<Waiting>,
    /// Grows when something that waits is decided, or something new waits.
    decisions: watch::Sender<u64>,
    limits: Mutex<Limits>,
    continued: Mutex<Continued>,
    /// What is configured; none in an open gateway.
    security: ArcSwap<Option<Security>>,
    redactor: ArcSwap<Redactor>,
    /// Told when another configuration is in force.
    configured: Notify,
    pub(crate) ledger: Option<Ledger>,
    resolver: Arc<dyn Resolver>,
    pub(crate) calendar: Calendar,
    reports: Reports,
    pub(crate) waves: Waves,
}

impl Guard {
    pub(crate) fn new(security: Option<&Security>, records: Option<Records>, resolver: Arc<dyn Resolver>, clock: Clock) -> Self {
        let policy = match security {
            Some(security) => begin(security, records.as_ref().map(|records| &records.remembered), Revision::default()),
            None => Policy::allow_all(),
        };
        let rates = security.map(|security| security.tables.rates.clone()).unwrap_or_default();
        Self {
            policy: ArcSwap::from_pointee(policy),
            changing: Mutex::default(),
            deciding: tokio::sync::Mutex::default(),
            approvals: Mutex::new(Waiting::new(Approvals::new(Bounds::default()))),
            decisions: watch::Sender::new(0),
            limits: Mutex::new(Limits::new(rates)),
            continued: Mutex::default(),
            redactor: ArcSwap::from_pointee(redactor(security)),
            security: ArcSwap::from_pointee(security.cloned()),
            configured: Notify::new(),
            ledger: records.map(|records| Ledger { store: records.store }),
            resolver,
            calendar: Calendar::new(clock),
            reports: Reports::default(),
            waves: Waves::default(),
        }
    }

    /// The policy in force.
    pub(crate) fn policy(&self) -> Loaded<Arc<Policy>> {
        self.policy.load()
    }

    /// Puts another policy in force, whatever the one before was.
    pub(crate) fn put(&self, policy: Policy) {
        let _changing = self.changing.lock().unwrap_or_else(PoisonError::into_inner);
        self.policy.store(Arc::new(policy));
    }

    /// Takes in what a server wants for itself.
    pub(crate) fn wants(&self, server: &ServerId, permissions: Vec<Permission>) {
        self.edit(|edit| {
            edit.server(server, ServerFacts { permissions });
        });
    }

    /// Puts the next version in force. A gateway that is open or closed stays as it is: nothing is written into no book.
    pub(crate) fn edit(&self, change: impl FnOnce(&mut Edit)) {
        let _changing = self.changing.lock().unwrap_or_else(PoisonError::into_inner);
        let now = self.policy.load();
        if now.tables().is_none() {
            return;
        }
        let mut edit = now.edit();
        change(&mut edit);
        self.policy.store(Arc::new(edit.finish()));
    }

    /// Takes another configuration into force, and says whether it is another. What was decided stays.
    pub(crate) fn configure(&self, security: Option<&Security>) -> bool {
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
            self.put(begin(security, None, before.revision()));
            return true;
        }
        self.edit(|edit| {
            edit.tables(security.tables.clone());
            configured(edit, security);
        });
        true
    }

    fn approvals(&self) -> MutexGuard<'_, Waiting> {
        self.approvals.lock().unwrap_or_else(PoisonError::into_inner)
    }

    fn limits(&self) -> MutexGuard<'_, Limits> {
        self.limits.lock().unwrap_or_else(PoisonError::into_inner)
    }

    /// Counts a call that comes in.
    fn arrives(&self, principal: &PrincipalId) -> Result<(), Reason> {
        self.limits().arrives(crate::now(), principal)
    }

    /// Counts a call that may leave.
    fn leaves(&self, tool: &ToolId) -> Result<(), Reason> {
        self.limits().leaves(crate::now(), &tool.server, &tool.name)
    }

    fn continued(&self) -> MutexGuard<'_, Continued> {
        self.continued.lock().unwrap_or_else(PoisonError::into_inner)
    }

    /// Changes when something is decided, or asked.
    pub(crate) fn decisions(&self) -> watch::Receiver<u64> {
        self.decisions.subscribe()
    }

    pub(crate) fn tell_decision(&self) {
        self.decisions.send_modify(|count| *count += 1);
    }

    /// Whether anything is configured about who may do what.
    pub(crate) fn is_guarded(&self) -> bool {
        self.security.load().is_some()
    }

    pub(crate) fn with_security<T>(&self, read: impl FnOnce(&Security) -> T) -> Option<T> {
        self.security.load().as_ref().as_ref().map(read)
    }

    /// How long a person has to decide about a call.
    fn approval_ttl(&self) -> Duration {
        self.with_security(|security| security.approval_ttl).unwrap_or_default()
    }

    /// How long a call waits for that, where its own client cannot be asked.
    fn approval_hold(&self) -> Duration {
        self.with_security(|security| security.approval_hold.min(security.approval_ttl))
            .unwrap_or_default()
    }

    pub(crate) fn redactor(&self) -> Arc<Redactor> {
        self.redactor.load_full()
    }

    /// What the configuration grants and denies to a principal in one scope.
    pub(crate) fn configured_grants(&self, principal: &PrincipalId, scope: &GrantScope) -> Vec<Grant> {
        let is_theirs = |grant: &&Grant| grant.principal == *principal && grant.scope == *scope;
        let theirs = self.with_security(|security| security.grants.iter().filter(is_theirs).cloned().collect());
        theirs.unwrap_or_default()
    }
}

/// A policy of what is configured and remembered.
fn begin(security: &Security, remembered: Option<&store::Remembered>, after: Revision) -> Policy {
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
    configured(&mut edit, security);
    edit.finish()
}

/// What the configuration says of people, and the gateway of its own tools.
fn configured(edit: &mut Edit, security: &Security) {
    edit.tools(&kernel_tools::server(), kernel_tools::facts());
    for (principal, origin) in &security.principals {
        edit.know(principal, *origin);
    }
    for grant in &security.grants {
        edit.grant(grant.clone());
    }
}

fn redactor(security: Option<&Security>) -> Redactor {
    let words = security.map(|security| security.redact.as_slice()).unwrap_or_default();
    words.iter().fold(Redactor::default(), |redactor, word| redactor.word(word))
}

/// What the machine's clock says: for the audit, which tells what was so.
fn wall_clock() -> Timestamp {
    let since = SystemTime::now().duration_since(UNIX_EPOCH).unwrap_or_default();
    Timestamp(i64::try_from(since.as_millis()).unwrap_or(i64::MAX))
}

impl std::fmt::Debug for Guard {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        f.debug_struct("Guard")
            .field("revision", &self.policy().revision())
            .finish_non_exhaustive()
    }
}
