//! HTTP towards servers.

pub(crate) mod address;
mod chunked;
mod conn;
mod dial;
mod events;
mod head;
mod link;
mod pool;
mod request;
pub(crate) mod sse;

pub(crate) use dial::Dialer;
pub(crate) use link::Client;
