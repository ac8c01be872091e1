//! What a tool can do, and how much harm (§4, D6, D33).
//!
//! Law: a server's word makes a tool more dangerous, never less; the one exception is that a trusted server's word that a tool only reads lowers
//! what nobody knows better (DESIGN 7). What can't be read is dangerous.

mod assess;
mod code_safety;
mod declared;
mod definition;
mod write;

pub use assess::{Assessment, Circumstances, Inference, Override, Reason, Source, assess};
pub use code_safety::{CODE_ARGUMENTS, CodeSafety, SafetyLevel};
pub use declared::{Declared, Hints, Place, SideEffect, ToolSecurity, Validator};
pub use definition::{Hidden, hidden, pinned};
pub use write::{strip, with_security};
