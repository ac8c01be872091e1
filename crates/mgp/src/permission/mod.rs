//! Permissions of servers: their names, and the machine by which people are asked and servers are told (§3, D2 to D5).
//!
//! Law: nothing here refuses a call. Policy does, by these decisions and rules (D3), whatever a server does with what it is told.

mod machine;
mod name;
mod policy;
mod settings;
mod settle;
mod standing;
mod wire;

pub use machine::{Connection, Input, Output, Permissions, Reply};
pub use name::{NameError, Remark, STANDARD, Said, Standard, description, read, risk};
pub use policy::ApprovalPolicy;
pub use settings::Settings;
pub use standing::{Basis, Listed, Standing};
pub use wire::{AWAIT, GRANT, TIMEOUT, is_unimplemented};
