//! JSON with comments and trailing commas, as editors keep their settings: read with places, changed without touching the rest.

mod edit;
mod parse;
mod wrong;

#[cfg(test)]
mod tests;

pub use edit::{EditError, remove, set};
pub use parse::parse;
