//! Line-framed messages over the standard streams: children towards servers, our own streams towards a client.

pub(crate) mod child;
mod environment;
mod group;
mod missing;
pub(crate) mod pipe;
mod server;
mod stderr;
pub(crate) mod write;

pub use pipe::PipeOptions;
pub use server::serve;
