//! HTTP as bytes, for requests that no correct client would send.

use std::net::SocketAddr;

use tokio::io::{AsyncReadExt, AsyncWriteExt};
use tokio::net::TcpStream;

use crate::PATIENCE;

/// The answer to a request.
#[derive(Clone, Debug)]
pub struct Answered {
    /// The status.
    pub status: u16,
    /// The head as text, in lower case.
    pub head: String,
    /// The part of the body that has arrived.
    pub body: Vec<u8>,
}

impl Answered {
    /// Returns the body as JSON; null where it is none.
    #[must_use]
    pub fn json(&self) -> serde_json::Value {
        serde_json::from_slice(&self.body).unwrap_or_default()
    }

    /// Returns the code of the JSON-RPC error in the body.
    #[must_use]
    pub fn code(&self) -> Option<i64> {
        self.json()["error"]["code"].as_i64()
    }

    /// Returns a header's value.
    #[must_use]
    pub fn header(&self, name: &str) -> Option<String> {
        let mut lines = self.head.lines().filter_map(|line| line.split_once(':'));
        lines
            .find(|(key, _)| key.eq_ignore_ascii_case(name))
            .map(|(_, value)| value.trim().to_owned())
    }
}

/// A connection.
#[derive(Debug)]
pub struct Connection {
    address: SocketAddr,
    stream: TcpStream,
    buffer: Vec<u8>,
    /// Whether the last answer said that it is the connection's last.
    closing: bool,
}

impl Connection {
    /// Connects.
    ///
    /// # Panics
    /// When no server listens there.
    pub async fn open(address: SocketAddr) -> Self {
        Self {
            address,
            stream: TcpStream::connect(address).await.expect("a listener"),
            buffer: Vec::new(),
            closing: false,
        }
    }

    /// Opens another connection, where the last answer said `Connection: close`.
    async fn renew(&mut self) {
        if self.closing {
            *self = Self::open(self.address).await;
        }
    }

    /// Writes bytes; returns false when the other side does not read any more.
    pub async fn write(&mut self, bytes: &[u8]) -> bool {
        self.stream.write_all(bytes).await.is_ok()
    }

    /// Sends a POST with a body and these headers besides `Host`, `Content-Length` and (unless given) `Content-Type`
    /// and `Accept`.
    pub async fn post(&mut self, headers: &[(&str, &str)], body: &[u8]) -> Answered {
        let mut head = format!("POST /mcp HTTP/1.1\r\nHost: localhost\r\nContent-Length: {}\r\n", body.len());
        for (name, value) in [
            ("Content-Type", "application/json"),
            ("Accept", "application/json, text/event-stream"),
        ] {
            if !headers.iter().any(|(given, _)| given.eq_ignore_ascii_case(name)) {
                head.push_str(&format!("{name}: {value}\r\n"));
            }
        }
        for (name, value) in headers {
            head.push_str(&format!("{name}: {value}\r\n"));
        }
        head.push_str("\r\n");
        self.renew().await;
        self.write(&[head.as_bytes(), body].concat()).await;
        self.answer().await
    }

    /// Sends a request without a body.
    pub async fn send(&mut self, method: &str, headers: &[(&str, &str)]) -> Answered {
        let mut head = format!("{method} /mcp HTTP/1.1\r\nHost: localhost\r\n");
        for (name, value) in headers {
            head.push_str(&format!("{name}: {value}\r\n"));
        }
        head.push_str("\r\n");
        self.renew().await;
        self.write(head.as_bytes()).await;
        self.answer().await
    }

    /// Reads one answer; of a stream, only its head.
    ///
    /// # Panics
    /// When no answer arrives.
    pub async fn answer(&mut self) -> Answered {
        tokio::time::timeout(PATIENCE, self.read_answer()).await.expect("an answer in time")
    }

    async fn read_answer(&mut self) -> Answered {
        let end = loop {
            if let Some(at) = self.buffer.windows(4).position(|w| w == b"\r\n\r\n") {
                break at;
            }
            assert!(
                self.fill().await > 0,
                "the connection was closed without an answer: {:?}",
                String::from_utf8_lossy(&self.buffer)
            );
        };
        let head = String::from_utf8_lossy(&self.buffer[..end]).to_lowercase();
        self.buffer.drain(..end + 4);
        let status = head.split(' ').nth(1).and_then(|status| status.parse().ok()).expect("a status");
        let mut answered = Answered {
            status,
            head,
            body: Vec::new(),
        };
        let length: usize = answered
            .header("content-length")
            .and_then(|length| length.parse().ok())
            .unwrap_or(0);
        while self.buffer.len() < length && self.fill().await > 0 {}
        self.closing = answered.header("connection").is_some_and(|value| value == "close");
        answered.body = self.buffer.drain(..length.min(self.buffer.len())).collect();
        answered
    }

    /// Returns whether the other side has closed.
    pub async fn is_closed(&mut self) -> bool {
        tokio::time::timeout(PATIENCE, self.fill()).await.is_ok_and(|read| read == 0)
    }

    async fn fill(&mut self) -> usize {
        let mut chunk = vec![0; 64 * 1024];
        let read = self.stream.read(&mut chunk).await.unwrap_or(0);
        self.buffer.extend_from_slice(&chunk[..read]);
        read
    }
}
