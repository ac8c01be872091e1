//! A server of another client, as a table of the gateway's schema.

use std::path::Path;

use crate::config::{Env, Node, Place, Value};

/// A server of another client's file.
#[derive(Clone, Debug)]
pub struct Imported {
    /// Its id here.
    pub id: String,
    /// Its table as for `[[servers]]`; every value has its place in the client's file.
    pub table: Node,
    /// The parts that could not be carried over.
    pub notes: Vec<Note>,
}

/// A part that was not carried over unchanged.
#[derive(Clone, Debug)]
pub struct Note {
    /// The text of the note.
    pub text: String,
    /// The place in the client's file.
    pub at: Place,
}

/// The directories that variables in files may name.
#[derive(Clone, Copy, Debug)]
pub struct Here<'a> {
    /// The project directory.
    pub cwd: &'a Path,
    /// The home directory.
    pub home: Option<&'a Path>,
    /// The environment.
    pub env: &'a Env,
}

impl Imported {
    /// Sets another id.
    pub(super) fn rename(&mut self, id: String) {
        if let Value::Table(entries) = &mut self.table.value {
            for entry in entries.iter_mut().filter(|entry| entry.key == "id") {
                entry.node.value = Value::Text(id.clone());
            }
        }
        self.id = id;
    }

    /// Returns whether both start the same program or call the same address; time limits and filters may differ.
    pub(super) fn reaches_the_same(&self, other: &Self) -> bool {
        let sse = |server: &Self| server.table.get("transport").and_then(Node::text) == Some("sse");
        let same = |key: &&str| match (self.table.get(key), other.table.get(key)) {
            (None, None) => true,
            (Some(one), Some(another)) => one.says_the_same(another),
            _ => false,
        };
        sse(self) == sse(other) && ["command", "args", "env", "cwd", "url", "headers"].iter().all(same)
    }
}
