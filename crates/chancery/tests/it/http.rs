//! A client of a running gateway over HTTP: of MCP, and of the operator API. One connection a request.

use std::io::{self, BufRead as _, BufReader, Read as _, Write as _};
use std::net::TcpStream;
use std::time::Duration;

use serde_json::{Value, json};

/// How long any answer may take.
const PATIENCE: Duration = Duration::from_secs(60);

/// What a request was answered.
#[derive(Debug)]
pub(crate) struct Answer {
    pub(crate) status: u16,
    /// The session that the gateway opened with it, if it did.
    session: Option<String>,
    pub(crate) body: Value,
}

/// A client that connects over HTTP.
#[derive(Clone, Debug)]
pub(crate) struct Http {
    address: String,
    bearer: Option<String>,
}

impl Http {
    pub(crate) fn new(address: &str, bearer: Option<&str>) -> Self {
        Self {
            address: address.to_owned(),
            bearer: bearer.map(str::to_owned),
        }
    }

    /// Sends a request to the operator API.
    pub(crate) fn operate(&self, method: &str, path: &str, body: &Value) -> io::Result<Answer> {
        let body = if body.is_null() { String::new() } else { body.to_string() };
        self.send(method, &format!("/api/v1{path}"), "Accept: application/json\r\n", &body)
    }

    /// Returns the events of a stream of the operator API, until it breaks.
    pub(crate) fn events(&self, path: &str) -> io::Result<impl Iterator<Item = io::Result<Value>> + use<>> {
        let stream = self.begin("GET", &format!("/api/v1{path}"), "Accept: text/event-stream\r\n", "")?;
        let lines = BufReader::new(stream).lines();
        Ok(lines.filter_map(|line| match line {
            Ok(line) => serde_json::from_str(line.strip_prefix("data:")?).ok().map(Ok),
            Err(error) => Some(Err(error)),
        }))
    }

    /// Returns a message of MCP.
    fn post(&self, session: Option<&str>, message: &Value) -> io::Result<Answer> {
        let session = session.map(|id| format!("Mcp-Session-Id: {id}\r\nMCP-Protocol-Version: 2025-11-25\r\n"));
        let head = format!("Accept: application/json, text/event-stream\r\n{}", session.unwrap_or_default());
        self.send("POST", "/mcp", &head, &message.to_string())
    }

    fn send(&self, method: &str, path: &str, head: &str, body: &str) -> io::Result<Answer> {
        let mut text = String::new();
        self.begin(method, path, head, body)?.read_to_string(&mut text)?;
        read(&text).ok_or_else(|| io::Error::new(io::ErrorKind::UnexpectedEof, "the answer is cut short"))
    }

    fn begin(&self, method: &str, path: &str, head: &str, body: &str) -> io::Result<TcpStream> {
        let mut stream = TcpStream::connect(&self.address)?;
        stream.set_read_timeout(Some(PATIENCE))?;
        let bearer = self.bearer.iter().map(|token| format!("Authorization: Bearer {token}\r\n"));
        let (bearer, host, length) = (bearer.collect::<String>(), &self.address, body.len());
        let head = format!(
            "{method} {path} HTTP/1.0\r\nHost: {host}\r\n{bearer}{head}Content-Type: application/json\r\nContent-Length: {length}\r\n\r\n"
        );
        stream.write_all(format!("{head}{body}").as_bytes())?;
        Ok(stream)
    }
}

/// Returns a whole answer; nothing where its end is missing.
fn read(text: &str) -> Option<Answer> {
    let (head, body) = text.split_once("\r\n\r\n")?;
    let status = head.split(' ').nth(1)?.parse().ok()?;
    let header = |name: &str| {
        let lines = head.lines().filter_map(|line| line.split_once(':'));
        let mut found = lines.filter(|(known, _)| known.eq_ignore_ascii_case(name));
        found.next().map(|(_, value)| value.trim())
    };
    if header("content-length").is_some_and(|length| length.parse() != Ok(body.len())) {
        return None;
    }
    let body = match header("content-type") {
        // The answer is the last message of the stream.
        Some(media) if media.starts_with("text/event-stream") => {
            let messages = body.lines().filter_map(|line| line.strip_prefix("data:"));
            messages.filter_map(|data| serde_json::from_str(data).ok()).next_back()?
        }
        _ if body.is_empty() => Value::Null,
        _ => serde_json::from_str(body).ok()?,
    };
    Some(Answer {
        status,
        session: header("mcp-session-id").map(str::to_owned),
        body,
    })
}

/// A session of MCP, revision 2025-11-25.
#[derive(Debug)]
pub(crate) struct Session {
    http: Http,
    id: String,
    sent: u64,
}

impl Session {
    /// Says hello, with these capabilities.
    pub(crate) fn open(http: &Http, capabilities: &Value) -> io::Result<Self> {
        let hello = json!({"jsonrpc": "2.0", "id": 0, "method": "initialize", "params": {
            "protocolVersion": "2025-11-25", "capabilities": capabilities, "clientInfo": {"name": "t", "version": "1"},
        }});
        let answer = http.post(None, &hello)?;
        let id = answer
            .session
            .ok_or_else(|| io::Error::other(format!("no session: {} {}", answer.status, answer.body)))?;
        http.post(Some(&id), &json!({"jsonrpc": "2.0", "method": "notifications/initialized"}))?;
        Ok(Self {
            http: http.clone(),
            id,
            sent: 0,
        })
    }

    /// Asks; the whole answer, with its `result` or `error`.
    pub(crate) fn ask(&mut self, method: &str, params: &Value) -> io::Result<Value> {
        self.sent += 1;
        let message = json!({"jsonrpc": "2.0", "id": self.sent, "method": method, "params": params});
        Ok(self.http.post(Some(&self.id), &message)?.body)
    }

    /// Returns the names of the tools.
    pub(crate) fn tools(&mut self) -> io::Result<Vec<String>> {
        let listed = self.ask("tools/list", &json!({}))?;
        let tools = listed["result"]["tools"].as_array().into_iter().flatten();
        Ok(tools.filter_map(|tool| tool["name"].as_str().map(str::to_owned)).collect())
    }

    pub(crate) fn call(&mut self, tool: &str, arguments: &Value) -> io::Result<Value> {
        self.ask("tools/call", &json!({"name": tool, "arguments": arguments}))
    }
}
