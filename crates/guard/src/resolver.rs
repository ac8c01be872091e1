//! Resolves the host names in a call's arguments.

use std::fmt;
use std::net::IpAddr;

use runtime::BoxFuture;

/// A resolver of host names. `transport` implements it.
pub trait Resolver: Send + Sync + fmt::Debug {
    /// Returns every address of a name; none where it has none, or no answer comes in time.
    fn addresses<'a>(&'a self, name: &'a str) -> BoxFuture<'a, Vec<IpAddr>>;
}

/// A resolver that knows no name.
#[derive(Debug)]
pub struct NoResolver;

impl Resolver for NoResolver {
    fn addresses<'a>(&'a self, _: &'a str) -> BoxFuture<'a, Vec<IpAddr>> {
        Box::pin(std::future::ready(Vec::new()))
    }
}
