//! Plain data that several crates exchange: the principal that asks, the server it asks, the deadline and the trace.
//!
//! Law: nothing here knows a protocol, a socket or a clock; everything is plain data.

#![forbid(unsafe_code)]

mod deadline;
mod name;
mod principal;
mod rank;
mod record;
mod secret;
mod ticket;
mod timestamp;
mod trace;

pub use deadline::Deadline;
pub use name::{ServerId, ServerIdError, ToolId};
pub use principal::{Principal, PrincipalId};
pub use rank::{Risk, Role, TrustLevel};
pub use record::{
    Access, Approval, ApprovalState, By, Digest, Grant, GrantScope, Permission, PermissionAnswer, PermissionDecision, Pin, RequestId, Token,
};
pub use secret::Secret;
pub use ticket::{Ticket, TicketHasher, TicketMap};
pub use timestamp::Timestamp;
pub use trace::Trace;
