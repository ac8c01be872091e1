//! Makes the same change in a client's TOML file (Codex).

use serde_json::Value as Json;
use toml_edit::{Array, DocumentMut, Item, Table, value};

/// Sets `[key.name]`.
pub(super) fn set(text: &str, key: &str, name: &str, entry: &Json) -> Result<String, String> {
    let mut document = parse(text)?;
    if document.get(key).is_none() {
        let mut parent = Table::new();
        parent.set_implicit(true);
        document.insert(key, Item::Table(parent));
    }
    let parent = document
        .get_mut(key)
        .and_then(Item::as_table_like_mut)
        .ok_or_else(|| format!("`{key}` is there already and is not a table"))?;
    let mut table = Table::new();
    for (member, content) in entry.as_object().into_iter().flatten() {
        let item = match content {
            Json::Array(items) => value(items.iter().filter_map(Json::as_str).collect::<Array>()),
            other => value(other.as_str().unwrap_or_default()),
        };
        table.insert(member, item);
    }
    if parent.get(name).and_then(Item::as_table).is_some_and(|there| json(there) == *entry) {
        return Ok(text.to_owned());
    }
    parent.insert(name, Item::Table(table));
    Ok(document.to_string())
}

/// Removes `[key.name]`.
pub(super) fn remove(text: &str, key: &str, name: &str) -> Result<String, String> {
    let mut document = parse(text)?;
    if let Some(parent) = document.get_mut(key).and_then(Item::as_table_like_mut) {
        parent.remove(name);
    }
    Ok(document.to_string())
}

/// `[key.name]` as JSON.
pub(super) fn find(text: &str, key: &str, name: &str) -> Option<Json> {
    let document = parse(text).ok()?;
    document.get(key)?.get(name)?.as_table().map(json)
}

fn json(table: &Table) -> Json {
    let member = |item: &Item| match item.as_array() {
        Some(items) => Json::Array(items.iter().filter_map(toml_edit::Value::as_str).map(Json::from).collect()),
        None => Json::from(item.as_str().unwrap_or_default()),
    };
    Json::Object(table.iter().map(|(key, item)| (key.to_owned(), member(item))).collect())
}

fn parse(text: &str) -> Result<DocumentMut, String> {
    text.parse()
        .map_err(|error: toml_edit::TomlError| format!("it is not valid TOML: {}", error.message().replace('\n', "; ")))
}
