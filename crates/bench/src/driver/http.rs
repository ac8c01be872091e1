//! One HTTP connection of a driver, with its session.

use std::time::Instant;

use anyhow::{Context, bail};
use bytes::Bytes;
use http::header::{ACCEPT, CONTENT_TYPE, HOST, HeaderMap, HeaderName, HeaderValue};
use http::{Method, Request, Response, StatusCode, Uri};
use http_body_util::{BodyExt, Full};
use hyper::body::Incoming;
use hyper::client::conn::http1;
use hyper_util::rt::TokioIo;
use memchr::memmem;
use serde_json::{Value, json};
use tokio::net::TcpStream;

use super::check::Check;
use super::message::{FIRST_ID, INITIALIZED, Operation, Template};
use super::window::{Phase, Recorder, Window};
use crate::envelope::{Era, MODERN, SESSION_HEADER, VERSION_HEADER};

/// What a cursor is refused with (2025-11-25 server/utilities/pagination).
const INVALID_PARAMS: i64 = -32602;
/// How often a list that changes is read from its start.
const MAX_RESTARTS: u32 = 1000;

/// A connection to an MCP endpoint, ready for requests.
#[derive(Debug)]
pub(crate) struct Client {
    sender: http1::SendRequest<Full<Bytes>>,
    path: Uri,
    era: Era,
    headers: HeaderMap,
    /// What opens a legacy session.
    greeting: Template,
}

/// What a server says unasked in a legacy session.
#[derive(Debug)]
pub(crate) struct Events {
    /// The stream ends with its connection.
    _client: Client,
    stream: Incoming,
    unread: Vec<u8>,
}

/// The response to one POST.
#[derive(Debug)]
pub(crate) struct Answer {
    pub(crate) status: StatusCode,
    headers: HeaderMap,
    body: Bytes,
}

impl Client {
    /// Connects to `url`, and opens a session there if `era` has sessions.
    pub(crate) async fn connect(url: &Uri, era: Era) -> anyhow::Result<Self> {
        Self::connect_with(url, era, &json!({})).await
    }

    /// Connects to `url` as a client that can do `capabilities`, which it says where a session is opened.
    pub(crate) async fn connect_with(url: &Uri, era: Era, capabilities: &Value) -> anyhow::Result<Self> {
        let mut client = Self::dial(url, era).await?;
        client.greeting = Template::initialize(capabilities);
        client
            .open_session()
            .await
            .with_context(|| format!("failed to open a session at {url}"))?;
        Ok(client)
    }

    /// Connects to `url` without sending a request.
    pub(crate) async fn dial(url: &Uri, era: Era) -> anyhow::Result<Self> {
        let authority = url.authority().with_context(|| format!("`{url}` names no host and port"))?;
        let stream = TcpStream::connect(authority.as_str())
            .await
            .with_context(|| format!("failed to connect to {url}"))?;
        stream.set_nodelay(true)?;
        let (sender, connection) = http1::handshake(TokioIo::new(stream)).await?;
        // An error of the connection shows as the error of the request that it breaks.
        tokio::spawn(connection);
        let mut headers = HeaderMap::new();
        headers.insert(HOST, HeaderValue::from_str(authority.as_str())?);
        headers.insert(CONTENT_TYPE, HeaderValue::from_static("application/json"));
        headers.insert(ACCEPT, HeaderValue::from_static("application/json, text/event-stream"));
        if era == Era::Modern {
            headers.insert(VERSION_HEADER, HeaderValue::from_static(MODERN));
        }
        Ok(Self {
            sender,
            path: url.path().parse()?,
            era,
            headers,
            greeting: Template::initialize(&json!({})),
        })
    }

