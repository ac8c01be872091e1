//! Routes one request: checks its principal, finds what it asks for, and answers.

use std::convert::Infallible;
use std::sync::Arc;

use http::header::{self, HeaderValue};
use http::{Method, Request, Response, StatusCode};
use hyper::body::Incoming;
use kernel::front::{Answer, Credential, InPost, Listen};

use super::answer::{self, MCP_METHODS, Refusal};
use super::head::{Accepts, Head};
use super::reply::{Reply, Source};
use super::shared::Served;
use super::watch::Phase;
use super::{intake, operate};

/// Answers a request.
pub(crate) async fn respond(served: Arc<Served>, request: Request<Incoming>) -> Result<Response<Reply>, Infallible> {
    served.watch.enter(Phase::Answer);
    let mut response = match probe(&served, &request) {
        Some(response) => response,
        None => admitted(&served, request).await,
    };
    response.body_mut().of(Arc::clone(&served.watch));
    Ok(response)
}

/// Answers the probes that need no token: whether the gateway lives, and whether it can serve.
fn probe(served: &Served, request: &Request<Incoming>) -> Option<Response<Reply>> {
    const TEXT: &str = "text/plain; charset=utf-8";
    let response = match request.uri().path() {
        "/healthz" => answer::text(StatusCode::OK, TEXT, "alive\n".to_owned()),
        "/readyz" => match served.shared.front.ready() {
            Ok(()) => answer::text(StatusCode::OK, TEXT, "ready\n".to_owned()),
            Err(why) => answer::text(StatusCode::SERVICE_UNAVAILABLE, TEXT, why + "\n"),
        },
        _ => return None,
    };
    Some(match *request.method() {
        Method::GET | Method::HEAD => response,
        _ => Refusal::method_not_allowed("GET, HEAD").into_response(),
    })
}

/// Answers requests that need access, from web pages only of allowed origins.
async fn admitted(served: &Served, request: Request<Incoming>) -> Response<Reply> {
    let (parts, body) = request.into_parts();
    let head = Head::read(&parts.headers);
    let access = &served.shared.access;
    let mounts = &served.shared.mounts;
    let refused = match operate::mounted(mounts, parts.uri.path()) {
        Some(_) => Refusal::into_problem,
        None => Refusal::into_response,
    };
    if let Err(refusal) = access.check_source(&head) {
        tracing::warn!(?refusal, "refused a request");
        return unread(refused(refusal));
    }
    let cors = access.cors(&head);
    let mut response = if parts.method == Method::OPTIONS && cors.is_some() {
        preflight(&parts.headers)
    } else {
        match access.credential(&head, &*served.shared.front) {
            Ok(who) => dispatch(served, &parts, head, body, who).await.unwrap_or_else(refused),
            Err(refusal) => unread(refused(refusal)),
        }
    };
    if let Some(origin) = cors {
        answer::share(&mut response, origin);
    }
    response
}

/// Marks a refusal that was made before the body was read: the connection is closed after it, and the response says so.
fn unread(mut response: Response<Reply>) -> Response<Reply> {
    response.headers_mut().insert(header::CONNECTION, HeaderValue::from_static("close"));
    response
}

fn preflight(headers: &http::HeaderMap) -> Response<Reply> {
    let mut response = answer::empty(StatusCode::NO_CONTENT);
    let allowed = response.headers_mut();
    allowed.insert(header::ACCESS_CONTROL_ALLOW_METHODS, HeaderValue::from_static(MCP_METHODS));
    // `Mcp-Param-*` headers can't be listed ahead: what is asked for is allowed, because the origin is trusted.
    if let Some(asked) = headers.get(header::ACCESS_CONTROL_REQUEST_HEADERS) {
        allowed.insert(header::ACCESS_CONTROL_ALLOW_HEADERS, asked.clone());
    }
    allowed.insert(header::ACCESS_CONTROL_MAX_AGE, HeaderValue::from_static("600"));
    response
}

async fn dispatch(
    served: &Served,
    parts: &http::request::Parts,
    head: Head<'_>,
    body: Incoming,
    who: Credential,
) -> Result<Response<Reply>, Refusal> {
    let sse = served.shared.sse;
    let mounts = &served.shared.mounts;
    if let Some(mounted) = operate::mounted(mounts, parts.uri.path()) {
        return operate::answer(served, parts, mounted, &head, body, who).await;
    }
    if served.shared.access.is_owners() {
        let root = mounts.first().map_or("/", |mount| mount.root);
        let text = format!("only the operator API is here; it begins with {root}");
        return Err(Refusal::new(StatusCode::NOT_FOUND, text));
    }
    match (parts.uri.path(), &parts.method) {
        ("/mcp" | "/mcp/", &Method::POST) => post(served, parts, head, body, who).await,
        ("/mcp" | "/mcp/", &Method::GET) => listen(served, parts, head, who).await,
        ("/mcp" | "/mcp/", &Method::DELETE) => delete(served, &head, &who).await,
        ("/mcp" | "/mcp/", _) => Err(Refusal::method_not_allowed(MCP_METHODS)),
        ("/metrics", &Method::GET) => Ok(metrics(served)),
        ("/metrics", _) => Err(Refusal::method_not_allowed("GET")),
        ("/sse", &Method::GET) if sse => open(served, who),
        ("/sse", _) if sse => Err(Refusal::method_not_allowed("GET")),
        ("/messages" | "/messages/", &Method::POST) if sse => message(served, parts, &head, body, &who).await,
        ("/messages" | "/messages/", _) if sse => Err(Refusal::method_not_allowed("POST")),
        _ => Err(Refusal::new(StatusCode::NOT_FOUND, "nothing is here; the MCP endpoint is /mcp")),
    }
}

