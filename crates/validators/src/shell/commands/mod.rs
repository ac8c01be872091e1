//! What is known of each command: a table of rows, and rules of their own for the few that need them.

mod build;
mod containers;
mod dangerous;
mod files;
mod find;
mod git;
mod known;
mod options;
mod run;
mod stream;
mod table;
mod wrap;

pub(crate) use dangerous::danger_of;
pub(crate) use options::{Argument, UNKNOWN, simple};
pub(crate) use table::{Kind, is_known, row_of};

use super::walk::Judge;

/// The rules of one command: its name is the first argument.
pub(crate) type Special = fn(&mut Judge<'_>, &[Argument]);
