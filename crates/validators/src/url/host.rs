//! Judges host names: those local to a machine or a network, and those that contain an address.

use std::net::{IpAddr, Ipv4Addr};

use super::ranges::special;
use super::refusal::Refusal;
use crate::finding::shown;

/// The domains that are not public names: RFC 6761, 6762, 7686, 8375, 9476, and those that clouds and home networks
/// use.
#[rustfmt::skip]
const PRIVATE: &[&str] = &[
    "localhost", "local", "localdomain", "internal", "intranet", "private", "corp", "home", "lan", "arpa", "onion", "test", "invalid", "alt", "consul", "svc", "cluster",
    "domain", "workgroup", "host", "kubernetes", "docker", "ip6-localhost", "ip6-loopback",
];

/// The services that resolve a name to the address in it.
#[rustfmt::skip]
const ECHOES: &[&str] = &[
    "nip.io", "sslip.io", "xip.io", "localtest.me", "lvh.me", "vcap.me", "lacolhost.com", "yoogle.com", "localho.st", "local.gd", "traefik.me", "rbndr.us",
    "1u.ms", "backname.io", "ip6.name", "ipq.co", "bugbounty.dod.network", "spoofed.burpcollaborator.net", "r3dir.me", "localdomain.pw",
];

/// Judges a name; returns the name to be resolved.
pub(super) fn judge(name: &str, written: &str) -> Result<Option<String>, Refusal> {
    let name = name.trim_end_matches('.').to_ascii_lowercase();
    if name.is_empty() || name.contains("..") {
        return Err(Refusal::new("network.host", "the address has no host"));
    }
    if name.contains('%') || name.contains('_') && !name.contains('.') {
        return Err(Refusal::new(
            "network.host",
            format!("`{}` is no name of a public host", shown(&name)),
        ));
    }
    let last = name.rsplit('.').next().unwrap_or_default();
    if !name.contains('.') {
        return Err(Refusal::new(
            "network.host",
            format!("`{}` is a name of the local network", shown(&name)),
        ));
    }
    if PRIVATE.contains(&last) || last.chars().all(|c| c.is_ascii_digit()) {
        return Err(Refusal::new("network.host", format!("`.{}` is no public domain", shown(last))));
    }
    if name.split('.').any(|label| label == "localhost") {
        return Err(Refusal::new(
            "network.host",
            format!("`{}` pretends to be the local machine", shown(&name)),
        ));
    }
    if let Some(echo) = ECHOES.iter().find(|echo| name == **echo || name.ends_with(&format!(".{echo}"))) {
        return Err(Refusal::new(
            "network.echo",
            format!("names under `{echo}` resolve to whatever they say"),
        ));
    }
    if let Some(address) = embedded(&name) {
        return Err(Refusal::new(
            "network.echo",
            format!("`{}` says the special address {address}", shown(&name)),
        ));
    }
    if !name.is_ascii() || disguised(written) {
        return Err(Refusal::new(
            "network.host",
            format!("`{}` is written with characters that only look like letters", shown(written)),
        ));
    }
    Ok(Some(name))
}

/// Returns a special IPv4 address in the labels of a name: `10.0.0.1.example.org`, `app-10-0-0-1.example.org`.
fn embedded(name: &str) -> Option<IpAddr> {
    let parts: Vec<&str> = name.split(['.', '-']).collect();
    parts.windows(4).find_map(|four| {
        let octets: Vec<u8> = four.iter().filter_map(|part| part.parse().ok()).collect();
        let address = IpAddr::V4(Ipv4Addr::from(<[u8; 4]>::try_from(octets).ok()?));
        special(address).map(|_| address)
    })
}

/// Returns whether a host is written in circled letters, full-width dots and the like, which become plain ones:
/// legitimate hosts are not.
fn disguised(written: &str) -> bool {
    let host = written.split("//").nth(1).unwrap_or(written);
    let host = host.split(['/', '?', '#']).next().unwrap_or_default();
    crate::text::folded(host).is_some_and(|folded| folded.is_ascii())
}