async fn post(
    served: &Served,
    parts: &http::request::Parts,
    head: Head<'_>,
    body: Incoming,
    who: Credential,
) -> Result<Response<Reply>, Refusal> {
    let accepts = Accepts::read(&parts.headers);
    // 2025-03-26 and later ask clients to list both types. Many list one, or `*/*`: one that takes JSON can be served.
    if !accepts.json {
        let text = "the answer may be `application/json`, which `Accept` doesn't admit: send `Accept: application/json, text/event-stream`";
        return Err(Refusal::new(StatusCode::NOT_ACCEPTABLE, text).with(header::CONNECTION, "close"));
    }
    head.check_json()?;
    let body = intake::body(body, &parts.headers, served.shared.limits.max_body, &served.watch).await?;
    let post = InPost {
        who,
        session: head.session,
        mirrors: head.mirrors,
        trace: head.trace,
        accepts_events: accepts.events,
        body,
    };
    let answer = served.shared.front.post(post).await;
    respond_with(served, answer, Source::Answer)
}

async fn listen(served: &Served, parts: &http::request::Parts, head: Head<'_>, who: Credential) -> Result<Response<Reply>, Refusal> {
    if !Accepts::read(&parts.headers).events {
        let text = "a GET is answered with events: send `Accept: text/event-stream` (messages are POSTed)";
        return Err(Refusal::new(StatusCode::NOT_ACCEPTABLE, text));
    }
    let listen = Listen {
        who,
        session: head.session,
        revision: head.mirrors.revision,
        last_event: head.last_event,
    };
    let answer = served.shared.front.listen(listen).await;
    respond_with(served, answer, Source::Listening)
}

async fn delete(served: &Served, head: &Head<'_>, who: &Credential) -> Result<Response<Reply>, Refusal> {
    let Some(session) = &head.session else {
        return Err(Refusal::new(
            StatusCode::BAD_REQUEST,
            "which session should end? send its `Mcp-Session-Id`",
        ));
    };
    let answer = served.shared.front.delete(who, session).await;
    respond_with(served, answer, Source::Answer)
}

fn respond_with(served: &Served, answer: Answer, source: impl FnOnce(kernel::front::Events) -> Source) -> Result<Response<Reply>, Refusal> {
    let status = |status| StatusCode::from_u16(status).unwrap_or(StatusCode::INTERNAL_SERVER_ERROR);
    Ok(match answer {
        Answer::Message {
            status: code,
            session,
            body,
        } => {
            let mut response = answer::json(status(code), body);
            answer::assign(&mut response, session.as_deref());
            response
        }
        Answer::Empty { status: code } => answer::empty(status(code)),
        Answer::Events { session, events } => {
            let mut response = served.stream(source(events))?;
            answer::assign(&mut response, session.as_deref());
            response
        }
    })
}

fn open(served: &Served, who: Credential) -> Result<Response<Reply>, Refusal> {
    let shared = &served.shared;
    let outgoing = shared.sessions.open(&*shared.front, who);
    let outgoing = outgoing.ok_or_else(|| Refusal::new(StatusCode::INTERNAL_SERVER_ERROR, "no session can be opened now"))?;
    served.stream(Source::Pipe(outgoing))
}

async fn message(
    served: &Served,
    parts: &http::request::Parts,
    head: &Head<'_>,
    body: Incoming,
    who: &Credential,
) -> Result<Response<Reply>, Refusal> {
    head.check_json()?;
    let body = intake::body(body, &parts.headers, served.shared.limits.max_body, &served.watch).await?;
    let Some(pipe) = served.shared.sessions.find(parts.uri.query(), who) else {
        return Err(Refusal::new(
            StatusCode::NOT_FOUND,
            "there is no such session; open one with a GET of /sse",
        ));
    };
    pipe.receive(body).await;
    Ok(answer::empty(StatusCode::ACCEPTED))
}

fn metrics(served: &Served) -> Response<Reply> {
    let text = served.shared.front.metrics();
    let kind = if text.ends_with("# EOF\n") {
        "application/openmetrics-text; version=1.0.0; charset=utf-8"
    } else {
        "text/plain; version=0.0.4; charset=utf-8"
    };
    answer::text(StatusCode::OK, kind, text)
}
