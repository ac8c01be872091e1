//! A small HTTP client that shows everything: status, headers, and events one by one.

use std::time::Duration;

use bytes::Bytes;
use chancery_sdk::{Value, json};
use http::{HeaderMap, Method, Request, StatusCode};
use http_body_util::{BodyExt, Full};
use hyper::body::Incoming;
use hyper_util::rt::TokioIo;

/// The longest time that an answer in these tests may take.
const PATIENCE: Duration = Duration::from_secs(10);

/// One server's address.
#[derive(Clone)]
pub(crate) struct Client {
    pub(crate) url: String,
}

/// An event of a stream.
#[derive(Debug, PartialEq)]
pub(crate) struct Event {
    pub(crate) id: Option<String>,
    pub(crate) retry: Option<String>,
    pub(crate) data: Option<Value>,
}

pub(crate) struct Answer {
    pub(crate) status: StatusCode,
    pub(crate) headers: HeaderMap,
    body: Incoming,
    unread: String,
}

impl Client {
    pub(crate) fn new(url: &str) -> Self {
        Self { url: url.to_owned() }
    }

    pub(crate) async fn send(&self, method: Method, headers: &[(&str, &str)], body: impl Into<Bytes>) -> Answer {
        let address = self.url.trim_start_matches("http://").trim_end_matches("/mcp").to_owned();
        let socket = tokio::net::TcpStream::connect(&address).await.expect("the server listens");
        let (mut sender, connection) = hyper::client::conn::http1::handshake(TokioIo::new(socket))
            .await
            .expect("a connection");
        tokio::spawn(connection);
        let mut request = Request::builder().method(method).uri("/mcp");
        let defaults = [
            ("host", address.as_str()),
            ("accept", "application/json, text/event-stream"),
            ("content-type", "application/json"),
        ];
        for (name, value) in defaults
            .iter()
            .filter(|(name, _)| !headers.iter().any(|(given, _)| given == name))
            .chain(headers)
        {
            request = request.header(*name, *value);
        }
        let request = request.body(Full::new(body.into())).expect("a request");
        let response = tokio::time::timeout(PATIENCE, sender.send_request(request))
            .await
            .expect("in time")
            .expect("an answer");
        let (parts, body) = response.into_parts();
        Answer {
            status: parts.status,
            headers: parts.headers,
            body,
            unread: String::new(),
        }
    }

    pub(crate) async fn post(&self, headers: &[(&str, &str)], message: &Value) -> Answer {
        self.send(Method::POST, headers, message.to_string()).await
    }

    /// Sends a modern request with the headers that belong to it.
    pub(crate) async fn modern(&self, id: u64, method: &str, params: Value) -> Answer {
        self.modern_with(id, method, params, json!({}), &[]).await
    }

    pub(crate) async fn modern_with(&self, id: u64, method: &str, params: Value, capabilities: Value, more: &[(&str, &str)]) -> Answer {
        let message = modern(id, method, params, capabilities);
        let params = &message["params"];
        let name = ["name", "uri", "taskId"]
            .iter()
            .find_map(|key| params[*key].as_str())
            .unwrap_or_default()
            .to_owned();
        let mut headers = vec![("mcp-protocol-version", "2026-07-28"), ("mcp-method", method)];
        if !name.is_empty() {
            headers.push(("mcp-name", &name));
        }
        headers.extend(more);
        self.post(&headers, &message).await
    }

    /// Opens a legacy session; returns its id.
    pub(crate) async fn initialize(&self, revision: &str, capabilities: Value) -> String {
        let params = json!({"protocolVersion": revision, "capabilities": capabilities, "clientInfo": {"name": "t", "version": "1"}});
        let answer = self
            .post(&[], &json!({"jsonrpc": "2.0", "id": 0, "method": "initialize", "params": params}))
            .await;
        assert_eq!(answer.status, 200);
        let session = answer.headers["mcp-session-id"].to_str().expect("visible ASCII").to_owned();
        assert_eq!(answer.json().await["result"]["protocolVersion"], revision);
        let ready = self
            .post(
                &[("mcp-session-id", &session)],
                &json!({"jsonrpc": "2.0", "method": "notifications/initialized"}),
            )
            .await;
        assert_eq!(ready.status, 202);
        session
    }
}

pub(crate) fn modern(id: u64, method: &str, mut params: Value, capabilities: Value) -> Value {
    params["_meta"]["io.modelcontextprotocol/protocolVersion"] = json!("2026-07-28");
    params["_meta"]["io.modelcontextprotocol/clientCapabilities"] = capabilities;
    json!({"jsonrpc": "2.0", "id": id, "method": method, "params": params})
}

impl Answer {
    pub(crate) fn is_stream(&self) -> bool {
        self.headers.get("content-type").is_some_and(|kind| kind == "text/event-stream")
    }

    pub(crate) async fn json(self) -> Value {
        assert!(!self.is_stream(), "a stream came instead of JSON");
        let bytes = tokio::time::timeout(PATIENCE, self.body.collect())
            .await
            .expect("in time")
            .expect("a body")
            .to_bytes();
        serde_json::from_slice(&bytes).unwrap_or(Value::Null)
    }

    /// Returns the next event; `None` at the end of the stream.
    pub(crate) async fn event(&mut self) -> Option<Event> {
        loop {
            if let Some(end) = self.unread.find("\n\n") {
                let block: String = self.unread.drain(..end + 2).collect();
                if block.starts_with(':') {
                    continue;
                }
                let field = |name: &str| block.lines().find_map(|line| line.strip_prefix(name).map(str::to_owned));
                let data = field("data: ").and_then(|data| serde_json::from_str(&data).ok());
                return Some(Event {
                    id: field("id: "),
                    retry: field("retry: "),
                    data,
                });
            }
            let frame = tokio::time::timeout(PATIENCE, self.body.frame()).await.expect("in time")?;
            let data = frame.ok()?.into_data().ok()?;
            self.unread.push_str(std::str::from_utf8(&data).expect("UTF-8"));
        }
    }

    /// Returns the next message of the stream.
    pub(crate) async fn message(&mut self) -> Value {
        loop {
            if let Some(data) = self.event().await.expect("another event").data {
                return data;
            }
        }
    }
}
