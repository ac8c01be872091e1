//! Bytes <-> messages: stdio, local sockets, Streamable HTTP and HTTP+SSE, towards clients and towards servers.
//!
//! Law: nothing but this crate has seen an HTTP header, a socket or a child process, and this crate reads no message: frames stay bytes.

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
