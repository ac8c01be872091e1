//! The parts of a request's body that a transport repeats in headers, so that intermediaries can route without parsing
//! (2026-07-28 basic/transports/streamable-http).

mod check;
mod params;
mod sentinel;

pub use check::{mirrors_for, validate, validate_envelope};
pub use params::{ParamHeaders, invalid_tool};
pub use sentinel::{decode, encode};

/// The values that mirror parts of a modern request's body, not decoded: as they were on the wire, without outer white
/// space.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Mirrors {
    /// `MCP-Protocol-Version`
    pub revision: Option<String>,
    /// `Mcp-Method`
    pub method: Option<String>,
    /// `Mcp-Name`
    pub name: Option<String>,
    /// `Mcp-Param-{Name}`: the names without the prefix, as spelled, and their values, in order.
    pub params: Vec<(String, String)>,
}

#[cfg(test)]
mod tests;
