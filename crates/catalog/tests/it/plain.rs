//! A naive model of names, places and owners: each is computed from all offers. Views are compared with it.

use std::collections::{HashMap, HashSet};
use std::sync::Arc;

use catalog::{KERNEL, Offer};
use mcp::capabilities::{claimed_by, claims};
use mcp::method::ListKind;
use mcp::name::{SEPARATOR, fit, fits};
use model::ServerId;

/// A tool or prompt: its server, its own name, and its name on the wire.
pub(crate) type Found = (String, String, String);

/// The names of all tools, or of all prompts.
pub(crate) struct Names {
    /// The rows, in the order of the list.
    pub(crate) rows: Vec<Found>,
    index: HashMap<String, usize>,
    own: HashMap<String, usize>,
}

struct Offered<'a> {
    server: &'a ServerId,
    name: &'a str,
    prefix: bool,
}

impl Offered<'_> {
    fn is_reserved(&self) -> bool {
        self.server.as_str() != KERNEL && (self.name.starts_with("mgp.") || self.name.starts_with("mgp_"))
    }
}

impl Names {
    pub(crate) fn new(offers: &[Arc<Offer>], kind: ListKind) -> Self {
        let offered: Vec<Offered<'_>> = offers.iter().flat_map(|offer| distinct(offer, kind)).collect();
        let qualified = qualified_names(&offered);
        let bare: Vec<String> = offered.iter().map(|one| fit(one.name, 0)).collect();
        let taken: HashMap<&str, usize> = qualified.iter().enumerate().map(|(i, name)| (name.as_str(), i)).collect();
        let mut count: HashMap<&str, usize> = HashMap::new();
        for (name, _) in bare.iter().zip(&offered).filter(|(_, one)| !one.prefix) {
            *count.entry(name).or_default() += 1;
        }
        let is_bare = |i: usize| {
            let name = bare[i].as_str();
            let free = taken.get(name).is_none_or(|owner| *owner == i);
            !offered[i].prefix && free && count.get(name) == Some(&1) && !offered[i].is_reserved()
        };
        let wire = |i: usize| if is_bare(i) { &bare[i] } else { &qualified[i] };
        let names = (0..offered.len()).flat_map(|i| [(qualified[i].clone(), i), (wire(i).clone(), i)]);
        let index: HashMap<String, usize> = names.collect();
        let rows = offered
            .iter()
            .enumerate()
            .map(|(i, one)| (one.server.to_string(), one.name.to_owned(), wire(i).clone()));
        let mut own: HashMap<&str, Option<usize>> = HashMap::new();
        for (i, one) in offered.iter().enumerate() {
            own.entry(one.name).and_modify(|holder| *holder = None).or_insert(Some(i));
        }
        let own = own
            .into_iter()
            .filter_map(|(name, i)| Some((name, i?)))
            .filter(|(name, i)| !index.contains_key(*name) && !offered[*i].is_reserved());
        let own = own.map(|(name, i)| (name.to_owned(), i)).collect();
        Self {
            rows: rows.collect(),
            index,
            own,
        }
    }

    pub(crate) fn find(&self, name: &str) -> Option<&Found> {
        self.index.get(name).or_else(|| self.own.get(name)).map(|i| &self.rows[*i])
    }

    /// Returns every name that finds a tool or prompt.
    pub(crate) fn all(&self) -> impl Iterator<Item = &str> {
        self.index.keys().chain(self.own.keys()).map(String::as_str)
    }
}

fn distinct(offer: &Offer, kind: ListKind) -> impl Iterator<Item = Offered<'_>> {
    let mut seen = HashSet::new();
    let items = offer.list(kind).items.iter().filter(move |item| seen.insert(item.key.as_str()));
    items.map(|item| Offered {
        server: &offer.server,
        name: &item.key,
        prefix: offer.prefix,
    })
}

/// Returns the qualified names. Names that need no change are assigned first, so that none of them depends on one that does; of two equal names the
/// later in the alphabet gets another mark.
fn qualified_names(offered: &[Offered<'_>]) -> Vec<String> {
    let full = |i: usize| format!("{}{SEPARATOR}{}", offered[i].server, offered[i].name);
    let mut order: Vec<(bool, String, usize)> = (0..offered.len()).map(|i| (!fits(&full(i)), full(i), i)).collect();
    order.sort();
    let mut taken = HashSet::new();
    let mut names = vec![String::new(); offered.len()];
    for (_, full, i) in order {
        let free = (0..).map(|salt| fit(&full, salt)).find(|name| !taken.contains(name));
        names[i] = free.expect("each salt gives another name");
        taken.insert(names[i].clone());
    }
    names
}

/// Returns the servers that list a text, once each and in order.
pub(crate) fn listing<'a>(offers: &'a [Arc<Offer>], kind: ListKind, key: &str) -> Vec<&'a str> {
    let listing = offers
        .iter()
        .filter(|offer| offer.list(kind).items.iter().any(|item| item.key == key));
    listing.map(|offer| offer.server.as_str()).collect()
}

/// Returns the server that a method of an extension belongs to.
pub(crate) fn owner<'a>(offers: &'a [Arc<Offer>], method: &str) -> Option<&'a str> {
    let declares = |offer: &&Arc<Offer>| claims(&offer.advertised.capabilities).contains(claimed_by(method));
    let mut owners = offers.iter().filter(declares);
    let owner = owners.next()?;
    owners.next().is_none().then(|| owner.server.as_str())
}
