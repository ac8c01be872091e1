//! The errors of handlers, and the one place where they become JSON-RPC errors.

use std::fmt;

use jsonrpc::{ErrorObject, Raw, code};
use serde_json::{Value, json};

use crate::ask::Question;
use crate::era::Era;
use crate::known::Known;

/// The return type of handlers.
pub type Result<T> = std::result::Result<T, Error>;

/// The code for a required client capability that was not declared (2026-07-28 basic, "Error Codes").
pub(crate) const MISSING_CAPABILITY: i64 = -32021;
/// The code for a revision that this library does not support.
pub(crate) const UNSUPPORTED_REVISION: i64 = -32022;
/// The code for headers that disagree with the body.
pub(crate) const HEADER_MISMATCH: i64 = -32020;
/// The code for a resource that was not found, up to 2025-11-25 only.
const RESOURCE_NOT_FOUND: i64 = -32002;

/// The reason why a handler did not produce a result.
///
/// Any `std::error::Error` becomes a [tool error](Error::tool) by `?`. An error that the SDK itself returned, for instance from
/// [`Context::elicit`](crate::Context::elicit), must be passed on: in the modern era it is how a call ends with a question.
pub struct Error(Box<Why>);

#[derive(Debug)]
pub(crate) enum Why {
    /// The call was carried out and failed; the model should see why.
    Tool(String),
    /// The request cannot be answered; a JSON-RPC error.
    Rpc(ErrorObject),
    /// There is no such resource; the code differs by era.
    NotFound(String),
    /// The client has not declared a capability that the handler needs.
    MissingCapability(Value),
    /// The call ends here with questions; the client asks again with the answers (2026-07-28 basic/patterns/mrtr).
    Suspended { questions: Vec<(String, Question)>, known: Known },
    /// The caller no longer waits for the answer.
    Cancelled,
}

impl Error {
    /// Builds the error of a tool that ran and failed: the client gets a result with `isError`, whose text is
    /// `message`.
    pub fn tool(message: impl fmt::Display) -> Self {
        Self(Box::new(Why::Tool(message.to_string())))
    }

    /// Builds a JSON-RPC error. Codes of your own belong outside -32768..=-32000 (2026-07-28 basic, "Error Codes").
    pub fn rpc(code: i64, message: impl Into<String>) -> Self {
        Self(Box::new(Why::Rpc(ErrorObject::new(code, message))))
    }

    /// Builds a JSON-RPC error with `data`.
    pub fn rpc_with(code: i64, message: impl Into<String>, data: &Value) -> Self {
        Self(Box::new(Why::Rpc(ErrorObject::new(code, message).with_data(Raw::of(data)))))
    }

    /// Builds the error for invalid arguments (-32602).
    pub fn invalid_params(message: impl Into<String>) -> Self {
        Self::rpc(code::INVALID_PARAMS, message)
    }

    /// Builds the error for an internal fault about which the client can do nothing (-32603).
    pub fn internal(message: impl Into<String>) -> Self {
        Self::rpc(code::INTERNAL_ERROR, message)
    }

    /// Builds the error for a resource `uri` that does not exist.
    pub fn not_found(uri: impl Into<String>) -> Self {
        Self(Box::new(Why::NotFound(uri.into())))
    }

    /// Builds the error for missing client capabilities; `capabilities` is shaped like the client's capabilities
    /// object.
    #[must_use]
    pub fn missing_capability(capabilities: Value) -> Self {
        Self(Box::new(Why::MissingCapability(capabilities)))
    }

    /// Builds the error of a call that the caller has cancelled.
    #[must_use]
    pub fn cancelled() -> Self {
        Self(Box::new(Why::Cancelled))
    }

    pub(crate) fn suspended(questions: Vec<(String, Question)>, known: Known) -> Self {
        Self(Box::new(Why::Suspended { questions, known }))
    }

    pub(crate) fn from_object(object: ErrorObject) -> Self {
        Self(Box::new(Why::Rpc(object)))
    }

    pub(crate) fn into_why(self) -> Why {
        *self.0
    }
}

impl<E: std::error::Error> From<E> for Error {
    fn from(error: E) -> Self {
        Self::tool(error)
    }
}

impl fmt::Debug for Error {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        self.0.fmt(f)
    }
}

impl fmt::Display for Error {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match &*self.0 {
            Why::Tool(message) => f.write_str(message),
            Why::Rpc(object) => f.write_str(&object.message),
            Why::NotFound(uri) => write!(f, "resource not found: {uri}"),
            Why::MissingCapability(needed) => write!(f, "the client lacks the capability {needed}"),
            Why::Suspended { questions, .. } => write!(f, "the client is asked {} question(s)", questions.len()),
            Why::Cancelled => f.write_str("the request was cancelled"),
        }
    }
}

/// Converts the error of a handler to the wire: a result (a tool that failed) or a JSON-RPC error.
///
/// This is the only place where an [`Error`] becomes one. `Suspended` never arrives here: the machine turns it into
/// `input_required`.
pub(crate) fn rescue(why: Why, era: Era, is_tool: bool) -> std::result::Result<Value, ErrorObject> {
    match why {
        Why::Tool(message) if is_tool => Ok(tool_failure(&message)),
        Why::Tool(message) => Err(ErrorObject::new(code::INTERNAL_ERROR, message)),
        Why::Rpc(object) => Err(object),
        Why::NotFound(uri) => Err(not_found(&uri, era)),
        Why::MissingCapability(needed) if era == Era::Modern => Err(missing_capability(&needed)),
        // Before 2026-07-28 there is no code for this: a tool says it in its text.
        Why::MissingCapability(needed) if is_tool => Ok(tool_failure(&format!("this tool needs a client that can do {needed}"))),
        Why::MissingCapability(needed) => Err(ErrorObject::invalid_params(format_args!(
            "the client lacks the capability {needed}"
        ))),
        Why::Suspended { .. } => Err(ErrorObject::internal()),
        Why::Cancelled => Err(ErrorObject::new(code::INTERNAL_ERROR, "the request was cancelled")),
    }
}

fn tool_failure(message: &str) -> Value {
    json!({"content": [{"type": "text", "text": message}], "isError": true})
}

pub(crate) fn not_found(uri: &str, era: Era) -> ErrorObject {
    let code = if era == Era::Modern {
        code::INVALID_PARAMS
    } else {
        RESOURCE_NOT_FOUND
    };
    ErrorObject::new(code, format!("resource not found: {uri}")).with_data(Raw::of(&json!({"uri": uri})))
}

pub(crate) fn missing_capability(needed: &Value) -> ErrorObject {
    ErrorObject::new(MISSING_CAPABILITY, "missing required client capability").with_data(Raw::of(&json!({"requiredCapabilities": needed})))
}

pub(crate) fn unsupported_revision(asked: &str, supported: &[&str]) -> ErrorObject {
    ErrorObject::new(
        UNSUPPORTED_REVISION,
        format!("unsupported protocol version; this server speaks {}", supported.join(", ")),
    )
    .with_data(Raw::of(&json!({"supported": supported, "requested": asked})))
}
