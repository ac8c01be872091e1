//! How messages are framed in a stream of bytes. Pure: no I/O, no clock; every parser takes any chunking.

pub mod lines;
pub mod sse;
