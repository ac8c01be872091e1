//! Access to a listener: `Host` and `Origin` against DNS rebinding, bearer tokens, and CORS for configured origins.

use std::net::{IpAddr, SocketAddr};

use http::StatusCode;
use http::header::{self, HeaderValue};
use kernel::front::{Credential, Front, TokenRefusal};
use model::{Principal, Role};

use super::answer::Refusal;
use super::head::Head;
use super::options::{Anonymous, ListenOptions, Token};

/// The access rules of one listener.
#[derive(Debug)]
pub(crate) struct Access {
    loopback: bool,
    hosts: Vec<String>,
    origins: Vec<String>,
    tokens: Vec<Token>,
    anonymous: Anonymous,
    /// The principal of every request, on a socket that only the gateway's owner can reach.
    owner: Option<Principal>,
}

impl Access {
    pub(crate) fn new(options: &ListenOptions, bound: SocketAddr) -> Self {
        let lower = |list: &[String]| {
            list.iter()
                .map(|text| text.trim().trim_end_matches('/').to_ascii_lowercase())
                .collect()
        };
        Self {
            loopback: bound.ip().is_loopback(),
            hosts: lower(&options.hosts),
            origins: lower(&options.origins),
            tokens: options.tokens.clone(),
            anonymous: options.anonymous,
            owner: None,
        }
    }

    /// Returns the rules of a socket that only the owner of the gateway can reach: every request is an operator's.
    pub(crate) fn of_owner() -> Self {
        Self {
            loopback: true,
            hosts: Vec::new(),
            origins: Vec::new(),
            tokens: Vec::new(),
            anonymous: Anonymous::Never,
            owner: Some(Principal {
                role: Role::Operator,
                ..Principal::local()
            }),
        }
    }

    /// Returns whether only the operator API is served.
    pub(crate) fn is_owners(&self) -> bool {
        self.owner.is_some()
    }

    /// Checks `Host` and `Origin`: a web page that reaches the listener through a name of its own is refused whatever
    /// else it sends.
    pub(crate) fn check_source(&self, head: &Head<'_>) -> Result<(), Refusal> {
        let forbidden = |text: String| Err(Refusal::new(StatusCode::FORBIDDEN, text));
        let host = head
            .host
            .get()
            .map_err(|()| Refusal::new(StatusCode::BAD_REQUEST, "the header `Host` is repeated"))?;
        if (self.loopback || !self.hosts.is_empty()) && !host.is_some_and(|host| self.is_our_host(host)) {
            return forbidden(format!(
                "the header `Host: {}` is not a name of this gateway; use localhost or 127.0.0.1, or add the name to `allowed_hosts`",
                shown(host.unwrap_or_default())
            ));
        }
        let origin = head
            .origin
            .get()
            .map_err(|()| Refusal::new(StatusCode::BAD_REQUEST, "the header `Origin` is repeated"))?;
        match origin {
            Some(origin) if !self.is_allowed_origin(origin) => forbidden(format!(
                "the origin `{}` may not connect; add it to `allowed_origins` if it should",
                shown(origin)
            )),
            _ => Ok(()),
        }
    }

    fn is_our_host(&self, host: &[u8]) -> bool {
        let Ok(host) = std::str::from_utf8(host) else { return false };
        let name = without_port(host);
        is_loopback_name(name)
            || self
                .hosts
                .iter()
                .any(|ours| ours.eq_ignore_ascii_case(host) || ours.eq_ignore_ascii_case(name))
    }

    fn is_allowed_origin(&self, origin: &[u8]) -> bool {
        let Ok(origin) = std::str::from_utf8(origin) else { return false };
        let same_machine = || {
            let authority = origin.strip_prefix("http://").or_else(|| origin.strip_prefix("https://"));
            authority.is_some_and(|authority| is_loopback_name(without_port(authority)))
        };
        self.is_configured_origin(origin) || (self.loopback && same_machine())
    }

    fn is_configured_origin(&self, origin: &str) -> bool {
        self.origins.iter().any(|allowed| allowed.eq_ignore_ascii_case(origin))
    }

    /// Returns the origin to name in CORS headers, where it was configured.
    pub(crate) fn cors(&self, head: &Head<'_>) -> Option<HeaderValue> {
        if self.origins.is_empty() {
            return None;
        }
        let origin = head.origin.get().ok().flatten()?;
        let allowed = std::str::from_utf8(origin).is_ok_and(|origin| self.is_configured_origin(origin));
        allowed.then(|| HeaderValue::from_bytes(origin).ok()).flatten()
    }

