//! Parses the head of an answer: the headers that concern this client, and how the body is framed (RFC 9112 6.3).

use std::time::Duration;

use bytes::{Buf, BytesMut};

use crate::http::{media, names};

/// The largest head that is read, in bytes.
const MOST: usize = 64 * 1024;
/// The most header lines that are read.
const MOST_LINES: usize = 100;

/// How the end of a body is found.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Framing {
    /// After so many bytes.
    Length(u64),
    /// With its last chunk.
    Chunked,
    /// With the connection.
    Close,
}

/// The media type of a body.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub(crate) enum Content {
    Json,
    Events,
    #[default]
    Other,
}

/// The head of an answer.
#[derive(Debug, PartialEq, Eq)]
pub(crate) struct Head {
    pub(crate) status: u16,
    pub(crate) framing: Framing,
    /// Whether the connection can be used again after the body.
    pub(crate) reusable: bool,
    pub(crate) content: Content,
    /// `Mcp-Session-Id`
    pub(crate) session: Option<String>,
    /// `Location`
    pub(crate) location: Option<String>,
    /// `Content-Encoding`, where it is one.
    pub(crate) encoding: Option<String>,
    /// How long the server keeps the idle connection, where it says so.
    pub(crate) kept_for: Option<Duration>,
}

impl Head {
    /// Consumes the head from `input`. Returns `None` until it is complete. Heads of interim answers (1xx) are skipped.
    ///
    /// # Errors
    /// When the bytes are not the head of an answer, or this client does not support it.
    pub(crate) fn take(input: &mut BytesMut) -> Result<Option<Self>, String> {
        loop {
            let mut lines = [httparse::EMPTY_HEADER; MOST_LINES];
            let mut response = httparse::Response::new(&mut lines);
            let length = match response.parse(input) {
                Ok(httparse::Status::Complete(length)) if length <= MOST => length,
                Ok(httparse::Status::Partial) if input.len() < MOST => return Ok(None),
                Ok(_) => return Err(format!("the head of the answer is larger than {MOST} bytes")),
                Err(error) => return Err(format!("this is not HTTP: {error}")),
            };
            let status = response.code.unwrap_or_default();
            match status {
                101 => return Err("the server switched to another protocol, which was not asked for".to_owned()),
                100..200 => {
                    input.advance(length);
                }
                _ => {
                    let head = Self::read(status, response.version == Some(1), response.headers)?;
                    input.advance(length);
                    return Ok(Some(head));
                }
            }
        }
    }

    fn read(status: u16, is_1_1: bool, headers: &[httparse::Header<'_>]) -> Result<Self, String> {
        let mut head = Self {
            status,
            framing: Framing::Close,
            reusable: is_1_1,
            content: Content::Other,
            session: None,
            location: None,
            encoding: None,
            kept_for: None,
        };
        let (mut length, mut coded, mut chunked) = (None, false, false);
        for header in headers {
            let value = header.value.trim_ascii();
            let is = |name: &str| header.name.eq_ignore_ascii_case(name);
            match header.name.len() {
                // By length first: most headers are none of these.
                14 if is("content-length") => {
                    let found = number(value).ok_or("its length is not a number")?;
                    if length.is_some_and(|known| known != found) {
                        return Err("it has two lengths".to_owned());
                    }
                    length = Some(found);
                }
                12 if is("content-type") => head.content = Content::of(value),
                14 if is(names::SESSION_ID.as_str()) => head.session = Some(text(value)),
                17 if is("transfer-encoding") => {
                    coded = true;
                    let last = value.rsplit(|byte| *byte == b',').next().unwrap_or_default();
                    chunked = last.trim_ascii().eq_ignore_ascii_case(b"chunked");
                }
                10 if is("connection") => head.connection(value),
                10 if is(names::KEEP_ALIVE.as_str()) => head.kept_for = kept_for(value),
                16 if is("content-encoding") && !value.is_empty() && !value.eq_ignore_ascii_case(b"identity") => {
                    head.encoding = Some(text(value))
                }
                8 if is("location") => head.location = Some(text(value)),
                _ => {}
            }
        }
        head.framing = match (status, coded, length) {
            (204 | 304, ..) => Framing::Length(0),
            (_, true, _) if chunked => Framing::Chunked,
            (_, false, Some(length)) => Framing::Length(length),
            _ => Framing::Close,
        };
        // Both at once are how responses are smuggled.
        head.reusable &= head.framing != Framing::Close && !(coded && length.is_some());
        Ok(head)
    }

    fn connection(&mut self, value: &[u8]) {
        for option in value.split(|byte| *byte == b',').map(<[u8]>::trim_ascii) {
            if option.eq_ignore_ascii_case(b"close") {
                self.reusable = false;
                return;
            }
            // HTTP/1.0 closes unless it says this.
            self.reusable |= option.eq_ignore_ascii_case(b"keep-alive");
        }
    }
}

impl Content {
    fn of(kind: &[u8]) -> Self {
        if media::is(kind, names::JSON) {
            Self::Json
        } else if media::is(kind, names::EVENT_STREAM) {
            Self::Events
        } else {
            Self::Other
        }
    }
}

fn number(value: &[u8]) -> Option<u64> {
    let plausible = (1..=18).contains(&value.len()) && value.iter().all(u8::is_ascii_digit);
    std::str::from_utf8(value).ok().filter(|_| plausible)?.parse().ok()
}

/// Reads `timeout=5`, with which Node's servers announce when they will close the connection. One second less is used,
/// so that no request is sent while the server closes.
fn kept_for(value: &[u8]) -> Option<Duration> {
    let value = std::str::from_utf8(value).ok()?;
    let seconds = value.split(',').find_map(|part| part.trim().strip_prefix("timeout="))?;
    seconds
        .parse::<u64>()
        .ok()
        .map(|seconds| Duration::from_secs(seconds.saturating_sub(1)))
}

fn text(value: &[u8]) -> String {
    String::from_utf8_lossy(value).into_owned()
}

#[cfg(test)]
mod tests {
    use super::*;

