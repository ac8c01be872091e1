//! `control.db`: who may do what, in SQLite, changed by one thread.

mod apply;
mod meaning;
mod open;
mod outbox;
mod read;
mod row;
mod schema;
mod thread;

pub(crate) use open::{copy, open, verify};
pub(crate) use thread::Control;

#[cfg(test)]
mod tests;
