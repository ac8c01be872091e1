//! The rules for each command: a table of rows, and functions for the few that need their own.

mod build;
mod containers;
mod dangerous;
mod files;
mod find;
mod git;
mod known;
mod options;
mod row;
mod run;
mod stream;
mod table;
mod wrap;

pub(crate) use dangerous::danger_of;
pub(crate) use options::simple;
pub(crate) use row::Kind;
pub(crate) use table::{is_known, row_of};
