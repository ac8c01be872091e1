//! What is known of what was asked and answered, over all kills of one store.

use std::collections::BTreeMap;
use std::fmt::Debug;

/// What a thing is that operators change.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub(super) enum State {
    /// It was never made, or is taken away.
    #[default]
    Absent,
    /// A grant, a valid token, an approved permission.
    Given,
    /// A token that was taken back, a denied permission.
    Refused,
}

/// What a thing is, and what it would be if something that was not answered took effect.
#[derive(Clone, Copy, Debug, Default)]
struct Fact {
    is: State,
    perhaps: Option<State>,
}

/// How often something was answered, and asked at all.
#[derive(Clone, Copy, Debug, Default)]
struct Times {
    answered: u64,
    asked: u64,
}

/// Everything.
#[derive(Debug, Default)]
pub(super) struct Known {
    things: BTreeMap<String, Fact>,
    /// By the type of the events that tell of it, and what they are about.
    told: BTreeMap<(&'static str, String), Times>,
    /// Texts of tokens, by id.
    pub(super) secrets: BTreeMap<String, String>,
    /// Dangerous calls that were made and not answered with a result.
    pub(super) open: Vec<String>,
    /// What was asked in this round and not answered yet.
    under_way: u64,
}

impl Known {
    /// Something is about to be asked, that events of this type tell of.
    pub(super) fn asks(&mut self, kind: &'static str, about: &str) {
        self.told.entry((kind, about.to_owned())).or_default().asked += 1;
        self.under_way += 1;
    }

    /// It was answered.
    pub(super) fn answered(&mut self, kind: &'static str, about: &str) {
        self.told.entry((kind, about.to_owned())).or_default().answered += 1;
        self.under_way -= 1;
    }

    /// It was answered and is on record, and did not happen.
    pub(super) fn taken_back(&mut self) {
        self.under_way -= 1;
    }

    /// It was refused, and never happened.
    pub(super) fn refused(&mut self, kind: &'static str, about: &str) {
        self.told.entry((kind, about.to_owned())).or_default().asked -= 1;
        self.under_way -= 1;
    }

    /// A thing is about to become something.
    pub(super) fn changes(&mut self, thing: &str, to: State) {
        self.things.entry(thing.to_owned()).or_default().perhaps = Some(to);
    }

    /// It has become that.
    pub(super) fn changed(&mut self, thing: &str) {
        let fact = self.things.entry(thing.to_owned()).or_default();
        fact.is = fact.perhaps.take().unwrap_or(fact.is);
    }

    /// Compares with what things are found to be; from then on they are that.
    pub(super) fn compare(&mut self, prefix: &str, found: &BTreeMap<String, State>, at: &str) {
        for thing in found.keys() {
            assert!(self.things.contains_key(thing), "{at}: nobody asked for `{thing}`");
        }
        let ours = self.things.iter_mut().filter(|(thing, _)| thing.starts_with(prefix));
        for (thing, fact) in ours {
            let found = found.get(thing).copied().unwrap_or_default();
            let fits = found == fact.is || fact.perhaps == Some(found);
            assert!(fits, "{at}: `{thing}` is {found:?}, and was answered: {fact:?}");
            *fact = Fact { is: found, perhaps: None };
        }
    }

    /// Returns what a thing is.
    pub(super) fn state(&self, thing: &str) -> State {
        self.things.get(thing).copied().unwrap_or_default().is
    }

    /// Returns the names of things of that kind.
    pub(super) fn names(&self, prefix: &str) -> Vec<String> {
        let all = self.things.keys().filter_map(|thing| thing.strip_prefix(prefix));
        all.map(str::to_owned).collect()
    }

    /// Compares with how often events tell of each thing: of what was answered each time, of nothing more often than it was asked.
    pub(super) fn compare_events(&self, told: &BTreeMap<(String, String), u64>, at: &str) {
        for ((kind, about), times) in self.told.iter().filter(|((kind, _), _)| !kind.is_empty()) {
            let found = told.get(&((*kind).to_owned(), about.clone())).copied().unwrap_or(0);
            assert!(
                (times.answered..=times.asked).contains(&found),
                "{at}: {found} events `{kind}` tell of `{about}`: {times:?}"
            );
        }
    }

    /// Returns how often something was asked.
    pub(super) fn asked(&self, kind: &'static str, about: &str) -> u64 {
        self.told.get(&(kind, about.to_owned())).map_or(0, |times| times.asked)
    }

    /// Returns how much was under way when the round ended.
    pub(super) fn unanswered(&mut self) -> u64 {
        std::mem::take(&mut self.under_way)
    }
}
