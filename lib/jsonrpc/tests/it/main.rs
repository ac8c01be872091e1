//! The crate as its users see it.

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
