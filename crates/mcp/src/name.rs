//! The names under which clients see the tools and prompts of many servers (DESIGN 3).
//!
//! Law: the names depend on what is offered, not on the order in which it came; no two are equal; each is at most 64 of `A-Z a-z 0-9 _ - .`; and a
//! server that shares no name with the others changes none of theirs.

use std::collections::{HashMap, HashSet};

use model::ServerId;

/// The longest name: models' providers accept no longer one.
pub const MAX_NAME: usize = 64;
/// What parts a server from its tool in a qualified name. No server's id holds it.
pub const SEPARATOR: &str = "__";

/// Something that a server offers under a name of its own.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Offered<'a> {
    /// The server.
    pub server: &'a ServerId,
    /// The name there; any text.
    pub name: &'a str,
    /// Whether it is always shown as `server__name`.
    pub force_prefix: bool,
}

/// The names of everything that is offered, and the way back.
#[derive(Clone, Debug, Default)]
pub struct Names {
    wire: Vec<String>,
    qualified: Vec<String>,
    index: HashMap<String, usize>,
}

impl Names {
    /// Names everything. What is `reserved` (the names of the kernel's own tools, to others) is never given out bare.
    #[must_use]
    pub fn new(offered: &[Offered<'_>], reserved: &dyn Fn(&Offered<'_>) -> bool) -> Self {
        let qualified = qualified_names(offered);
        let bare: Vec<String> = offered.iter().map(|offer| fit(offer.name, 0)).collect();
        let taken: HashMap<&str, usize> = qualified.iter().enumerate().map(|(i, name)| (name.as_str(), i)).collect();
        let mut count: HashMap<&str, usize> = HashMap::new();
        for (name, _) in bare.iter().zip(offered).filter(|(_, offer)| !offer.force_prefix) {
            *count.entry(name).or_default() += 1;
        }
        let is_bare = |i: usize| {
            let name = bare[i].as_str();
            // Qualified names are always callable, so another's must not mean this one.
            let free = taken.get(name).is_none_or(|owner| *owner == i);
            !offered[i].force_prefix && free && count.get(name) == Some(&1) && !reserved(&offered[i])
        };
        let wire: Vec<String> = (0..offered.len())
            .map(|i| if is_bare(i) { bare[i].clone() } else { qualified[i].clone() })
            .collect();
        let index = qualified
            .iter()
            .chain(&wire)
            .cloned()
            .zip((0..offered.len()).chain(0..offered.len()))
            .collect();
        Self { wire, qualified, index }
    }

    /// The name under which clients see the offer of that index: bare where that is unique.
    #[must_use]
    pub fn wire(&self, i: usize) -> Option<&str> {
        self.wire.get(i).map(String::as_str)
    }

    /// Its other name, `server__name`.
    #[must_use]
    pub fn qualified(&self, i: usize) -> Option<&str> {
        self.qualified.get(i).map(String::as_str)
    }

    /// The index of the offer that a client calls by either name.
    #[must_use]
    pub fn resolve(&self, name: &str) -> Option<usize> {
        self.index.get(name).copied()
    }
}

/// The names under which clients see what is offered, in the same order.
#[must_use]
pub fn wire_names(offered: &[Offered<'_>], reserved: &dyn Fn(&Offered<'_>) -> bool) -> Vec<String> {
    Names::new(offered, reserved).wire
}

/// `server__name`, made to fit.
#[must_use]
pub fn qualified(server: &ServerId, name: &str) -> String {
    fit(&format!("{server}{SEPARATOR}{name}"), 0)
}

/// The parts of a qualified name, where it has any.
#[must_use]
pub fn split_qualified(name: &str) -> Option<(&str, &str)> {
    name.split_once(SEPARATOR)
        .filter(|(server, tool)| !server.is_empty() && !tool.is_empty())
}

/// The qualified name of each offer. Names that need no change are given out first, so that none of them depends on one that does; where two
/// come out alike, the later in the alphabet is marked once more.
fn qualified_names(offered: &[Offered<'_>]) -> Vec<String> {
    let full = |i: usize| format!("{}{SEPARATOR}{}", offered[i].server, offered[i].name);
    let mut order: Vec<(bool, String, usize)> = (0..offered.len()).map(|i| (!fits(&full(i)), full(i), i)).collect();
    order.sort();
    let mut taken = HashSet::new();
    let mut names = vec![String::new(); offered.len()];
    for (_, full, i) in order {
        // Each salt gives another name, and there are more salts than names.
        names[i] = (0..=u64::MAX)
            .map(|salt| fit(&full, salt))
            .find(|name| !taken.contains(name))
            .unwrap_or_default();
        taken.insert(names[i].clone());
    }
    names
}

fn is_allowed(c: char) -> bool {
    c.is_ascii_alphanumeric() || matches!(c, '_' | '-' | '.')
}

/// Whether a name can stand on the wire as it is.
#[must_use]
pub fn fits(name: &str) -> bool {
    !name.is_empty() && name.len() <= MAX_NAME && name.chars().all(is_allowed)
}

/// The name itself where it fits and bears no salt; else as much of it as fits, with a mark that is its own. Each salt gives another.
#[must_use]
pub fn fit(name: &str, salt: u64) -> String {
    if salt == 0 && fits(name) {
        return name.to_owned();
    }
    let mark = mark(name, salt);
    let kept = name
        .chars()
        .map(|c| if is_allowed(c) { c } else { '_' })
        .take(MAX_NAME - mark.len() - 1);
    kept.chain(['_']).chain(mark.chars()).collect()
}

/// Eight characters that stay the same for the same text in every version of the gateway: 40 bits of FNV-1a, mixed as MurmurHash3 ends, because
/// FNV alone hardly tells texts apart whose last letters differ.
fn mark(text: &str, salt: u64) -> String {
    const DIGITS: &[u8; 32] = b"abcdefghijklmnopqrstuvwxyz234567";
    let salt = salt.to_be_bytes();
    let salt: &[u8] = if salt == [0; 8] { &[] } else { &salt };
    let mut hash = text
        .bytes()
        .chain(salt.iter().copied())
        .fold(0xcbf2_9ce4_8422_2325_u64, |hash, byte| {
            (hash ^ u64::from(byte)).wrapping_mul(0x0100_0000_01b3)
        });
    for factor in [0xff51_afd7_ed55_8ccd, 0xc4ce_b9fe_1a85_ec53] {
        hash = (hash ^ hash >> 33).wrapping_mul(factor);
    }
    hash ^= hash >> 33;
    (0..8)
        .map(|i| char::from(DIGITS[usize::try_from(hash >> (5 * i) & 31).unwrap_or(0)]))
        .collect()
}

#[cfg(test)]
mod tests;
