//! Lists, a page at a time.

use kernel::desk::Answer;
use serde_json::{Value, json};

use crate::Problem;
use crate::input::Query;
use crate::routes::Route;

/// How many entries a page has, where nobody says.
pub(crate) const LIMIT: usize = 100;
/// How many it has at most.
pub(crate) const MAX_LIMIT: usize = 1000;

/// How many entries are wanted.
pub(crate) fn limit(query: &Query) -> Result<usize, Problem> {
    match query.number("limit")?.unwrap_or(LIMIT) {
        limit if (1..=MAX_LIMIT).contains(&limit) => Ok(limit),
        _ => Err(Problem::invalid(format!("`limit` must be from 1 to {MAX_LIMIT}"))),
    }
}

/// A page of entries, each with what it is found again by, in their order. The route's parameters are fields that have to have these values.
pub(crate) fn page(route: &Route, query: &Query, entries: impl IntoIterator<Item = (String, Value)>) -> Result<Answer, Problem> {
    let limit = limit(query)?;
    let is_wanted = |value: &Value| {
        let mut fields = route
            .query
            .iter()
            .filter_map(|parameter| Some((parameter.name, query.get(parameter.name)?)));
        fields.all(|(name, wanted)| value[name].as_str() == Some(wanted))
    };
    let mut entries: Box<dyn Iterator<Item = (String, Value)>> = Box::new(entries.into_iter());
    if let Some(cursor) = query.get("cursor") {
        // The entry may be gone: then nothing says where to go on.
        if !entries.by_ref().any(|(key, _)| key == cursor) {
            return Err(Problem::new(
                410,
                "the cursor means nothing any more",
                "the entry at which the page ended is gone; begin again without `cursor`",
            ));
        }
    }
    let mut wanted = entries.filter(|(_, value)| is_wanted(value));
    let shown: Vec<(String, Value)> = wanted.by_ref().take(limit).collect();
    let next = wanted.next().and(shown.last()).map(|(key, _)| key.clone());
    let items: Vec<Value> = shown.into_iter().map(|(_, value)| value).collect();
    Ok(whole(200, &json!({ "items": items, "next": next })))
}

/// One object.
pub(crate) fn whole(status: u16, value: &Value) -> Answer {
    Answer::Whole {
        status,
        media: "application/json",
        body: format!("{value:#}\n").into(),
    }
}
