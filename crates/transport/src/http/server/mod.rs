//! HTTP towards clients: one listener for Streamable HTTP of every revision, HTTP+SSE behind a switch, health and metrics.

mod access;
mod answer;
mod conn;
mod head;
mod intake;
mod listen;
mod operate;
mod options;
mod owner;
mod reply;
mod route;
mod shared;
mod sse;
mod watch;

pub use listen::{ListenError, Listener};
pub use options::{Anonymous, ListenLimits, ListenOptions, TlsFiles, Token};
pub use owner::OwnerSocket;
