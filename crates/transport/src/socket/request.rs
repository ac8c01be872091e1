//! Sends one request to the operator API of a running gateway, over its owner's socket.

use std::io::{self, BufRead, BufReader, Read, Write};
use std::os::unix::net::UnixStream;
use std::path::Path;

use kernel::http_api::Verb;

use super::attach::attach;

/// The longest head of an answer.
const MAX_HEAD: u64 = 16 * 1024;

/// The answer: its status, and its body, which is read as it arrives.
#[derive(Debug)]
pub struct Reply {
    /// The HTTP status.
    pub status: u16,
    /// The body, to its end; a stream of events continues as long as the gateway runs.
    pub body: BufReader<UnixStream>,
}

/// Sends a request, and waits for the head of the answer. Blocks. `target` is a path with its query.
///
/// # Errors
/// When no gateway listens at the socket, it belongs to another user, or the answer is invalid.
pub fn request(socket: &Path, verb: Verb, target: &str, body: Option<&[u8]>) -> io::Result<Reply> {
    let mut stream = attach(socket)?;
    let body = body.unwrap_or_default();
    // HTTP/1.0: the answer ends with the connection, and is not cut into chunks.
    let head = format!(
        "{} {target} HTTP/1.0\r\nHost: localhost\r\nContent-Type: application/json\r\nContent-Length: {}\r\n\r\n",
        verb.as_str(),
        body.len()
    );
    stream.write_all(head.as_bytes())?;
    stream.write_all(body)?;
    let mut body = BufReader::new(stream);
    let status = status(&mut body)?;
    Ok(Reply { status, body })
}

/// Reads the head of the answer.
fn status(body: &mut BufReader<UnixStream>) -> io::Result<u16> {
    let malformed = || io::Error::new(io::ErrorKind::InvalidData, "the gateway's answer is no HTTP");
    let mut head = Vec::new();
    let mut limited = body.take(MAX_HEAD);
    while !head.ends_with(b"\r\n\r\n") {
        if limited.read_until(b'\n', &mut head)? == 0 {
            return Err(malformed());
        }
    }
    let mut headers = [httparse::EMPTY_HEADER; 32];
    let mut response = httparse::Response::new(&mut headers);
    match response.parse(&head) {
        Ok(httparse::Status::Complete(_)) => response.code.ok_or_else(malformed),
        _ => Err(malformed()),
    }
}
