//! Streamable HTTP of every revision and HTTP+SSE of 2024-11-05, towards servers and towards clients.

pub(crate) mod client;
mod media;
mod names;
mod server;
mod stream;
mod tls;
mod wake_filter;

pub use server::{Anonymous, ListenError, ListenLimits, ListenOptions, Listener, OwnerSocket, TlsFiles, Token};
pub use tls::TlsError;
