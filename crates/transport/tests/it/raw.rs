//! A client that writes exactly the bytes that a test wants.

use std::net::SocketAddr;

use tokio::io::{AsyncRead, AsyncReadExt, AsyncWrite, AsyncWriteExt};
use tokio::net::TcpStream;

use crate::soon;

/// A connection, and the bytes that have arrived on it.
pub(crate) struct Raw<S = TcpStream> {
    pub(crate) stream: S,
    pub(crate) read: Vec<u8>,
}

/// A response: status, head in lower case, body.
#[derive(Debug)]
pub(crate) struct Response {
    pub(crate) status: u16,
    pub(crate) head: String,
    pub(crate) body: String,
}

impl Response {
    pub(crate) fn header(&self, name: &str) -> Option<&str> {
        self.head.lines().find_map(|line| line.strip_prefix(name)?.strip_prefix(": "))
    }
}

impl Raw {
    pub(crate) async fn connect(address: SocketAddr) -> Self {
        Self::over(TcpStream::connect(address).await.expect("the listener accepts"))
    }
}

impl<S: AsyncRead + AsyncWrite + Unpin> Raw<S> {
    pub(crate) fn over(stream: S) -> Self {
        Self { stream, read: Vec::new() }
    }

    pub(crate) async fn write(&mut self, bytes: impl AsRef<[u8]>) {
        self.stream.write_all(bytes.as_ref()).await.expect("the peer reads");
    }

    /// Reads more; false at the end (also when the connection was reset).
    pub(crate) async fn more(&mut self) -> bool {
        let mut buffer = [0; 16 * 1024];
        let read = soon(self.stream.read(&mut buffer)).await.unwrap_or(0);
        self.read.extend_from_slice(&buffer[..read]);
        read > 0
    }

    /// Reads until the received bytes contain `text`, and takes all up to its end.
    pub(crate) async fn until(&mut self, text: &str) -> String {
        loop {
            if let Some(at) = find(&self.read, text.as_bytes()) {
                let taken: Vec<u8> = self.read.drain(..at + text.len()).collect();
                return String::from_utf8_lossy(&taken).into_owned();
            }
            assert!(
                self.more().await,
                "{text:?} never came, but {:?}",
                String::from_utf8_lossy(&self.read)
            );
        }
    }

    /// Reads to the end.
    pub(crate) async fn rest(&mut self) -> String {
        while self.more().await {}
        String::from_utf8_lossy(&std::mem::take(&mut self.read)).into_owned()
    }

    /// Reads the head of a response.
    pub(crate) async fn head(&mut self) -> Response {
        let head = self.until("\r\n\r\n").await.to_ascii_lowercase();
        let status = head.split(' ').nth(1).and_then(|code| code.parse().ok()).expect("a status");
        Response {
            status,
            head,
            body: String::new(),
        }
    }

    /// Reads a response whose length is announced.
    pub(crate) async fn response(&mut self) -> Response {
        let mut response = self.head().await;
        let length: usize = response
            .header("content-length")
            .map_or(0, |length| length.trim().parse().expect("a length"));
        while self.read.len() < length {
            assert!(self.more().await, "the body was cut");
        }
        let body: Vec<u8> = self.read.drain(..length).collect();
        response.body = String::from_utf8(body).expect("text");
        response
    }

    /// Sends a request and reads its response.
    pub(crate) async fn ask(&mut self, request: impl AsRef<[u8]>) -> Response {
        self.write(request).await;
        self.response().await
    }
}

pub(crate) fn find(hay: &[u8], needle: &[u8]) -> Option<usize> {
    hay.windows(needle.len()).position(|window| window == needle)
}

/// Returns a POST of `/mcp` with further header lines (each with its line break).
pub(crate) fn post(headers: &str, body: &str) -> String {
    let unless_given = |name: &str, line: &'static str| {
        let given = headers.lines().any(|line| line.to_ascii_lowercase().starts_with(name));
        if given { "" } else { line }
    };
    let accept = unless_given("accept:", "Accept: application/json, text/event-stream\r\n");
    let kind = unless_given("content-type:", "Content-Type: application/json\r\n");
    let host = unless_given("host:", "Host: localhost\r\n");
    format!(
        "POST /mcp HTTP/1.1\r\n{host}{accept}{kind}{headers}Content-Length: {}\r\n\r\n{body}",
        body.len()
    )
}

/// Sends one request on a connection of its own, and returns the response.
pub(crate) async fn ask(address: SocketAddr, request: impl AsRef<[u8]>) -> Response {
    Raw::connect(address).await.ask(request).await
}
