//! The policy in force, and the messages that are written under it.

use std::sync::{Arc, Mutex, PoisonError};

use arc_swap::{ArcSwap, Guard as Loaded};
use policy::{Edit, Policy};

use crate::epochs::Epochs;

/// The policy in force. Permits hold it, so that the writer of a message can check it last.
#[derive(Debug)]
pub(crate) struct Enforced {
    policy: ArcSwap<Policy>,
    /// The lock that is held from reading the policy in force until another one takes its place.
    changing: Mutex<()>,
    pub(crate) epochs: Epochs,
}

impl Enforced {
    pub(crate) fn new(policy: Policy) -> Self {
        Self {
            policy: ArcSwap::from_pointee(policy),
            changing: Mutex::default(),
            epochs: Epochs::default(),
        }
    }

    pub(crate) fn policy(&self) -> Loaded<Arc<Policy>> {
        self.policy.load()
    }

    pub(crate) fn policy_full(&self) -> Arc<Policy> {
        self.policy.load_full()
    }

    /// Puts another policy in force in place of the present one.
    pub(crate) fn put(&self, policy: Policy) {
        let _changing = self.changing.lock().unwrap_or_else(PoisonError::into_inner);
        self.policy.store(Arc::new(policy));
    }

    /// Puts the next version of the policy in force. An open and a closed gateway have no tables to edit: they stay as they are.
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
}
