//! The security of tools: declarations, risk and definitions (§4, D6, D33).
//!
//! Law: a server's declaration raises the risk of a tool, and never lowers it, with one exception: if a trusted server declares that a tool only
//! reads, that lowers the risk of a tool about which nothing else is known (DESIGN 7). A tool whose declaration can't be read is dangerous.

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
