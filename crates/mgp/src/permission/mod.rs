//! What a server may do: permissions by name, and the machine that asks for them, tells the server and holds its calls back (§3, D2 to D5).

mod gate;
mod machine;
mod name;
mod policy;
mod settle;
mod standing;
mod wire;

pub use machine::{Connection, Input, Output, Permissions, Reply};
pub use name::{NameError, Remark, STANDARD, Said, Standard, description, read, risk};
pub use policy::{ApprovalPolicy, Settings};
pub use standing::{Basis, Listed, Standing};
pub use wire::{AWAIT, GRANT, TIMEOUT, is_unimplemented};
