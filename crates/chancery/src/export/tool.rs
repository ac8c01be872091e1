//! A tool, as far as its signature needs it.

use serde_json::Value as Json;

/// A tool as a list returns it.
#[derive(Clone, Debug, Default)]
pub struct Tool {
    /// The name by which it is called.
    pub name: String,
    /// What it does.
    pub description: Option<String>,
    /// The JSON schema of its arguments.
    pub input: Json,
    /// The JSON schema of its structured result.
    pub output: Option<Json>,
}
