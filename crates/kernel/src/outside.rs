//! What the kernel needs from outside: connections, names, and where it remembers things.

use std::fmt;
use std::net::IpAddr;
use std::sync::Arc;

use store::Clock;

use crate::Records;
use crate::cache::OfferCache;
use crate::link::{BoxFuture, Connector};

/// Finds the addresses of names. Implemented by `transport`.
pub trait Resolver: Send + Sync + fmt::Debug {
    /// Every address of a name; none where it has none, or nobody can tell in time.
    fn addresses<'a>(&'a self, name: &'a str) -> BoxFuture<'a, Vec<IpAddr>>;
}

/// Everything from outside.
#[must_use]
pub struct Outside {
    pub(crate) connector: Arc<dyn Connector>,
    pub(crate) cache: Arc<dyn OfferCache>,
    pub(crate) resolver: Arc<dyn Resolver>,
    pub(crate) records: Option<Records>,
    pub(crate) clock: Clock,
}

impl Outside {
    /// A kernel that remembers nothing, and knows the address of no name.
    pub fn new(connector: Arc<dyn Connector>, cache: Arc<dyn OfferCache>) -> Self {
        Self {
            connector,
            cache,
            resolver: Arc::new(Nobody),
            records: None,
            clock: Clock::system(),
        }
    }

    /// The same, which finds the addresses of names in arguments.
    pub fn resolver(self, resolver: Arc<dyn Resolver>) -> Self {
        Self { resolver, ..self }
    }

    /// The same, which remembers.
    pub fn records(self, records: Records) -> Self {
        Self {
            records: Some(records),
            ..self
        }
    }

    /// The same by another clock than the machine's.
    pub fn clock(self, clock: Clock) -> Self {
        Self { clock, ..self }
    }
}

impl fmt::Debug for Outside {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_struct("Outside")
            .field("records", &self.records.is_some())
            .finish_non_exhaustive()
    }
}

/// Knows no name.
#[derive(Debug)]
struct Nobody;

impl Resolver for Nobody {
    fn addresses<'a>(&'a self, _: &'a str) -> BoxFuture<'a, Vec<IpAddr>> {
        Box::pin(std::future::ready(Vec::new()))
    }
}
