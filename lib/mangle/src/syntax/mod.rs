//! The text of programs: tokens, the tree they make, and the way back.

pub mod ast;
mod source;

pub use source::{Position, Source, Sources, Span};
