//! The canned upstream over Streamable HTTP: one endpoint, answers as `application/json`, no streams.

use std::convert::Infallible;
use std::net::Ipv4Addr;
use std::sync::Arc;
use std::sync::atomic::{AtomicU64, Ordering};

use bytes::buf::Chain;
use bytes::{Buf, Bytes};
use http::header::{CONTENT_TYPE, HeaderName, HeaderValue};
use http::{Method, Response, StatusCode};
use http_body_util::{BodyExt, Full};
use hyper::body::Incoming;
use hyper::server::conn::http1;
use hyper::service::service_fn;
use hyper_util::rt::TokioIo;
use tokio::net::TcpListener;

use super::server::{Refusal, Reply, Server};
use crate::envelope::{Era, Request, SESSION_HEADER, VERSION_HEADER};

/// A body in two pieces, so that a large result is written without a copy.
type Body = Full<Chain<Bytes, Bytes>>;

/// Serves `server` on a free port of the loopback interface until the process is killed.
pub(super) fn serve(server: Server) -> anyhow::Result<()> {
    let runtime = tokio::runtime::Builder::new_current_thread().enable_io().build()?;
    runtime.block_on(async {
        let listener = TcpListener::bind((Ipv4Addr::LOCALHOST, 0)).await?;
        crate::output::print_line(&format!("http://{}/mcp", listener.local_addr()?))?;
        let face = Arc::new(Face {
            server,
            sessions: AtomicU64::new(0),
        });
        loop {
            let (stream, _) = listener.accept().await?;
            stream.set_nodelay(true)?;
            let face = Arc::clone(&face);
            tokio::spawn(async move {
                let service = service_fn(|request| face.serve(request));
                // An error of the connection needs no handling: the driver reports what it missed.
                http1::Builder::new().serve_connection(TokioIo::new(stream), service).await
            });
        }
    })
}

/// The server behind HTTP. Sessions are counted and not stored: any id that looks like one is accepted.
#[derive(Debug)]
struct Face {
    server: Server,
    sessions: AtomicU64,
}

impl Face {
    async fn serve(&self, request: http::Request<Incoming>) -> Result<Response<Body>, Infallible> {
        let (head, body) = request.into_parts();
        if head.uri.path() != "/mcp" {
            return Ok(empty(StatusCode::NOT_FOUND));
        }
        match head.method {
            Method::POST => {}
            Method::DELETE if self.server.offer.has(Era::Legacy) => return Ok(empty(StatusCode::OK)),
            _ => return Ok(empty(StatusCode::METHOD_NOT_ALLOWED)),
        }
        let Ok(body) = body.collect().await else {
            return Ok(empty(StatusCode::BAD_REQUEST));
        };
        let body = body.to_bytes();
        let Ok(request) = serde_json::from_slice::<Request<'_>>(&body) else {
            return Ok(refused(Refusal::new(400, -32700, "parse error"), "null"));
        };
        Ok(self.answer(&head.headers, &request))
    }

    fn answer(&self, headers: &http::HeaderMap, request: &Request<'_>) -> Response<Body> {
        let id = request.id.map_or("null", |id| id.get());
        if request.method == "initialize" {
            return self.open(request, id);
        }
        let era = match self.server.era_of(headers.get(VERSION_HEADER).map(HeaderValue::as_bytes)) {
            Ok(era) => era,
            Err(refusal) => return refused(refusal, id),
        };
        // 2025-11-25 basic/transports: a server that needs a session answers 400 without one.
        if era == Era::Legacy && !headers.contains_key(SESSION_HEADER) {
            return refused(Refusal::new(400, -32000, "bad request: no valid session id"), id);
        }
        match self.server.reply(request, era) {
            Reply::Result(answer) | Reply::Changed(answer) => json(StatusCode::OK, answer.for_id(id)),
            Reply::Refusal(refusal) => refused(refusal, id),
            Reply::Accepted => empty(StatusCode::ACCEPTED),
        }
    }

    /// Answers `initialize`, which opens a session.
    fn open(&self, request: &Request<'_>, id: &str) -> Response<Body> {
        match self.server.reply(request, Era::Legacy) {
            Reply::Result(answer) | Reply::Changed(answer) => {
                let session = format!("bench-{}", self.sessions.fetch_add(1, Ordering::Relaxed));
                let session = HeaderValue::try_from(session).expect("letters, a hyphen and digits");
                let mut response = json(StatusCode::OK, answer.for_id(id));
                response.headers_mut().insert(HeaderName::from_static(SESSION_HEADER), session);
                response
            }
            Reply::Refusal(refusal) => refused(refusal, id),
            Reply::Accepted => empty(StatusCode::ACCEPTED),
        }
    }
}

fn refused(refusal: Refusal, id: &str) -> Response<Body> {
    let status = StatusCode::from_u16(refusal.status).expect("refusals have valid statuses");
    json(status, Bytes::from(refusal.for_id(id)).chain(Bytes::new()))
}

fn json(status: StatusCode, body: Chain<Bytes, Bytes>) -> Response<Body> {
    let mut response = Response::new(Full::new(body));
    *response.status_mut() = status;
    response
        .headers_mut()
        .insert(CONTENT_TYPE, HeaderValue::from_static("application/json"));
    response
}

fn empty(status: StatusCode) -> Response<Body> {
    let mut response = Response::new(Full::new(Bytes::new().chain(Bytes::new())));
    *response.status_mut() = status;
    response
}