    fn take(text: &str) -> Result<Option<Head>, String> {
        // However it is cut, only the whole is a head.
        for end in 0..text.len() {
            let mut part = BytesMut::from(&text.as_bytes()[..end]);
            match Head::take(&mut part) {
                Ok(None) => {}
                Err(why) => return Err(why),
                Ok(Some(head)) => panic!("{head:?} of {:?}", &text[..end]),
            }
        }
        Head::take(&mut BytesMut::from(text))
    }

    #[test]
    fn how_bodies_are_framed() {
        for (lines, framing, reusable) in [
            ("1.1 200 OK\r\nContent-Length: 5", Framing::Length(5), true),
            ("1.1 200 OK\r\ncontent-length: 5\r\nContent-Length: 5", Framing::Length(5), true),
            ("1.1 200 OK\r\nTransfer-Encoding: chunked", Framing::Chunked, true),
            (
                "1.1 200 OK\r\nTransfer-Encoding: Chunked\r\nContent-Length: 5",
                Framing::Chunked,
                false,
            ),
            ("1.1 200 OK\r\nTransfer-Encoding: gzip, chunked", Framing::Chunked, true),
            ("1.1 200 OK\r\nTransfer-Encoding: chunked, gzip", Framing::Close, false),
            ("1.1 200 OK\r\nTransfer-Encoding: gzip\r\nContent-Length: 5", Framing::Close, false),
            ("1.1 200 OK\r\nX: y", Framing::Close, false),
            ("1.1 204 No\r\nContent-Length: 5", Framing::Length(0), true),
            (
                "1.1 202 Accepted\r\nConnection: x, CLOSE\r\nContent-Length: 0",
                Framing::Length(0),
                false,
            ),
            ("1.0 200 OK\r\nContent-Length: 5", Framing::Length(5), false),
            (
                "1.0 200 OK\r\nContent-Length: 5\r\nConnection: keep-alive",
                Framing::Length(5),
                true,
            ),
        ] {
            let head = take(&format!("HTTP/{lines}\r\n\r\n")).expect(lines).expect("complete");
            assert_eq!((head.framing, head.reusable), (framing, reusable), "{lines}");
        }
    }

    #[test]
    fn what_it_says() {
        let text = "HTTP/1.1 100 Continue\r\n\r\nHTTP/1.1 103 Hints\r\nLink: x\r\n\r\nHTTP/1.1 307 To\r\nContent-Type: Application/JSON;charset=utf-8\r\nMCP-Session-Id: s \r\n\
            Location: /x\r\nContent-Encoding: gzip\r\nKeep-Alive: max=3, timeout=5\r\nContent-Length: 0\r\n\r\n";
        let head = take(text).expect("a head").expect("complete");
        assert_eq!((head.status, head.content), (307, Content::Json));
        assert_eq!(
            (head.session.as_deref(), head.location.as_deref(), head.encoding.as_deref()),
            (Some("s"), Some("/x"), Some("gzip"))
        );
        assert_eq!(head.kept_for, Some(Duration::from_secs(4)));
    }

    #[test]
    fn what_is_none() {
        for text in [
            "garbage\r\n\r\n",
            "HTTP/1.1 200 OK\r\nContent-Length: 5\r\nContent-Length: 6\r\n\r\n",
            "HTTP/1.1 200 OK\r\nContent-Length: -5\r\n\r\n",
            "HTTP/1.1 200 OK\r\nContent-Length: +5\r\n\r\n",
            "HTTP/1.1 200 OK\r\nContent-Length: 5, 5\r\n\r\n",
            "HTTP/1.1 200 OK\r\nContent-Length: 99999999999999999999\r\n\r\n",
            "HTTP/1.1 101 Switching\r\nUpgrade: x\r\n\r\n",
            "HTTP/1.1 200 OK\r\nbad header\r\n\r\n",
        ] {
            assert!(take(text).is_err(), "{text:?}");
        }
        let endless = format!("HTTP/1.1 200 OK\r\nX: {}", "x".repeat(MOST));
        assert!(Head::take(&mut BytesMut::from(endless.as_str())).is_err());
        let many = format!("HTTP/1.1 200 OK\r\n{}\r\n", "X: y\r\n".repeat(MOST_LINES + 1));
        assert!(Head::take(&mut BytesMut::from(many.as_str())).is_err());
    }
}
