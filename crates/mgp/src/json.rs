//! Objects of ours, written member by member.

use jsonrpc::{Limits, MAX_DEPTH, Raw};

/// An object in the making. The keys must differ; they are ours, never a peer's, unless [`Members::raw`] gets those of an object that was read.
#[derive(Debug)]
#[must_use]
pub(crate) struct Members {
    out: Vec<u8>,
}

impl Members {
    pub(crate) fn new() -> Self {
        let mut out = Vec::with_capacity(512);
        out.push(b'{');
        Self { out }
    }

    fn key(&mut self, key: &str) {
        if self.out.last() != Some(&b'{') {
            self.out.push(b',');
        }
        Raw::push_string(key, &mut self.out);
        self.out.push(b':');
    }

    pub(crate) fn raw(mut self, key: &str, value: &Raw) -> Self {
        self.key(key);
        self.out.extend_from_slice(value.bytes());
        self
    }

    /// A member whose value is another object of ours.
    pub(crate) fn object(mut self, key: &str, fill: impl FnOnce(Self) -> Self) -> Self {
        self.key(key);
        self.out.push(b'{');
        let mut filled = fill(self);
        filled.out.push(b'}');
        filled
    }

    pub(crate) fn text(mut self, key: &str, value: &str) -> Self {
        self.key(key);
        Raw::push_string(value, &mut self.out);
        self
    }

    pub(crate) fn uint(self, key: &str, value: u64) -> Self {
        self.raw(key, &Raw::uint(value))
    }

    pub(crate) fn flag(self, key: &str, value: bool) -> Self {
        self.raw(key, &Raw::boolean(value))
    }

    pub(crate) fn texts<'a>(self, key: &str, values: impl IntoIterator<Item = &'a str>) -> Self {
        let values: Vec<&str> = values.into_iter().collect();
        self.raw(key, &Raw::of(&values))
    }

    /// The member, where there is a value for it.
    pub(crate) fn maybe(self, key: &str, value: Option<&Raw>) -> Self {
        match value {
            Some(value) => self.raw(key, value),
            None => self,
        }
    }

    /// The member, where there is a text for it.
    pub(crate) fn maybe_text(self, key: &str, value: Option<&str>) -> Self {
        match value {
            Some(value) => self.text(key, value),
            None => self,
        }
    }

    /// The text, or `null`.
    pub(crate) fn text_or_null(self, key: &str, value: Option<&str>) -> Self {
        match value {
            Some(value) => self.text(key, value),
            None => self.raw(key, &Raw::null()),
        }
    }

    /// The bytes of the object.
    pub(crate) fn bytes(mut self) -> Vec<u8> {
        self.out.push(b'}');
        self.out
    }

    /// The object; `{}` where its values nest too deeply together.
    pub(crate) fn finish(self) -> Raw {
        value(self.bytes()).unwrap_or_else(Raw::object_empty)
    }
}

/// Bytes of ours as a value.
pub(crate) fn value(bytes: Vec<u8>) -> Option<Raw> {
    let limits = Limits {
        max_bytes: usize::MAX,
        max_depth: MAX_DEPTH,
    };
    Raw::parse(bytes, &limits).ok()
}

/// The texts of an array; `None` where it is no array, longer than `most`, or holds something else than texts.
pub(crate) fn texts(array: &Raw, most: usize) -> Option<Vec<String>> {
    if array.kind() != jsonrpc::RawKind::Array {
        return None;
    }
    let mut found = Vec::new();
    for element in array.elements() {
        if found.len() == most {
            return None;
        }
        found.push(element.as_str()?.into_owned());
    }
    Some(found)
}

/// A peer's text in a message of ours: on one line, without control and direction characters, cut where it gets long.
pub(crate) fn shown(text: &str) -> String {
    const SHOWN: usize = 120;
    let is_plain =
        |c: char| !c.is_control() && !matches!(c, '\u{200b}'..='\u{200f}' | '\u{2028}'..='\u{202e}' | '\u{2066}'..='\u{2069}' | '\u{feff}');
    let mut out: String = text.chars().take(SHOWN).map(|c| if is_plain(c) { c } else { '\u{fffd}' }).collect();
    if text.chars().nth(SHOWN).is_some() {
        out.push('…');
    }
    out
}
