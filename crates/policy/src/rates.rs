//! The configured rates: how many calls are admitted in how much time.

use std::collections::BTreeMap;
use std::sync::Arc;
use std::time::Duration;

use model::{PrincipalId, ServerId};

/// A rate: a number of calls in a time. All of them may be made at once; then the allowance is refilled evenly.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Rate {
    /// The number of calls; at least one.
    pub calls: u32,
    /// The time.
    pub per: Duration,
}

/// The configured rate limits. Without an entry there is no limit.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Rates {
    /// The rate of each principal.
    pub principal: Option<Rate>,
    /// The rates of single principals, instead of that.
    pub principals: BTreeMap<PrincipalId, Rate>,
    /// The rate of each server, over all callers.
    pub server: Option<Rate>,
    /// The rates of single servers, instead of that.
    pub servers: BTreeMap<ServerId, Rate>,
    /// The rate of each tool, over all callers.
    pub tool: Option<Rate>,
    /// The rates of single tools, by server and name, instead of that.
    pub tools: BTreeMap<ServerId, BTreeMap<Arc<str>, Rate>>,
}
