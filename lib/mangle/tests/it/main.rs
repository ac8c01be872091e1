//! The language as its users meet it: programs in, facts or findings out.

use std::alloc::System;

use cap::Cap;

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
mod runaways;
mod sameness;

/// Knows how much was allocated.
#[global_allocator]
static ALLOCATOR: Cap<System> = Cap::new(System, usize::MAX);
