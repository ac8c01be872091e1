//! The negotiation of MGP: versions and extensions (§2).
//!
//! Law: no client that did not ask for MGP gets anything of it, and no server that did not declare it is asked anything of it. A contradictory or
//! invalid declaration counts as none: such a connection is plain MCP, with a [`Warning`] that says why.

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
