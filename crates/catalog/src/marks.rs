//! Qualified names that come out alike, and how they are told apart (DESIGN 3).
//!
//! `a_` with `b` and `a` with `_b` are both `a___b`; of two texts that had to be cut, the marks may be equal; and a tool may be called like another's
//! mark. Each is told from the other by another mark. In any view but a contrived one there is nothing of this.

use std::collections::{BTreeMap, BTreeSet, HashMap};

use mcp::method::ListKind;
use mcp::name;

use crate::index::{Holder, Key};
use crate::roster::{Difference, Roster};

/// The names that had to be marked once more.
#[derive(Clone, Debug, Default)]
pub(crate) struct Marks {
    /// The qualified names that more than one tool or prompt would have.
    contested: BTreeSet<Box<str>>,
    names: BTreeMap<Holder, Box<str>>,
    owners: HashMap<Box<str>, Holder>,
}

/// The order in which names are given out: those that need no change first, so that none of them depends on one that does; then by the alphabet.
type Turn = (bool, String, usize, Holder);

impl Marks {
    /// The name of what could not have its own.
    pub(crate) fn name(&self, holder: Holder) -> Option<&str> {
        self.names.get(&holder).map(|name| &**name)
    }

    /// What has a name by being marked.
    pub(crate) fn owner(&self, name: &str) -> Option<Holder> {
        self.owners.get(name).copied()
    }

    /// All that are marked, with their names.
    pub(crate) fn iter(&self) -> impl Iterator<Item = (Holder, &str)> {
        self.names.iter().map(|(holder, name)| (*holder, &**name))
    }

    /// The marks in the next version of a roster.
    pub(crate) fn updated(&self, kind: ListKind, roster: &Roster, difference: &Difference) -> Self {
        let mut contested = if difference.is_whole {
            BTreeSet::new()
        } else {
            self.contested.clone()
        };
        contested.retain(|name| claimants(kind, roster, name, Key::listed(kind, name)).nth(1).is_some());
        for slot in &difference.added {
            for named in roster.part(*slot).named(kind) {
                if claimants(kind, roster, &named.qualified, named.qualified_key).nth(1).is_some() {
                    contested.insert(named.qualified.clone());
                }
            }
        }
        if contested.is_empty() {
            return Self::default();
        }
        let mut marks = Self {
            contested,
            ..Self::default()
        };
        marks.give_out(kind, roster);
        marks
    }

    /// Whoever's turn it is takes the first name that nobody took before; whoever would have had it by itself must then look for another.
    fn give_out(&mut self, kind: ListKind, roster: &Roster) {
        let claimants = |name: &str| {
            let turns = claimants(kind, roster, name, Key::listed(kind, name)).map(|holder| turn(kind, roster, holder));
            turns.collect::<BTreeSet<Turn>>()
        };
        let mut waiting: BTreeSet<Turn> = self.contested.iter().flat_map(|name| claimants(name).into_iter().skip(1)).collect();
        while let Some(turn) = waiting.pop_first() {
            let (_, full, _, holder) = &turn;
            // Each salt gives another name, and there are more salts than names.
            for salt in 1..=u64::MAX {
                let name = name::fit(full, salt);
                let rivals = claimants(&name);
                let has_it = |rival: &Turn| *rival < turn && !self.names.contains_key(&rival.3);
                if self.owners.contains_key(&*name) || rivals.iter().any(has_it) {
                    continue;
                }
                waiting.extend(rivals.into_iter().filter(|rival| *rival > turn));
                self.names.insert(*holder, name.as_str().into());
                self.owners.insert(name.into(), *holder);
                break;
            }
        }
    }
}

/// What would have a qualified name if it were the only one.
fn claimants<'a>(kind: ListKind, roster: &'a Roster, name: &'a str, key: Key) -> impl Iterator<Item = Holder> + 'a {
    let holders = roster.holders(key);
    let claims = holders.filter(move |(holder, part)| *part.named(kind)[holder.row as usize].qualified == *name);
    claims.map(|(holder, _)| holder)
}

fn turn(kind: ListKind, roster: &Roster, holder: Holder) -> Turn {
    let part = roster.part(holder.slot);
    let full = format!(
        "{}{}{}",
        part.offer.server,
        name::SEPARATOR,
        part.item(kind, holder.row as usize).key
    );
    (!name::fits(&full), full, roster.place(holder.slot), holder)
}
