//! Changes `_meta`: single keys, and several edits in one scan.

use jsonrpc::{Editor, Raw};
use model::Trace;

use super::read::get;
use super::{LogLevel, key};
use crate::capabilities::ClientCapabilities;
use crate::revision::Revision;

/// The fields that every modern request carries.
#[derive(Clone, Copy, Debug)]
pub struct Modern<'a> {
    /// The request's revision.
    pub revision: Revision,
    /// The capabilities that the server is told of: the client's own, relayed.
    pub capabilities: &'a ClientCapabilities,
    /// The client's name and version.
    pub client_info: Option<&'a Raw>,
    /// The least level of log messages to send.
    pub log_level: Option<LogLevel>,
}

/// The changes to make to the `_meta` of a request; everything else in the params stays as it is.
#[derive(Clone, Copy, Debug, Default)]
pub struct Change<'a> {
    /// Write what modern requests carry, over what stands there.
    pub modern: Option<Modern<'a>>,
    /// Remove what only modern requests carry, before anything is written.
    pub strip: bool,
    /// Write this progress token.
    pub progress_token: Option<&'a Raw>,
    /// Remove the progress token.
    pub no_progress_token: bool,
    /// Write those parts of the trace that are known.
    pub trace: Option<&'a Trace>,
}

impl Change<'_> {
    /// Returns the params with the changes made, starting from `{}` where there are none.
    #[must_use]
    pub fn apply(&self, params: Option<&Raw>) -> Raw {
        let params = params.cloned().unwrap_or_else(Raw::object_empty);
        self.edit(params.edit(), &params).finish()
    }

    /// Adds the changes to an edit of `params`, so that a caller who changes more needs one scan for all of it.
    pub fn edit(&self, mut edit: Editor, params: &Raw) -> Editor {
        let mut gone: Vec<&str> = Vec::new();
        if self.strip {
            gone.extend(key::MODERN);
        }
        if self.no_progress_token {
            gone.push(key::PROGRESS_TOKEN);
        }
        if !gone.is_empty() {
            edit = without(edit, params.get(key::META).as_ref(), &gone);
        }
        if let Some(modern) = &self.modern {
            edit = modern.write(edit, params);
        }
        if let Some(token) = self.progress_token {
            edit = edit.set(&[key::META, key::PROGRESS_TOKEN], token);
        }
        if let Some(trace) = self.trace {
            for (name, value) in [
                (key::TRACEPARENT, &trace.parent),
                (key::TRACESTATE, &trace.state),
                (key::BAGGAGE, &trace.baggage),
            ] {
                if let Some(value) = value {
                    edit = edit.set(&[key::META, name], &Raw::string(value));
                }
            }
        }
        edit
    }
}

impl Modern<'_> {
    fn write(&self, edit: Editor, params: &Raw) -> Editor {
        let edit = edit.set(&[key::META, key::PROTOCOL_VERSION], &Raw::string(self.revision.as_str()));
        let edit = edit.set(&[key::META, key::CLIENT_CAPABILITIES], self.capabilities.raw());
        let edit = match self.client_info {
            Some(info) => edit.set(&[key::META, key::CLIENT_INFO], info),
            None => edit,
        };
        match self.log_level {
            Some(level) => edit.set(&[key::META, key::LOG_LEVEL], &Raw::string(level.as_str())),
            None if get(params, key::LOG_LEVEL).is_some() => edit.remove(&[key::META, key::LOG_LEVEL]),
            None => edit,
        }
    }
}

/// Removes keys from `_meta`, and `_meta` itself where it had no others. `meta` is the present value.
pub(crate) fn without(edit: Editor, meta: Option<&Raw>, names: &[&str]) -> Editor {
    let Some(meta) = meta else {
        return edit;
    };
    match meta.object() {
        Ok(members) if members.iter().all(|(name, _)| names.contains(&name)) => edit.remove(&[key::META]),
        Ok(members) => {
            let present = names.iter().filter(|name| members.get(name).is_some());
            present.fold(edit, |edit, name| edit.remove(&[key::META, name]))
        }
        Err(_) => names.iter().fold(edit, |edit, name| edit.remove(&[key::META, name])),
    }
}

/// Sets a key in the `_meta` of params or of a result.
#[must_use]
pub fn set(of: &Raw, name: &str, value: &Raw) -> Raw {
    of.edit().set(&[key::META, name], value).finish()
}

/// Removes a key from the `_meta` of params or of a result, and `_meta` itself where it becomes empty.
#[must_use]
pub fn remove(of: &Raw, name: &str) -> Raw {
    without(of.edit(), of.get(key::META).as_ref(), &[name]).finish()
}

/// Writes another progress token into params.
#[must_use]
pub fn with_progress_token(params: Option<&Raw>, token: &Raw) -> Raw {
    Change {
        progress_token: Some(token),
        ..Change::default()
    }
    .apply(params)
}

/// Writes another trace into params.
#[must_use]
pub fn with_trace(params: Option<&Raw>, trace: &Trace) -> Raw {
    Change {
        trace: Some(trace),
        ..Change::default()
    }
    .apply(params)
}
