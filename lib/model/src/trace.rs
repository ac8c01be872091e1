//! The trace of a request: W3C trace context as it travels with it, and what the record calls it.

use std::sync::Arc;

/// The three W3C headers (or `_meta` keys of the same names), unparsed.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Trace {
    /// `traceparent`
    pub parent: Option<String>,
    /// `tracestate`
    pub state: Option<String>,
    /// `baggage`
    pub baggage: Option<String>,
    /// What the record calls the trace (MGP §6.5), once it is known; it travels by other ways.
    pub name: Option<Arc<str>>,
}

impl Trace {
    /// Whether there is no trace context.
    #[must_use]
    pub fn is_empty(&self) -> bool {
        self.parent.is_none() && self.state.is_none() && self.baggage.is_none()
    }

    /// The 32 hexadecimal digits of the trace id, if `traceparent` has the shape of version 00.
    #[must_use]
    pub fn id(&self) -> Option<&str> {
        let id = self.parent.as_deref()?.split('-').nth(1)?;
        (id.len() == 32 && id.bytes().all(|b| b.is_ascii_hexdigit())).then_some(id)
    }
}
