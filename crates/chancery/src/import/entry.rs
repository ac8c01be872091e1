//! Converts one entry of another client to a table of the gateway's schema.

use super::imported::{Imported, Note};
use super::interpolate::{Inputs, rewrite};
use crate::config::{Entry, Node, Place, Problem, Value, starts_gateway};
use crate::connect;

/// Converts an entry. Returns `None` for one that is this gateway itself.
pub(super) fn convert(entry: &Entry, inputs: &Inputs<'_>) -> Result<Option<Imported>, Problem> {
    if !matches!(entry.node.value, Value::Table(_)) {
        let problem = Problem::error(format!("it must be an object, not {}", entry.node.kind()));
        return Err(problem.at(&entry.node.place));
    }
    let mut conversion = Conversion {
        inputs,
        out: Vec::new(),
        notes: Vec::new(),
    };
    for member in entry.node.entries() {
        conversion.member(member);
    }
    // Zed's older form has the program in an object of its own.
    if let Some(command) = entry.node.get("command").filter(|node| matches!(node.value, Value::Table(_))) {
        for member in command.entries() {
            let key = if member.key == "path" { "command" } else { &member.key };
            conversion.member(&Entry {
                key: key.to_owned(),
                ..member.clone()
            });
        }
    }
    if is_ourselves(&entry.key, &conversion.out) {
        return Ok(None);
    }
    Ok(Some(Imported {
        id: clean_id(&entry.key),
        table: Node::new(entry.at.clone(), Value::Table(conversion.out)),
        notes: conversion.notes,
    }))
}

/// Returns a valid id: letters, digits, `-`, `_` and `.`, no `__`, at most 64.
pub(super) fn clean_id(name: &str) -> String {
    let mut id = String::new();
    for c in name.trim().chars() {
        let c = if c.is_ascii_alphanumeric() || matches!(c, '_' | '.') {
            c
        } else {
            '-'
        };
        if !(id.ends_with(c) && matches!(c, '_' | '-')) {
            id.push(c);
        }
    }
    let id: String = id.trim_matches('-').chars().take(64).collect();
    if id.is_empty() { "server".to_owned() } else { id }
}

/// Returns whether an entry is this gateway, as `connect` writes it. It is not imported, because a gateway behind
/// itself would call itself for ever.
fn is_ourselves(name: &str, table: &[Entry]) -> bool {
    let get = |key: &str| table.iter().find(|entry| entry.key == key).map(|entry| &entry.node);
    let args = get("args").map(Node::list).unwrap_or_default();
    let command = get("command").and_then(Node::text).unwrap_or_default();
    starts_gateway(command, args.iter().filter_map(Node::text)) || name == connect::NAME && get("url").is_some()
}

struct Conversion<'a> {
    inputs: &'a Inputs<'a>,
    out: Vec<Entry>,
    notes: Vec<Note>,
}

