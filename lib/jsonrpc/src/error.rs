//! The reason why bytes are not a value or not a message, with position and recipient.

use crate::{Id, Kind, code};

/// The reason why bytes were refused: not JSON (-32700), or JSON but not a message (-32600).
///
/// `Display` completes "failed to decode: …" and names the byte.
#[derive(Clone, Debug, thiserror::Error)]
#[error("{fault} at byte {at}", fault = .0.fault, at = .0.at)]
pub struct DecodeError(Box<Inner>);

#[derive(Clone, Debug)]
struct Inner {
    fault: Fault,
    at: usize,
    id: Option<Id>,
    kind: Option<Kind>,
}

impl DecodeError {
    #[cold]
    #[inline(never)]
    pub(crate) fn new(fault: Fault, at: usize) -> Self {
        Self(Box::new(Inner {
            fault,
            at,
            id: None,
            kind: None,
        }))
    }

    /// Adds what the envelope showed to the error.
    pub(crate) fn of_message(mut self, id: Option<Id>, kind: Option<Kind>) -> Self {
        (self.0.id, self.0.kind) = (id, kind);
        self
    }

    /// Returns -32700 when the bytes are not JSON within the limits, -32600 when they are JSON but not a message.
    pub fn code(&self) -> i64 {
        match self.0.fault {
            Fault::TooLarge { .. }
            | Fault::TooDeep { .. }
            | Fault::Utf8
            | Fault::ByteOrderMark
            | Fault::Truncated
            | Fault::Expected(_)
            | Fault::ControlCharacter
            | Fault::Escape
            | Fault::Number
            | Fault::Trailing => code::PARSE_ERROR,
            _ => code::INVALID_REQUEST,
        }
    }

    /// Returns the id of the refused message where it was read before the error; it is echoed in the error response, or
    /// settles the pending request where [`DecodeError::kind`] is a response.
    pub fn id(&self) -> Option<&Id> {
        self.0.id.as_ref()
    }

    /// Returns the kind that the message would have had, as far as it was read. A refused response is not answered.
    pub fn kind(&self) -> Option<Kind> {
        self.0.kind
    }

    /// Returns the byte of the frame (for a value: of the value) at which the error lies.
    pub fn at(&self) -> usize {
        self.0.at
    }
}

impl Fault {
    /// Returns the error for a key that occurs twice; of a long key, it names the beginning.
    pub(crate) fn duplicate(key: &str) -> Self {
        Self::Duplicate(key.chars().take(64).collect())
    }
}

/// The ways in which bytes can be invalid.
#[derive(Clone, Debug, PartialEq, Eq, thiserror::Error)]
pub(crate) enum Fault {
    #[error("more than the {limit} bytes allowed")]
    TooLarge { limit: usize },
    #[error("nested deeper than the {limit} levels allowed")]
    TooDeep { limit: usize },
    #[error("bytes that are not UTF-8")]
    Utf8,
    #[error("a byte order mark, which JSON-RPC does not allow")]
    ByteOrderMark,
    #[error("the JSON ends too early")]
    Truncated,
    #[error("expected {0}")]
    Expected(&'static str),
    #[error("a control character inside a string")]
    ControlCharacter,
    #[error("an unknown escape inside a string")]
    Escape,
    #[error("a malformed number")]
    Number,
    #[error("something after the end of the JSON value")]
    Trailing,
    #[error("a message that is not an object")]
    NotAnObject,
    #[error("a batch where one message was expected")]
    Batch,
    #[error("a batch without messages")]
    EmptyBatch,
    #[error("a batch of more than {limit} messages")]
    LongBatch { limit: usize },
    #[error("the member `{0}` twice")]
    Duplicate(Box<str>),
    #[error("more than {limit} members beside those of JSON-RPC")]
    Crowded { limit: usize },
    #[error("a member `jsonrpc` that is not \"2.0\"")]
    Version,
    #[error("no member `jsonrpc`")]
    NoVersion,
    #[error("an `id` that is neither a string nor an integer")]
    Id,
    #[error("a `method` that is not a string of Unicode text")]
    Method,
    #[error("`params` that are neither an object nor an array")]
    Params,
    #[error("an `error` that is not an object")]
    Error,
    #[error("more than one of `method`, `result` and `error`")]
    Ambiguous,
    #[error("none of `method`, `result` and `error`")]
    Shapeless,
    #[error("a `result` without an `id`")]
    NoId,
    #[error("not an object")]
    NoObject,
    #[error("a key that is not Unicode text")]
    Key,
    #[error("another type than expected: {0}")]
    Type(Box<str>),
}
