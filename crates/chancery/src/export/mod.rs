//! `tools export`: the schemas of tools as typed signatures of a language.
//!
//! Law: a pure function of the tools; the same tools in the same order give the same text.

mod ilo;
mod language;
mod python;
mod schema;
mod tool;
mod typescript;

#[cfg(test)]
mod tests;

pub use language::{Language, export};
pub use tool::Tool;
