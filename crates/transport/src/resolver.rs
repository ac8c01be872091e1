//! Resolves the host names in arguments, in the same way in which a connection would.

use std::net::IpAddr;

use kernel::Resolver;
use upstream::link::BoxFuture;

/// A resolver that asks the system.
#[derive(Clone, Copy, Debug)]
pub struct SystemResolver;

impl Resolver for SystemResolver {
    fn addresses<'a>(&'a self, name: &'a str) -> BoxFuture<'a, Vec<IpAddr>> {
        Box::pin(async move {
            let found = tokio::net::lookup_host((name, 0)).await;
            found.map(|found| found.map(|address| address.ip()).collect()).unwrap_or_default()
        })
    }
}
