//! Families of routes that are mounted, such as the operator API: passes the requests below a root to its [`HttpApi`](kernel::http_api::HttpApi).

use http::header::{self, HeaderValue};
use http::{Response, StatusCode};
use hyper::body::Incoming;
use kernel::front::Credential;
use kernel::http_api::{Answer, Mount, Request, Verb};

use super::answer::Refusal;
use super::head::Head;
use super::intake;
use super::reply::{Reply, Source};
use super::shared::Served;

/// The largest body, such as that of a grant or a decision.
const MAX_BODY: usize = 1024 * 1024;

/// Returns the family that a path belongs to, and the path below its root; `None` for other paths.
pub(super) fn mounted<'a, 'b>(mounts: &'a [Mount], whole: &'b str) -> Option<(&'a Mount, &'b str)> {
    mounts.iter().find_map(|mount| Some((mount, mount.path(whole)?)))
}

/// Answers one request.
pub(super) async fn answer(
    served: &Served,
    parts: &http::request::Parts,
    (mount, path): (&Mount, &str),
    head: &Head<'_>,
    body: Incoming,
    who: Credential,
) -> Result<Response<Reply>, Refusal> {
    let shared = &served.shared;
    let Some(verb) = Verb::parse(parts.method.as_str()) else {
        return Err(Refusal::method_not_allowed("GET, POST, PUT, DELETE"));
    };
    if matches!(verb, Verb::Post | Verb::Put) {
        head.check_json()?;
    }
    let body = intake::body(body, &parts.headers, MAX_BODY.min(shared.limits.max_body), &served.watch).await?;
    let request = Request {
        who,
        verb,
        path: path.to_owned(),
        query: parts.uri.query().map(str::to_owned),
        last_event: head.last_event.clone(),
        body,
    };
    match mount.api.answer(request).await {
        Answer::Whole { status, media, body } => {
            let mut response = Response::new(Reply::whole(body));
            *response.status_mut() = StatusCode::from_u16(status).unwrap_or(StatusCode::INTERNAL_SERVER_ERROR);
            let headers = response.headers_mut();
            headers.insert(header::CONTENT_TYPE, HeaderValue::from_static(media));
            // The answers change, and a new token is shown only once.
            headers.insert(header::CACHE_CONTROL, HeaderValue::from_static("no-store"));
            Ok(response)
        }
        Answer::Events(events) => served.stream(Source::Listening(events)),
    }
}
