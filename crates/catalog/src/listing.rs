//! One merged list and its pages, each serialised once.

use std::hash::{DefaultHasher, Hash, Hasher};
use std::sync::{Arc, OnceLock};

use jsonrpc::{Limits, MAX_DEPTH, ObjectBuilder, Raw};
use mcp::adapt;
use mcp::method::ListKind;
use mcp::revision::Revision;
use model::ServerId;

use crate::names::Names;
use crate::parts::{Entry, Parts};
use crate::shown::Wire;
use crate::write;

/// The member of a list's `_meta` that names the servers whose part is missing (DESIGN 5).
pub const MISSING: &str = "dev.chancery/missing";

/// The error for a cursor that this list has not handed out, or not since it changed. Answered with -32602 (2026-07-28
/// server/utilities/pagination).
#[derive(Clone, Copy, Debug, PartialEq, Eq, thiserror::Error)]
#[error("use the cursor: the list has changed since, or never had it; ask for the list from its start")]
pub struct InvalidCursor;

/// One merged list: the parts in the order of the configuration, the definitions of each in its server's order.
pub(crate) struct Listing {
    kind: ListKind,
    /// The row at which each part begins; at the end, the number of rows.
    starts: Vec<usize>,
    page_size: usize,
    pages: Vec<[OnceLock<Raw>; Revision::ALL.len()]>,
    /// The digest of which cursors are made; computed only for lists of more than one page.
    digest: OnceLock<u64>,
}

/// The parts of a view that a list is made of.
#[derive(Clone, Copy)]
pub(crate) struct Sources<'a> {
    pub(crate) parts: &'a Parts,
    /// The names on the wire; `None` for lists of resources and templates.
    pub(crate) names: Option<&'a Names>,
    pub(crate) missing: &'a [ServerId],
    /// The gateway's `serverInfo`.
    pub(crate) info: Option<&'a Raw>,
}

impl Sources<'_> {
    /// Returns the names of a part.
    fn wires(&self, slot: u32) -> Option<&[Wire]> {
        Some(self.names?.shown(slot)?.wires())
    }
}

impl Listing {
    /// Returns a list of `rows`. With `page_size` 0 everything is on one page. An empty list has one page too.
    pub(crate) fn new(kind: ListKind, parts: &Parts, page_size: usize) -> Self {
        let page_size = if page_size == 0 { usize::MAX } else { page_size };
        let mut starts = vec![0];
        for entry in parts.entries() {
            starts.push(starts[starts.len() - 1] + entry.part.len(kind));
        }
        let pages = starts[starts.len() - 1].div_ceil(page_size).max(1);
        Self {
            kind,
            starts,
            page_size,
            pages: std::iter::repeat_with(Default::default).take(pages).collect(),
            digest: OnceLock::new(),
        }
    }

    /// Returns whether two lists have equal pages in every revision.
    pub(crate) fn is_alike(kind: ListKind, one: Sources<'_>, other: Sources<'_>) -> bool {
        let (entries, others) = (one.parts.entries(), other.parts.entries());
        let alike = |(entry, twin): (&Entry, &Entry)| {
            let (offer, offer_there) = (&entry.part.offer, &twin.part.offer);
            let wires = one.wires(entry.slot) == other.wires(twin.slot);
            let list = || offer.same_items(offer_there, kind) && offer.list(kind).extras == offer_there.list(kind).extras;
            wires
                && (Arc::ptr_eq(offer, offer_there)
                    || offer.server == offer_there.server && offer.revision == offer_there.revision && list())
        };
        one.missing == other.missing && one.info == other.info && entries.len() == others.len() && entries.iter().zip(others).all(alike)
    }

    /// Returns a page as a result object of revision `to`.
    pub(crate) fn page(&self, cursor: Option<&str>, to: Revision, of: Sources<'_>) -> Result<Raw, InvalidCursor> {
        let index = cursor.map_or(Ok(0), |cursor| self.index_of(cursor, of))?;
        let page = self.pages[index][to as usize].get_or_init(|| self.serialise(index, to, of));
        Ok(page.clone())
    }

    /// Returns the cursor of a page: the list's digest, and where the page begins.
    fn cursor(&self, index: usize, of: Sources<'_>) -> String {
        format!("{:016x}-{}", self.digest(of), index * self.page_size)
    }

