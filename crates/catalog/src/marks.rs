//! Marks that distinguish equal qualified names (DESIGN 3).
//!
//! Tool `b` of server `a_` and tool `_b` of server `a` are both `a___b`; two names that had to be cut may get equal marks; and a tool may have the marked
//! name of another tool as its own. All but one of them get another mark. Apart from contrived servers this does not happen.

use std::collections::{BTreeMap, BTreeSet, HashMap};

use mcp::method::ListKind;
use mcp::name;

use crate::index::{Holder, Key};
use crate::parts::{Difference, Parts};

/// The qualified names that got another mark, because without it they would equal another qualified name.
#[derive(Clone, Debug, Default)]
pub(crate) struct Marks {
    /// The qualified names that more than one tool or prompt has before they are marked.
    contested: BTreeSet<Box<str>>,
    names: BTreeMap<Holder, Box<str>>,
    owners: HashMap<Box<str>, Holder>,
}

/// The order in which names are assigned: first the names that need no change, so that none of them depends on one that does; then by the alphabet.
type Turn = (bool, String, usize, Holder);

impl Marks {
    /// Returns the marked name of a tool or prompt, if it has one.
    pub(crate) fn name(&self, holder: Holder) -> Option<&str> {
        self.names.get(&holder).map(|name| &**name)
    }

    /// Returns the tool or prompt that has this marked name.
    pub(crate) fn owner(&self, name: &str) -> Option<Holder> {
        self.owners.get(name).copied()
    }

    /// Iterates over all tools or prompts with a marked name, and the names.
    pub(crate) fn iter(&self) -> impl Iterator<Item = (Holder, &str)> {
        self.names.iter().map(|(holder, name)| (*holder, &**name))
    }

    /// Returns the marks for the next version of the parts.
    pub(crate) fn updated(&self, kind: ListKind, parts: &Parts, difference: &Difference) -> Self {
        let mut contested = if difference.is_whole {
            BTreeSet::new()
        } else {
            self.contested.clone()
        };
        contested.retain(|name| claimants(kind, parts, name, Key::listed(kind, name)).nth(1).is_some());
        for slot in &difference.added {
            for named in parts.part(*slot).named(kind) {
                if claimants(kind, parts, &named.qualified, named.qualified_key).nth(1).is_some() {
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
        marks.give_out(kind, parts);
        marks
    }

    /// Assigns to each tool or prompt, in order, the first marked name that is not taken. If that is the unmarked name of a later one, the later one
    /// has to get a mark as well.
    fn give_out(&mut self, kind: ListKind, parts: &Parts) {
        let claimants = |name: &str| {
            let turns = claimants(kind, parts, name, Key::listed(kind, name)).map(|holder| turn(kind, parts, holder));
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

/// Returns the tools or prompts whose qualified name, without a mark, is `name`.
fn claimants<'a>(kind: ListKind, parts: &'a Parts, name: &'a str, key: Key) -> impl Iterator<Item = Holder> + 'a {
    let holders = parts.holders(key);
    let claims = holders.filter(move |(holder, part)| *part.named(kind)[holder.row as usize].qualified == *name);
    claims.map(|(holder, _)| holder)
}

fn turn(kind: ListKind, parts: &Parts, holder: Holder) -> Turn {
    let part = parts.part(holder.slot);
    let full = format!(
        "{}{}{}",
        part.offer.server,
        name::SEPARATOR,
        part.item(kind, holder.row as usize).key
    );
    (!name::fits(&full), full, parts.position(holder.slot), holder)
}
