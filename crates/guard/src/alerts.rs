//! Watches the audit for the events that raise an alert, by configuration (MGP §6: alert rules).
//!
//! Law: the counters are a value that takes the time from the events themselves. An alert is an event of the audit that no rule counts.

use std::collections::{HashMap, VecDeque};
use std::sync::Arc;

use mgp::audit::{Actor, Draft, EventType, Outcome, Target};
use model::{Timestamp, Trace};
use store::Stored;

use crate::config::Alert;
use crate::guard::Guard;
use crate::record::details;

/// The number of actors that are counted at most, over all rules.
const MOST_ACTORS: usize = 4096;
/// The prefix of the types of raised events.
const RAISED: &str = "security.";

/// The times of the counted events, for each rule and actor.
#[derive(Debug, Default)]
struct Counts {
    came: HashMap<(Arc<str>, Arc<str>), VecDeque<Timestamp>>,
}

impl Counts {
    /// Counts an event, and returns the rules that it completes.
    fn count<'a>(&mut self, rules: &'a [Alert], event: &Stored) -> Vec<&'a Alert> {
        let key = &event.key;
        let counts = |rule: &&Alert| rule.event == key.kind && rule.actor.as_ref().is_none_or(|actor| *actor == key.actor.id);
        let rules = rules.iter().filter(counts);
        rules.filter(|rule| self.is_full(rule, &key.actor.id, key.at)).collect()
    }

    fn is_full(&mut self, rule: &Alert, actor: &Arc<str>, at: Timestamp) -> bool {
        if self.came.len() >= MOST_ACTORS && !self.came.contains_key(&(rule.name.clone(), actor.clone())) {
            self.came.clear();
        }
        let came = self.came.entry((rule.name.clone(), actor.clone())).or_default();
        let window = i64::try_from(rule.window.as_millis()).unwrap_or(i64::MAX);
        came.retain(|before| before.after(window) > at);
        came.push_back(at);
        let is_full = came.len() >= rule.count.max(1);
        if is_full {
            came.clear();
        }
        is_full
    }
}

impl Guard {
    /// Starts the task that watches the audit for events that raise alerts, until the store is closed. A gateway without a store has nothing to
    /// watch.
    pub fn watch_alerts(self: &Arc<Self>) {
        let Some(store) = self.record().store().cloned() else { return };
        let (guard, runtime) = (self.clone(), self.runtime.clone());
        runtime.spawn_until_shutdown(async move {
            guard.until_alerts_are_wanted().await;
            let mut follower = store.follow(0);
            let mut counts = Counts::default();
            while let Ok(chunk) = follower.next().await {
                let rules = guard.with_security(|security| security.alerts.clone()).unwrap_or_default();
                for event in chunk.events.iter().filter(|event| !event.key.kind.starts_with(RAISED)) {
                    for rule in counts.count(&rules, event) {
                        guard.raise(rule, event).await;
                    }
                }
            }
        });
    }

    /// Resolves when at least one rule is configured. Reading the whole audit is expensive, so it begins only then.
    async fn until_alerts_are_wanted(&self) {
        loop {
            let configured = self.configured.notified();
            if self.with_security(|security| !security.alerts.is_empty()) == Some(true) {
                return;
            }
            configured.await;
        }
    }

    async fn raise(&self, rule: &Alert, event: &Stored) {
        let Some(kind) = EventType::parse(&format!("{RAISED}{}", rule.name)) else {
            return;
        };
        let details = details(&[
            ("event_type", &rule.event),
            ("actor", &event.key.actor.id),
            ("count", &rule.count.to_string()),
            ("window_ms", &rule.window.as_millis().to_string()),
            ("last_seq", &event.seq.to_string()),
        ]);
        tracing::warn!(alert = %rule.name, actor = %event.key.actor.id, "an alert was raised");
        let draft = Draft::new(kind, Actor::kernel("alerts"), Target::kernel(), Outcome::Success).details(details);
        self.record().after(draft, &Trace::default()).await;
    }
}

#[cfg(test)]
mod tests {
    use std::time::Duration;

    use store::{Actor, AuditKey, AuditResult};

    use super::*;

    fn event(kind: &str, actor: &str, at: i64) -> Stored {
        let key = AuditKey {
            at: Timestamp(at),
            kind: kind.into(),
            actor: Actor {
                kind: "agent".into(),
                id: actor.into(),
            },
            server: None,
            tool: None,
            result: AuditResult::Blocked,
            trace: None,
        };
        Stored {
            seq: 1,
            key,
            body: "{}".into(),
        }
    }

    #[test]
    fn as_many_within_the_window_of_one_actor_raise_it_once() {
        let rule = Alert {
            name: "refusals".into(),
            event: "TOOL_BLOCKED".into(),
            actor: None,
            count: 3,
            window: Duration::from_secs(1),
        };
        let rules = [rule];
        let mut counts = Counts::default();
        let mut raised = |kind: &str, actor: &str, at: i64| counts.count(&rules, &event(kind, actor, at)).len();
        // Events of two actors, of another type, or too far apart raise no alert.
        assert_eq!(
            [
                raised("TOOL_BLOCKED", "a", 0),
                raised("TOOL_BLOCKED", "b", 1),
                raised("TOOL_EXECUTED", "a", 2)
            ],
            [0; 3]
        );
        assert_eq!([raised("TOOL_BLOCKED", "a", 1_000), raised("TOOL_BLOCKED", "a", 1_500)], [0; 2]);
        assert_eq!(raised("TOOL_BLOCKED", "a", 1_999), 1);
        assert_eq!(
            [raised("TOOL_BLOCKED", "a", 1_999), raised("TOOL_BLOCKED", "a", 1_999)],
            [0; 2],
            "as many have to come anew"
        );
        assert_eq!(raised("TOOL_BLOCKED", "a", 1_999), 1);
    }
}
