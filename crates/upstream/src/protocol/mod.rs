//! The protocols that a session speaks beside MCP, and the moments of a session in which they take part.

mod incoming;
mod mgp;
mod session_protocol;

pub(crate) use incoming::Incoming;
pub use mgp::Mgp;
pub use session_protocol::SessionProtocol;
