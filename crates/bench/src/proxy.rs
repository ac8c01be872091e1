//! A bare reverse proxy on hyper: headers read, bodies passed on as they come, connections pooled.
//!
//! It does what any HTTP intermediary must do and nothing else. What the gateway costs beyond it is what MCP costs.

use std::net::Ipv4Addr;
use std::sync::Arc;

use anyhow::Context;
use bytes::Bytes;
use http::header::{self, HeaderMap, HeaderName, HeaderValue};
use http::uri::{Authority, PathAndQuery, Scheme};
use http::{Request, Response, StatusCode, Uri};
use http_body_util::{Either, Full};
use hyper::body::Incoming;
use hyper::server::conn::http1;
use hyper::service::service_fn;
use hyper_util::client::legacy::Client;
use hyper_util::client::legacy::connect::HttpConnector;
use hyper_util::rt::{TokioExecutor, TokioIo};
use tokio::net::TcpListener;

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
    crate::print_line(&format!("http://{}{}", listener.local_addr()?, upstream.path()))?;
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

/// A body from the upstream, or our own words when there is none.
type Body = Either<Incoming, Full<Bytes>>;

/// Where requests go.
#[derive(Debug)]
struct Proxy {
    client: Client<HttpConnector, Incoming>,
    authority: Authority,
    host: HeaderValue,
}

impl Proxy {
    fn new(upstream: &Uri) -> anyhow::Result<Self> {
        let authority = upstream.authority().context("the upstream needs a host and a port")?.clone();
        let mut connector = HttpConnector::new();
        connector.set_nodelay(true);
        Ok(Self {
            client: Client::builder(TokioExecutor::new()).build(connector),
            host: HeaderValue::from_str(authority.as_str())?,
            authority,
        })
    }

    async fn forward(&self, request: Request<Incoming>) -> Result<Response<Body>, http::Error> {
        let (mut head, body) = request.into_parts();
        let path = head.uri.path_and_query().cloned().unwrap_or_else(|| PathAndQuery::from_static("/"));
        head.uri = Uri::builder()
            .scheme(Scheme::HTTP)
            .authority(self.authority.clone())
            .path_and_query(path)
            .build()?;
        strip_hop_by_hop(&mut head.headers);
        head.headers.insert(header::HOST, self.host.clone());
        match self.client.request(Request::from_parts(head, body)).await {
            Ok(response) => {
                let (mut head, body) = response.into_parts();
                strip_hop_by_hop(&mut head.headers);
                Ok(Response::from_parts(head, Either::Left(body)))
            }
            Err(error) => Response::builder()
                .status(StatusCode::BAD_GATEWAY)
                .body(Either::Right(Full::from(format!("no answer from the upstream: {error}")))),
        }
    }
}

/// Headers that speak of one connection and never travel further (RFC 9110 §7.6.1).
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
