//! The kept-alive connections of one link.

use std::sync::{Arc, Mutex, PoisonError};
use std::time::Duration;

use upstream::link::LinkError;

use super::Dialer;
use super::address::Address;
use super::conn::{Conn, SendFailure};
use super::head::Head;
use super::request::Request;

/// The idle connections of one link; the one that was used last is used next.
#[derive(Debug)]
pub(crate) struct Pool {
    dialer: Arc<Dialer>,
    idle: Mutex<Vec<Conn>>,
    max_idle: usize,
    idle_timeout: Duration,
}

impl Pool {
    pub(crate) fn new(dialer: Arc<Dialer>, max_idle: usize, idle_timeout: Duration) -> Self {
        Self {
            dialer,
            idle: Mutex::new(Vec::new()),
            max_idle,
            idle_timeout,
        }
    }

    /// Sends a request on a kept connection or a new one. A kept one that turns out to be closed before anything was
    /// sent is replaced.
    ///
    /// # Errors
    /// `Unreachable` when nothing was sent, `Broken` when something may have been.
    pub(crate) async fn send(&self, address: &Address, request: &Request) -> Result<(Head, Conn), LinkError> {
        loop {
            let kept = self.take();
            let is_new = kept.is_none();
            let mut conn = match kept {
                Some(conn) => conn,
                None => Conn::new(self.dialer.dial(address).await?, self.idle_timeout),
            };
            let in_flight = match &request.permit {
                Some(permit) => Some(permit.begin().ok_or(LinkError::Withdrawn)?),
                None => None,
            };
            match conn.send(request, in_flight).await {
                Ok(head) => return Ok((head, conn)),
                Err(SendFailure { sent: false, .. }) if !is_new => {}
                Err(SendFailure { sent: false, why }) => return Err(LinkError::Unreachable(why)),
                Err(SendFailure { sent: true, why }) => return Err(LinkError::Broken(why)),
            }
        }
    }

    fn take(&self) -> Option<Conn> {
        loop {
            let mut conn = self.idle.lock().unwrap_or_else(PoisonError::into_inner).pop()?;
            if conn.is_usable() {
                return Some(conn);
            }
        }
    }

    /// Keeps a connection whose answer was read to its end; drops another.
    pub(crate) fn put(&self, mut conn: Conn) {
        conn.rest();
        if conn.is_usable() {
            let mut idle = self.idle.lock().unwrap_or_else(PoisonError::into_inner);
            if idle.len() < self.max_idle {
                idle.push(conn);
            }
        }
    }

    /// Closes the connections that have been idle too long, or that the server has closed.
    pub(crate) fn sweep(&self) {
        let mut kept = std::mem::take(&mut *self.idle.lock().unwrap_or_else(PoisonError::into_inner));
        kept.retain_mut(Conn::is_usable);
        kept.iter_mut().for_each(Conn::shrink);
        let mut idle = self.idle.lock().unwrap_or_else(PoisonError::into_inner);
        // Connections that were put back meanwhile are younger and are used first.
        kept.append(&mut idle);
        let too_many = kept.len().saturating_sub(self.max_idle);
        kept.drain(..too_many);
        *idle = kept;
    }
}
