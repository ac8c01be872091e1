//! MGP 0.5.2 on an MCP session: its vocabulary and its rules, as values without I/O.
//!
//! Law: nothing here allows anything. The crate reads what peers declare, says what follows from it, and writes what peers are told; whether a
//! call leaves is `policy`'s to say. A peer's word only ever makes things stricter. `Sn` cites the specification, `Dn` a decision about it.
//!
//! Time, random numbers and whatever is remembered are arguments.

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
