//! Decodes percent and backslash escapes once.

/// The result of percent decoding.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(crate) enum Decoded {
    /// Nothing was encoded.
    Same,
    /// The decoded text.
    Text(String),
    /// The bytes are not UTF-8: an overlong or broken form, which decoders read differently.
    Malformed,
}

/// Decodes each `%XX` once. A `%` without two hexadecimal digits behind it stays.
pub(crate) fn percent_decode(text: &str) -> Decoded {
    let bytes = text.as_bytes();
    if !bytes.contains(&b'%') {
        return Decoded::Same;
    }
    let mut out = Vec::with_capacity(bytes.len());
    let mut at = 0;
    while at < bytes.len() {
        let pair = (bytes[at] == b'%').then(|| hex_pair(bytes, at + 1)).flatten();
        match pair {
            Some(value) => {
                out.push(value);
                at += 3;
            }
            None => {
                out.push(bytes[at]);
                at += 1;
            }
        }
    }
    if out.len() == bytes.len() {
        return Decoded::Same;
    }
    String::from_utf8(out).map_or(Decoded::Malformed, Decoded::Text)
}

fn hex_pair(bytes: &[u8], at: usize) -> Option<u8> {
    let digit = |byte: u8| char::from(byte).to_digit(16).and_then(|value| u8::try_from(value).ok());
    Some(digit(*bytes.get(at)?)? << 4 | digit(*bytes.get(at + 1)?)?)
}

/// Returns whether there is a `%uXXXX`, which no standard defines and some servers decode.
pub(crate) fn has_unicode_percent(text: &str) -> bool {
    text.match_indices("%u").chain(text.match_indices("%U")).any(|(at, _)| {
        let digits = text.as_bytes().get(at + 2..at + 6);
        digits.is_some_and(|digits| digits.iter().all(u8::is_ascii_hexdigit))
    })
}

/// Returns the first escape of a letter, a digit or a separator of paths, which need not be escaped in a path.
pub(crate) fn needless_escape(text: &str) -> Option<&str> {
    text.match_indices('%').find_map(|(at, _)| {
        let value = hex_pair(text.as_bytes(), at + 1)?;
        let needless = value.is_ascii_alphanumeric() || matches!(value, b'.' | b'/' | b'\\' | b'-' | b'_' | b'~');
        needless.then(|| &text[at..at + 3])
    })
}

/// Decodes dots and slashes written as numbers, `0x2f`, as some servers do; `None` when there are none.
pub(crate) fn numbers_unescaped(text: &str) -> Option<String> {
    if !text.contains("0x") && !text.contains("0X") {
        return None;
    }
    let lower = text.to_ascii_lowercase();
    let unescaped = lower.replace("0x2f", "/").replace("0x5c", "\\").replace("0x2e", ".");
    (unescaped != lower).then_some(unescaped)
}

/// Decodes backslash escapes as in programming languages; `None` when there are none.
pub(crate) fn unescape(text: &str) -> Option<String> {
    if !text.contains('\\') {
        return None;
    }
    let mut out = String::with_capacity(text.len());
    let mut rest = text;
    let mut changed = false;
    while let Some(at) = rest.find('\\') {
        out.push_str(&rest[..at]);
        rest = &rest[at + 1..];
        if let Some((c, length)) = escape(rest) {
            out.push(c);
            rest = &rest[length..];
            changed = true;
        } else {
            out.push('\\');
        }
    }
    out.push_str(rest);
    changed.then_some(out)
}

/// Returns the character of the escape at the start of `rest`, and how many bytes it takes.
fn escape(rest: &str) -> Option<(char, usize)> {
    let number = |start: usize, digits: usize, radix: u32| {
        let text = rest.get(start..start + digits)?;
        let value = u32::from_str_radix(text, radix).ok().filter(|_| !text.starts_with('+'))?;
        Some((char::from_u32(value)?, start + digits))
    };
    match rest.chars().next()? {
        'n' => Some(('\n', 1)),
        'r' => Some(('\r', 1)),
        't' => Some(('\t', 1)),
        'x' => number(1, 2, 16),
        'u' => number(1, 4, 16),
        '0'..='7' => number(0, 3, 8),
        _ => None,
    }
}
