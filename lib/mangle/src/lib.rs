//! The Mangle language as a library without I/O: parse, analyse, evaluate within budgets, explain.
//!
//! Law: equal sources, facts, evaluation time and budgets give an equal answer, byte for byte. Nothing here reads a
//! clock, a file or the environment; what an evaluation needs from outside it asks for as an output.
//!
//! A service uses it like this; `examples/requests.rs` shows it from beginning to end:
//! 1. [`syntax::parse`] each source, [`analysis::analyse`] them together, each at its [`analysis::Level`]; show findings with
//!    [`diagnostic::human`].
//! 2. [`eval::Base`] takes the facts that all requests share and freezes them into an [`eval::Snapshot`]. To reload, build another one:
//!    running requests keep theirs.
//! 3. [`eval::Snapshot::request`] gives each request an [`eval::Evaluation`] with its own time, budget and flag: give it facts, run it, answer
//!    its questions. Threads share the snapshot.
//! 4. Read the [`eval::Model`] with [`value::Interner::view`]; ask [`explain::Explainer`] why, and [`explain::coverage`] what rules did.
//!    The error of an evaluation has its place in [`eval::EvalError::finding`].

pub mod analysis;
pub mod builtin;
pub mod diagnostic;
pub mod eval;
pub mod explain;
pub mod program;
pub mod syntax;
pub mod value;
