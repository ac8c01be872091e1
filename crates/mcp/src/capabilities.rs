//! The capabilities that clients and servers declare: reading them, relaying those of a client, and merging those of
//! many servers.

mod claims;
mod client;
mod server;

pub use claims::{claimed_by, claims};
pub use client::{Carry, ClientCapabilities};
pub use server::{ServerCapabilities, merge_servers};

use jsonrpc::Raw;

/// The name of the tasks extension (SEP-2663).
pub const TASKS_EXTENSION: &str = "io.modelcontextprotocol/tasks";

/// Returns an object unchanged, and `{}` for anything else or for one that repeats a key, so that a peer's mistake
/// declares nothing.
fn object_or_empty(raw: Raw) -> Raw {
    if raw.object().is_ok() { raw } else { Raw::object_empty() }
}

/// Returns whether something is declared at `path`: present, and neither `null` nor `false`.
fn declares(raw: &Raw, path: &[&str]) -> bool {
    raw.at(path).is_some_and(|value| !matches!(&value.bytes()[..], b"null" | b"false"))
}

#[cfg(test)]
mod tests;
