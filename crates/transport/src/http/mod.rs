//! Streamable HTTP of every revision and HTTP+SSE of 2024-11-05, towards servers and towards clients.

pub(crate) mod client;
mod gate;
mod media;
mod names;
mod server;
mod stream;
mod tls;

pub use server::{Anonymous, ListenError, ListenLimits, ListenOptions, Listener, OwnerSocket, TlsFiles, Token};
pub use tls::TlsError;
