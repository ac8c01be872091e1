//! Media types: the type of a body, and the types that an `Accept` header admits.

/// Returns whether a `Content-Type` is this media type, whatever its parameters.
pub(crate) fn is(content_type: &[u8], media: &str) -> bool {
    content_type
        .split_at_checked(media.len())
        .is_some_and(|(head, tail)| head.eq_ignore_ascii_case(media.as_bytes()) && matches!(tail.first(), None | Some(b';' | b' ' | b'\t')))
}

/// Returns whether the values of `Accept` admit a media type such as `application/json`. No value at all admits everything (RFC 9110
/// 12.5.1).
pub(crate) fn admits<'v>(accept: impl Iterator<Item = &'v [u8]>, media: &str) -> bool {
    let mut said = false;
    let mut best: Option<(u8, bool)> = None;
    for range in accept.flat_map(|value| value.split(|byte| *byte == b',')) {
        let mut parts = range.split(|byte| *byte == b';').map(<[u8]>::trim_ascii);
        let kind = parts.next().unwrap_or_default();
        said |= !kind.is_empty();
        if let Some(precision) = precision(kind, media) {
            let refused = parts.any(is_zero_quality);
            if best.is_none_or(|(other, _)| precision > other) {
                best = Some((precision, !refused));
            }
        }
    }
    best.map_or(!said, |(_, admitted)| admitted)
}

/// Returns how precisely a media range names a media type; `None` where it doesn't.
fn precision(range: &[u8], media: &str) -> Option<u8> {
    if range.eq_ignore_ascii_case(media.as_bytes()) {
        return Some(2);
    }
    let family = media.split('/').next().unwrap_or_default();
    let names_family = range
        .strip_suffix(b"/*")
        .is_some_and(|of| of.eq_ignore_ascii_case(family.as_bytes()));
    if names_family {
        return Some(1);
    }
    // A lone `*` is not allowed, but Java's HTTP client sends it.
    matches!(range, b"*/*" | b"*").then_some(0)
}

fn is_zero_quality(parameter: &[u8]) -> bool {
    let value = parameter.strip_prefix(b"q=").or_else(|| parameter.strip_prefix(b"Q="));
    value.is_some_and(|value| !value.is_empty() && value.iter().all(|byte| matches!(byte, b'0' | b'.')))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn content_types() {
        for yes in [
            "application/json",
            "Application/JSON; charset=utf-8",
            "application/json;charset=utf-8",
        ] {
            assert!(is(yes.as_bytes(), "application/json"), "{yes}");
        }
        for no in ["application/json-seq", "application/jso", "text/plain", ""] {
            assert!(!is(no.as_bytes(), "application/json"), "{no}");
        }
    }

    #[test]
    fn accept_ranges() {
        let admits = |accept: &[&str], media| super::admits(accept.iter().map(|value| value.as_bytes()), media);
        let (json, events) = ("application/json", "text/event-stream");
        for (accept, with_json, with_events) in [
            (&[][..], true, true),
            (&["*/*"][..], true, true),
            (&["application/json, text/event-stream"][..], true, true),
            (&["application/json", "text/event-stream"][..], true, true),
            (&["APPLICATION/json;q=0.5 , text/*"][..], true, true),
            (&["application/json"][..], true, false),
            (&["text/event-stream"][..], false, true),
            (&["text/html"][..], false, false),
            (&["*/*, text/event-stream;q=0"][..], true, false),
            (&["text/event-stream;q=0.0, */*"][..], true, false),
        ] {
            assert_eq!(
                (admits(accept, json), admits(accept, events)),
                (with_json, with_events),
                "{accept:?}"
            );
        }
    }
}
