//! A bare reverse proxy on hyper: headers read, bodies passed on as received, connections pooled.
//!
//! It does what any HTTP intermediary must do and nothing else. The additional cost of the gateway is the cost of MCP.

use std::net::Ipv4Addr;
use std::pin::Pin;
use std::sync::{Arc, Mutex, PoisonError};
use std::task::{Context as TaskContext, Poll, ready};

use anyhow::Context;
use bytes::Bytes;
use http::header::{self, HeaderMap, HeaderName, HeaderValue};
use http::uri::PathAndQuery;
use http::{Request, Response, StatusCode, Uri};
use http_body_util::{Either, Full};
use hyper::body::{Body, Frame, Incoming, SizeHint};
use hyper::client::conn::http1::SendRequest;
use hyper::server::conn::http1;
use hyper::service::service_fn;
use hyper_util::rt::TokioIo;
use tokio::net::{TcpListener, TcpStream};

/// Options of `bench-peer proxy`.
#[derive(Debug, clap::Args)]
pub(crate) struct Args {
    /// The endpoint to forward to
    #[arg(long)]
    upstream: Uri,
    /// Worker threads; without it, the runtime decides as it does for the gateway
    #[arg(long)]
    workers: Option<usize>,
}

/// Serves on a free port of the loopback interface until the process is killed.
pub(crate) fn run(args: &Args) -> anyhow::Result<()> {
    let mut runtime = tokio::runtime::Builder::new_multi_thread();
    if let Some(workers) = args.workers {
        runtime.worker_threads(workers);
    }
    runtime.enable_all().build()?.block_on(serve(&args.upstream))
}

async fn serve(upstream: &Uri) -> anyhow::Result<()> {
    let proxy = Arc::new(Proxy::new(upstream)?);
    let listener = TcpListener::bind((Ipv4Addr::LOCALHOST, 0)).await?;
    crate::output::print_line(&format!("http://{}{}", listener.local_addr()?, upstream.path()))?;
    loop {
        let (stream, _) = listener.accept().await?;
        stream.set_nodelay(true)?;
        let proxy = Arc::clone(&proxy);
        tokio::spawn(async move {
            let service = service_fn(|request| proxy.forward(request));
            http1::Builder::new().serve_connection(TokioIo::new(stream), service).await
        });
    }
}

/// A body from the upstream, or our own text when there is none.
type Answer = Either<Streamed, Full<Bytes>>;

/// The proxy with its upstream.
#[derive(Debug)]
struct Proxy {
    authority: String,
    host: HeaderValue,
    pool: Arc<Pool>,
}

impl Proxy {
    fn new(upstream: &Uri) -> anyhow::Result<Self> {
        let authority = upstream.authority().context("the upstream needs a host and a port")?.to_string();
        Ok(Self {
            host: HeaderValue::from_str(&authority)?,
            authority,
            pool: Arc::default(),
        })
    }

    async fn forward(&self, request: Request<Incoming>) -> Result<Response<Answer>, http::Error> {
        match self.ask(request).await {
            Ok(response) => Ok(response.map(Either::Left)),
            Err(error) => Response::builder()
                .status(StatusCode::BAD_GATEWAY)
                .body(Either::Right(Full::from(format!("no answer from the upstream: {error:#}")))),
        }
    }

    async fn ask(&self, request: Request<Incoming>) -> anyhow::Result<Response<Streamed>> {
        let (mut head, body) = request.into_parts();
        if head.uri.authority().is_some() {
            head.uri = head
                .uri
                .path_and_query()
                .cloned()
                .unwrap_or_else(|| PathAndQuery::from_static("/"))
                .into();
        }
        strip_hop_by_hop(&mut head.headers);
        head.headers.insert(header::HOST, self.host.clone());
        let mut sender = self.connection().await?;
        let (mut head, body) = sender.send_request(Request::from_parts(head, body)).await?.into_parts();
        strip_hop_by_hop(&mut head.headers);
        Ok(Response::from_parts(head, Streamed::new(body, sender, &self.pool)))
    }

