//! Writes imported servers as TOML.

use toml_edit::{Array, ArrayOfTables, DocumentMut, Item, Table, value};

use super::imported::Imported;
use crate::config::{Node, Value, names_secret, shown_arguments};

/// Returns the servers as `[[servers]]`, with a comment for what was not carried over. With `hide`, what may be a
/// secret is shown as `***`.
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
            Value::Text(text) => value(shown(text, hide)),
            Value::Bool(flag) => value(*flag),
            Value::Int(int) => value(*int),
            Value::Float(float) => value(*float),
            Value::List(items) => value(list(items, hide)),
            Value::Table(_) => Item::Table(map(&entry.node, hide && entry.key == "headers", hide)),
            Value::Null | Value::Date(_) => continue,
        };
        table.insert(&entry.key, item);
    }
    table
}

/// Returns a text, which may be a URL, without what may be a secret in it.
fn shown(text: &str, hide: bool) -> String {
    if hide {
        return shown_arguments([text]).concat();
    }
    text.to_owned()
}

fn list(items: &[Node], hide: bool) -> Array {
    let texts = items.iter().filter_map(Node::text);
    if hide {
        return shown_arguments(texts).into_iter().collect();
    }
    texts.collect()
}

fn map(node: &Node, all: bool, hide: bool) -> Table {
    let mut table = Table::new();
    for entry in node.entries() {
        let text = entry.node.text().unwrap_or_default();
        let secret = hide && (all || names_secret(&entry.key)) && crate::config::is_literal(text);
        let text = if secret { "***".to_owned() } else { shown(text, hide) };
        table.insert(&entry.key, value(text));
    }
    table
}
