//! The gateway's binary as a library: command line, configuration, telemetry, and the code that connects them.
//!
//! Law: only this crate names both the kernel and what implements its traits, and only its `main` prints.

#![forbid(unsafe_code)]

mod builtin;
pub mod cli;
pub mod clients;
pub mod config;
pub mod connect;
pub mod dispatch;
mod event;
pub mod export;
pub mod import;
pub mod jsonc;
pub mod mangle;
pub mod run;
pub mod telemetry;
mod words;
