//! Reads `_meta`: the fields of a modern request, and single keys.

use jsonrpc::{ErrorObject, Message, Raw, RawKind};
use model::Trace;

use super::{LogLevel, key};
use crate::capabilities::ClientCapabilities;

/// The `_meta` fields of a modern request.
#[derive(Clone, Debug)]
pub struct ModernMeta {
    /// The revision as it was sent; it may be one that the gateway does not know.
    pub version: String,
    /// The client's capabilities for this request.
    pub capabilities: ClientCapabilities,
    /// The client's name and version, by its own account.
    pub client_info: Option<Raw>,
    /// The least level of log messages that the client wants; `None` for no messages.
    pub log_level: Option<LogLevel>,
    /// The token under which the client wants progress.
    pub progress_token: Option<Raw>,
    /// The trace that the request belongs to.
    pub trace: Trace,
}

impl ModernMeta {
    /// Reads what every modern request must carry.
    ///
    /// # Errors
    /// -32602 where `params` or `_meta` repeats a key, where the revision or the capabilities are missing, and where something has another type
    /// than it should (2026-07-28 basic, per-request protocol fields).
    pub fn read(params: Option<&Raw>) -> Result<Self, ErrorObject> {
        let params = params.map(Raw::object).transpose().map_err(ErrorObject::invalid_params)?;
        Self::of(params.as_ref().and_then(|params| params.get(key::META)))
    }

    /// Reads the fields from the `_meta` itself.
    ///
    /// # Errors
    /// The errors of [`ModernMeta::read`].
    pub fn of(meta: Option<&Raw>) -> Result<Self, ErrorObject> {
        let none = || ErrorObject::invalid_params(format_args!("`_meta` with `{}` is missing", key::PROTOCOL_VERSION));
        let meta = meta.ok_or_else(none)?.object();
        let meta = meta.map_err(|e| ErrorObject::invalid_params(format_args!("`_meta`: {e}")))?;
        let required = |name| {
            meta.get(name)
                .ok_or_else(|| ErrorObject::invalid_params(format_args!("`_meta` needs `{name}`")))
        };
        let ill_typed = |name, expected| ErrorObject::invalid_params(format_args!("`_meta` needs {expected} as `{name}`"));

        let version = required(key::PROTOCOL_VERSION)?
            .as_str()
            .ok_or_else(|| ill_typed(key::PROTOCOL_VERSION, "a string"))?;
        let capabilities = required(key::CLIENT_CAPABILITIES)?;
        for (name, value) in [
            (key::CLIENT_CAPABILITIES, Some(capabilities)),
            (key::CLIENT_INFO, meta.get(key::CLIENT_INFO)),
        ] {
            if value.is_some_and(|value| value.kind() != RawKind::Object) {
                return Err(ill_typed(name, "an object"));
            }
        }
        let log_level = match meta.get(key::LOG_LEVEL) {
            None => None,
            Some(level) => {
                let level = level.as_str().and_then(|level| LogLevel::parse(&level));
                Some(level.ok_or_else(|| ill_typed(key::LOG_LEVEL, "a log level"))?)
            }
        };
        let progress_token = meta.get(key::PROGRESS_TOKEN);
        if progress_token.is_some_and(|token| !is_token(token)) {
            return Err(ill_typed(key::PROGRESS_TOKEN, "a string or an integer"));
        }
        let text = |name| meta.get(name).and_then(Raw::as_str).map(std::borrow::Cow::into_owned);
        Ok(Self {
            version: version.into_owned(),
            capabilities: ClientCapabilities::new(capabilities.clone()),
            client_info: meta.get(key::CLIENT_INFO).cloned(),
            log_level,
            progress_token: progress_token.cloned(),
            trace: Trace {
                parent: text(key::TRACEPARENT),
                state: text(key::TRACESTATE),
                baggage: text(key::BAGGAGE),
                named: None,
            },
        })
    }
}

/// Returns whether params say that their request is modern (2026-07-28 basic/versioning: a dual-era server goes by how
/// the client opens).
#[must_use]
pub fn is_modern(params: Option<&Raw>) -> bool {
    params.is_some_and(|params| get(params, key::PROTOCOL_VERSION).is_some())
}

/// Returns whether a message says that it is modern. Its members are parsed once, and kept with it.
#[must_use]
pub fn names_version(message: &Message) -> bool {
    let meta = message.members().ok().and_then(|members| members.get(key::META));
    meta.is_some_and(|meta| meta.get(key::PROTOCOL_VERSION).is_some())
}

/// Returns the value of a key in the `_meta` of params or of a result.
#[must_use]
pub fn get(of: &Raw, name: &str) -> Option<Raw> {
    of.get(key::META)?.get(name)
}

/// Returns the token under which a request wants progress; a token that is neither string nor number counts as absent.
#[must_use]
pub fn progress_token(params: Option<&Raw>) -> Option<Raw> {
    get(params?, key::PROGRESS_TOKEN).filter(is_token)
}

/// Returns the trace that a request belongs to.
#[must_use]
pub fn trace(params: Option<&Raw>) -> Trace {
    let Some(meta) = params.and_then(|params| params.get(key::META)) else {
        return Trace::default();
    };
    let text = |name| meta.get(name)?.as_str().map(std::borrow::Cow::into_owned);
    Trace {
        parent: text(key::TRACEPARENT),
        state: text(key::TRACESTATE),
        baggage: text(key::BAGGAGE),
        named: None,
    }
}

fn is_token(value: &Raw) -> bool {
    matches!(value.kind(), RawKind::String | RawKind::Number)
}
