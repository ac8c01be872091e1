//! The trace that a request belongs to: W3C trace context as received, and the trace's id in the audit.

use std::sync::Arc;

/// The three W3C headers (or `_meta` keys of the same names), unparsed, and the id for audit and MGP.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Trace {
    /// The value of `traceparent`.
    pub parent: Option<String>,
    /// The value of `tracestate`.
    pub state: Option<String>,
    /// The value of `baggage`.
    pub baggage: Option<String>,
    /// The id that is given to audit events and MGP servers, where one was chosen (MGP §6.5).
    pub named: Option<Arc<str>>,
}

impl Trace {
    /// Returns whether there is no W3C trace context.
    #[must_use]
    pub fn is_empty(&self) -> bool {
        self.parent.is_none() && self.state.is_none() && self.baggage.is_none()
    }

    /// Returns the 32 hexadecimal digits of the trace id, if `traceparent` has the shape of version 00.
    #[must_use]
    pub fn id(&self) -> Option<&str> {
        let id = self.parent.as_deref()?.split('-').nth(1)?;
        (id.len() == 32 && id.bytes().all(|b| b.is_ascii_hexdigit())).then_some(id)
    }
}
