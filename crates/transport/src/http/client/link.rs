//! Streamable HTTP towards a server: an exchange a message.

use std::collections::BTreeMap;
use std::sync::{Arc, Weak};
use std::time::Duration;

use http::header::{self, HeaderMap, HeaderValue};
use http::{Method, Request, Response};
use hyper::body::Incoming;
use kernel::link::{BoxFuture, EventStream, HttpLink, LinkError, OutPost, Reply, ReplyBody};
use model::Secret;
use tokio::time::timeout;
use tokio_util::sync::{CancellationToken, DropGuard};
use tokio_util::task::TaskTracker;

use super::address::Address;
use super::events::Events;
use super::pool::{Conn, Pool};
use super::{Dialer, body, request};
use crate::http::once::Once;
use crate::http::{media, names};
use crate::limits::ClientLimits;

/// How much of an answer that is neither JSON nor events is shown in errors, in bytes.
const SHOWN: usize = 2048;
/// How long the end of a session may take: nobody waits for it.
const FAREWELL: Duration = Duration::from_secs(5);

/// One endpoint and the connections to it.
#[derive(Debug)]
pub(crate) struct Client {
    address: Address,
    base: HeaderMap,
    pool: Arc<Pool>,
    max_message: usize,
    _sweeping: DropGuard,
}

impl Client {
    /// A client of one endpoint. Connects when it is used.
    ///
    /// # Errors
    /// When the address or a header isn't one, or TLS can't be set up.
    pub(crate) fn new(
        url: &str,
        headers: &BTreeMap<String, Secret>,
        limits: &ClientLimits,
        dialer: Arc<Dialer>,
        tasks: &TaskTracker,
    ) -> Result<Self, LinkError> {
        let address = Address::parse(url)?;
        let base = request::base(&address, headers)?;
        dialer.prepare(&address)?;
        let pool = Arc::new(Pool::new(dialer, limits.max_idle, limits.idle_timeout));
        let sweeping = CancellationToken::new();
        let (weak, period) = (Arc::downgrade(&pool), limits.idle_timeout / 4);
        let stop = sweeping.clone();
        tasks.spawn(async move { stop.run_until_cancelled(sweep(weak, period)).await });
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

    /// GETs the stream of a session.
    pub(crate) async fn get(&self, session: Option<&str>, revision: Option<&str>, last_event: Option<&str>) -> Result<Reply, LinkError> {
        let (request, address) = (self.get_request(session, revision, last_event)?, &self.address);
        self.exchange(address, request).await
    }

    /// GETs a stream whose events may be of any type.
    pub(crate) async fn get_events(&self) -> Result<Result<Events, Reply>, LinkError> {
        let request = self.get_request(None, None, None)?;
        let (response, conn) = self.pool.send(&self.address, request).await?;
        if response.status() == http::StatusCode::OK && content(&response) == Content::Events {
            return Ok(Ok(Events::new(
                response.into_body(),
                conn,
                Arc::clone(&self.pool),
                self.max_message,
            )));
        }
        self.read(response, conn).await.map(Err)
    }

    fn get_request(&self, session: Option<&str>, revision: Option<&str>, last_event: Option<&str>) -> Result<Request<Once>, LinkError> {
        let mut request = request::bare(Method::GET, &self.address, &self.base);
        let headers = request.headers_mut();
        headers.insert(header::ACCEPT, HeaderValue::from_static(names::EVENT_STREAM));
        headers.insert(header::CACHE_CONTROL, HeaderValue::from_static("no-cache"));
        request::set(headers, names::SESSION_ID, session)?;
        request::set(headers, names::PROTOCOL_VERSION, revision)?;
        request::set(headers, names::LAST_EVENT_ID, last_event)?;
        Ok(request)
    }

    /// POSTs a message to an address of the same origin.
    pub(crate) async fn post_to(&self, address: &Address, post: OutPost) -> Result<Reply, LinkError> {
        let request = request::post(address, &self.base, post)?;
        self.exchange(address, request).await
    }

    async fn exchange(&self, address: &Address, request: Request<Once>) -> Result<Reply, LinkError> {
        let (response, conn) = self.pool.send(address, request).await?;
        self.read(response, conn).await
    }

    async fn read(&self, response: Response<Incoming>, mut conn: Conn) -> Result<Reply, LinkError> {
        self.refuse_redirect(&response)?;
        refuse_encoding(&response)?;
        let status = response.status().as_u16();
        let text = |name| {
            response
                .headers()
                .get(name)
                .and_then(|value| value.to_str().ok())
                .map(str::to_owned)
        };
        let session = text(names::SESSION_ID);
        let content = content(&response);
        let incoming = response.into_body();
        let body = match content {
            Content::Json => {
                let bytes = body::whole(incoming, &mut conn, self.max_message).await?;
                self.pool.put(conn);
                // A 202 of some servers has a type but no body.
                if bytes.is_empty() {
                    ReplyBody::Other(String::new())
                } else {
                    ReplyBody::Json(bytes)
                }
            }
            Content::Events => ReplyBody::Events(EventStream::new(Box::new(Events::new(
                incoming,
                conn,
                Arc::clone(&self.pool),
                self.max_message,
            )))),
            Content::Other => {
                let (start, ended) = body::start(incoming, &mut conn, SHOWN).await;
                if ended {
                    self.pool.put(conn);
                }
                ReplyBody::Other(start)
            }
        };
        Ok(Reply { status, session, body })
    }

    fn refuse_redirect(&self, response: &Response<Incoming>) -> Result<(), LinkError> {
        if !response.status().is_redirection() {
            return Ok(());
        }
        let to = response
            .headers()
            .get(header::LOCATION)
            .map(|to| String::from_utf8_lossy(to.as_bytes()).into_owned());
        Err(LinkError::Address {
            url: self.address.url(),
            // Following it would send the configured headers to an address that nobody configured.
            why: format!(
                "it answers {} and redirects to `{}`; redirects are not followed: configure that address if you trust it",
                response.status().as_u16(),
                to.unwrap_or_default()
            ),
        })
    }
}

impl HttpLink for Client {
    fn post(&self, post: OutPost) -> BoxFuture<'_, Result<Reply, LinkError>> {
        Box::pin(self.post_to(&self.address, post))
    }