    /// Returns the principal of a request by its bearer token: one of the listener's own, or one that the gateway
    /// remembers.
    pub(crate) fn credential(&self, head: &Head<'_>, front: &dyn Front) -> Result<Credential, Refusal> {
        if let Some(owner) = &self.owner {
            return Ok(owner.clone().into());
        }
        let given = head
            .authorization
            .get()
            .map_err(|()| Refusal::new(StatusCode::BAD_REQUEST, "the header `Authorization` is repeated"))?;
        match given.and_then(bearer) {
            Some(token) => match self.own(token) {
                Some(principal) => Ok(principal.clone().into()),
                None => front.authenticate(token).or_else(|refusal| self.unknown(refusal, front)),
            },
            None if self.admits_anonymous(front) => Ok(Principal::local().into()),
            None => {
                let text = "a bearer token is required: send `Authorization: Bearer TOKEN` with a token of the gateway's configuration or of \
                            `chancery token create`";
                Err(Refusal::new(StatusCode::UNAUTHORIZED, text).with(header::WWW_AUTHENTICATE, r#"Bearer realm="chancery""#))
            }
        }
    }

    /// Returns the principal of a token of the configuration. All are compared, so that the time does not reveal which
    /// one it was.
    fn own(&self, token: &str) -> Option<&Principal> {
        let mut found = None;
        for known in &self.tokens {
            if known.secret.matches(token) {
                found = Some(&known.principal);
            }
        }
        found
    }

    /// Handles a token that is not valid. Where no token is required, one that was never issued is treated like none:
    /// some clients always send one.
    fn unknown(&self, refusal: TokenRefusal, front: &dyn Front) -> Result<Credential, Refusal> {
        if refusal == TokenRefusal::Unknown && self.admits_anonymous(front) {
            return Ok(Principal::local().into());
        }
        let text = match refusal {
            TokenRefusal::Revoked => "the bearer token was taken back; ask an operator for another",
            TokenRefusal::Expired => "the bearer token has expired; ask an operator for another",
            TokenRefusal::Unknown | TokenRefusal::OutOfScope => "the bearer token is not valid",
        };
        let challenge = r#"Bearer realm="chancery", error="invalid_token""#;
        Err(Refusal::new(StatusCode::UNAUTHORIZED, text).with(header::WWW_AUTHENTICATE, challenge))
    }

    /// Returns whether a request without a token is the local user's. Beyond loopback, binding has refused what the
    /// configuration does not allow.
    fn admits_anonymous(&self, front: &dyn Front) -> bool {
        let nobody_has_tokens = || self.tokens.is_empty() && !front.has_tokens();
        match self.anonymous {
            Anonymous::Never => false,
            Anonymous::Loopback => self.loopback || nobody_has_tokens(),
            Anonymous::WithoutTokens => nobody_has_tokens(),
        }
    }
}

fn bearer(value: &[u8]) -> Option<&str> {
    let (scheme, token) = value.split_at_checked(7)?;
    let token = std::str::from_utf8(token).ok()?.trim();
    (scheme.eq_ignore_ascii_case(b"bearer ") && !token.is_empty()).then_some(token)
}

/// Returns the host of `host:port`; an IPv6 address without its brackets.
fn without_port(authority: &str) -> &str {
    if let Some(rest) = authority.strip_prefix('[') {
        return match rest.split_once(']') {
            Some((host, tail)) if tail.is_empty() || is_port(tail) => host,
            _ => "",
        };
    }
    match authority.find(':') {
        Some(at) if is_port(&authority[at..]) => &authority[..at],
        Some(_) => "",
        None => authority,
    }
}

fn is_port(text: &str) -> bool {
    text.strip_prefix(':')
        .is_some_and(|digits| digits.bytes().all(|byte| byte.is_ascii_digit()))
}

fn is_loopback_name(name: &str) -> bool {
    name.eq_ignore_ascii_case("localhost") || name.parse::<IpAddr>().is_ok_and(|address| address.is_loopback())
}

fn shown(value: &[u8]) -> String {
    String::from_utf8_lossy(&value[..value.len().min(200)]).into_owned()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn names_of_loopback() {
        for host in [
            "localhost",
            "LOCALHOST:80",
            "127.0.0.1",
            "127.0.0.1:65535",
            "127.1.2.3",
            "[::1]",
            "[::1]:8080",
        ] {
            assert!(is_loopback_name(without_port(host)), "{host}");
        }
        for host in [
            "",
            "evil.example",
            "localhost.evil.example",
            "127.0.0.1.evil.example",
            "localhost:80:80",
            "localhost:x",
            "[::1]x",
            "[::1",
            "::1:x",
            "127.0.0.1@evil.example",
            "2130706433",
            "0.0.0.0",
        ] {
            assert!(!is_loopback_name(without_port(host)), "{host}");
        }
    }
}
