//! `[audit]`: the rules for alerts, and how long events are kept.

use std::collections::BTreeSet;
use std::sync::Arc;

use kernel::Alert;
use store::Retention;

use super::choice::{Keeping, word};
use super::fields::Fields;
use super::node::Node;
use super::problem::{Problem, Problems};
use super::schema::{Key, alert, audit};

/// The most alerts.
const MOST_ALERTS: usize = 100;
/// The most events that an alert counts.
const MOST_COUNTED: usize = 10_000;

/// Reads one alert. Returns `None` if something is wrong with it.
pub(super) fn read_alert(node: &Node, problems: &mut Problems) -> Option<Alert> {
    let fields = Fields::read(&alert::SECTION, node, problems);
    let name = fields.require(&alert::NAME, node, "an alert", problems);
    let event = fields.require(&alert::EVENT, node, "an alert", problems);
    let (name, event) = (name?, event?);
    if !name
        .bytes()
        .all(|byte| byte.is_ascii_lowercase() || byte.is_ascii_digit() || byte == b'_')
    {
        let at = fields.value_at(&alert::NAME).unwrap_or(&node.place);
        let problem = Problem::error(format!("an alert can't be called `{name}`")).at(at);
        problems.push(problem.help("its name is the end of an event's type: use lower-case letters, digits and `_`"));
        return None;
    }
    let count = fields.get(&alert::COUNT);
    if count > MOST_COUNTED {
        let at = fields.value_at(&alert::COUNT).unwrap_or(&node.place);
        let problem = Problem::error(format!("an alert can't count to {count}; {MOST_COUNTED} are the most")).at(at);
        problems.push(problem.help("count fewer in a shorter `window`"));
    }
    Some(Alert {
        name: name.into(),
        event: event.into(),
        actor: fields.get(&alert::ACTOR).map(Arc::from),
        count,
        window: fields.get(&alert::WINDOW),
    })
}

/// Checks the alerts of all files together: each examines every event, and counts under its name.
pub(super) fn check_alerts(alerts: &[Alert], problems: &mut Problems) {
    if alerts.len() > MOST_ALERTS {
        let problem = Problem::error(format!("there are {} `[[audit.alerts]]`; {MOST_ALERTS} are the most", alerts.len()));
        problems
            .push(problem.help("an alert without `actor` counts for each actor by itself; leave out those that differ in nothing else"));
    }
    let mut names = BTreeSet::new();
    if let Some(twice) = alerts.iter().find(|alert| !names.insert(&alert.name)) {
        let problem = Problem::error(format!("two alerts are called `{}`", twice.name));
        problems.push(problem.help("each counts for itself: give each a name of its own"));
    }
}

/// Returns how long events are kept; `None` if a value that this needs is missing.
pub(super) fn retention(fields: &Fields) -> Option<Retention> {
    Some(match fields.get(&audit::RETENTION) {
        Keeping::All => Retention::KeepAll,
        Keeping::Time => Retention::Time(fields.get(&audit::KEEP)?),
        Keeping::Size => Retention::Size(u64::try_from(fields.get(&audit::SIZE)?).ok()?),
        Keeping::Tiered => Retention::Tiered {
            searchable: fields.get(&audit::SEARCHABLE)?,
            kept: fields.get(&audit::KEEP)?,
        },
    })
}

/// The keys that only some kinds of retention use.
pub(super) static AMOUNTS: [&Key; 3] = [audit::KEEP.key(), audit::SEARCHABLE.key(), audit::SIZE.key()];

/// Checks that a kind of retention has the keys that it needs, and no others.
pub(super) fn check_retention(fields: &Fields, problems: &mut Problems) {
    let keeping = fields.get(&audit::RETENTION);
    let way = word(&keeping);
    let needs: &[&Key] = match keeping {
        Keeping::All => &[],
        Keeping::Time => &[&audit::KEEP],
        Keeping::Size => &[&audit::SIZE],
        Keeping::Tiered => &[&audit::SEARCHABLE, &audit::KEEP],
    };
    if let Some(at) = fields.value_at(&audit::RETENTION) {
        for key in needs.iter().filter(|key| fields.node(key).is_none()) {
            let problem = Problem::error(format!("`retention = \"{way}\"` needs `{}`", key.name)).at(at);
            problems.push(problem.help(key.for_example()));
        }
    }
    for key in AMOUNTS {
        let is_needed = needs.iter().any(|needed| needed.name == key.name);
        if let (false, Some(at)) = (is_needed, fields.at(key)) {
            let problem = Problem::warning(format!("`{}` has no effect with `retention = \"{way}\"`", key.name)).at(at);
            problems.push(problem.help("remove it, or choose another `retention`"));
        }
    }
    if let (Some(searchable), Some(kept)) = (fields.get(&audit::SEARCHABLE), fields.get(&audit::KEEP))
        && keeping == Keeping::Tiered
        && searchable > kept
        && let Some(at) = fields.value_at(&audit::SEARCHABLE)
    {
        let problem = Problem::error("`searchable` can't be longer than `keep`").at(at);
        problems.push(problem.help("what is gone can't be found"));
    }
}
