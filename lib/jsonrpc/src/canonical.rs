//! One spelling for all spellings of a value: for digests, never for the wire.

use crate::scan::Scanner;
use crate::text;

/// Sorted keys, the fewest escapes, no whitespace, numbers as they are.
pub(crate) fn canonical(bytes: &[u8]) -> Vec<u8> {
    let mut out = Vec::with_capacity(bytes.len());
    write(bytes, &mut out);
    out
}

/// `bytes` is one value without whitespace around it. Recurses as deep as values nest (`MAX_DEPTH`).
fn write(bytes: &[u8], out: &mut Vec<u8>) {
    match bytes {
        [b'"', inner @ .., b'"'] => text::write_string(&text::unescape(inner), out),
        [b'{', ..] => object(bytes, out),
        [b'[', ..] => array(bytes, out),
        scalar => out.extend_from_slice(scalar),
    }
}

fn object(bytes: &[u8], out: &mut Vec<u8>) {
    let mut members = Vec::new();
    let mut scanner = Scanner::trusted(bytes, 0);
    let mut more = scanner.open(b'}').unwrap_or(false);
    while more {
        let Ok((key, value)) = scanner.member() else { break };
        members.push((text::unescape(&bytes[key.span]), value));
        more = scanner.more(b'}').unwrap_or(false);
    }
    // Stable: where a key stands twice, the order is part of the meaning.
    members.sort_by(|(a, _), (b, _)| a.cmp(b));
    out.push(b'{');
    for (i, (key, value)) in members.into_iter().enumerate() {
        if i > 0 {
            out.push(b',');
        }
        text::write_string(&key, out);
        out.push(b':');
        write(&bytes[value], out);
    }
    out.push(b'}');
}

fn array(bytes: &[u8], out: &mut Vec<u8>) {
    let mut scanner = Scanner::trusted(bytes, 0);
    let mut more = scanner.open(b']').unwrap_or(false);
    out.push(b'[');
    let mut first = true;
    while more {
        let Ok(value) = scanner.value() else { break };
        if !first {
            out.push(b',');
        }
        first = false;
        write(&bytes[value], out);
        more = scanner.more(b']').unwrap_or(false);
    }
    out.push(b']');
}
