//! The text of programs: tokens, the syntax tree, and printing.

pub mod ast;
mod bounds;
mod lexer;
mod literal;
mod parser;
mod print;
mod source;
mod token;
mod word;

pub use bounds::Bounds;
pub use parser::{Dialect, Parsed, parse, parse_within};
pub use print::format;
pub use source::{Position, Source, Sources, Span, TooLong};
pub use word::Word;
