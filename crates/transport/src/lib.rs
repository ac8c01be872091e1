//! Carries messages as bytes: stdio, local sockets, Streamable HTTP and HTTP+SSE, towards clients and towards servers.
//!
//! Law: only this crate handles HTTP headers, sockets and child processes, and it does not read messages: frames stay
//! bytes.

#![forbid(unsafe_code)]

mod accept;
pub mod frame;
pub mod http;
mod limits;
mod outbound;
mod refusal;
mod resolver;
pub mod socket;
pub mod stdio;

pub use limits::ClientLimits;
pub use outbound::Outbound;
pub use resolver::SystemResolver;