    /// Returns an idle connection that still lives, or a new one.
    async fn connection(&self) -> anyhow::Result<SendRequest<Incoming>> {
        while let Some(mut sender) = self.pool.take() {
            if sender.ready().await.is_ok() {
                return Ok(sender);
            }
        }
        let stream = TcpStream::connect(&self.authority).await?;
        stream.set_nodelay(true)?;
        let (sender, connection) = hyper::client::conn::http1::handshake(TokioIo::new(stream)).await?;
        // An error of the connection shows as the error of the request that it breaks.
        tokio::spawn(connection);
        Ok(sender)
    }
}

/// The idle connections to the upstream; the one that was used last is used next. There are never more than the clients
/// once had requests in flight.
#[derive(Debug, Default)]
struct Pool {
    idle: Mutex<Vec<SendRequest<Incoming>>>,
}

impl Pool {
    fn take(&self) -> Option<SendRequest<Incoming>> {
        self.idle.lock().unwrap_or_else(PoisonError::into_inner).pop()
    }

    fn give(&self, sender: SendRequest<Incoming>) {
        self.idle.lock().unwrap_or_else(PoisonError::into_inner).push(sender);
    }
}

/// A body that is being forwarded, which returns its connection to the pool when it ends. If it is dropped earlier, its
/// connection is closed.
#[derive(Debug)]
struct Streamed {
    body: Incoming,
    connection: Option<(SendRequest<Incoming>, Arc<Pool>)>,
}

impl Streamed {
    fn new(body: Incoming, sender: SendRequest<Incoming>, pool: &Arc<Pool>) -> Self {
        let mut streamed = Self {
            body,
            connection: Some((sender, Arc::clone(pool))),
        };
        streamed.give_back_at_end();
        streamed
    }

    fn give_back_at_end(&mut self) {
        if self.body.is_end_stream()
            && let Some((sender, pool)) = self.connection.take()
        {
            pool.give(sender);
        }
    }
}

impl Body for Streamed {
    type Data = Bytes;
    type Error = hyper::Error;

    fn poll_frame(mut self: Pin<&mut Self>, cx: &mut TaskContext<'_>) -> Poll<Option<Result<Frame<Bytes>, hyper::Error>>> {
        let frame = ready!(Pin::new(&mut self.body).poll_frame(cx));
        self.give_back_at_end();
        Poll::Ready(frame)
    }

    fn is_end_stream(&self) -> bool {
        self.body.is_end_stream()
    }

    fn size_hint(&self) -> SizeHint {
        self.body.size_hint()
    }
}

/// The headers that concern one connection and are never forwarded (RFC 9110 §7.6.1).
const HOP_BY_HOP: [HeaderName; 6] = [
    header::CONNECTION,
    header::PROXY_AUTHENTICATE,
    header::TE,
    header::TRAILER,
    header::TRANSFER_ENCODING,
    header::UPGRADE,
];

fn strip_hop_by_hop(headers: &mut HeaderMap) {
    if let Some(named) = headers.get(header::CONNECTION) {
        let named = named.to_str().unwrap_or_default().to_owned();
        for name in named.split(',') {
            headers.remove(name.trim());
        }
    }
    for name in &HOP_BY_HOP {
        headers.remove(name);
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn what_speaks_of_the_connection_stays_behind() {
        let mut headers = HeaderMap::new();
        for (name, value) in [
            ("connection", "x-hop, close"),
            ("x-hop", "1"),
            ("te", "trailers"),
            ("mcp-session-id", "s"),
        ] {
            headers.insert(name, HeaderValue::from_static(value));
        }
        strip_hop_by_hop(&mut headers);
        assert_eq!(headers.keys().collect::<Vec<_>>(), ["mcp-session-id"]);
    }
}
