//! Formats values for people and other programs.

use std::fmt;

use super::{Interner, Value, View, civil, view::Entries};
use crate::eval::{MAX_DEPTH, MAX_VALUE};

/// A value that prints itself; see [`Interner::print`].
#[derive(Clone, Copy, Debug)]
pub struct Printed<'a> {
    interner: &'a Interner,
    value: Value,
    source: bool,
}

impl Interner {
    /// Returns the value as the result of a program shows it: a Mangle term, but times in RFC 3339 and durations like
    /// `1h30m0s`. A value that is larger or deeper than an evaluation allows is shown as `…`.
    pub fn print(&self, value: Value) -> Printed<'_> {
        Printed {
            interner: self,
            value,
            source: false,
        }
    }

    /// Returns the value as a term that can stand in a program: times and durations are function applications.
    pub fn print_source(&self, value: Value) -> Printed<'_> {
        Printed {
            interner: self,
            value,
            source: true,
        }
    }
}

impl Printed<'_> {
    fn of(&self, value: Value) -> Self {
        Self { value, ..*self }
    }

    /// Formats entries in the order of their text.
    fn entries(&self, entries: Entries<'_>) -> String {
        let mut texts: Vec<String> = entries
            .iter()
            .map(|(key, value)| format!("{} : {}", self.of(key), self.of(value)))
            .collect();
        texts.sort_unstable();
        texts.join(", ")
    }
}

impl fmt::Display for Printed<'_> {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let shape = self.interner.shape(self.value);
        if shape.depth > MAX_DEPTH || shape.bytes as usize > MAX_VALUE {
            return f.write_str("…");
        }
        match self.interner.view(self.value) {
            View::Number(number) => write!(f, "{number}"),
            View::Float(float) => write_float(f, float, self.source),
            View::Time(nanos) if self.source => write!(f, "fn:time:parse_rfc3339(\"{}\")", civil::write_time(nanos)),
            View::Time(nanos) => f.write_str(&civil::write_time(nanos)),
            View::Duration(nanos) if self.source => write!(f, "fn:duration:parse(\"{}\")", civil::write_duration(nanos)),
            View::Duration(nanos) => f.write_str(&civil::write_duration(nanos)),
            View::Name(name) => f.write_str(name),
            View::String(text) => write_string(f, text),
            View::Bytes(bytes) => write_bytes(f, bytes),
            View::Pair(first, second) => write!(f, "fn:pair({}, {})", self.of(first), self.of(second)),
            View::List(items) => {
                f.write_str("[")?;
                for (at, item) in items.iter().enumerate() {
                    let comma = if at == 0 { "" } else { ", " };
                    write!(f, "{comma}{}", self.of(item))?;
                }
                f.write_str("]")
            }
            View::Map(entries) if entries.is_empty() => f.write_str("fn:map()"),
            View::Map(entries) => write!(f, "[{}]", self.entries(entries)),
            View::Struct(fields) => write!(f, "{{{}}}", self.entries(fields)),
        }
    }
}

/// Writes a float, never with an exponent, with the shortest digits that read back as an equal float; whole ones have
/// no point, except in a source.
fn write_float(f: &mut fmt::Formatter<'_>, float: f64, source: bool) -> fmt::Result {
    if float.is_nan() {
        return f.write_str("NaN");
    }
    if float.is_infinite() {
        return f.write_str(if float > 0.0 { "+Inf" } else { "-Inf" });
    }
    let whole = source && float.fract() == 0.0;
    write!(f, "{float}{}", if whole { ".0" } else { "" })
}

/// Writes a string. ASCII stays, apart from quotes, backslash, newline and tab; everything else is `\u{six digits}`.
fn write_string(f: &mut fmt::Formatter<'_>, text: &str) -> fmt::Result {
    f.write_str("\"")?;
    for c in text.chars() {
        match c {
            '\'' => f.write_str("\\'")?,
            '"' => f.write_str("\\\"")?,
            '\n' => f.write_str("\\n")?,
            '\t' => f.write_str("\\t")?,
            '\\' => f.write_str("\\\\")?,
            c if c.is_ascii() => write!(f, "{c}")?,
            c => write!(f, "\\u{{{:06x}}}", u32::from(c))?,
        }
    }
    f.write_str("\"")
}

/// Writes bytes. Quotes, backslash, newline, tab and non-ASCII bytes become `\xNN`.
fn write_bytes(f: &mut fmt::Formatter<'_>, bytes: &[u8]) -> fmt::Result {
    f.write_str("b\"")?;
    for &byte in bytes {
        match byte {
            b'\'' | b'"' | b'\n' | b'\t' | b'\\' | 0x80.. => write!(f, "\\x{byte:02x}")?,
            byte => write!(f, "{}", byte as char)?,
        }
    }
    f.write_str("\"")
}
