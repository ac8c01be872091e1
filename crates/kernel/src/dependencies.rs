//! What the kernel depends on: connections, names, and where it remembers things.

use std::fmt;
use std::sync::Arc;

use guard::{NoResolver, Records, Resolver};
use store::Clock;
use upstream::OfferCache;
use upstream::link::Connector;

/// Everything that the kernel depends on and does not make itself.
#[must_use]
pub struct Dependencies {
    pub(crate) connector: Arc<dyn Connector>,
    pub(crate) cache: Arc<dyn OfferCache>,
    pub(crate) resolver: Arc<dyn Resolver>,
    pub(crate) records: Option<Records>,
    pub(crate) clock: Clock,
}

impl Dependencies {
    /// Makes the dependencies of a kernel that remembers nothing, and knows the address of no name.
    pub fn new(connector: Arc<dyn Connector>, cache: Arc<dyn OfferCache>) -> Self {
        Self {
            connector,
            cache,
            resolver: Arc::new(NoResolver),
            records: None,
            clock: Clock::system(),
        }
    }

    /// Adds what finds the addresses of names in arguments.
    pub fn resolver(self, resolver: Arc<dyn Resolver>) -> Self {
        Self { resolver, ..self }
    }

    /// Adds what the kernel remembers.
    pub fn records(self, records: Records) -> Self {
        Self {
            records: Some(records),
            ..self
        }
    }

    /// Replaces the machine's clock.
    pub fn clock(self, clock: Clock) -> Self {
        Self { clock, ..self }
    }
}

impl fmt::Debug for Dependencies {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_struct("Dependencies")
            .field("records", &self.records.is_some())
            .finish_non_exhaustive()
    }
}
