//! HTTP towards servers.

pub(crate) mod address;
mod body;
mod dial;
mod events;
mod link;
mod pool;
mod request;
pub(crate) mod sse;

pub(crate) use dial::Dialer;
pub(crate) use link::Client;
