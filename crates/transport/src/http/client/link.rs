//! Streamable HTTP towards a server: one HTTP exchange for each message.

use std::collections::BTreeMap;
use std::sync::{Arc, Weak};
use std::time::Duration;

use model::Secret;
use tokio::time::timeout;
use tokio_util::sync::{CancellationToken, DropGuard};
use upstream::link::{BoxFuture, EventStream, HttpLink, LinkError, OutPost, Reply, ReplyBody};

use super::Dialer;
use super::address::Address;
use super::conn::Conn;
use super::events::Events;
use super::head::{Content, Head};
use super::pool::Pool;
use super::request::{self, Base, Request};
use crate::limits::ClientLimits;

/// The part of an answer that is neither JSON nor events which errors show, in bytes.
const SHOWN: usize = 2048;
/// How long the request that ends a session may take: no caller waits for it.
const END_TIMEOUT: Duration = Duration::from_secs(1);

/// One endpoint and the connections to it.
#[derive(Debug)]
pub(crate) struct Client {
    address: Address,
    base: Base,
    pool: Arc<Pool>,
    max_message: usize,
    _sweeping: DropGuard,
}

impl Client {
    /// Makes the client of one endpoint. It connects when it is used.
    ///
    /// # Errors
    /// When the address or a header isn't one, or TLS can't be set up.
    pub(crate) fn new(
        url: &str,
        headers: &BTreeMap<String, Secret>,
        limits: &ClientLimits,
        dialer: Arc<Dialer>,
    ) -> Result<Self, LinkError> {
        let address = Address::parse(url)?;
        let base = Base::new(&address, headers)?;
        dialer.prepare(&address)?;
        let pool = Arc::new(Pool::new(dialer, limits.max_idle, limits.idle_timeout));
        let sweeping = CancellationToken::new();
        let (weak, period) = (Arc::downgrade(&pool), limits.idle_timeout / 4);
        let stop = sweeping.clone();
        // The task ends with the link, and no caller waits for it.
        tokio::spawn(async move { stop.run_until_cancelled(sweep(weak, period)).await });
        Ok(Self {
            address,
            base,
            pool,
            max_message: limits.max_message,
            _sweeping: sweeping.drop_guard(),
        })
    }

    pub(crate) fn address(&self) -> &Address {
        &self.address
    }

    /// Sends a GET for a stream whose events may be of any type.
    pub(crate) async fn get_events(&self) -> Result<Result<Events, Reply>, LinkError> {
        let request = request::get(&self.address, &self.base, None, None, None)?;
        let (head, conn) = self.pool.send(&self.address, &request).await?;
        if head.status == 200 && head.content == Content::Events {
            return Ok(Ok(self.events(conn)));
        }
        self.read(head, conn).await.map(Err)
    }

    /// Sends a POST with a message to an address of the same origin.
    pub(crate) async fn post_to(&self, address: &Address, post: OutPost) -> Result<Reply, LinkError> {
        let request = request::post(address, &self.base, post)?;
        self.exchange(address, &request).await
    }

    async fn exchange(&self, address: &Address, request: &Request) -> Result<Reply, LinkError> {
        let (head, conn) = self.pool.send(address, request).await?;
        self.read(head, conn).await
    }

    async fn read(&self, head: Head, mut conn: Conn) -> Result<Reply, LinkError> {
        self.refuse(&head)?;
        let body = match head.content {
            Content::Json => {
                let bytes = conn.whole(self.max_message).await?;
                self.pool.put(conn);
                // A 202 of some servers has a type but no body.
                if bytes.is_empty() {
                    ReplyBody::Other(String::new())
                } else {
                    ReplyBody::Json(bytes)
                }
            }
            Content::Events => ReplyBody::Events(EventStream::new(Box::new(self.events(conn)))),
            Content::Other => {
                let start = conn.start(SHOWN).await;
                self.pool.put(conn);
                ReplyBody::Other(start)
            }
        };
        Ok(Reply {
            status: head.status,
            session: head.session,
            body,
        })
    }

    fn events(&self, conn: Conn) -> Events {
        Events::new(conn, Arc::clone(&self.pool), self.max_message)
    }

    fn refuse(&self, head: &Head) -> Result<(), LinkError> {
        if let 300..400 = head.status {
            // Following the redirect would send the configured headers to an address that is not configured.
            let to = head.location.as_deref().unwrap_or_default();
            return Err(LinkError::Address {
                url: self.address.url(),
                why: format!(
                    "it answers {} and redirects to `{to}`; redirects are not followed: configure that address if you trust it",
                    head.status
                ),
            });
        }
        match &head.encoding {
            None => Ok(()),
            Some(encoding) => Err(LinkError::Broken(format!(
                "the answer is encoded as `{encoding}`, which was not asked for"
            ))),
        }
    }
}

impl HttpLink for Client {
    fn post(&self, post: OutPost) -> BoxFuture<'_, Result<Reply, LinkError>> {
        Box::pin(self.post_to(&self.address, post))
    }

    fn listen(&self, session: Option<&str>, revision: &str, last_event: Option<&str>) -> BoxFuture<'_, Result<Reply, LinkError>> {
        let request = request::get(&self.address, &self.base, session, Some(revision), last_event);
        Box::pin(async move { self.exchange(&self.address, &request?).await })
    }

    fn delete(&self, session: &str, revision: &str) -> BoxFuture<'_, ()> {
        let request = request::delete(&self.address, &self.base, session, revision);
        Box::pin(async move {
            if let Ok(request) = request {
                // Whatever the server answers, the session is over for this client.
                drop(timeout(END_TIMEOUT, self.exchange(&self.address, &request)).await);
            }
        })
    }
}

async fn sweep(pool: Weak<Pool>, period: Duration) {
    loop {
        tokio::time::sleep(period.max(Duration::from_millis(10))).await;
        let Some(pool) = pool.upgrade() else { return };
        pool.sweep();
    }
}
