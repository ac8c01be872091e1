//! Pages of lists.

use std::borrow::Cow;

use schemars::{JsonSchema, Schema, SchemaGenerator, json_schema};
use serde::de::Error as _;
use serde::{Deserialize, Deserializer, Serialize};

use crate::problem::Problem;

/// The number of entries on a page at most.
const MAX_LIMIT: usize = 1000;

/// How many entries are wanted.
#[derive(Clone, Copy, Debug, Serialize)]
pub(crate) struct Limit(usize);

impl Default for Limit {
    fn default() -> Self {
        Self(100)
    }
}

impl Limit {
    pub(crate) fn get(self) -> usize {
        self.0
    }
}

impl<'de> Deserialize<'de> for Limit {
    fn deserialize<D: Deserializer<'de>>(deserializer: D) -> Result<Self, D::Error> {
        match usize::deserialize(deserializer)? {
            limit @ 1..=MAX_LIMIT => Ok(Self(limit)),
            _ => Err(D::Error::custom(format!("`limit` must be from 1 to {MAX_LIMIT}"))),
        }
    }
}

impl JsonSchema for Limit {
    fn inline_schema() -> bool {
        true
    }

    fn schema_name() -> Cow<'static, str> {
        "Limit".into()
    }

    fn json_schema(_: &mut SchemaGenerator) -> Schema {
        json_schema!({ "description": "How many at most", "type": "integer", "minimum": 1, "maximum": MAX_LIMIT })
    }
}

/// `next` of the page before
#[derive(Debug, Deserialize, JsonSchema)]
#[serde(transparent)]
#[schemars(inline)]
pub(crate) struct Cursor(String);

impl Cursor {
    pub(crate) fn as_str(&self) -> &str {
        &self.0
    }
}

/// A page of a list
#[derive(Debug, Serialize, JsonSchema)]
#[schemars(inline, description = "")]
pub(crate) struct Page<T> {
    pub(crate) items: Vec<T>,
    /// Where to go on; null where there is no more
    pub(crate) next: Option<String>,
}

/// The query of a list.
pub(crate) trait List<T> {
    /// How many entries are wanted.
    fn limit(&self) -> usize;
    /// Returns the end of the previous page.
    fn cursor(&self) -> Option<&str>;
    /// Returns whether the query selects an entry.
    fn wants(&self, entry: &T) -> bool;
}

/// `lists!(Query => Entry: field, …)` says that a query asks for a list of entries, and which of its parameters are the values that the fields
/// with the same names have to have.
macro_rules! lists {
    ($query:ty => $entry:ty: $($field:ident),+) => {
        impl $crate::page::List<$entry> for $query {
            fn limit(&self) -> usize {
                self.limit.get()
            }

            fn cursor(&self) -> Option<&str> {
                self.cursor.as_ref().map($crate::page::Cursor::as_str)
            }

            fn wants(&self, entry: &$entry) -> bool {
                $($crate::page::is(self.$field.as_deref(), &entry.$field))&&+
            }
        }
    };
}
pub(crate) use lists;

/// Returns whether a field has the wanted text, or no text is wanted.
pub(crate) fn is(wanted: Option<&str>, field: &impl Serialize) -> bool {
    wanted.is_none_or(|wanted| serde_json::to_value(field).is_ok_and(|field| field == *wanted))
}

/// Returns the wanted page of entries, which are given in order, each with the key of its cursor.
pub(crate) fn page<T>(query: &impl List<T>, entries: impl IntoIterator<Item = (String, T)>) -> Result<Page<T>, Problem> {
    let mut entries = entries.into_iter();
    if let Some(cursor) = query.cursor() {
        // The entry may have been removed: then the next page is not known.
        if !entries.by_ref().any(|(key, _)| key == cursor) {
            return Err(Problem::new(
                410,
                "the cursor means nothing any more",
                "the entry at which the page ended is gone; begin again without `cursor`",
            ));
        }
    }
    let mut wanted = entries.filter(|(_, entry)| query.wants(entry));
    let (mut items, mut last) = (Vec::new(), None);
    for (key, entry) in wanted.by_ref().take(query.limit()) {
        items.push(entry);
        last = Some(key);
    }
    let next = wanted.next().and(last);
    Ok(Page { items, next })
}