    /// Opens a legacy session; does nothing in the modern era, which has none.
    pub(crate) async fn open_session(&mut self) -> anyhow::Result<()> {
        if self.era == Era::Modern {
            return Ok(());
        }
        self.headers.remove(SESSION_HEADER);
        self.headers.remove(VERSION_HEADER);
        let answer = self.request(&self.greeting.clone(), 0).await?;
        let said: Value = serde_json::from_slice(answer.message(0))?;
        let Some(revision) = said["result"]["protocolVersion"].as_str().filter(|_| answer.status.is_success()) else {
            bail!("`initialize` was answered with {} and {said}", answer.status);
        };
        self.headers.insert(VERSION_HEADER, HeaderValue::from_str(revision)?);
        if let Some(session) = answer.headers.get(SESSION_HEADER) {
            self.headers.insert(SESSION_HEADER, session.clone());
        }
        let accepted = self.post(self.headers.clone(), Bytes::from_static(INITIALIZED)).await?;
        anyhow::ensure!(accepted.status.is_success(), "`initialized` was answered with {}", accepted.status);
        Ok(())
    }

    /// Ends the session, if there is one, so that a benchmark leaves none behind.
    pub(crate) async fn close_session(&mut self) -> anyhow::Result<()> {
        if self.headers.contains_key(SESSION_HEADER) {
            self.send(Method::DELETE, self.headers.clone(), Bytes::new()).await?;
        }
        Ok(())
    }

    /// Opens the stream of what the server says unasked (2025-11-25 basic/transports), on a connection of its own.
    pub(crate) async fn events(&self, url: &Uri) -> anyhow::Result<Events> {
        let mut client = Self::dial(url, self.era).await?;
        let mut headers = self.headers.clone();
        headers.insert(ACCEPT, HeaderValue::from_static("text/event-stream"));
        let response = client.ask(Method::GET, headers, Bytes::new()).await?;
        anyhow::ensure!(
            response.status().is_success(),
            "the request for a stream was answered with {}",
            response.status()
        );
        Ok(Events {
            _client: client,
            stream: response.into_body(),
            unread: Vec::new(),
        })
    }

    /// The results of `tools/list`, page after page until the last. Where the list changes meanwhile, it is read from its start again.
    pub(crate) async fn tool_pages(&mut self) -> anyhow::Result<Vec<Value>> {
        for _ in 0..MAX_RESTARTS {
            if let Some(pages) = self.tool_pages_once().await? {
                return Ok(pages);
            }
        }
        bail!("the list changed {MAX_RESTARTS} times before its last page was read")
    }

    /// One attempt at it; `None` when the list changed, so that a cursor was refused.
    async fn tool_pages_once(&mut self) -> anyhow::Result<Option<Vec<Value>>> {
        let operation = Operation::List(self.era);
        let mut next = operation.first();
        let mut pages = Vec::new();
        for id in FIRST_ID.. {
            let answer = self.request(&next, id).await?;
            let mut said: Value = serde_json::from_slice(answer.message(id))?;
            if !pages.is_empty() && said["error"]["code"] == INVALID_PARAMS {
                return Ok(None);
            }
            let page = said["result"].take();
            anyhow::ensure!(
                page["tools"].is_array(),
                "`tools/list` was answered with {} and {said}",
                answer.status
            );
            let cursor = page["nextCursor"].as_str().map(|cursor| operation.next(cursor));
            pages.push(page);
            match cursor {
                Some(template) => next = template,
                None => break,
            }
        }
        Ok(Some(pages))
    }

    /// Sends one request and waits for its whole answer.
    pub(crate) async fn request(&mut self, template: &Template, id: u64) -> anyhow::Result<Answer> {
        let headers = self.headers_of(template);
        self.post(headers, template.render(id).into()).await
    }

    /// Repeats `operation` until the window is over.
    pub(crate) async fn load(mut self, operation: &Operation, check: Check, window: &Window) -> anyhow::Result<Recorder> {
        let mut recorder = Recorder::default();
        let mut repetition = Repetition {
            first: operation.first(),
            operation,
            check,
        };
        let headers = self.headers_of(&repetition.first);
        while window.phase() != Phase::Over {
            let start = Instant::now();
            let answer = repetition.run(&mut self, &headers, window).await?;
            recorder.record(window, start.elapsed(), answer);
        }
        self.close_session().await?;
        Ok(recorder)
    }

    fn headers_of(&self, template: &Template) -> HeaderMap {
        let mut headers = self.headers.clone();
        if self.era == Era::Modern {
            headers.insert(HeaderName::from_static("mcp-method"), HeaderValue::from_static(template.method));
            if let Some(name) = template.name.as_deref().and_then(|name| HeaderValue::from_str(name).ok()) {
                headers.insert(HeaderName::from_static("mcp-name"), name);
            }
        }
        headers
    }

