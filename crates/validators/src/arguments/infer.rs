//! Infers which argument of a tool is what, from its schema, its name, and the tool's description.

use serde_json::Value;

use super::kind::Kind;
use super::names;
use crate::code::Language;

/// How deeply a schema is searched.
const MAX_DEPTH: usize = 8;
/// How many slots a tool can have.
const MAX_SLOTS: usize = 256;

/// An argument of a tool and its kind.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Slot {
    /// Its names from the top, as a JSON pointer without indices: `/options/path`.
    pub pointer: String,
    /// The kind of the argument.
    pub kind: Kind,
}

/// The arguments of a tool that have a kind.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Slots {
    list: Vec<Slot>,
    about: String,
}

impl Slots {
    /// Infers the kinds of arguments from the schema and the names. Arguments that the schema does not list are judged
    /// by their names in a call.
    #[must_use]
    pub fn infer(tool: &str, description: &str, schema: &Value) -> Self {
        let mut about = names::words(tool).join(" ");
        about.push(' ');
        about.extend(description.chars().take(2000).flat_map(char::to_lowercase));
        let mut slots = Self { list: Vec::new(), about };
        slots.object("", schema, 0);
        slots
    }

    /// Sets the kind of an argument, whatever its name and schema: for declarations and configuration.
    pub fn set(&mut self, pointer: &str, kind: Kind) {
        let pointer = if pointer.starts_with('/') {
            pointer.to_owned()
        } else {
            format!("/{pointer}")
        };
        self.list.retain(|slot| slot.pointer != pointer);
        self.list.push(Slot { pointer, kind });
    }

    /// Returns all slots.
    #[must_use]
    pub fn as_slice(&self) -> &[Slot] {
        &self.list
    }

    /// Returns the kind of the argument at a pointer without indices.
    pub(super) fn kind_of(&self, pointer: &str, name: &str) -> Option<Kind> {
        let listed = self.list.iter().find(|slot| slot.pointer == pointer).map(|slot| slot.kind);
        listed.or_else(|| names::kind(name, &self.about))
    }

    fn object(&mut self, pointer: &str, schema: &Value, depth: usize) {
        let Some(properties) = schema.get("properties").and_then(Value::as_object) else {
            return;
        };
        for (name, property) in properties {
            if depth < MAX_DEPTH && self.list.len() < MAX_SLOTS {
                self.property(&format!("{pointer}/{}", escaped(name)), name, property, depth);
            }
        }
    }

    fn property(&mut self, pointer: &str, name: &str, schema: &Value, depth: usize) {
        let takes_text = |schema: &Value| match schema.get("type") {
            Some(Value::String(one)) => one == "string" || one == "array",
            Some(Value::Array(several)) => several.iter().any(|one| one == "string" || one == "array"),
            _ => true,
        };
        let items = schema.get("items");
        // A choice among given texts is not free text.
        let is_choice = schema.get("enum").is_some() || schema.get("const").is_some();
        let kind = said(schema).or_else(|| items.and_then(said)).or_else(|| {
            let mut about = self.about.clone();
            if let Some(description) = schema.get("description").and_then(Value::as_str) {
                about.push(' ');
                about.extend(description.chars().take(500).flat_map(char::to_lowercase));
            }
            names::kind(name, &about)
        });
        if let Some(kind) = kind.filter(|_| takes_text(schema)) {
            let kind = if is_choice && !matches!(kind, Kind::Method | Kind::Mode) {
                Kind::Text
            } else {
                kind
            };
            self.list.push(Slot {
                pointer: pointer.to_owned(),
                kind,
            });
        }
        self.object(pointer, schema, depth + 1);
        if let Some(items) = items {
            self.object(pointer, items, depth + 1);
        }
    }
}

/// Returns the kind that a schema itself determines.
fn said(schema: &Value) -> Option<Kind> {
    match schema.get("format").and_then(Value::as_str) {
        Some("uri" | "uri-reference" | "iri" | "url") => return Some(Kind::Url),
        Some("hostname" | "idn-hostname" | "ipv4" | "ipv6") => return Some(Kind::Host),
        Some("path" | "file-path" | "directory-path") => return Some(Kind::Path),
        _ => {}
    }
    match schema.get("contentMediaType").and_then(Value::as_str)? {
        "application/sql" | "text/x-sql" => Some(Kind::Sql),
        "text/x-python" | "application/x-python" => Some(Kind::Code(Some(Language::Python))),
        "text/javascript" | "application/javascript" => Some(Kind::Code(Some(Language::JavaScript))),
        "application/typescript" | "text/x-typescript" => Some(Kind::Code(Some(Language::TypeScript))),
        "application/x-sh" | "text/x-shellscript" => Some(Kind::Command),
        _ => None,
    }
}

/// Returns a name escaped for a JSON pointer (RFC 6901).
pub(super) fn escaped(name: &str) -> String {
    name.replace('~', "~0").replace('/', "~1")
}
