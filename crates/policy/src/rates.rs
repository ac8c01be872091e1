//! The configured rates: how many calls are let through in how much time.

use std::collections::BTreeMap;
use std::sync::Arc;
use std::time::Duration;

use model::{PrincipalId, ServerId};

/// So many calls in so much time. All of them may come at once; then they come back evenly.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Rate {
    /// How many; at least one.
    pub calls: u32,
    /// In how much time.
    pub per: Duration,
}

/// The configured limits. Where nothing is said, nothing is limited.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Rates {
    /// Of each principal.
    pub principal: Option<Rate>,
    /// Of some principals, in place of that.
    pub principals: BTreeMap<PrincipalId, Rate>,
    /// Of each server, whoever calls.
    pub server: Option<Rate>,
    /// Of some servers, in place of that.
    pub servers: BTreeMap<ServerId, Rate>,
    /// Of each tool, whoever calls.
    pub tool: Option<Rate>,
    /// Of some tools, by server and name, in place of that.
    pub tools: BTreeMap<ServerId, BTreeMap<Arc<str>, Rate>>,
}
