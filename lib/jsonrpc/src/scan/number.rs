//! Finds the ends of JSON numbers, whatever their size.

use crate::DecodeError;
use crate::error::Fault;
use crate::scan::Scan;

/// Returns the end of the number whose minus sign stands at `pos`.
#[inline(always)]
pub(super) fn negative(bytes: &[u8], pos: usize) -> Scan<usize> {
    unsigned(bytes, pos + 1)
}

/// Returns the end of the number at `pos`.
// The sign has a function of its own, so that a branch, which is predicted, decides where the digits begin.
#[inline(always)]
pub(super) fn unsigned(bytes: &[u8], pos: usize) -> Scan<usize> {
    let mut at = digits(bytes, pos)?;
    if at > pos + 1 && bytes.get(pos) == Some(&b'0') {
        return Err(DecodeError::new(Fault::Number, pos + 1));
    }
    if bytes.get(at) == Some(&b'.') {
        at = digits(bytes, at + 1)?;
    }
    if let Some(b'e' | b'E') = bytes.get(at) {
        at = exponent(bytes, at + 1)?;
    }
    Ok(at)
}

#[inline(never)]
fn exponent(bytes: &[u8], pos: usize) -> Scan<usize> {
    let sign = usize::from(matches!(bytes.get(pos), Some(b'+' | b'-')));
    digits(bytes, pos + sign)
}

/// Returns the end of one or more digits.
#[inline(always)]
fn digits(bytes: &[u8], pos: usize) -> Scan<usize> {
    let mut at = pos;
    while let Some(b'0'..=b'9') = bytes.get(at) {
        at += 1;
    }
    if at == pos {
        return Err(no_digit(bytes, at));
    }
    Ok(at)
}

#[cold]
#[inline(never)]
fn no_digit(bytes: &[u8], at: usize) -> DecodeError {
    DecodeError::new(if at < bytes.len() { Fault::Number } else { Fault::Truncated }, at)
}
