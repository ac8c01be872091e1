//! The endpoint: routes each HTTP request to its handler.

use std::net::SocketAddr;
use std::sync::Arc;
use std::time::Duration;

use bytes::Bytes;
use http::request::Parts;
use http::{HeaderMap, HeaderValue, Method, Request, Response, StatusCode, header};
use http_body_util::{BodyExt, LengthLimitError, Limited};
use hyper::body::Incoming;
use jsonrpc::{DecodeError, ErrorObject, Frame, Limits, decode};
use tokio::sync::Semaphore;
use tokio_util::sync::CancellationToken;

use super::PATH;
use super::body::{Body, refuse};
use super::guard::Guard;
use super::mirrors;
use super::sessions::Sessions;
use crate::core::Core;
use crate::era::{Era, Eras, LEGACY};
use crate::keys;

/// The largest body, in bytes.
const MAX_BODY: usize = 16 * 1024 * 1024;
/// How long a client may take to send a body.
const BODY_TIMEOUT: Duration = Duration::from_secs(60);
/// How many modern requests may be in progress at once.
const MAX_EXCHANGES: usize = 1024;

/// A response that ends the processing of a request early.
pub(crate) type Stop = Box<Response<Body>>;

pub(crate) type Decoded = Result<Frame, DecodeError>;

/// The state that all connections share.
#[derive(Debug)]
pub(crate) struct Endpoint {
    pub(crate) core: Arc<Core>,
    pub(crate) sessions: Sessions,
    pub(crate) stop: CancellationToken,
    pub(crate) places: Arc<Semaphore>,
    guard: Guard,
}

impl Endpoint {
    pub(crate) fn new(core: Arc<Core>, bound: SocketAddr, stop: CancellationToken) -> Self {
        let sessions = Sessions::new(Arc::clone(&core), stop.clone());
        Self {
            core,
            sessions,
            stop,
            places: Arc::new(Semaphore::new(MAX_EXCHANGES)),
            guard: Guard::new(bound),
        }
    }

    pub(crate) async fn answer(&self, request: Request<Incoming>) -> Response<Body> {
        let (parts, body) = request.into_parts();
        if parts.uri.path() != PATH {
            return plain(StatusCode::NOT_FOUND, &format!("the endpoint is `{PATH}`"));
        }
        if let Err((status, why)) = self.guard.check(&parts.headers) {
            return plain(status, why);
        }
        let legacy = self.core.eras.has(Era::Legacy);
        match parts.method {
            Method::POST => self.post(&parts, body).await,
            Method::GET if legacy => self.get(&parts.headers),
            Method::DELETE if legacy => self.delete(&parts.headers),
            _ => self.not_allowed(),
        }
    }

    async fn post(&self, parts: &Parts, body: Incoming) -> Response<Body> {
        if let Err(response) = check_types(&parts.headers) {
            return *response;
        }
        let frame = match read(body).await {
            Ok(bytes) => decode(
                bytes,
                &Limits {
                    max_bytes: MAX_BODY,
                    ..Limits::default()
                },
            ),
            Err(response) => return *response,
        };
        match self.era_of(&parts.headers, &frame) {
            Era::Modern => self.post_modern(&parts.headers, frame).await,
            Era::Legacy => self.post_legacy(&parts.headers, frame).await,
        }
    }

    /// Returns the era of a request: modern if its `_meta`, or a revision in its header that no legacy client would
    /// send, shows it.
    fn era_of(&self, headers: &HeaderMap, frame: &Decoded) -> Era {
        match self.core.eras {
            Eras::Legacy => Era::Legacy,
            Eras::Modern => Era::Modern,
            Eras::Both => {
                let in_body = matches!(frame, Ok(Frame::One(one)) if one.params().is_some_and(|params| params.at(&["_meta", keys::REVISION]).is_some()));
                let shown = headers.get(mirrors::REVISION).and_then(|value| value.to_str().ok());
                let in_header = shown.is_some_and(|revision| !LEGACY.contains(&revision)) && !headers.contains_key(SESSION);
                if in_body || in_header { Era::Modern } else { Era::Legacy }
            }
        }
    }

    fn not_allowed(&self) -> Response<Body> {
        let mut response = plain(StatusCode::METHOD_NOT_ALLOWED, "that method is not served here");
        let allowed = if self.core.eras.has(Era::Legacy) {
            "POST, GET, DELETE"
        } else {
            "POST"
        };
        response.headers_mut().insert(header::ALLOW, HeaderValue::from_static(allowed));
        response
    }
}

/// The header that names a legacy session.
pub(crate) const SESSION: &str = "mcp-session-id";

/// Returns an HTTP error outside any request.
pub(crate) fn plain(status: StatusCode, why: &str) -> Response<Body> {
    refuse(status, None, &ErrorObject::invalid_request(why))
}

/// Checks that the client sends JSON and accepts both JSON and event streams.
fn check_types(headers: &HeaderMap) -> Result<(), Stop> {
    let content = headers
        .get(header::CONTENT_TYPE)
        .and_then(|value| value.to_str().ok())
        .unwrap_or_default();
    let essence = content.split(';').next().unwrap_or_default().trim();
    if !essence.eq_ignore_ascii_case("application/json") {
        return Err(Box::new(plain(
            StatusCode::UNSUPPORTED_MEDIA_TYPE,
            "the `Content-Type` must be application/json",
        )));
    }
    if accepts(headers, "application/json") && accepts(headers, "text/event-stream") {
        return Ok(());
    }
    Err(Box::new(plain(
        StatusCode::NOT_ACCEPTABLE,
        "`Accept` must list application/json and text/event-stream",
    )))
}

/// Returns whether `Accept` admits `wanted`; without the header, everything is admitted.
pub(crate) fn accepts(headers: &HeaderMap, wanted: &str) -> bool {
    let mut listed = headers
        .get_all(header::ACCEPT)
        .iter()
        .filter_map(|value| value.to_str().ok())
        .peekable();
    if listed.peek().is_none() {
        return true;
    }
    let family = wanted.split_once('/').map_or("", |(family, _)| family);
    listed.flat_map(|value| value.split(',')).any(|range| {
        let range = range.split(';').next().unwrap_or_default().trim();
        range == "*/*" || range.eq_ignore_ascii_case(wanted) || range.strip_suffix("/*").is_some_and(|of| of.eq_ignore_ascii_case(family))
    })
}

async fn read(body: Incoming) -> Result<Bytes, Stop> {
    let (status, why) = match tokio::time::timeout(BODY_TIMEOUT, Limited::new(body, MAX_BODY).collect()).await {
        Ok(Ok(collected)) => return Ok(collected.to_bytes()),
        Ok(Err(error)) if error.is::<LengthLimitError>() => (StatusCode::PAYLOAD_TOO_LARGE, "the body is larger than 16 MiB"),
        Ok(Err(_broken)) => (StatusCode::BAD_REQUEST, "the body could not be read"),
        Err(_elapsed) => (StatusCode::REQUEST_TIMEOUT, "the body did not come in time"),
    };
    Err(Box::new(plain(status, why)))
}
