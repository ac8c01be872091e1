//! The security tools of the kernel: their definitions, arguments and answers (§5.4, D10, D14 to D17, D29).
//!
//! Law: the caller is known from the connection. An argument names the principal that an operation is about, and only an operator may name another
//! one (D14).

mod answer;
mod arguments;
mod definition;
mod operation;

pub use answer::{AccessSource, AccessState, Replay, decided, granted, permissions, result, revoked};
pub use definition::{KernelTool, SERVER, is_reserved};
pub use operation::{AccessGrant, AccessQuery, AccessRevoke, AuditReplay, Decisions, Operation, PermissionDecide, PermissionList, parse};
