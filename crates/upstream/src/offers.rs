//! The offers of a server, one for each set of relayed capabilities, and the turns in which tasks read them again.

use std::collections::{HashMap, HashSet};
use std::sync::Arc;

use catalog::Offer;
use mcp::method::ListKind;

/// The key of a set of relayed capabilities.
pub(crate) type Capabilities = Arc<[u8]>;

/// The known offers of one server.
#[derive(Debug, Default)]
pub(crate) struct Offers {
    known: HashMap<Capabilities, Known>,
    /// The lists that are being read; `true` where they are to be read once more after that.
    reading: HashMap<(Capabilities, ListKind), bool>,
}

/// The known offer to clients of some capabilities.
#[derive(Clone, Debug)]
struct Known {
    offer: Arc<Offer>,
    /// Whether it was read from this process's own connection, not from the cache of an earlier process.
    fresh: bool,
}

/// The answer to a caller that asks for the turn to read lists.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Turn {
    /// The caller may read; until it ends its turn, no other caller may.
    Now,
    /// Another caller is reading: this caller asks again later.
    Later,
    /// Another caller will read the same lists again after the present reading.
    Never,
}

impl Offers {
    pub(crate) fn is_empty(&self) -> bool {
        self.known.is_empty()
    }

    /// Returns the offer to clients of these capabilities; if there is none, the offer to clients of `or`.
    pub(crate) fn get(&self, capabilities: &Capabilities, or: &Capabilities) -> Option<Arc<Offer>> {
        let known = self.known.get(capabilities).or_else(|| self.known.get(or));
        known.map(|known| known.offer.clone())
    }

    /// Returns whether the offer to clients of exactly these capabilities is known.
    pub(crate) fn has(&self, capabilities: &Capabilities) -> bool {
        self.known.contains_key(capabilities)
    }

    /// Returns every offer; that for clients of `first` comes first.
    pub(crate) fn all(&self, first: &Capabilities) -> Vec<Arc<Offer>> {
        let mut offers: Vec<(&Capabilities, &Known)> = self.known.iter().collect();
        offers.sort_by_key(|(capabilities, _)| (*capabilities != first, (*capabilities).clone()));
        offers.into_iter().map(|(_, known)| known.offer.clone()).collect()
    }

    /// Returns every offer as it will be with this one, which is for clients of `capabilities`; that for clients of `first` comes first.
    pub(crate) fn with(&self, capabilities: &Capabilities, offer: &Arc<Offer>, first: &Capabilities) -> Vec<Arc<Offer>> {
        let others = self.known.iter().filter(|(known, _)| *known != capabilities);
        let mut offers: Vec<(&Capabilities, &Arc<Offer>)> = others.map(|(known, one)| (known, &one.offer)).collect();
        offers.push((capabilities, offer));
        offers.sort_by_key(|(capabilities, _)| (*capabilities != first, (*capabilities).clone()));
        offers.into_iter().map(|(_, offer)| offer.clone()).collect()
    }

    /// Takes an offer from the cache of an earlier process. An offer that was read in this process stays.
    pub(crate) fn remember(&mut self, capabilities: Capabilities, offer: Arc<Offer>) {
        self.known.entry(capabilities).or_insert(Known { offer, fresh: false });
    }

    /// Makes a fresh offer the known one. Returns the lists whose change clients are told of: those that differ, and those that the server announced
    /// as changed, whether or not their bytes differ.
    pub(crate) fn publish(&mut self, capabilities: &Capabilities, offer: &Arc<Offer>, announced: &[ListKind]) -> HashSet<ListKind> {
        let known = Known {
            offer: offer.clone(),
            fresh: true,
        };
        let before = self.known.insert(capabilities.clone(), known);
        let changed = |kind: &ListKind| match &before {
            Some(known) => !known.offer.same_items(offer, *kind),
            None => !offer.list(*kind).items.is_empty(),
        };
        let first = before.as_ref().is_none_or(|known| !known.fresh);
        let is_announced = |kind: &ListKind| !first && announced.contains(kind) && announced.len() < ListKind::ALL.len();
        let told = ListKind::ALL.into_iter().filter(|kind| changed(kind) || is_announced(kind));
        told.collect()
    }

    /// Requests the turn to read lists.
    pub(crate) fn turn(&mut self, capabilities: &Capabilities, kinds: &[ListKind]) -> Turn {
        let key = |kind: ListKind| (capabilities.clone(), kind);
        let busy: Vec<ListKind> = kinds
            .iter()
            .copied()
            .filter(|kind| self.reading.contains_key(&key(*kind)))
            .collect();
        if busy.is_empty() {
            self.reading.extend(kinds.iter().map(|kind| (key(*kind), false)));
            return Turn::Now;
        }
        // One more round after the present one is enough for all callers that ask meanwhile.
        if busy.iter().all(|kind| self.reading.get(&key(*kind)) == Some(&true)) {
            return Turn::Never;
        }
        self.reading.extend(busy.into_iter().map(|kind| (key(kind), true)));
        Turn::Later
    }

    /// Ends a turn.
    pub(crate) fn end_turn(&mut self, capabilities: &Capabilities, kinds: &[ListKind]) {
        for kind in kinds {
            self.reading.remove(&(capabilities.clone(), *kind));
        }
    }
}

#[cfg(test)]
mod tests;
