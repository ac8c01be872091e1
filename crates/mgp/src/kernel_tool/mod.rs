//! The tools of the kernel that concern security: what is listed, what their arguments mean, and what they answer (§5.4, D10, D14 to D17, D29).
//!
//! Law: who calls comes from the connection. An argument names whom an operation is about, and only an operator may name somebody else (D14).

mod answer;
mod arguments;
mod definition;
mod operation;

pub use answer::{AccessSource, AccessState, Replay, decided, granted, permissions, result, revoked};
pub use definition::{KernelTool, SERVER, is_reserved};
pub use operation::{AccessGrant, AccessQuery, AccessRevoke, AuditReplay, Decisions, Operation, PermissionDecide, PermissionList, parse};
