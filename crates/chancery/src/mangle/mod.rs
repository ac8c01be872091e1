//! `chancery mangle …`: commands for Mangle programs, without a gateway. Each command has a file.

mod args;
mod bench;
mod check;
mod deadline;
mod dispatch;
mod evaluate;
mod exit;
mod external;
mod facts;
mod fmt;
mod graph;
mod load;
mod lsp;
mod output;
mod repl;
mod run;
mod test;
mod why;

pub use args::Command;
pub use dispatch::dispatch;
