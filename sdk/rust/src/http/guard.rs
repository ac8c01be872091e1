//! Checks who may use the endpoint: protection against web pages that point a browser at a local server (DNS
//! rebinding).

use std::net::{IpAddr, SocketAddr};

use http::{HeaderMap, StatusCode, header, uri::Authority};

/// Checks `Host` and `Origin` (2026-07-28 basic/transports/streamable-http, "Security & Endpoint").
#[derive(Debug)]
pub(crate) struct Guard {
    local: bool,
}

impl Guard {
    pub(crate) fn new(bound: SocketAddr) -> Self {
        Self {
            local: bound.ip().is_loopback(),
        }
    }

    /// Checks that a server on the loopback interface is addressed as such and that pages that call it come from there;
    /// elsewhere, that a page comes from the host that it calls.
    pub(crate) fn check(&self, headers: &HeaderMap) -> Result<(), (StatusCode, &'static str)> {
        let host = headers
            .get(header::HOST)
            .map(|host| host.to_str().ok().and_then(|host| host.parse::<Authority>().ok()));
        let host = match host {
            Some(None) => return Err((StatusCode::BAD_REQUEST, "the `Host` header is malformed")),
            Some(host) => host,
            None => None,
        };
        if self.local && !host.as_ref().is_some_and(is_loopback) {
            return Err((
                StatusCode::FORBIDDEN,
                "this server is local; its `Host` must be localhost or a loopback address",
            ));
        }
        let Some(origin) = headers.get(header::ORIGIN) else { return Ok(()) };
        let origin = origin
            .to_str()
            .ok()
            .and_then(|origin| origin.split_once("://"))
            .and_then(|(_, rest)| rest.parse::<Authority>().ok());
        let fits = match (&origin, &host) {
            (Some(origin), _) if self.local => is_loopback(origin),
            (Some(origin), Some(host)) => origin.host() == host.host(),
            _ => false,
        };
        if fits {
            Ok(())
        } else {
            Err((StatusCode::FORBIDDEN, "requests of that `Origin` are not served"))
        }
    }
}

fn is_loopback(authority: &Authority) -> bool {
    let host = authority.host().trim_start_matches('[').trim_end_matches(']');
    host.eq_ignore_ascii_case("localhost") || host.parse::<IpAddr>().is_ok_and(|address| address.is_loopback())
}

#[cfg(test)]
mod tests {
    use super::*;

    fn status(bound: &str, host: &str, origin: Option<&str>) -> u16 {
        let mut headers = HeaderMap::new();
        headers.insert(header::HOST, host.parse().expect("a header value"));
        if let Some(origin) = origin {
            headers.insert(header::ORIGIN, origin.parse().expect("a header value"));
        }
        Guard::new(bound.parse().expect("an address"))
            .check(&headers)
            .map_or_else(|(status, _)| status.as_u16(), |()| 200)
    }

    #[test]
    fn a_local_server_answers_local_callers_only() {
        let bound = "127.0.0.1:80";
        assert_eq!(status(bound, "localhost:8080", None), 200);
        assert_eq!(status(bound, "[::1]:8080", Some("http://127.0.0.1:5173")), 200);
        assert_eq!(status(bound, "evil.example:8080", None), 403);
        assert_eq!(status(bound, "localhost.evil.example", None), 403);
        assert_eq!(status(bound, "localhost", Some("http://evil.example")), 403);
        assert_eq!(status(bound, "localhost", Some("null")), 403);
    }

    #[test]
    fn elsewhere_pages_call_their_own_host() {
        let bound = "0.0.0.0:80";
        assert_eq!(status(bound, "mcp.example", None), 200);
        assert_eq!(status(bound, "mcp.example", Some("https://mcp.example")), 200);
        assert_eq!(status(bound, "mcp.example", Some("https://evil.example")), 403);
    }
}