    fn listen(&self, session: Option<&str>, revision: &str, last_event: Option<&str>) -> BoxFuture<'_, Result<Reply, LinkError>> {
        let owned = |text: Option<&str>| text.map(str::to_owned);
        let (session, revision, last_event) = (owned(session), revision.to_owned(), owned(last_event));
        Box::pin(async move { self.get(session.as_deref(), Some(&revision), last_event.as_deref()).await })
    }

    fn delete(&self, session: &str, revision: &str) -> BoxFuture<'_, ()> {
        let mut request = request::bare(Method::DELETE, &self.address, &self.base);
        let headers = request.headers_mut();
        let set = request::set(headers, names::SESSION_ID, Some(session))
            .and_then(|()| request::set(headers, names::PROTOCOL_VERSION, Some(revision)));
        Box::pin(async move {
            if set.is_ok() {
                // Whatever the server makes of it, the session is over for us.
                drop(timeout(FAREWELL, self.exchange(&self.address, request)).await);
            }
        })
    }
}

#[derive(Clone, Copy, PartialEq, Eq)]
enum Content {
    Json,
    Events,
    Other,
}

fn content(response: &Response<Incoming>) -> Content {
    match response.headers().get(header::CONTENT_TYPE).map(HeaderValue::as_bytes) {
        Some(kind) if media::is(kind, names::JSON) => Content::Json,
        Some(kind) if media::is(kind, names::EVENT_STREAM) => Content::Events,
        _ => Content::Other,
    }
}

fn refuse_encoding(response: &Response<Incoming>) -> Result<(), LinkError> {
    match response.headers().get(header::CONTENT_ENCODING).map(HeaderValue::as_bytes) {
        None | Some(b"" | b"identity") => Ok(()),
        Some(encoding) => Err(LinkError::Broken(format!(
            "the answer is encoded as `{}`, which was not asked for",
            String::from_utf8_lossy(encoding)
        ))),
    }
}

async fn sweep(pool: Weak<Pool>, period: Duration) {
    loop {
        tokio::time::sleep(period.max(Duration::from_millis(10))).await;
        let Some(pool) = pool.upgrade() else { return };
        pool.sweep();
    }
}
