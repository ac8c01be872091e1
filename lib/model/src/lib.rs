//! What crosses crate lines: who asks, of whom, until when, and under which trace.
//!
//! Law: nothing here knows a protocol, a socket or a clock; everything is plain data.

#![forbid(unsafe_code)]

mod deadline;
mod name;
mod principal;
mod secret;
mod trace;

pub use deadline::Deadline;
pub use name::{ServerId, ServerIdError, ToolId};
pub use principal::{Principal, PrincipalId};
pub use secret::Secret;
pub use trace::Trace;

/// Names one piece of work that a core has asked for; the outcome comes back under the same ticket.
///
/// Tickets are unique within the machine that issued them and are never reused.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash, PartialOrd, Ord)]
pub struct Ticket(pub u64);
