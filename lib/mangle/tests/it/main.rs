//! The language as its users meet it: programs in, facts or findings out.

mod agreement;
mod book;
mod budgets;
mod builtins;
mod cancelling;
mod corpus;
mod damage;
mod diagnostics;
mod engine;
mod generate;
mod laws;
mod naive;
mod proofs;
mod sameness;
