//! One offer, with the derived data that every view of it needs, computed once.

use std::hash::{DefaultHasher, Hash, Hasher};
use std::sync::Arc;

use mcp::capabilities::{ServerCapabilities, claims};
use mcp::method::ListKind;
use mcp::name;
use mcp::revision::Revision;
use model::ServerId;

use crate::index::{Key, Seen, Sort};
use crate::template::Template;
use crate::{Item, Offer};

/// The server id of the gateway's own tools.
pub const KERNEL: &str = "kernel";
/// The prefixes of the names of the gateway's own tools, dotted and underscored.
const RESERVED: [&str; 2] = ["mgp.", "mgp_"];

/// An offer with the keys of its definitions. The versions of a view that have the offer share it.
#[derive(Debug)]
pub(crate) struct Part {
    pub(crate) offer: Arc<Offer>,
    tools: Vec<Named>,
    prompts: Vec<Named>,
    /// The keys of the URIs, each once, with the first row that has it.
    resources: Vec<(Key, u32)>,
    templates: Vec<(Key, u32)>,
    /// The templates that URIs can be matched with.
    pub(crate) patterns: Vec<Template>,
    /// The server's capabilities, in the form of [`Revision::LATEST_LEGACY`].
    pub(crate) capabilities: ServerCapabilities,
    /// The first segments of the methods of the server's extensions.
    pub(crate) extensions: Vec<Box<str>>,
}

/// A tool or prompt and all names that it can have.
#[derive(Debug)]
pub(crate) struct Named {
    /// The index of its definition in the list.
    item: usize,
    own_key: Key,
    /// The own name made to fit, and its key; `None` where it fits as it is.
    fitted: Option<(Box<str>, Key)>,
    /// `server__name`, made to fit. Another server's may be equal: see [`crate::marks`].
    pub(crate) qualified: Box<str>,
    pub(crate) qualified_key: Key,
    /// Whether the name is never listed unqualified, because it is reserved for the gateway's own tools and this is another server's (DESIGN 3).
    pub(crate) is_reserved: bool,
}

impl Part {
    pub(crate) fn new(offer: Arc<Offer>) -> Self {
        let keys = |kind| {
            let keys = distinct(&offer, kind).map(|(row, key, _)| (key, narrow(row)));
            keys.collect()
        };
        let named = |kind| {
            distinct(&offer, kind)
                .map(|(row, key, item)| Named::new(&offer.server, kind, row, key, item))
                .collect()
        };
        let templates = &offer.list(ListKind::ResourceTemplates).items;
        let capabilities = ServerCapabilities::new(offer.advertised.capabilities.clone());
        Self {
            tools: named(ListKind::Tools),
            prompts: named(ListKind::Prompts),
            resources: keys(ListKind::Resources),
            templates: keys(ListKind::ResourceTemplates),
            patterns: templates.iter().filter_map(|item| Template::read(&item.key)).collect(),
            capabilities: capabilities.towards(offer.revision, Revision::LATEST_LEGACY),
            extensions: claims(&offer.advertised.capabilities).into_iter().collect(),
            offer,
        }
    }

    /// Returns the tools or the prompts. Where a server lists a name twice, the first definition counts and the other is not shown, because a call
    /// could not say which of the two it means.
    pub(crate) fn named(&self, kind: ListKind) -> &[Named] {
        match kind {
            ListKind::Tools => &self.tools,
            ListKind::Prompts => &self.prompts,
            ListKind::Resources | ListKind::ResourceTemplates => &[],
        }
    }

    /// Returns the number of definitions that a list shows.
    pub(crate) fn len(&self, kind: ListKind) -> usize {
        match kind {
            ListKind::Tools | ListKind::Prompts => self.named(kind).len(),
            ListKind::Resources | ListKind::ResourceTemplates => self.offer.list(kind).items.len(),
        }
    }

    /// Returns the definition in a row of a list.
    pub(crate) fn item(&self, kind: ListKind, row: usize) -> &Item {
        let item = match kind {
            ListKind::Tools | ListKind::Prompts => self.named(kind)[row].item,
            ListKind::Resources | ListKind::ResourceTemplates => row,
        };
        &self.offer.list(kind).items[item]
    }

    /// Returns a hash of the keys of a list of resources or templates, in their order.
    pub(crate) fn digest(&self, kind: ListKind) -> u64 {
        let mut hasher = DefaultHasher::new();
        for item in &self.offer.list(kind).items {
            item.key.hash(&mut hasher);
        }
        hasher.finish()
    }

    /// Returns the number of keys, without the additional ones of names that do not fit.
    pub(crate) fn weight(&self) -> usize {
        2 * (self.tools.len() + self.prompts.len()) + self.resources.len() + self.templates.len() + self.extensions.len()
    }

    /// Calls `each` with every key and the row that holds it.
    pub(crate) fn each_key(&self, mut each: impl FnMut(Key, u32)) {
        for named in [&self.tools, &self.prompts] {
            for (row, named) in (0..).zip(named) {
                let (own, bare, qualified) = (named.own_key, named.bare_key(), named.qualified_key);
                each(own, row);
                if bare != own {
                    each(bare, row);
                }
                if qualified != own && qualified != bare {
                    each(qualified, row);
                }
            }
        }
        for (key, row) in self.resources.iter().chain(&self.templates) {
            each(*key, *row);
        }
        for (row, segment) in (0..).zip(&self.extensions) {
            each(Key::new(Sort::Extension, segment), row);
        }
    }
}

impl Named {
    fn new(server: &ServerId, kind: ListKind, item: usize, own_key: Key, definition: &Item) -> Self {
        let own = definition.key.as_str();
        let fitted = (!name::fits(own)).then(|| name::fit(own, 0));
        let qualified = name::qualified(server, own);
        Self {
            item,
            own_key,
            fitted: fitted.map(|name| (name.as_str().into(), Key::listed(kind, &name))),
            qualified_key: Key::listed(kind, &qualified),
            qualified: qualified.into(),
            is_reserved: server.as_str() != KERNEL && RESERVED.iter().any(|prefix| own.starts_with(prefix)),
        }
    }

    /// Returns the own name, made to fit.
    pub(crate) fn bare<'a>(&'a self, item: &'a Item) -> &'a str {
        self.fitted.as_ref().map_or(&item.key, |(name, _)| name)
    }

    pub(crate) fn bare_key(&self) -> Key {
        self.fitted.as_ref().map_or(self.own_key, |(_, key)| *key)
    }
}

/// Returns the definitions of a list whose name, URI or template no earlier one has, with their indices and keys.
fn distinct(offer: &Offer, kind: ListKind) -> impl Iterator<Item = (usize, Key, &Item)> {
    let items = &offer.list(kind).items;
    let mut seen = Seen::with_capacity(items.len());
    let keyed = items
        .iter()
        .enumerate()
        .map(move |(i, item)| (i, Key::listed(kind, &item.key), item));
    keyed.filter(move |(_, key, item)| seen.insert(*key, &item.key))
}

/// Returns a row as 32 bits; a list in memory has fewer definitions.
fn narrow(row: usize) -> u32 {
    u32::try_from(row).unwrap_or(u32::MAX)
}
