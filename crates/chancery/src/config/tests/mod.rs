//! Configuration, from texts to problems and servers.

mod diagnostics;
mod docs;
mod lookup;
mod secrets;
mod security;
mod servers;
mod values;
