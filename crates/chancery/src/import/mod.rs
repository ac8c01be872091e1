//! Imports `mcpServers` files of other clients as tables of the gateway's schema.

mod command;
mod entry;
mod imported;
mod interpolate;
mod read;
mod toml_out;

#[cfg(test)]
mod tests;

pub use command::{Import, run};
pub use imported::{Here, Imported, Note};
pub use read::{read_json, read_text};
pub use toml_out::to_toml;
