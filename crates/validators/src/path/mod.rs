//! Judges paths: an argument must stay inside the declared roots, however it is encoded and whichever component decodes
//! it.
//!
//! Every reading of the text is judged: as it stands, percent-decoded as often as it changes, unescaped, and in its
//! compatibility form. Both slashes separate. The judgement is lexical: the server must refuse symbolic links inside a
//! root that lead outside.

mod normal;
mod refusal;
mod roots;

pub use roots::{InvalidRoot, Roots};

use std::borrow::Cow;

use self::refusal::Refusal;
use crate::finding::{Findings, shown};
use crate::text::{self, Decoded};

/// The length in bytes above which every system refuses a path.
const MAX_BYTES: usize = 4096;
/// How often a text is decoded while it changes. A text that is encoded more often is refused.
const MAX_ROUNDS: usize = 4;

const INSIDE: &str = "name a path inside the allowed folders, without encoding";

/// Judges a path argument against the roots.
#[must_use]
pub fn check(text: &str, roots: &Roots) -> Findings {
    let mut findings = Findings::default();
    if let Err(Refusal { rule, reason }) = judge(text, roots) {
        findings.add(rule, 0..text.len(), reason, INSIDE);
    }
    findings
}

fn judge(text: &str, roots: &Roots) -> Result<(), Refusal> {
    if text.len() > MAX_BYTES {
        return Err(Refusal::new("path.length", "the path is longer than 4096 bytes"));
    }
    if text::has_unicode_percent(text) {
        return Err(Refusal::new(
            "path.encoding",
            "`%u` escapes mean different things to different decoders",
        ));
    }
    if let Some(needless) = text::needless_escape(text) {
        let reason = format!("`{needless}` hides a character that needs no escape");
        return Err(Refusal::new("path.encoding", reason));
    }
    reading(text, roots)?;
    let mut now = Cow::Borrowed(text);
    for _ in 0..MAX_ROUNDS {
        match text::percent_decode(&now) {
            Decoded::Same => return Ok(()),
            Decoded::Malformed => return Err(Refusal::new("path.encoding", "the percent escapes are no well-formed UTF-8")),
            Decoded::Text(decoded) => {
                reading(&decoded, roots)?;
                now = Cow::Owned(decoded);
            }
        }
    }
    Err(Refusal::new("path.encoding", "the path is encoded over and over"))
}

/// Judges one reading, and those that follow from it without percent decoding.
fn reading(text: &str, roots: &Roots) -> Result<(), Refusal> {
    exact(text, roots)?;
    if let Some(unescaped) = text::unescape(text).filter(|unescaped| !unescaped.contains(['\n', '\t', '\r'])) {
        exact(&unescaped, roots)?;
    }
    if let Some(unescaped) = text::numbers_unescaped(text) {
        exact(&unescaped, roots)?;
    }
    match text::folded(text) {
        Some(folded) => exact(&folded, roots),
        None => Ok(()),
    }
}

/// Judges a path that is not decoded, but may be normalised.
fn exact(text: &str, roots: &Roots) -> Result<(), Refusal> {
    if let Some(segment) = normal::disguised(text) {
        let reason = format!("some readers take `{}` for a step upwards", shown(segment));
        return Err(Refusal::new("path.dots", reason));
    }
    as_written(text, roots)
}

/// Judges a path that is passed to the system as it is written.
pub(crate) fn as_written(text: &str, roots: &Roots) -> Result<(), Refusal> {
    if let Some((_, c)) = text.char_indices().find(|(_, c)| c.is_control()) {
        let reason = format!("a path has no control character, here U+{:04X}", u32::from(c));
        return Err(Refusal::new("path.control", reason));
    }
    if let Some((_, c)) = text::invisible(text) {
        let reason = format!("a path has no invisible character, here U+{:04X}", u32::from(c));
        return Err(Refusal::new("path.control", reason));
    }
    let path = normal::parse(text)?;
    if roots.hold(&path) {
        Ok(())
    } else {
        Err(Refusal::new(
            "path.outside",
            format!("`{}` is outside of the allowed folders", shown(text)),
        ))
    }
}
