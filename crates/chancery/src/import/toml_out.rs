//! Imported servers as TOML text.

use toml_edit::{Array, ArrayOfTables, DocumentMut, Item, Table, value};

use super::Imported;
use crate::config::{Node, Value, names_secret};

/// The servers as `[[servers]]`, with a comment for what was not carried over. With `hide`, what may be a secret is shown as `***`.
#[must_use]
pub fn to_toml(servers: &[Imported], hide: bool) -> String {
    let mut tables = ArrayOfTables::new();
    for server in servers {
        let mut table = table(&server.table, hide);
        let comments: String = server
            .notes
            .iter()
            .map(|note| format!("# {}\n", note.text.replace(['\n', '\r'], " ")))
            .collect();
        table.decor_mut().set_prefix(format!("\n{comments}"));
        tables.push(table);
    }
    let mut document = DocumentMut::new();
    document.insert("servers", Item::ArrayOfTables(tables));
    document.to_string()
}

fn table(node: &Node, hide: bool) -> Table {
    let mut table = Table::new();
    for entry in node.entries() {
        let item = match &entry.node.value {
            Value::Text(text) => value(text),
            Value::Bool(flag) => value(*flag),
            Value::Int(int) => value(*int),
            Value::Float(float) => value(*float),
            Value::List(items) => value(list(items, hide)),
            Value::Table(_) => Item::Table(map(&entry.node, hide && entry.key == "headers", hide)),
            Value::Null | Value::Date => continue,
        };
        table.insert(&entry.key, item);
    }
    table
}

/// Arguments; one that follows, or is, an option with a telling name is hidden.
fn list(items: &[Node], hide: bool) -> Array {
    let mut after = false;
    let mut array = Array::new();
    for text in items.iter().filter_map(Node::text) {
        let names = names_secret(text) && text.starts_with('-');
        match text.split_once('=') {
            Some((option, _)) if hide && names => array.push(format!("{option}=***")),
            _ if hide && after && !text.starts_with('-') => array.push("***"),
            _ => array.push(text),
        }
        after = names && !text.contains('=');
    }
    array
}

fn map(node: &Node, all: bool, hide: bool) -> Table {
    let mut table = Table::new();
    for entry in node.entries() {
        let text = entry.node.text().unwrap_or_default();
        let secret = hide && (all || names_secret(&entry.key)) && crate::config::is_literal(text);
        table.insert(&entry.key, value(if secret { "***" } else { text }));
    }
    table
}
