//! The schema: every key with its type, default and meaning, once, for the reader, its suggestions, the reference and the JSON schema.
//!
//! Each table has a file. The comment above a key is its text in the reference.

pub mod alert;
pub mod audit;
pub mod gateway;
pub mod grant;
mod key;
pub mod limits;
mod literal;
pub mod mgp;
pub mod policy;
pub mod rates;
pub mod root;
mod section;
pub mod server;
pub mod server_policy;
mod setting;
pub mod store;
pub mod tls;
pub mod tool;

pub use key::{Key, Kind, Section, Shape};
pub use literal::Literal;
pub use root::sections;
pub use setting::{Preset, Setting, Typed};
