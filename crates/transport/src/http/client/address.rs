//! The address of a server: an absolute URL, and the resolution of relative ones against it.

use http::Uri;
use http::uri::{PathAndQuery, Scheme};
use upstream::link::LinkError;

/// An absolute `http` or `https` URL without user information.
#[derive(Clone, Debug)]
pub(crate) struct Address {
    /// Whether the connection uses TLS.
    pub(crate) secure: bool,
    /// The host, without brackets.
    pub(crate) host: String,
    pub(crate) port: u16,
    /// The value of the `Host` header.
    pub(crate) authority: String,
    /// The request target.
    pub(crate) target: PathAndQuery,
}

impl Address {
    /// Reads a URL. A fragment is dropped.
    ///
    /// # Errors
    /// When the text is no such URL; the error says what is wrong.
    pub(crate) fn parse(url: &str) -> Result<Self, LinkError> {
        let wrong = |why: &str| LinkError::Address {
            url: url.to_owned(),
            why: why.to_owned(),
        };
        let uri: Uri = url
            .split('#')
            .next()
            .unwrap_or_default()
            .parse()
            .map_err(|_| wrong("it is not a URL that begins with `http://` or `https://`"))?;
        let secure = match uri.scheme() {
            Some(scheme) if *scheme == Scheme::HTTPS => true,
            Some(scheme) if *scheme == Scheme::HTTP => false,
            _ => return Err(wrong("it must begin with `http://` or `https://`")),
        };
        let authority = uri.authority().ok_or_else(|| wrong("it names no host"))?;
        if authority.as_str().contains('@') {
            return Err(wrong("it holds a user name or password; put credentials into `headers`"));
        }
        let host = authority.host().trim_start_matches('[').trim_end_matches(']').to_ascii_lowercase();
        if host.is_empty() {
            return Err(wrong("it names no host"));
        }
        let port = match authority.as_str().rsplit_once(':') {
            Some((_, digits)) if !digits.contains(']') => {
                Some(digits.parse().map_err(|_| wrong("its port is not a number from 1 to 65535"))?)
            }
            _ => None,
        };
        Ok(Self {
            secure,
            host,
            port: port.unwrap_or(if secure { 443 } else { 80 }),
            authority: authority.as_str().to_owned(),
            target: uri.path_and_query().cloned().unwrap_or_else(|| PathAndQuery::from_static("/")),
        })
    }

    /// Returns the whole URL.
    pub(crate) fn url(&self) -> String {
        let scheme = if self.secure { "https" } else { "http" };
        format!("{scheme}://{}{}", self.authority, self.target)
    }

    /// Resolves `reference` against this address.
    ///
    /// # Errors
    /// When it is no URL reference, or leads to another origin: a server may only refer the client to itself.
    pub(crate) fn same_origin(&self, reference: &str) -> Result<Self, LinkError> {
        let wrong = |why: &str| LinkError::Address {
            url: reference.to_owned(),
            why: why.to_owned(),
        };
        let scheme = if self.secure { "https" } else { "http" };
        let has_scheme = reference.split(['/', '?', '#']).next().is_some_and(|head| head.contains(':'));
        let absolute = if has_scheme {
            reference.to_owned()
        } else if let Some(rest) = reference.strip_prefix("//") {
            format!("{scheme}://{rest}")
        } else {
            format!("{scheme}://{}{}", self.authority, resolve(self.target.path(), reference))
        };
        let found = Self::parse(&absolute)?;
        if (found.secure, &found.host, found.port) != (self.secure, &self.host, self.port) {
            return Err(wrong("it is of another origin than the server's own address"));
        }
        Ok(found)
    }
}

/// Returns the path and query that a relative reference without authority resolves to (RFC 3986 5.2).
fn resolve(base_path: &str, reference: &str) -> String {
    let (path, query) = match reference.split_once('?') {
        Some((path, query)) => (path, format!("?{query}")),
        None => (reference, String::new()),
    };
    let merged = if path.is_empty() {
        base_path.to_owned()
    } else if path.starts_with('/') {
        path.to_owned()
    } else {
        let directory = base_path.rfind('/').map_or("/", |at| &base_path[..=at]);
        format!("{directory}{path}")
    };
    let mut segments: Vec<&str> = Vec::new();
    let mut parts = merged.split('/').skip(1).peekable();
    while let Some(part) = parts.next() {
        let last = parts.peek().is_none();
        match part {
            ".." => {
                segments.pop();
            }
            "." => {}
            other => segments.push(other),
        }
        if last && matches!(part, "." | "..") {
            segments.push("");
        }
    }
    format!("/{}{query}", segments.join("/"))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn addresses() {
        let address = Address::parse("https://Example.com:8443/mcp?x=1#frag").expect("a URL");
        assert_eq!((address.secure, address.host.as_str(), address.port), (true, "example.com", 8443));
        assert_eq!(
            (address.authority.as_str(), address.target.as_str()),
            ("Example.com:8443", "/mcp?x=1")
        );
        let address = Address::parse("http://[::1]").expect("a URL");
        assert_eq!((address.host.as_str(), address.port, address.target.as_str()), ("::1", 80, "/"));
        let address = Address::parse("http://[::1]:90/").expect("a URL");
        assert_eq!((address.host.as_str(), address.port), ("::1", 90));
        for wrong in [
            "",
            "mcp.example",
            "ftp://x/",
            "http://",
            "http://u:p@x/",
            "http://x:99999/",
            "/mcp",
            "http://x:/",
        ] {
            assert!(Address::parse(wrong).is_err(), "{wrong}");
        }
    }

    #[test]
    fn references() {
        let base = Address::parse("http://host:80/a/sse?token=1").expect("a URL");
        for (reference, target) in [
            ("/messages?session=1", "/messages?session=1"),
            ("messages/", "/a/messages/"),
            ("?s=2", "/a/sse?s=2"),
            ("../x/./y", "/x/y"),
            ("../../../x/..", "/"),
            ("http://host/m", "/m"),
            ("//HOST:80/m", "/m"),
            ("m?next=http://evil/", "/a/m?next=http://evil/"),
        ] {
            let found = base.same_origin(reference).expect(reference);
            assert_eq!(found.target.as_str(), target, "{reference}");
        }
        for elsewhere in [
            "http://evil/m",
            "https://host/m",
            "//host:81/m",
            "http://host@evil/m",
            "file:///etc/passwd",
            "http:/x",
        ] {
            assert!(base.same_origin(elsewhere).is_err(), "{elsewhere}");
        }
    }
}