    fn index_of(&self, cursor: &str, of: Sources<'_>) -> Result<usize, InvalidCursor> {
        let (_, offset) = cursor.split_once('-').ok_or(InvalidCursor)?;
        let index = offset.parse::<usize>().map_err(|_| InvalidCursor)? / self.page_size;
        // Only a cursor that we would write ourselves is accepted, to the letter.
        let known = (1..self.pages.len()).contains(&index) && self.cursor(index, of) == cursor;
        if known { Ok(index) } else { Err(InvalidCursor) }
    }

    /// Returns a hash of the names in the list and their order. Views that were built separately have equal hashes for equal lists, so that a cursor
    /// of one is valid in the other.
    fn digest(&self, of: Sources<'_>) -> u64 {
        *self.digest.get_or_init(|| {
            let mut hasher = DefaultHasher::new();
            (self.kind, self.page_size).hash(&mut hasher);
            for entry in of.parts.entries().iter().filter(|entry| entry.part.len(self.kind) > 0) {
                let rows = match of.names.and_then(|names| names.shown(entry.slot)) {
                    Some(shown) => shown.digest(&entry.part, self.kind),
                    None => entry.part.digest(self.kind),
                };
                (entry.part.offer.server.as_str(), rows).hash(&mut hasher);
            }
            hasher.finish()
        })
    }

    /// Returns the definitions of a page in the form for a client of revision `to`.
    fn definitions<'a>(&self, index: usize, to: Revision, of: Sources<'a>) -> Vec<&'a Raw> {
        let start = index * self.page_size;
        let end = start.saturating_add(self.page_size).min(self.starts[self.starts.len() - 1]);
        let mut definitions = Vec::with_capacity(end - start);
        for (entry, starts) in of.parts.entries().iter().zip(self.starts.windows(2)) {
            let rows = starts[0].max(start)..starts[1].min(end);
            let shown = of.names.and_then(|names| names.shown(entry.slot));
            definitions.extend(rows.map(|row| match shown {
                Some(shown) => shown.definition(&entry.part, self.kind, row - starts[0], to),
                None => &entry.part.item(self.kind, row - starts[0]).raw,
            }));
        }
        definitions
    }

    fn serialise(&self, index: usize, to: Revision, of: Sources<'_>) -> Raw {
        // Made of valid values: this fails only where definitions nest as deep as a message may, and then no client could read the list.
        let (array, result) = match self.array(index, to, of) {
            Some(array) => (Some(array), self.around(index, of)),
            None => (None, Raw::object_empty()),
        };
        let result = match of.missing {
            [] => result,
            missing => with_missing(&result, missing),
        };
        let method = self.kind.method();
        let result = match to.is_modern() {
            true => adapt::complete(method, &result, of.info),
            false => adapt::strip(method, &result),
        };
        match array {
            Some(array) => result.edit().set(&[self.kind.key()], &array).finish(),
            None => result,
        }
    }

    /// Returns the definitions of a page.
    fn array(&self, index: usize, to: Revision, of: Sources<'_>) -> Option<Raw> {
        let definitions = self.definitions(index, to, of);
        let mut out = Vec::with_capacity(definitions.iter().map(|raw| raw.len() + 1).sum::<usize>() + 2);
        write::array(definitions, &mut out);
        parse(out, MAX_DEPTH - 1)
    }

    /// Returns a page with an empty list, into which the definitions are inserted.
    fn around(&self, index: usize, of: Sources<'_>) -> Raw {
        let mut result = ObjectBuilder::new().array(self.kind.key(), std::iter::empty::<&Raw>());
        if index + 1 < self.pages.len() {
            result = result.text("nextCursor", &self.cursor(index + 1, of));
        }
        // What a server adds beside its list concerns its own list, not the union of several.
        if let ([only], []) = (of.parts.entries(), of.missing) {
            let extras = &only.part.offer.list(self.kind).extras;
            result = result.members(extras.iter().map(|(key, value)| (key, value)));
        }
        result.finish()
    }
}

fn parse(out: Vec<u8>, max_depth: usize) -> Option<Raw> {
    let limits = Limits {
        max_bytes: usize::MAX,
        max_depth,
    };
    Raw::parse(out, &limits).ok()
}

fn with_missing(result: &Raw, missing: &[ServerId]) -> Raw {
    let ids: Vec<&str> = missing.iter().map(ServerId::as_str).collect();
    result.edit().set(&["_meta", MISSING], &Raw::of(&ids)).finish()
}

impl std::fmt::Debug for Listing {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        f.debug_struct("Listing")
            .field("kind", &self.kind)
            .field("rows", &self.starts.last())
            .field("pages", &self.pages.len())
            .finish()
    }
}
