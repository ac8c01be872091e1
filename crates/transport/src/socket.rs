//! The gateway on a Unix-domain socket of its user, and the byte pump that attaches a stdio client to it.

mod attach;
mod listener;
mod request;

pub use attach::{PumpEnd, attach, pump};
pub use listener::{SocketError, SocketListener};
pub use request::{Reply, request};
