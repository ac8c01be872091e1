//! Rate limits: how many calls a principal may make, and a server and a tool may get. They are separate from the policy, because each call changes
//! them.
//!
//! One instant for each key is enough (the generic cell rate algorithm): the time at which all admitted calls would have been admitted evenly.
//! Instants are those of the machine's monotonic clock.

use std::collections::BTreeMap;
use std::sync::Arc;
use std::time::{Duration, Instant};

use model::{PrincipalId, ServerId};

use crate::action::shown;
use crate::{Rate, Rates, Reason};

/// The number of keys of a kind that are counted at most.
const MOST_KEYS: usize = 16_384;

/// The limits, with the counts of admitted calls.
#[derive(Debug, Default)]
pub struct Limits {
    rates: Rates,
    principals: Cells<PrincipalId>,
    servers: Cells<ServerId>,
    tools: Cells<(ServerId, Arc<str>)>,
}

/// The cells of one kind of key: for each key the time at which it is idle again.
#[derive(Debug)]
struct Cells<K> {
    idle_at: BTreeMap<K, Instant>,
    /// The time at which the first key is idle, if there are too many keys. Before that no search for idle keys is made.
    full_until: Option<Instant>,
}

impl<K> Default for Cells<K> {
    fn default() -> Self {
        Self {
            idle_at: BTreeMap::new(),
            full_until: None,
        }
    }
}

impl Limits {
    /// Creates limits without counts.
    #[must_use]
    pub fn new(rates: Rates) -> Self {
        Self { rates, ..Self::default() }
    }

    /// Replaces the rates. The counts stay.
    pub fn set(&mut self, rates: Rates) {
        self.rates = rates;
    }

    /// Counts an incoming call for its principal, even if it will be denied.
    ///
    /// # Errors
    /// When the principal exceeds its rate: [`Reason::RateLimited`].
    pub fn arrives(&mut self, now: Instant, principal: &PrincipalId) -> Result<(), Reason> {
        let Some(rate) = self.rates.principals.get(principal).copied().or(self.rates.principal) else {
            return Ok(());
        };
        let take = self.principals.check(now, principal, rate);
        let at = take.map_err(|wait| limited(format!("`{principal}`"), rate, wait))?;
        self.principals.set(principal.clone(), at);
        Ok(())
    }

    /// Counts a call for its server and its tool, after policy has allowed it: denied calls do not use up the rates that others need.
    ///
    /// # Errors
    /// When the server or the tool exceeds its rate: [`Reason::RateLimited`]. Then the call counts for neither.
    pub fn leaves(&mut self, now: Instant, server: &ServerId, tool: &str) -> Result<(), Reason> {
        let of_server = self.rates.servers.get(server).copied().or(self.rates.server);
        let of_tool = self
            .rates
            .tools
            .get(server)
            .and_then(|tools| tools.get(tool))
            .copied()
            .or(self.rates.tool);
        let server_at = of_server.map(|rate| {
            let checked = self.servers.check(now, server, rate);
            checked.map_err(|wait| limited(format!("`{server}`"), rate, wait))
        });
        let server_at = server_at.transpose()?;
        if let Some(rate) = of_tool {
            let key = (server.clone(), Arc::from(tool));
            let checked = self.tools.check(now, &key, rate);
            let at = checked.map_err(|wait| limited(format!("`{server}/{}`", shown(tool)), rate, wait))?;
            self.tools.set(key, at);
        }
        if let Some(at) = server_at {
            self.servers.set(server.clone(), at);
        }
        Ok(())
    }
}

impl<K: Ord> Cells<K> {
    /// Returns the time at which the key will be idle after one more call now, or how long the call has to wait.
    fn check(&mut self, now: Instant, key: &K, rate: Rate) -> Result<Instant, Duration> {
        let each = rate.per / rate.calls.max(1);
        let idle_at = match self.idle_at.get(key) {
            Some(at) => (*at).max(now),
            None => {
                self.has_room(now)?;
                now
            }
        };
        let after = idle_at + each;
        let most = now + each * rate.calls.max(1);
        match after.checked_duration_since(most) {
            Some(wait) if !wait.is_zero() => Err(wait),
            _ => Ok(after),
        }
    }

    fn set(&mut self, key: K, idle_at: Instant) {
        self.idle_at.insert(key, idle_at);
    }

    /// Makes room for one more key by removing idle ones, which changes no answer; the error is the time to wait.
    fn has_room(&mut self, now: Instant) -> Result<(), Duration> {
        if self.idle_at.len() < MOST_KEYS {
            return Ok(());
        }
        if let Some(until) = self.full_until.filter(|until| *until > now) {
            return Err(until - now);
        }
        self.idle_at.retain(|_, at| *at > now);
        self.full_until = match self.idle_at.len() < MOST_KEYS {
            true => None,
            false => self.idle_at.values().min().copied(),
        };
        self.full_until.map_or(Ok(()), |until| Err(until - now))
    }
}

fn limited(of: String, rate: Rate, wait: Duration) -> Reason {
    let millis = |time: Duration| u64::try_from(time.as_nanos().div_ceil(1_000_000)).unwrap_or(u64::MAX);
    Reason::RateLimited {
        of,
        limit: rate.calls,
        per_ms: millis(rate.per),
        retry_after_ms: millis(wait),
    }
}
