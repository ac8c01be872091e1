//! MCP sessions of both eras as state machines without I/O.

#![forbid(unsafe_code)]

pub mod adapt;
pub mod capabilities;
pub mod client;
pub mod error;
pub mod exchange;
pub mod meta;
pub mod method;
pub mod mirror;
pub mod name;
pub mod revision;
pub mod seal;
pub mod server;
pub mod tasks;
