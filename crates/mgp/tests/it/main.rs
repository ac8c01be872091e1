//! Tests of MGP's rules by the public interface: tables, transcripts, goldens and properties, named after the rows and decisions that they show.

mod audit;
mod errors;
mod kernel_tools;
mod laws;
mod negotiation;
mod peers;
mod permissions;
mod properties;
mod redaction;
mod retry;
mod schema;
mod tools;

use jsonrpc::{Limits, Raw};

/// Returns the JSON of a test.
fn raw(text: &str) -> Raw {
    Raw::parse(text.to_owned(), &Limits::default()).expect("JSON")
}

/// Returns the path of a file of `tests/it/data`.
fn data(name: &str) -> std::path::PathBuf {
    std::path::PathBuf::from(env!("CARGO_MANIFEST_DIR"))
        .join("tests/it/data")
        .join(name)
}
