//! The handlers of requests.

pub(crate) mod access;
pub(crate) mod approvals;
pub(crate) mod audit;
mod named;
pub(crate) mod permissions;
pub(crate) mod tokens;
pub(crate) mod tools;
