//! What a server may do: permissions by name, and the machine that has people asked and servers told (§3, D2 to D5).
//!
//! Law: nothing here holds a call back. Policy does, by the same decisions and the same rules (D3: whatever a server makes of what it is told).

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
