//! The operator API: passes requests below `/api/v1` to the [`HttpApi`].

use http::header::{self, HeaderValue};
use http::{Response, StatusCode};
use hyper::body::Incoming;
use kernel::front::Credential;
use kernel::http_api::{Answer, ROOT, Request, Verb};

use super::answer::Refusal;
use super::head::Head;
use super::intake;
use super::reply::{Reply, Source};
use super::shared::Served;

/// The largest body, such as that of a grant or a decision.
const MAX_BODY: usize = 1024 * 1024;

/// Returns the path below the API's root; `None` for other paths.
pub(super) fn path(whole: &str) -> Option<&str> {
    let rest = whole.strip_prefix(ROOT)?;
    (rest.is_empty() || rest.starts_with('/')).then_some(rest)
}

/// Answers one request.
pub(super) async fn answer(
    served: &Served,
    parts: &http::request::Parts,
    path: &str,
    head: &Head<'_>,
    body: Incoming,
    who: Credential,
) -> Result<Response<Reply>, Refusal> {
    let shared = &served.shared;
    let Some(api) = &shared.api else {
        return Err(Refusal::new(StatusCode::NOT_FOUND, "this gateway serves no operator API"));
    };
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
    match api.answer(request).await {
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
