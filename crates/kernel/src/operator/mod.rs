//! The operations of operators: they decide about calls and permissions, grant and revoke, create tokens, and read the audit. The operator API, the
//! command line and the gateway's own tools are the only three ways to them.

mod judged;
mod operations;
mod own_tools;
mod room;

pub use judged::JudgedTool;
pub use operations::{NewGrant, NewToken, Operations, OperatorError, Permissions, TOKEN_PREFIX, Waiting};
pub(crate) use own_tools::OperatorTools;
pub(crate) use room::OperatorRoom;
