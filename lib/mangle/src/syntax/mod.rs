//! The text of programs: tokens, the tree they make, and the way back.

pub mod ast;
mod lexer;
mod literal;
mod parser;
mod print;
mod source;
mod token;

pub use parser::{Dialect, Parsed, parse};
pub use print::format;
pub use source::{Position, Source, Sources, Span, TooLong};
