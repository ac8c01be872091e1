//! Integration tests of the language: programs in, facts or findings out.

use cap::Cap;
use mimalloc::MiMalloc;

mod agreement;
mod book;
mod budgets;
mod builtins;
mod cancelling;
mod corpus;
mod damage;
mod diagnostics;
mod embedding;
mod engine;
mod generate;
mod laws;
mod naive;
mod proofs;
mod runaways;
mod sameness;

/// The allocator of the product, wrapped to count what was allocated.
#[global_allocator]
static ALLOCATOR: Cap<MiMalloc> = Cap::new(MiMalloc, usize::MAX);
