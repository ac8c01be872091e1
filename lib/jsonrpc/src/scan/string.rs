//! Scans the inside of a JSON string: plain text and escapes.

use crate::DecodeError;
use crate::error::Fault;
use crate::scan::Scan;
use crate::scan::block::{self, Block};

/// Returns a word in which each byte is `byte`.
const fn every(byte: u8) -> u64 {
    u64::from_le_bytes([byte; 8])
}

/// Returns a mask with the top bit of each byte that is a quote, a backslash or a control character. The lowest bit is
/// exact; above it a borrow may have set more.
#[inline(always)]
fn stops(word: u64) -> u64 {
    let quote = word ^ every(b'"');
    let backslash = word ^ every(b'\\');
    let zero_quote = quote.wrapping_sub(every(1)) & !quote;
    let zero_backslash = backslash.wrapping_sub(every(1)) & !backslash;
    let control = word.wrapping_sub(every(0x20)) & !word;
    (zero_quote | zero_backslash | control) & every(0x80)
}

#[inline(always)]
fn word_at(bytes: &[u8], pos: usize) -> Option<u64> {
    Some(u64::from_le_bytes(*bytes.get(pos..)?.first_chunk()?))
}

/// Returns the position of the next quote, backslash or control character at or behind `pos`, or the end.
#[inline(always)]
pub(super) fn plain(bytes: &[u8], mut pos: usize) -> usize {
    // Keys and most values end here.
    for _ in 0..3 {
        let Some(word) = word_at(bytes, pos) else {
            return plain_tail(bytes, pos);
        };
        let stops = stops(word);
        if stops != 0 {
            return pos + stops.trailing_zeros() as usize / 8;
        }
        pos += 8;
    }
    plain_long(bytes, pos)
}

/// Continues [`plain`] for long text: blocks, then words, then bytes.
#[inline(never)]
fn plain_long(bytes: &[u8], mut pos: usize) -> usize {
    while let Some(block) = Block::at(bytes, pos) {
        let stops = block.stops();
        if stops != 0 {
            return pos + stops.trailing_zeros() as usize;
        }
        pos += block::LEN;
    }
    while let Some(word) = word_at(bytes, pos) {
        let stops = stops(word);
        if stops != 0 {
            return pos + stops.trailing_zeros() as usize / 8;
        }
        pos += 8;
    }
    plain_tail(bytes, pos)
}

/// Finishes [`plain`] on the last few bytes of a frame.
#[inline(never)]
fn plain_tail(bytes: &[u8], pos: usize) -> usize {
    let rest = bytes.get(pos..).unwrap_or_default();
    pos + rest.iter().position(|&b| b == b'"' || b == b'\\' || b < 0x20).unwrap_or(rest.len())
}

/// Returns the position of the closing quote of a string that is not plain: a byte other than a quote stands at `pos`.
#[inline(never)]
pub(super) fn rest(bytes: &[u8], mut pos: usize) -> Scan<usize> {
    let mut carried = false;
    while let Some(block) = Block::at(bytes, pos) {
        let escapes = block.escapes(carried);
        if escapes.faulty {
            break;
        }
        let mut unicode = escapes.unicode;
        while unicode != 0 {
            unicode_escape(bytes, pos + unicode.trailing_zeros() as usize + 1)?;
            unicode &= unicode - 1;
        }
        if let Some(end) = escapes.end {
            return Ok(pos + end);
        }
        carried = escapes.carries;
        pos += block::LEN;
    }
    rest_tail(bytes, pos - usize::from(carried))
}

/// Does the work of [`rest`] byte by byte: for the last few bytes of a frame, and to report what is wrong and where.
fn rest_tail(bytes: &[u8], mut pos: usize) -> Scan<usize> {
    loop {
        pos = plain(bytes, pos);
        match bytes.get(pos) {
            Some(b'"') => return Ok(pos),
            Some(b'\\') => pos = escape(bytes, pos)?,
            Some(_) => return Err(DecodeError::new(Fault::ControlCharacter, pos)),
            None => return Err(DecodeError::new(Fault::Truncated, pos)),
        }
    }
}

/// Returns the position behind the escape at `pos`.
#[inline(always)]
fn escape(bytes: &[u8], pos: usize) -> Scan<usize> {
    match bytes.get(pos + 1) {
        Some(b'"' | b'\\' | b'/' | b'b' | b'f' | b'n' | b'r' | b't') => Ok(pos + 2),
        Some(b'u') => unicode_escape(bytes, pos + 2),
        Some(_) => Err(DecodeError::new(Fault::Escape, pos)),
        None => Err(DecodeError::new(Fault::Truncated, pos + 1)),
    }
}

/// Reads four hexadecimal digits. JSON does not require surrogates to come in pairs (RFC 8259 section 8.2).
fn unicode_escape(bytes: &[u8], pos: usize) -> Scan<usize> {
    for at in pos..pos + 4 {
        match bytes.get(at) {
            Some(b) if b.is_ascii_hexdigit() => {}
            Some(_) => return Err(DecodeError::new(Fault::Escape, at)),
            None => return Err(DecodeError::new(Fault::Truncated, at)),
        }
    }
    Ok(pos + 4)
}
