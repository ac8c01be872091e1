//! Line-framed messages over the standard streams: those of children towards servers, the gateway's own towards a
//! client.

pub(crate) mod child;
mod environment;
mod group;
pub(crate) mod inside;
mod missing;
pub(crate) mod pipe;
mod read;
mod server;
mod stderr;
pub(crate) mod write;

pub use inside::Inside;
pub use pipe::PipeOptions;
pub use server::serve;
