//! Judges URLs and hosts: none may lead into a private network, however it is written (MGP §4.5, `network_restricted`).
//!
//! A judgement has two halves. [`check`] parses as browsers do (WHATWG), refuses special addresses, and returns the
//! names that remain; the caller resolves them, and [`judge_addresses`] decides whether every answer is public. The
//! caller then has to connect to one of these addresses: a name can resolve to something else a moment later. Where the
//! server makes the connection, the judgement is only advice.

mod find;
mod host;
mod ranges;
mod refusal;

pub(crate) use find::MAX_FOUND;
pub use find::{Found, Kind, find};
pub use ranges::{Special, special};

use std::net::IpAddr;

use ::url::{Host, Url};

use self::refusal::Refusal;
use crate::finding::{Findings, shown};
use crate::text;

/// The schemes besides `http` and `https` that libraries fetch from, or pass to something that acts. Others are private
/// names, such as those of MCP's resources.
const FETCHED: [&str; 34] = [
    "about",
    "blob",
    "data",
    "dict",
    "expect",
    "file",
    "filesystem",
    "ftp",
    "ftps",
    "git",
    "gopher",
    "imap",
    "imaps",
    "jar",
    "javascript",
    "ldap",
    "ldaps",
    "mailto",
    "netdoc",
    "phar",
    "php",
    "pop3",
    "rmi",
    "rsync",
    "rtsp",
    "sftp",
    "smb",
    "smtp",
    "ssh",
    "svn",
    "telnet",
    "tftp",
    "ws",
    "wss",
];

/// The length in bytes above which addresses are refused.
const MAX_BYTES: usize = 8 * 1024;
/// How many addresses one name may have.
const MAX_ADDRESSES: usize = 64;

const HINT: &str = "use an `http` or `https` address of a public host";

/// The rules by which network access is judged.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Policy {
    /// The hosts that are allowed although they are special: names, or addresses, as they are written in a URL.
    pub allow: Vec<String>,
    /// The schemes that are allowed besides `http` and `https`.
    pub schemes: Vec<String>,
}

/// The judgement of an address.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Judged {
    /// The findings of the address.
    pub findings: Findings,
    /// The name that remains to be resolved, in its ASCII form.
    pub resolve: Option<String>,
}

/// Judges a URL, or a host with an optional port and path.
#[must_use]
pub fn check(text: &str, policy: &Policy) -> Judged {
    let mut judged = Judged::default();
    match judge(text, policy) {
        Ok(resolve) => judged.resolve = resolve,
        Err(Refusal { rule, reason }) => judged.findings.add(rule, 0..text.len(), reason, HINT),
    }
    judged
}

/// Judges the addresses of a name. No address is a refusal, because then there is nothing to judge.
#[must_use]
pub fn judge_addresses(name: &str, addresses: &[IpAddr]) -> Findings {
    let mut findings = Findings::default();
    let all = 0..name.len();
    if addresses.is_empty() || addresses.len() > MAX_ADDRESSES {
        let reason = format!("`{}` has no address that could be judged", shown(name));
        findings.add("network.unresolved", all, reason, "use a name that resolves");
        return findings;
    }
    for address in addresses {
        if let Some(special) = special(*address) {
            let reason = format!("`{}` is at {address}, {special}", shown(name));
            findings.add("network.special", all.clone(), reason, HINT);
        }
    }
    findings
}

fn judge(text: &str, policy: &Policy) -> Result<Option<String>, Refusal> {
    if text.len() > MAX_BYTES {
        return Err(Refusal::new("network.length", "the address is longer than 8 KiB"));
    }
    // Parsers differ in whether they strip or keep these.
    if let Some(c) = text
        .trim_matches(' ')
        .chars()
        .find(|c| c.is_control() || *c == ' ' || *c == '\\' || text::is_invisible(*c))
    {
        let reason = format!("an address has no character U+{:04X}, which parsers read differently", u32::from(c));
        return Err(Refusal::new("network.characters", reason));
    }
    let url = parse(text.trim_matches(' '))?;
    let scheme = url.scheme();
    if !matches!(scheme, "http" | "https") && !policy.schemes.iter().any(|allowed| allowed == scheme) {
        let rule = if FETCHED.contains(&scheme) {
            "network.scheme"
        } else {
            "network.unknown_scheme"
        };
        return Err(Refusal::new(rule, format!("the scheme `{}` is not allowed", shown(scheme))));
    }
    let Some(host) = url.host() else {
        return Err(Refusal::new("network.host", "the address has no host"));
    };
    if policy.allow.iter().any(|allowed| Some(allowed.as_str()) == url.host_str()) {
        return Ok(None);
    }
    if !url.username().is_empty() || url.password().is_some() {
        return Err(Refusal::new(
            "network.credentials",
            "an address with a user in it reads like another host",
        ));
    }
    match host {
        Host::Ipv4(address) => address_is_public(address.into()).map(|()| None),
        Host::Ipv6(address) => address_is_public(address.into()).map(|()| None),
        Host::Domain(name) => host::judge(name, text),
    }
}

fn parse(text: &str) -> Result<Url, Refusal> {
    let invalid = |_| {
        Refusal::new(
            "network.syntax",
            format!("`{}` is no address that parsers agree about", shown(text)),
        )
    };
    if let Some(rest) = text.strip_prefix("//") {
        return Url::parse(&format!("http://{rest}")).map_err(invalid);
    }
    if has_scheme(text) {
        return Url::parse(text).map_err(invalid);
    }
    Url::parse(&format!("http://{text}")).map_err(invalid)
}

/// Returns whether the text begins with `name:`, unless a port follows.
fn has_scheme(text: &str) -> bool {
    let Some((scheme, rest)) = text.split_once(':') else { return false };
    let named = scheme.starts_with(|c: char| c.is_ascii_alphabetic())
        && scheme.chars().all(|c| c.is_ascii_alphanumeric() || matches!(c, '+' | '-' | '.'));
    let port = rest.split(['/', '?', '#']).next().unwrap_or_default();
    let is_port = !port.is_empty() && port.len() <= 5 && port.chars().all(|c| c.is_ascii_digit());
    named && !is_port
}

fn address_is_public(address: IpAddr) -> Result<(), Refusal> {
    match special(address) {
        None => Ok(()),
        Some(special) => Err(Refusal::new("network.special", format!("{address} is {special}"))),
    }
}
