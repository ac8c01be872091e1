//! The dependencies of the kernel: connections, name resolution, the cache and the store.

use std::fmt;
use std::sync::Arc;

use guard::{NoResolver, Records, Resolver};
use store::Clock;
use upstream::OfferCache;
use upstream::link::Connector;

/// Everything that the kernel depends on and does not create itself.
#[must_use]
pub struct Dependencies {
    pub(crate) connector: Arc<dyn Connector>,
    pub(crate) cache: Arc<dyn OfferCache>,
    pub(crate) resolver: Arc<dyn Resolver>,
    pub(crate) records: Option<Records>,
    pub(crate) clock: Clock,
}

impl Dependencies {
    /// Returns the dependencies of a kernel without a store and without name resolution.
    pub fn new(connector: Arc<dyn Connector>, cache: Arc<dyn OfferCache>) -> Self {
        Self {
            connector,
            cache,
            resolver: Arc::new(NoResolver),
            records: None,
            clock: Clock::system(),
        }
    }

    /// Adds the resolver of host names in arguments.
    pub fn resolver(self, resolver: Arc<dyn Resolver>) -> Self {
        Self { resolver, ..self }
    }

    /// Adds the store and its content.
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
