//! What a handler may know about the request it serves.

use jsonrpc::Raw;
use serde_json::Value;

use super::Session;
use crate::era::Era;
use crate::keys;
use crate::level::Level;

/// The client of a request, its era and its capabilities.
#[derive(Clone, Debug)]
pub(crate) struct Facts {
    pub(crate) era: Era,
    pub(crate) revision: String,
    /// The capabilities that the client declared.
    pub(crate) capabilities: Value,
    /// The name and version that the client claims; not to be trusted.
    pub(crate) client: Value,
    /// The request's `_meta`.
    pub(crate) meta: Value,
    /// The token for progress reports, if the client wants any.
    pub(crate) progress: Option<Raw>,
    /// The least severe log message that the client wants; `None` for none. For legacy sessions the level is looked up
    /// when a message is sent.
    pub(crate) level: Option<Level>,
}

impl Facts {
    /// Returns whether the client has negotiated the tasks extension for this request (SEP-2663).
    pub(crate) fn tasks(&self) -> bool {
        self.era == Era::Modern && self.capabilities["extensions"][keys::TASKS].is_object()
    }

    pub(super) fn modern_notification(params: &Raw) -> Self {
        let meta = params.get("_meta").map_or(Value::Null, |meta| meta.to_value());
        Self {
            era: Era::Modern,
            revision: meta[keys::REVISION].as_str().unwrap_or(crate::era::MODERN[0]).to_owned(),
            capabilities: meta[keys::CAPABILITIES].clone(),
            client: meta[keys::CLIENT].clone(),
            meta,
            progress: None,
            level: None,
        }
    }
}

impl Session {
    /// Returns the facts of a request in this session.
    pub(super) fn facts(&self, params: &Raw) -> Facts {
        Facts {
            era: Era::Legacy,
            revision: self.revision.to_owned(),
            capabilities: self.capabilities.clone(),
            client: self.client.clone(),
            meta: params.get("_meta").map_or(Value::Null, |meta| meta.to_value()),
            progress: progress(params),
            level: Some(Level::Debug),
        }
    }
}

/// Returns the progress token: a string or an integer.
pub(super) fn progress(params: &Raw) -> Option<Raw> {
    let token = params.at(&["_meta", "progressToken"])?;
    jsonrpc::Id::parse(&token).map(|_| token)
}
