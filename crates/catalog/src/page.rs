//! One page of a list as a server answered it.

use jsonrpc::Raw;
use mcp::method::ListKind;

use crate::Item;

/// The content of one page.
#[derive(Clone, Debug)]
pub struct Page {
    /// Its definitions, in the server's order.
    pub items: Vec<Item>,
    /// The cursor of the next page. An empty text is a cursor, too (2026-07-28 server/utilities/pagination).
    pub next: Option<String>,
    /// The other members of the result, except those that the gateway writes itself: `resultType`, `ttlMs`,
    /// `cacheScope`.
    pub extras: Vec<(String, Raw)>,
    /// How many definitions were left out because nothing identifies them.
    pub dropped: usize,
}

/// The reason why an answer is not a page.
#[derive(Clone, Debug, PartialEq, Eq, thiserror::Error)]
pub enum PageError {
    /// The result is not an object, or has a member twice.
    #[error("read the result of `{method}`: {why}")]
    Result {
        /// The method that was answered.
        method: &'static str,
        /// What is wrong, and where.
        why: String,
    },
    /// The list is absent, or not an array.
    #[error("read the result of `{method}`: its member `{key}` is not an array")]
    List {
        /// The method that was answered.
        method: &'static str,
        /// The member that should hold the list.
        key: &'static str,
    },
    /// The cursor of the next page cannot be used.
    #[error("read the result of `{method}`: its `nextCursor` is not a text")]
    Cursor {
        /// The method that was answered.
        method: &'static str,
    },
}

/// Reads the result of a list method, from a server of either era.
///
/// # Errors
/// The result has another shape. A faulty definition is not an error: definitions that cannot be addressed are dropped
/// and counted.
pub fn read_page(kind: ListKind, result: &Raw) -> Result<Page, PageError> {
    let method = kind.method();
    let object = result.object().map_err(|e| PageError::Result {
        method,
        why: e.to_string(),
    })?;
    let list = object.get(kind.key()).filter(|list| list.kind() == jsonrpc::RawKind::Array);
    let list = list.ok_or(PageError::List { method, key: kind.key() })?;
    let next = match object.get("nextCursor").filter(|cursor| cursor.kind() != jsonrpc::RawKind::Null) {
        Some(cursor) => Some(cursor.as_str().ok_or(PageError::Cursor { method })?.into_owned()),
        None => None,
    };
    let all = list.items();
    let items: Vec<Item> = all.iter().filter_map(|raw| Item::read(kind, raw)).collect();
    let dropped = all.len() - items.len();
    let ours = |key: &str| key == kind.key() || matches!(key, "nextCursor" | "resultType" | "ttlMs" | "cacheScope");
    let extras = object
        .iter()
        .filter(|(key, _)| !ours(key))
        .map(|(key, value)| (key.to_owned(), value.clone()))
        .collect();
    Ok(Page {
        items,
        next,
        extras,
        dropped,
    })
}
