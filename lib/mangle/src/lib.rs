//! The Mangle language as a library without I/O: parse, analyse, evaluate within budgets, explain.
//!
//! Law: same sources, same facts, same evaluation time and budgets, same answer, byte for byte. Nothing here
//! reads a clock, a file or the environment; what an evaluation needs from outside it asks for as an output.

pub mod analysis;
pub mod builtin;
pub mod diagnostic;
pub mod eval;
pub mod explain;
pub mod program;
pub mod syntax;
pub mod value;
