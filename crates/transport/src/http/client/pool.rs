//! Kept-alive connections of one link. Each is driven by the task that uses it, which saves two wake-ups an exchange.

use std::fmt;
use std::future::poll_fn;
use std::pin::Pin;
use std::sync::{Arc, Mutex, PoisonError};
use std::task::{Context, Poll, Waker};
use std::time::{Duration, Instant};

use http::{HeaderMap, Request, Response};
use hyper::body::Incoming;
use hyper::client::conn::http1;
use hyper_util::rt::TokioIo;
use kernel::link::LinkError;

use super::Dialer;
use super::address::Address;
use crate::http::gate::Gate;
use crate::http::names;
use crate::http::once::Once;
use crate::http::stream::Stream;

/// One connection.
pub(crate) struct Conn {
    sender: http1::SendRequest<Once>,
    driver: Pin<Box<http1::Connection<TokioIo<Stream>, Once>>>,
    closed: bool,
    gate: Gate,
    idle_since: Instant,
    /// How long the server keeps it, where that is shorter than we would.
    idle_for: Duration,
}

/// Why a request was not answered.
pub(crate) struct SendFailure {
    /// The request, where nothing of it was sent.
    pub(crate) unsent: Option<Request<Once>>,
    pub(crate) why: String,
}

impl Conn {
    async fn open(stream: Stream, idle_for: Duration) -> Result<Self, LinkError> {
        let (sender, driver) = http1::handshake(TokioIo::new(stream))
            .await
            .map_err(|error| LinkError::Unreachable(chain(&error)))?;
        Ok(Self {
            sender,
            driver: Box::pin(driver),
            closed: false,
            gate: Gate::new(),
            idle_since: Instant::now(),
            idle_for,
        })
    }

    /// Polls what this connection brings, moving its bytes as often as `poll` asks for more. Nothing of it wakes anybody else.
    pub(crate) fn poll_with<T>(&mut self, cx: &mut Context<'_>, mut poll: impl FnMut() -> Poll<T>) -> Poll<T> {
        let (driver, closed) = (&mut self.driver, &mut self.closed);
        self.gate.poll(cx, |cx| {
            let polled = poll();
            if polled.is_ready() || *closed {
                return polled;
            }
            *closed = driver.as_mut().poll(cx).is_ready();
            poll()
        })
    }

    /// Sends a request and waits for the head of the answer.
    pub(crate) async fn send(&mut self, request: Request<Once>) -> Result<Response<Incoming>, SendFailure> {
        let mut answer = std::pin::pin!(self.sender.try_send_request(request));
        let (driver, closed, gate) = (&mut self.driver, &mut self.closed, &self.gate);
        let answered = poll_fn(|cx| {
            gate.poll(cx, |cx| {
                if !*closed {
                    *closed = driver.as_mut().poll(cx).is_ready();
                }
                // Only the driver can have brought the answer, so that it needn't wake us as well.
                answer.as_mut().poll(&mut Context::from_waker(Waker::noop()))
            })
        });
        let response = answered.await.map_err(|mut error| SendFailure {
            unsent: error.take_message(),
            why: chain(&error.into_error()),
        })?;
        self.note_keep_alive(response.headers());
        Ok(response)
    }

    /// `Keep-Alive: timeout=5` is how Node's servers say when they will close: leave a second before that, so that no request crosses the end.
    fn note_keep_alive(&mut self, headers: &HeaderMap) {
        let Some(value) = headers.get(names::KEEP_ALIVE).and_then(|value| value.to_str().ok()) else {
            return;
        };
        let timeout = value.split(',').find_map(|part| part.trim().strip_prefix("timeout="));
        if let Some(seconds) = timeout.and_then(|digits| digits.parse::<u64>().ok()) {
            self.idle_for = self.idle_for.min(Duration::from_secs(seconds.saturating_sub(1)));
        }
    }

    /// Whether another request can be sent now. Until then, while it is idle, nobody waits for it.
    fn is_usable(&mut self) -> bool {
        if !self.closed {
            let driver = &mut self.driver;
            self.closed = self.gate.glance(|cx| driver.as_mut().poll(cx).is_ready());
        }
        !self.closed && self.sender.is_ready()
    }
}

impl fmt::Debug for Conn {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_struct("Conn").field("closed", &self.closed).finish_non_exhaustive()
    }
}

/// The idle connections of one link.
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

    /// Sends a request on a kept connection or a new one. A kept one that turns out to be closed before anything was sent is replaced.
    ///
    /// # Errors
    /// `Unreachable` when nothing was sent, `Broken` when something may have been.
    pub(crate) async fn send(&self, address: &Address, mut request: Request<Once>) -> Result<(Response<Incoming>, Conn), LinkError> {
        loop {
            let kept = self.take();
            let is_new = kept.is_none();
            let mut conn = match kept {
                Some(conn) => conn,
                None => Conn::open(self.dialer.dial(address).await?, self.idle_timeout).await?,
            };
            match conn.send(request).await {
                Ok(response) => return Ok((response, conn)),
                Err(SendFailure { unsent: Some(unsent), .. }) if !is_new => request = unsent,
                Err(SendFailure { unsent: Some(_), why }) => return Err(LinkError::Unreachable(why)),
                Err(SendFailure { unsent: None, why }) => return Err(LinkError::Broken(why)),
            }
        }
    }

    /// The connection that was used last, if it still stands.
    fn take(&self) -> Option<Conn> {
        loop {
            let mut conn = self.idle.lock().unwrap_or_else(PoisonError::into_inner).pop()?;
            if conn.idle_since.elapsed() < conn.idle_for && conn.is_usable() {
                return Some(conn);
            }
        }
    }

    /// Keeps a connection whose answer was read to its end.
    pub(crate) fn put(&self, mut conn: Conn) {
        if !conn.is_usable() {
            return;
        }
        conn.idle_since = Instant::now();
        let mut idle = self.idle.lock().unwrap_or_else(PoisonError::into_inner);
        if idle.len() < self.max_idle {
            idle.push(conn);
        }
    }

    /// Closes what has been idle too long, or was closed by the server.
    pub(crate) fn sweep(&self) {
        let mut kept = std::mem::take(&mut *self.idle.lock().unwrap_or_else(PoisonError::into_inner));
        kept.retain_mut(|conn| conn.idle_since.elapsed() < conn.idle_for && conn.is_usable());
        let mut idle = self.idle.lock().unwrap_or_else(PoisonError::into_inner);
        let room = self.max_idle.saturating_sub(idle.len());
        // What came back meanwhile is younger and is taken first.
        let newer = idle.split_off(0);
        kept.drain(..kept.len().saturating_sub(room));
        *idle = kept;
        idle.extend(newer);
    }
}

/// An error with its causes, which hold what matters.
pub(crate) fn chain(error: &dyn std::error::Error) -> String {
    let mut text = error.to_string();
    let mut cause = error.source();
    while let Some(error) = cause {
        text.push_str(": ");
        text.push_str(&error.to_string());
        cause = error.source();
    }
    text
}