impl Conversion<'_> {
    /// Converts one member.
    fn member(&mut self, member: &Entry) {
        match member.key.as_str() {
            "command" if matches!(member.node.value, Value::Table(_)) => {}
            "command" | "cwd" => self.text(member, &member.key),
            "url" | "serverUrl" | "httpUrl" => self.text(member, "url"),
            "args" => self.list(member, "args"),
            "env" => self.map(member, "env"),
            "headers" | "http_headers" => self.map(member, "headers"),
            "env_http_headers" => self.variables(member),
            "bearer_token_env_var" => self.bearer(member),
            "type" | "transport" => self.transport(member),
            "disabled" => self.flag(member, true),
            "enabled" => self.flag(member, false),
            "includeTools" | "enabled_tools" => self.list(member, "include"),
            "excludeTools" | "disabledTools" | "disabled_tools" => self.list(member, "exclude"),
            "timeout" => self.timeout(member, "request_timeout", None),
            "tool_timeout_sec" => self.timeout(member, "request_timeout", Some(1_000.0)),
            "startup_timeout_sec" => self.timeout(member, "startup_timeout", Some(1_000.0)),
            "startup_timeout_ms" => self.timeout(member, "startup_timeout", Some(1.0)),
            "envFile" => self.note(
                member,
                "`envFile` is not read: set its variables in the environment of chancery, and name them in `env`",
            ),
            "autoApprove" | "alwaysAllow" | "trust" | "default_tools_approval_mode" => {
                self.note(
                    member,
                    &format!("`{}` is not carried over: the client decides what it asks its user", member.key),
                );
            }
            // Nothing is lost without these.
            "description" | "name" | "title" | "icon" | "source" | "gallery" | "version" | "settings" | "dev" | "id" => {}
            key => self.note(member, &format!("`{key}` is not carried over")),
        }
    }

    fn note(&mut self, member: &Entry, text: &str) {
        self.notes.push(Note {
            text: text.to_owned(),
            at: member.at.clone(),
        });
    }

    fn put(&mut self, member: &Entry, key: &str, at: &Place, value: Value) {
        if self.out.iter().any(|known| known.key == key) {
            return self.note(
                member,
                &format!("`{}` is not carried over: the server has a `{key}` already", member.key),
            );
        }
        self.out.push(Entry {
            key: key.to_owned(),
            at: member.at.clone(),
            node: Node::new(at.clone(), value),
        });
    }

    /// Returns a scalar as text: other clients take numbers and booleans as arguments and variables.
    fn scalar(&mut self, node: &Node) -> Option<Node> {
        let text = match &node.value {
            Value::Text(text) => rewrite(text, &node.place, self.inputs, &mut self.notes),
            Value::Int(int) => int.to_string(),
            Value::Float(float) => float.to_string(),
            Value::Bool(flag) => flag.to_string(),
            _ => return None,
        };
        Some(Node::new(node.place.clone(), Value::Text(text)))
    }

    fn text(&mut self, member: &Entry, key: &str) {
        let value = match &member.node.value {
            Value::Null => return,
            Value::Text(text) => Value::Text(rewrite(text, &member.node.place, self.inputs, &mut self.notes)),
            // Of a wrong type: the schema's own check says so, with the place.
            other => other.clone(),
        };
        self.put(member, key, &member.node.place, value);
    }

    fn list(&mut self, member: &Entry, key: &str) {
        if matches!(member.node.value, Value::Null) || member.node.list().is_empty() && matches!(member.node.value, Value::List(_)) {
            return;
        }
        let value = match &member.node.value {
            Value::List(items) => Value::List(items.iter().map(|item| self.scalar(item).unwrap_or_else(|| item.clone())).collect()),
            other => other.clone(),
        };
        self.put(member, key, &member.node.place, value);
    }

    fn map(&mut self, member: &Entry, key: &str) {
        if matches!(member.node.value, Value::Null) || member.node.entries().is_empty() && matches!(member.node.value, Value::Table(_)) {
            return;
        }
        let mut entries = member.node.entries().to_vec();
        // A variable without a value is one that its user is asked for.
        entries.retain(|entry| !matches!(entry.node.value, Value::Null));
        for entry in &mut entries {
            if let Some(node) = self.scalar(&entry.node) {
                entry.node = node;
            }
        }
        let value = if matches!(member.node.value, Value::Table(_)) {
            Value::Table(entries)
        } else {
            member.node.value.clone()
        };
        self.merge(member, key, value);
    }

    /// Merges headers, which may come from several members.
    fn merge(&mut self, member: &Entry, key: &str, value: Value) {
        let known = self.out.iter_mut().find(|known| known.key == key);
        match (known.map(|known| &mut known.node.value), value) {
            (Some(Value::Table(known)), Value::Table(more)) => known.extend(more),
            (_, value) => self.put(member, key, &member.node.place, value),
        }
    }

    /// Converts Codex's headers whose values are names of variables.
    fn variables(&mut self, member: &Entry) {
        let mut entries = member.node.entries().to_vec();
        for entry in &mut entries {
            if let Some(name) = entry.node.text() {
                entry.node.value = Value::Text(format!("${{{name}}}"));
            }
        }
        self.merge(member, "headers", Value::Table(entries));
    }

    /// Converts Codex's name of the variable that holds a bearer token.
    fn bearer(&mut self, member: &Entry) {
        let Some(name) = member.node.text() else { return };
        let header = Entry {
            key: "Authorization".to_owned(),
            at: member.at.clone(),
            node: Node::new(member.node.place.clone(), Value::Text(format!("Bearer ${{{name}}}"))),
        };
        self.merge(member, "headers", Value::Table(vec![header]));
    }

    fn transport(&mut self, member: &Entry) {
        let ours = match member.node.text().unwrap_or_default() {
            "stdio" | "local" => "stdio",
            "http" | "streamable-http" | "streamable_http" | "streamableHttp" | "streamableHTTP" => "http",
            "sse" => "sse",
            other => {
                let text = format!("the transport `{other}` is unknown here and left out");
                return self.note(member, &text);
            }
        };
        self.put(member, "transport", &member.node.place, Value::Text(ours.to_owned()));
    }

    fn flag(&mut self, member: &Entry, inverted: bool) {
        match member.node.flag() {
            Some(flag) if flag == inverted => self.put(member, "enabled", &member.node.place, Value::Bool(false)),
            Some(_) => {}
            None => self.note(member, &format!("`{}` is neither true nor false and left out", member.key)),
        }
    }

    /// Converts a timeout. Clients disagree on the unit: a value of at least 1000 was meant in milliseconds.
    fn timeout(&mut self, member: &Entry, key: &str, unit: Option<f64>) {
        let number = match member.node.value {
            Value::Int(int) => f64::from(i32::try_from(int).unwrap_or(i32::MAX)),
            Value::Float(float) => float,
            _ => return self.note(member, &format!("`{}` is no number and left out", member.key)),
        };
        let ms = number * unit.unwrap_or(if number >= 1_000.0 { 1.0 } else { 1_000.0 });
        if !(1.0..=31_536_000_000.0).contains(&ms) {
            return self.note(member, &format!("`{}` is out of range and left out", member.key));
        }
        let text = if ms % 1_000.0 == 0.0 {
            format!("{}s", ms / 1_000.0)
        } else {
            format!("{}ms", ms.round())
        };
        self.put(member, key, &member.node.place, Value::Text(text));
    }
}
