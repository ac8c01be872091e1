//! Every method and notification of every revision in both directions, and how the gateway treats it.

mod info;
mod list;
mod table;

pub use info::{MethodInfo, MethodKind, Route, Side, is_cacheable, may_ask};
pub use list::ListKind;
pub use table::{METHODS, lookup, named};

#[cfg(test)]
mod tests;
