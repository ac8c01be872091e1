//! The commands that need the run-time: they make a kernel and a listener of the configuration, and show them to a
//! person.

mod arguments;
mod cache;
mod check;
mod configured;
mod demo;
mod doctor;
mod example;
mod gateway;
mod gateways;
mod in_process;
mod interrupts;
mod look;
mod operate;
mod operator;
mod output;
mod records;
mod reload;
mod remember;
mod risks;
mod serve;
mod settings;
mod sockets;
mod stdio;
mod terminal;
mod tools;

pub use check::{Checked, check};
pub use configured::Configured;
pub use demo::demo;
pub use doctor::doctor;
pub use example::example;
pub use gateways::{gateways, store_of};
pub use operator::{Operate, operate, tail};
pub use records::{audit, existing, store};
pub use remember::MOST as MOST_GATEWAYS;
pub use serve::{serve, serve_unguarded};
pub use stdio::{join, stdio};
pub use tools::tools;
