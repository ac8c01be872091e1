//! The only place where cores, policy and catalogue meet.

#![forbid(unsafe_code)]

pub mod front;
pub mod link;
pub mod spec;
