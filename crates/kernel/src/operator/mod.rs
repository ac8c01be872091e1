//! What operators do: decide about calls and permissions, grant and revoke, make tokens, read the audit. The operator API, the command line and the
//! gateway's own tools are three ways to it, and there is no other.

mod judged;
mod operations;
mod own_tools;
mod room;

pub use judged::JudgedTool;
pub use operations::{NewGrant, NewToken, Operations, OperatorError, Permissions, TOKEN_PREFIX, Waiting};
pub(crate) use own_tools::OperatorTools;
pub(crate) use room::OperatorRoom;
