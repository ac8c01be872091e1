//! The health of a server, and when it may be tried again: a value that takes the time as an argument.

use std::time::{Duration, Instant};

use crate::backoff::Backoff;
use crate::unavailable::Unavailable;

/// The lifetime from which a connection counts as a good one: the next failure then restarts the back-off.
const GOOD_LIFE: Duration = Duration::from_secs(10);

/// The health of a server.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum Health {
    /// It was not needed yet.
    Configured,
    /// Its offer is known from an earlier process.
    Known,
    /// It is connected.
    Started,
    /// It cannot be used, and why.
    Error(Unavailable),
}

/// The health of one server over time.
#[derive(Debug)]
pub(crate) struct HealthRecord {
    health: Health,
    backoff: Backoff,
    retry_at: Option<Instant>,
    /// The reason why its lists could not be read completely the last time; none if they were.
    trouble: Option<String>,
    /// The time at which a list first waited for it.
    waited_since: Option<Instant>,
}

impl HealthRecord {
    /// Returns the record of a server that was not needed yet, or cannot be started as it is configured.
    pub(crate) fn new(unusable: Option<&String>) -> Self {
        Self {
            health: unusable.map_or(Health::Configured, |why| Health::Error(Unavailable::lasting(why.clone()))),
            backoff: Backoff::new(Duration::from_millis(500), Duration::from_secs(60)),
            retry_at: None,
            trouble: None,
            waited_since: None,
        }
    }

    pub(crate) fn health(&self) -> &Health {
        &self.health
    }

    pub(crate) fn is_error(&self) -> bool {
        matches!(self.health, Health::Error(_))
    }

    pub(crate) fn trouble(&self) -> Option<&String> {
        self.trouble.as_ref()
    }

    /// Notes why its lists could not be read, or that they were.
    pub(crate) fn set_trouble(&mut self, why: Option<String>) {
        self.trouble = why;
    }

    /// Returns when the server may be tried again; none when it may be now.
    pub(crate) fn retry_at(&self) -> Option<Instant> {
        self.retry_at
    }

    /// Refuses an attempt during the back-off after a failed one.
    pub(crate) fn check_backoff(&self, now: Instant) -> Result<(), Unavailable> {
        match (&self.health, self.retry_at) {
            (Health::Error(error), Some(at)) if now < at => {
                let wait = (at - now).as_secs_f32();
                Err(Unavailable::new(format!("{error} (tried again in {wait:.1} s)")))
            }
            _ => Ok(()),
        }
    }

    /// Notes that its offer is known from an earlier process.
    pub(crate) fn remembered(&mut self) {
        if self.health == Health::Configured {
            self.health = Health::Known;
        }
    }

    /// Notes that it is connected.
    pub(crate) fn came_up(&mut self) {
        self.waited_since = None;
        self.health = Health::Started;
        self.retry_at = None;
    }

    /// Notes a failed attempt. Returns whether it failed for another reason than before; a repeated reason is not reported again.
    pub(crate) fn went_down(&mut self, now: Instant, error: &Unavailable) -> bool {
        let wait = self.backoff.next();
        self.retry_at = error.transient.then(|| now + wait);
        let is_news = !matches!(&self.health, Health::Error(before) if before.why == error.why);
        self.health = Health::Error(error.clone());
        is_news
    }

    /// Notes that a connection, made at `since`, ended by itself.
    pub(crate) fn lost(&mut self, now: Instant, since: Instant, error: Unavailable) {
        if now.saturating_duration_since(since) >= GOOD_LIFE {
            self.backoff.reset();
        }
        self.retry_at = Some(now + self.backoff.next());
        self.health = Health::Error(error);
    }

    /// Returns what is left of the time that lists wait for this server. It is counted once, from the first list that needs it: a server that hangs
    /// costs one client the wait, not each of them.
    pub(crate) fn patience(&mut self, now: Instant, startup_wait: Duration) -> Duration {
        let since = *self.waited_since.get_or_insert(now);
        (since + startup_wait).saturating_duration_since(now)
    }
}

#[cfg(test)]
mod tests;
