//! The trace that a request belongs to: W3C trace context as it travels, and the name that it has in the audit.

use std::sync::Arc;

/// The three W3C headers (or `_meta` keys of the same names), unparsed, and a name beside them.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Trace {
    /// `traceparent`
    pub parent: Option<String>,
    /// `tracestate`
    pub state: Option<String>,
    /// `baggage`
    pub baggage: Option<String>,
    /// The id that audit events and MGP servers are told, where one was settled (MGP §6.5).
    pub named: Option<Arc<str>>,
}

impl Trace {
    /// Whether nothing is known of a W3C trace.
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
