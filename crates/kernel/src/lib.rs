//! The kernel, in which cores, guard, servers and catalogue are combined: requests of callers, the faces of MCP clients, and the operations of
//! operators.
//!
//! [`Kernel`] is the public handle. Listeners pass it clients' messages through [`front::Front`]; a kind of caller that is not an MCP client
//! implements [`Port`]. Law: nothing leaves without a permit of the one choke point, which is in the crate `guard`.

#![forbid(unsafe_code)]

mod calls;
mod dependencies;
mod faces;
pub mod front;
pub mod http_api;
mod kernel;
mod mgp_offer;
pub mod operator;
mod own_server;
mod servers;
mod settings;
mod status;
mod views;

pub use calls::{Asker, Caller, Calls, Port};
pub use dependencies::Dependencies;
pub use guard::{Alert, Records, Resolver, Security, ServerSecurity, Subject};
pub use kernel::Kernel;
pub use runtime::BoxFuture;
pub use settings::Settings;
pub use status::{ServerStatus, ToolStatus};
pub use upstream::{Health, NoCache, OfferCache, Unavailable, link, spec};
