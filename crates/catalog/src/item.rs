//! One definition of a list, and the little that the gateway reads of it.

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
    /// What identifies it on its server, decoded: `name`, `uri` or `uriTemplate`.
    pub key: String,
    /// Which arguments are mirrored in headers: of tools that want any, and whose wishes are valid.
    pub headers: Option<Arc<ParamHeaders>>,
    /// Whether it can be called as a task; of tools.
    pub task_support: TaskSupport,
}

impl Item {
    /// Reads a definition. `None` when there is nothing to address it by: no object, no text under its key, an empty one, or a repeated member,
    /// of which client and gateway might each read another.
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
