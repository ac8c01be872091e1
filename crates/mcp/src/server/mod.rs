//! The protocol machine towards servers: one machine per connection, of either era.
//!
//! Law: after every method that can produce output, drain [`Session::poll`] until it returns `None`.

mod arrival;
mod hello;
mod interface;
mod outgoing;
mod session;

pub use hello::ClientHello;
pub use interface::{CallError, HandshakeError, Outgoing, Output, Placed, Ready};
pub use session::Session;
