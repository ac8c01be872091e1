//! The shapes of requests and answers: each is declared once, and both its wire form and its schema follow from the type.
//!
//! The documentation of a type and of its fields is the text of the OpenAPI document.

pub(crate) mod access;
pub(crate) mod approvals;
pub(crate) mod audit;
mod both;
pub(crate) mod permissions;
pub(crate) mod tokens;
pub(crate) mod tools;
pub(crate) mod values;
