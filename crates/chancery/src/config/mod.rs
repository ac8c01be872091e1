//! The configuration: from files to one immutable, validated [`Config`].
//!
//! Law: nothing here prints, and no error or `Debug` output contains a secret or the value of a variable.

mod audit;
mod choice;
mod digest;
mod expand;
mod fields;
mod gateway;
mod grants;
mod hide;
mod load;
mod mask;
mod merge;
mod node;
mod places;
mod problem;
mod project;
mod quantity;
pub mod reference;
pub mod schema;
mod security;
mod server;
mod server_security;
mod source;
mod sources;
mod trust;
mod watch;

#[cfg(test)]
mod tests;

pub use choice::LogFormat;
pub use digest::{Digest, of_bytes};
pub use expand::{Env, ExpandError, Piece, expand, is_literal, pieces};
pub use fields::nearest;
pub use gateway::{Gateway, Limits, Places, Tls, Token};
pub use hide::arguments as shown_arguments;
pub use load::{Loaded, load, reload};
pub use mask::names_secret;
pub use merge::{Config, check_server, load_text};
pub use node::{Entry, Node, Value, parse_toml};
pub use places::{home, project_config, replace_file, state_dir, user_config};
pub use problem::{Problem, Problems, Severity};
pub use project::question;
pub use quantity::{address, age};
pub use security::Store;
pub use server::{check_url, starts_gateway};
pub use source::{Place, Source};
pub use sources::{Origin, Sources};
pub use trust::{Known, Question, Trust, Trusted};
pub use watch::Watch;
