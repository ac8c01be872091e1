//! Who speaks MGP, which version, and which extensions (§2).
//!
//! Law: nothing of MGP is said to a client that did not ask for it, and nothing is asked of a server that did not declare it. What a peer declares
//! twice in different words, or not as §2 has it, is not declared: such a connection is plain MCP, with a [`Warning`] that says why.

mod declaration;
mod error;
mod extension;
mod offer;
mod version;
mod warning;

pub use declaration::{Carrier, Declaration, without};
pub use error::DeclarationError;
pub use extension::{Extension, ExtensionSet};
pub use offer::{Agreement, Offer, Outcome};
pub use version::{Fit, Version};
pub use warning::Warning;
