//! MGP 0.5.2 on an MCP session: the protocol's vocabulary and rules, as values without I/O.
//!
//! Law: nothing here allows anything. The crate reads peers' declarations, derives what follows from them, and writes messages to peers; `policy`
//! decides whether a call is sent. A peer's statement only makes rules stricter. `Sn` cites the specification, `Dn` a decision about it.
//!
//! Time, random numbers and stored state are arguments.

#![forbid(unsafe_code)]

pub mod audit;
pub mod carrier;
pub mod error;
mod json;
pub mod kernel_tool;
pub mod negotiation;
pub mod permission;
pub mod retry;
pub mod time;
pub mod tool;
pub mod trace;
pub mod trust;
