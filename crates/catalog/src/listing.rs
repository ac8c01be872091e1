//! The rows of one merged list and its pages, each serialised once.

use std::hash::{DefaultHasher, Hash, Hasher};
use std::sync::{Arc, OnceLock};

use jsonrpc::{Limits, MAX_DEPTH, Raw};
use mcp::adapt;
use mcp::method::ListKind;
use mcp::revision::Revision;
use model::ServerId;

use crate::write::Members;
use crate::{Item, Offer};

/// The member of a list's `_meta` that names the servers whose part is not in it (DESIGN 5).
pub const MISSING: &str = "dev.chancery/missing";

/// A cursor that this list has not handed out, or not since it changed. Answered with -32602 (2026-07-28 server/utilities/pagination).
#[derive(Clone, Copy, Debug, PartialEq, Eq, thiserror::Error)]
#[error("use the cursor: the list has changed since, or never had it; ask for the list from its start")]
pub struct InvalidCursor;

/// One definition in its place in the list.
#[derive(Clone, Debug)]
pub(crate) struct Row {
    /// Which offer.
    pub(crate) offer: usize,
    /// Which definition of it.
    pub(crate) item: usize,
    /// Its name on the wire, where that is not its own.
    pub(crate) wire: Option<Box<str>>,
}

impl Row {
    pub(crate) fn item<'a>(&self, offers: &'a [Arc<Offer>], kind: ListKind) -> &'a Item {
        &offers[self.offer].list(kind).items[self.item]
    }
}

/// One merged list: the offers in the order of the configuration, the definitions of each in its server's order.
pub(crate) struct Listing {
    kind: ListKind,
    pub(crate) rows: Vec<Row>,
    page_size: usize,
    pages: Vec<[OnceLock<Raw>; Revision::ALL.len()]>,
    /// What cursors are made of; computed for lists of more than one page only.
    digest: OnceLock<u64>,
}

impl Listing {
    /// `page_size` 0 puts everything on one page. An empty list has one page too.
    pub(crate) fn new(kind: ListKind, rows: Vec<Row>, page_size: usize) -> Self {
        let page_size = if page_size == 0 { usize::MAX } else { page_size };
        let pages = rows.len().div_ceil(page_size).max(1);
        let pages = std::iter::repeat_with(Default::default).take(pages).collect();
        Self {
            kind,
            rows,
            page_size,
            pages,
            digest: OnceLock::new(),
        }
    }

    /// A page as a result object of revision `to`.
    pub(crate) fn page(
        &self,
        cursor: Option<&str>,
        to: Revision,
        offers: &[Arc<Offer>],
        missing: &[ServerId],
        info: Option<&Raw>,
    ) -> Result<Raw, InvalidCursor> {
        let index = cursor.map_or(Ok(0), |cursor| self.index_of(cursor, offers))?;
        let page = self.pages[index][to as usize].get_or_init(|| self.serialise(index, to, offers, missing, info));
        Ok(page.clone())
    }

    /// The cursor of a page: what the list is made of, and where the page begins.
    fn cursor(&self, index: usize, offers: &[Arc<Offer>]) -> String {
        format!("{:016x}-{}", self.digest(offers), index * self.page_size)
    }

    fn index_of(&self, cursor: &str, offers: &[Arc<Offer>]) -> Result<usize, InvalidCursor> {
        let (_, offset) = cursor.split_once('-').ok_or(InvalidCursor)?;
        let index = offset.parse::<usize>().map_err(|_| InvalidCursor)? / self.page_size;
        // Only what we write ourselves is ours, to the letter.
        let known = (1..self.pages.len()).contains(&index) && self.cursor(index, offers) == cursor;
        if known { Ok(index) } else { Err(InvalidCursor) }
    }

    /// The same for lists that name the same things in the same order, whoever built them and when: a place in the one is a place in the other.
    fn digest(&self, offers: &[Arc<Offer>]) -> u64 {
        *self.digest.get_or_init(|| {
            let mut hasher = DefaultHasher::new();
            (self.kind, self.page_size).hash(&mut hasher);
            for row in &self.rows {
                (offers[row.offer].server.as_str(), &row.item(offers, self.kind).key, &row.wire).hash(&mut hasher);
            }
            hasher.finish()
        })
    }

    fn serialise(&self, index: usize, to: Revision, offers: &[Arc<Offer>], missing: &[ServerId], info: Option<&Raw>) -> Raw {
        let start = index * self.page_size;
        let rows = &self.rows[start..self.rows.len().min(start.saturating_add(self.page_size))];
        let mut out = Vec::with_capacity(rows.iter().map(|row| row.item(offers, self.kind).raw.len() + 32).sum::<usize>() + 256);
        let mut result = Members::open(&mut out);
        result.array(self.kind.key(), rows.iter().map(|row| self.definition(row, offers, to)));
        if index + 1 < self.pages.len() {
            result.raw("nextCursor", &Raw::string(&self.cursor(index + 1, offers)));
        }
        // What a server says beside its list is said of its own list, not of the union of several.
        if let ([only], []) = (offers, missing) {
            for (key, value) in &only.list(self.kind).extras {
                result.raw(key, value);
            }
        }
        result.close();
        // Made of valid values: this fails only where definitions nest as deep as a message may, and then nobody could read the list.
        let limits = Limits {
            max_bytes: usize::MAX,
            max_depth: MAX_DEPTH,
        };
        let result = Raw::parse(out, &limits).unwrap_or_else(|_| Raw::object_empty());
        let result = if missing.is_empty() {
            result
        } else {
            with_missing(&result, missing)
        };
        let method = self.kind.method();
        if to.is_modern() {
            adapt::complete(method, &result, info)
        } else {
            adapt::strip(method, &result)
        }
    }

    /// A definition as a client of revision `to` is shown it.
    fn definition(&self, row: &Row, offers: &[Arc<Offer>], to: Revision) -> Raw {
        let raw = &row.item(offers, self.kind).raw;
        let named = match &row.wire {
            Some(wire) => raw.edit().set(&[self.kind.item_key()], &Raw::string(wire)).finish(),
            None => raw.clone(),
        };
        if self.kind == ListKind::Tools {
            adapt::tool(&named, offers[row.offer].revision, to)
        } else {
            named
        }
    }
}

fn with_missing(result: &Raw, missing: &[ServerId]) -> Raw {
    let ids: Vec<&str> = missing.iter().map(ServerId::as_str).collect();
    result.edit().set(&["_meta", MISSING], &Raw::of(&ids)).finish()
}

impl std::fmt::Debug for Listing {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        f.debug_struct("Listing")
            .field("kind", &self.kind)
            .field("rows", &self.rows.len())
            .field("pages", &self.pages.len())
            .finish()
    }
}