    async fn post(&mut self, headers: HeaderMap, body: Bytes) -> anyhow::Result<Answer> {
        self.send(Method::POST, headers, body).await
    }

    async fn send(&mut self, method: Method, headers: HeaderMap, body: Bytes) -> anyhow::Result<Answer> {
        let (head, body) = self.ask(method, headers, body).await?.into_parts();
        Ok(Answer {
            status: head.status,
            headers: head.headers,
            body: body.collect().await?.to_bytes(),
        })
    }

    async fn ask(&mut self, method: Method, headers: HeaderMap, body: Bytes) -> anyhow::Result<Response<Incoming>> {
        let mut request = Request::new(Full::new(body));
        *request.method_mut() = method;
        *request.uri_mut() = self.path.clone();
        *request.headers_mut() = headers;
        self.sender.ready().await?;
        Ok(self.sender.send_request(request).await?)
    }
}

impl Events {
    /// Waits for the next event that holds `needle`, and forgets what came before it.
    pub(crate) async fn wait_for(&mut self, needle: &[u8]) -> anyhow::Result<()> {
        loop {
            if let Some(at) = memmem::find(&self.unread, needle) {
                self.unread.drain(..at + needle.len());
                return Ok(());
            }
            let frame = self.stream.frame().await.context("the stream of events ended")??;
            self.unread.extend_from_slice(&frame.into_data().unwrap_or_default());
        }
    }
}

/// An operation and what is needed to repeat it.
#[derive(Debug)]
struct Repetition<'a> {
    operation: &'a Operation,
    first: Template,
    check: Check,
}

impl Repetition<'_> {
    /// Performs the operation once, page after page; returns the bytes of its answers, or what was wrong with them.
    async fn run(&mut self, client: &mut Client, headers: &HeaderMap, window: &Window) -> anyhow::Result<Result<usize, String>> {
        let mut bytes = 0;
        let mut next: Option<Template> = None;
        for page in 0.. {
            let id = window.next_id();
            let body = next.as_ref().unwrap_or(&self.first).render(id);
            let answer = client.post(headers.clone(), body.into()).await?;
            let message = answer.message(id);
            bytes += message.len();
            next = match self.check.page(page, id, message) {
                Ok(Some(cursor)) => Some(self.operation.next(cursor)),
                Ok(None) => break,
                Err(error) => return Ok(Err(format!("{}: {error}", answer.status))),
            };
        }
        Ok(Ok(bytes))
    }
}

impl Answer {
    /// Returns the JSON-RPC answer to `id`, which may stand in an event stream.
    pub(crate) fn message(&self, id: u64) -> &[u8] {
        let stream = self
            .headers
            .get(CONTENT_TYPE)
            .is_some_and(|kind| kind.as_bytes().starts_with(b"text/event-stream"));
        if stream { event_with(&self.body, id) } else { &self.body }
    }
}

/// The tools on all pages of a list.
pub(crate) fn count_tools(pages: &[Value]) -> usize {
    pages.iter().filter_map(|page| page["tools"].as_array()).map(Vec::len).sum()
}

/// Returns the data of the first one-line event that contains `id`; empty when there is none.
fn event_with(stream: &[u8], id: u64) -> &[u8] {
    let needle = format!(r#""id":{id}"#);
    let data = stream.split(|byte| *byte == b'\n').filter_map(|line| line.strip_prefix(b"data:"));
    data.map(<[u8]>::trim_ascii)
        .find(|data| memmem::find(data, needle.as_bytes()).is_some())
        .unwrap_or_default()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn an_answer_is_found_in_a_stream() {
        let stream = b": hello\r\n\r\nevent: message\r\ndata: {\"method\":\"notifications/message\"}\r\n\r\n\
                       id: 4\ndata: {\"id\":17,\"result\":{}}\n\n";
        assert_eq!(event_with(stream, 17), br#"{"id":17,"result":{}}"#);
        assert_eq!(event_with(stream, 18), b"");
    }
}
