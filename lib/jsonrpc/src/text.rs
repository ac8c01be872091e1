//! Reads and writes the escapes of JSON strings.
//!
//! Decoded text is WTF-8: UTF-8, in which an escaped lone surrogate (`\ud800`, valid JSON, no Unicode) takes the
//! three bytes of its code point. So any two JSON strings can be compared.

use std::borrow::Cow;

/// Returns the decoded bytes of a valid JSON string without its quotes.
pub(crate) fn unescape(inner: &[u8]) -> Cow<'_, [u8]> {
    let Some(first) = memchr::memchr(b'\\', inner) else {
        return Cow::Borrowed(inner);
    };
    let mut out = Vec::with_capacity(inner.len());
    out.extend_from_slice(&inner[..first]);
    let mut rest = &inner[first..];
    while let [b'\\', kind, after @ ..] = rest {
        rest = after;
        match kind {
            b'b' => out.push(8),
            b'f' => out.push(12),
            b'n' => out.push(b'\n'),
            b'r' => out.push(b'\r'),
            b't' => out.push(b'\t'),
            b'u' => rest = unescape_unicode(after, &mut out),
            other => out.push(*other),
        }
        let plain = memchr::memchr(b'\\', rest).unwrap_or(rest.len());
        out.extend_from_slice(&rest[..plain]);
        rest = &rest[plain..];
    }
    Cow::Owned(out)
}

/// Decodes four digits, or ten where there is a surrogate pair; returns what follows them.
fn unescape_unicode<'a>(rest: &'a [u8], out: &mut Vec<u8>) -> &'a [u8] {
    let Some((unit, rest)) = hex4(rest) else { return rest };
    if (0xd800..0xdc00).contains(&unit)
        && let [b'\\', b'u', low @ ..] = rest
        && let Some((low, after)) = hex4(low)
        && (0xdc00..0xe000).contains(&low)
    {
        push_code_point(0x10000 + ((unit - 0xd800) << 10) + (low - 0xdc00), out);
        return after;
    }
    push_code_point(unit, out);
    rest
}

fn hex4(bytes: &[u8]) -> Option<(u32, &[u8])> {
    let (digits, rest) = bytes.split_first_chunk::<4>()?;
    let mut unit = 0;
    for &d in digits {
        unit = unit << 4 | char::from(d).to_digit(16)?;
    }
    Some((unit, rest))
}

fn push_code_point(point: u32, out: &mut Vec<u8>) {
    match char::from_u32(point) {
        Some(c) => out.extend_from_slice(c.encode_utf8(&mut [0; 4]).as_bytes()),
        // A lone surrogate: the three bytes that UTF-8 would give it.
        None => out.extend_from_slice(&[
            0xe0 | (point >> 12 & 0x0f) as u8,
            0x80 | (point >> 6 & 0x3f) as u8,
            0x80 | (point & 0x3f) as u8,
        ]),
    }
}

/// Returns decoded text with U+FFFD in place of each lone surrogate.
pub(crate) fn without_surrogates(decoded: &[u8]) -> String {
    let mut out = String::with_capacity(decoded.len());
    let mut rest = decoded;
    loop {
        match std::str::from_utf8(rest) {
            Ok(text) => {
                out.push_str(text);
                return out;
            }
            Err(e) => {
                let (text, surrogate) = rest.split_at(e.valid_up_to());
                out.push_str(std::str::from_utf8(text).unwrap_or_default());
                out.push(char::REPLACEMENT_CHARACTER);
                rest = surrogate.get(3..).unwrap_or_default();
            }
        }
    }
}

/// Returns whether a JSON string without its quotes decodes to `want`.
pub(crate) fn equals(inner: &[u8], escaped: bool, want: &[u8]) -> bool {
    if escaped { unescape(inner).as_ref() == want } else { inner == want }
}

/// Writes a JSON string, quotes included, from decoded text (WTF-8), with as few escapes as possible.
pub(crate) fn write_string(decoded: &[u8], out: &mut Vec<u8>) {
    out.push(b'"');
    let mut rest = decoded;
    // The first byte of an encoded surrogate starts other characters, too.
    while let Some(at) = rest.iter().position(|byte| matches!(byte, b'"' | b'\\' | 0..0x20 | 0xed)) {
        let (plain, special) = rest.split_at(at);
        out.extend_from_slice(plain);
        rest = write_special(special, out);
    }
    out.extend_from_slice(rest);
    out.push(b'"');
}

/// Writes the first character of `text`, which may need an escape; returns what follows it.
fn write_special<'a>(text: &'a [u8], out: &mut Vec<u8>) -> &'a [u8] {
    let [byte, after @ ..] = text else { return text };
    match (*byte, after) {
        (b'"', _) => out.extend_from_slice(b"\\\""),
        (b'\\', _) => out.extend_from_slice(b"\\\\"),
        (b'\n', _) => out.extend_from_slice(b"\\n"),
        (b'\r', _) => out.extend_from_slice(b"\\r"),
        (b'\t', _) => out.extend_from_slice(b"\\t"),
        (8, _) => out.extend_from_slice(b"\\b"),
        (12, _) => out.extend_from_slice(b"\\f"),
        (b @ ..0x20, _) => write_unit(u32::from(b), out),
        (0xed, [b @ 0xa0..=0xbf, c, beyond @ ..]) => {
            write_unit(0xd000 | u32::from(b & 0x3f) << 6 | u32::from(c & 0x3f), out);
            return beyond;
        }
        (b, _) => out.push(b),
    }
    after
}

fn write_unit(unit: u32, out: &mut Vec<u8>) {
    out.extend_from_slice(b"\\u");
    for shift in [12, 8, 4, 0] {
        out.push(b"0123456789abcdef"[(unit >> shift & 15) as usize]);
    }
}
