//! The only place where cores, policy and catalogue meet: it owns the clients, the servers, and every request between them.
//!
//! [`Kernel`] is the public handle. Listeners hand it what clients say through [`front::Front`]; it reaches servers through
//! [`link::Connector`]. Law: nothing leaves without a permit of the one choke point, `gate`.

#![forbid(unsafe_code)]

mod backoff;
mod bridge;
mod cache;
mod client;
mod credential;
mod departure;
pub mod desk;
mod drained;
mod exchange;
pub mod front;
mod gate;
mod guard;
mod hub;
mod inner;
mod kernel;
mod kernel_tools;
pub mod link;
mod listening;
mod lists;
mod metrics;
mod negotiated;
pub mod office;
mod outside;
mod parked;
mod resources;
mod retry;
mod seal;
mod security;
mod settings;
mod sha256;
pub mod spec;
mod status;
mod tasks;
mod trace;
mod upstream;
mod views;

pub use cache::{NoCache, OfferCache};
pub use kernel::Kernel;
pub use outside::{Outside, Resolver};
pub use security::{Alert, Records, Security, ServerSecurity};
pub use settings::Settings;
pub use status::{ServerStatus, ToolStatus};
pub use upstream::Unavailable;
pub use upstream::server::Health;

/// The time, for deadlines and durations. The one place where the kernel reads the clock.
pub(crate) fn now() -> std::time::Instant {
    tokio::time::Instant::now().into_std()
}
