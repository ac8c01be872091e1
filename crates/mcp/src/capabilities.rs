//! What clients and servers declare that they can do: views, what may be relayed, and what many servers offer together.

mod claims;
mod client;
mod server;

pub use claims::{claimed_by, claims};
pub use client::{Carry, ClientCapabilities};
pub use server::{ServerCapabilities, merge_servers};

use jsonrpc::Raw;

/// The tasks extension (SEP-2663).
pub const TASKS_EXTENSION: &str = "io.modelcontextprotocol/tasks";

/// The object itself; `{}` for anything else and for one that repeats a key, so that a peer's mistake declares nothing.
fn object_or_empty(raw: Raw) -> Raw {
    if raw.object().is_ok() { raw } else { Raw::object_empty() }
}

/// Whether something is declared at `path`: present, and neither `null` nor `false`.
fn declares(raw: &Raw, path: &[&str]) -> bool {
    raw.at(path).is_some_and(|value| !matches!(&value.bytes()[..], b"null" | b"false"))
}

#[cfg(test)]
mod tests;
