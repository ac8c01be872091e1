//! Integration tests of the crate's public interface.

mod books;
mod builder;
mod corpus;
mod edits;
mod ids;
mod laws;
mod messages;
mod mutations;
mod properties;
mod values;
