//! One definition of a list, and the few members that the gateway reads of it.

use std::sync::Arc;

use jsonrpc::Raw;
use mcp::method::ListKind;
use mcp::mirror::ParamHeaders;
use mcp::tasks::{TaskSupport, task_support};

/// A tool, resource, resource template or prompt, as its server wrote it.
#[derive(Clone, Debug)]
pub struct Item {
    /// The definition, byte for byte.
    pub raw: Raw,
    /// The decoded text that identifies it on its server: `name`, `uri` or `uriTemplate`.
    pub key: String,
    /// The arguments that are mirrored in headers, if a tool validly asks for that.
    pub headers: Option<Arc<ParamHeaders>>,
    /// Whether a tool can be called as a task.
    pub task_support: TaskSupport,
}

impl Item {
    /// Reads a definition. Returns `None` if nothing identifies it: it is not an object, its key is not a text or is
    /// empty, or a member is repeated, of which client and gateway might each read a different one.
    #[must_use]
    pub fn read(kind: ListKind, raw: &Raw) -> Option<Self> {
        let object = raw.object().ok()?;
        let key = object.get(kind.item_key())?.as_str()?.into_owned();
        if key.is_empty() {
            return None;
        }
        let is_tool = kind == ListKind::Tools;
        let schema = object.get("inputSchema").filter(|_| is_tool);
        let headers = schema
            .and_then(|schema| ParamHeaders::read(schema).ok())
            .filter(|headers| !headers.is_empty());
        let task_support = if is_tool { task_support(raw) } else { TaskSupport::Forbidden };
        Some(Self {
            raw: raw.clone(),
            key,
            headers: headers.map(Arc::new),
            task_support,
        })
    }
}
