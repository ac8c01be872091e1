//! The protocol machine towards clients: one machine for both eras.
//!
//! A legacy client has a session that begins with `initialize`; a modern client has none, so each of its requests carries its own [`Peer`].
//! On a pipe both may share one machine (2026-07-28 basic/versioning: a dual-era server); over HTTP a modern POST gets a machine of its own.
//!
//! Law: after every `handle`, drain `poll` until it returns `None`.

mod answer;
mod ask;
mod early;
mod filter;
mod handle;
mod intake;
mod interface;
mod session;

pub use ask::may_be_asked;
pub use filter::Filter;
pub use interface::{Arrival, Input, Output, Status, Target};
pub use session::Session;
