//! Integration tests of the crate's public interface.

mod builder;
mod corpus;
mod edits;
mod ids;
mod laws;
mod messages;
mod mutations;
mod open_requests;
mod properties;
mod values;
