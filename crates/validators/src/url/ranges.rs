//! Addresses that are not public: the special-purpose registries of IANA, after extracting embedded IPv4 addresses.

use std::fmt;
use std::net::{IpAddr, Ipv4Addr, Ipv6Addr};

/// The reason why an address is not public.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Special {
    range: &'static str,
    inside: bool,
}

impl fmt::Display for Special {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let inside = if self.inside {
            "an address that carries another, which is "
        } else {
            ""
        };
        write!(f, "{inside}{}", self.range)
    }
}

/// The special IPv4 ranges: base, prefix, purpose.
#[rustfmt::skip]
const V4: &[([u8; 4], u32, &str)] = &[
    ([0, 0, 0, 0],       8,  "this network (0.0.0.0/8)"),
    ([10, 0, 0, 0],      8,  "private (10.0.0.0/8)"),
    ([100, 64, 0, 0],    10, "shared by a carrier (100.64.0.0/10)"),
    ([100, 100, 100, 200], 32, "a metadata service"),
    ([127, 0, 0, 0],     8,  "the machine itself (127.0.0.0/8)"),
    ([168, 63, 129, 16], 32, "a metadata service"),
    ([169, 254, 0, 0],   16, "link-local, where metadata services are (169.254.0.0/16)"),
    ([172, 16, 0, 0],    12, "private (172.16.0.0/12)"),
    ([192, 0, 0, 0],     24, "reserved (192.0.0.0/24)"),
    ([192, 0, 2, 0],     24, "for documentation (192.0.2.0/24)"),
    ([192, 31, 196, 0],  24, "reserved (192.31.196.0/24)"),
    ([192, 52, 193, 0],  24, "reserved (192.52.193.0/24)"),
    ([192, 88, 99, 0],   24, "a relay (192.88.99.0/24)"),
    ([192, 168, 0, 0],   16, "private (192.168.0.0/16)"),
    ([192, 175, 48, 0],  24, "reserved (192.175.48.0/24)"),
    ([198, 18, 0, 0],    15, "for benchmarks (198.18.0.0/15)"),
    ([198, 51, 100, 0],  24, "for documentation (198.51.100.0/24)"),
    ([203, 0, 113, 0],   24, "for documentation (203.0.113.0/24)"),
    ([224, 0, 0, 0],     4,  "multicast (224.0.0.0/4)"),
    ([240, 0, 0, 0],     4,  "reserved (240.0.0.0/4)"),
];

/// The special IPv6 ranges: base, prefix, purpose.
#[rustfmt::skip]
const V6: &[([u16; 8], u32, &str)] = &[
    ([0, 0, 0, 0, 0, 0, 0, 0],           128, "unspecified (::)"),
    ([0, 0, 0, 0, 0, 0, 0, 1],           128, "the machine itself (::1)"),
    ([0x64, 0xff9b, 1, 0, 0, 0, 0, 0],   48,  "translated locally (64:ff9b:1::/48)"),
    ([0x100, 0, 0, 0, 0, 0, 0, 0],       63,  "discarded (100::/63)"),
    ([0x2001, 0, 0, 0, 0, 0, 0, 0],      23,  "reserved (2001::/23)"),
    ([0x2001, 0xdb8, 0, 0, 0, 0, 0, 0],  32,  "for documentation (2001:db8::/32)"),
    ([0x2620, 0x4f, 0x8000, 0, 0, 0, 0, 0], 48, "reserved (2620:4f:8000::/48)"),
    ([0x3fff, 0, 0, 0, 0, 0, 0, 0],      20,  "for documentation (3fff::/20)"),
    ([0x5f00, 0, 0, 0, 0, 0, 0, 0],      16,  "for segment routing (5f00::/16)"),
    ([0xfc00, 0, 0, 0, 0, 0, 0, 0],      7,   "private (fc00::/7)"),
    ([0xfe80, 0, 0, 0, 0, 0, 0, 0],      10,  "link-local (fe80::/10)"),
    ([0xfec0, 0, 0, 0, 0, 0, 0, 0],      10,  "site-local (fec0::/10)"),
    ([0xff00, 0, 0, 0, 0, 0, 0, 0],      8,   "multicast (ff00::/8)"),
];

/// Returns why an address is not public, if it is not.
#[must_use]
pub fn special(address: IpAddr) -> Option<Special> {
    match address {
        IpAddr::V4(address) => special_v4(address).map(|range| Special { range, inside: false }),
        IpAddr::V6(address) => special_v6(address),
    }
}

fn special_v4(address: Ipv4Addr) -> Option<&'static str> {
    let bits = u32::from(address);
    V4.iter().find_map(|(base, prefix, what)| {
        let mask = u32::MAX << (32 - prefix);
        (bits & mask == u32::from(Ipv4Addr::from(*base))).then_some(*what)
    })
}

fn special_v6(address: Ipv6Addr) -> Option<Special> {
    let bits = u128::from(address);
    let range = V6.iter().find_map(|(base, prefix, what)| {
        let mask = u128::MAX << (128 - prefix);
        (bits & mask == u128::from(Ipv6Addr::from(*base))).then_some(*what)
    });
    let inner = || carried(address).into_iter().flatten().find_map(special_v4);
    range
        .map(|range| Special { range, inside: false })
        .or_else(|| inner().map(|range| Special { range, inside: true }))
        .or_else(|| {
            is_outside(address).then_some(Special {
                range: "not assigned to any network",
                inside: false,
            })
        })
}

/// Returns whether an IPv6 address is outside the assigned ranges: public addresses are in 2000::/3 or carry an IPv4
/// address.
fn is_outside(address: Ipv6Addr) -> bool {
    address.segments()[0] >> 13 != 1 && carried(address).iter().all(Option::is_none)
}

/// Returns the IPv4 addresses inside an IPv6 address: mapped, compatible, translated (RFC 6052), 6to4, Teredo, ISATAP.
fn carried(address: Ipv6Addr) -> [Option<Ipv4Addr>; 3] {
    let s = address.segments();
    let pair = |high: u16, low: u16| Some(Ipv4Addr::from(u32::from(high) << 16 | u32::from(low)));
    match s {
        [0, 0, 0, 0, 0, 0xffff, high, low]
        | [0, 0, 0, 0, 0xffff, 0, high, low]
        | [0x64, 0xff9b, 0, 0, 0, 0, high, low]
        | [0, 0, 0, 0, 0, 0, high, low] => [pair(high, low), None, None],
        [0x2002, high, low, ..] => [pair(high, low), None, None],
        [0x2001, 0, high, low, _, _, client_high, client_low] => [pair(high, low), pair(!client_high, !client_low), None],
        [_, _, _, _, 0 | 0x200, 0x5efe, high, low] => [None, None, pair(high, low)],
        _ => [None, None, None],
    }
}
