//! Objects and arrays that this process writes itself, around values that are JSON already.

use std::borrow::Borrow;

use crate::{Limits, Raw, text};

/// Room for most objects, so that they are allocated once.
const USUAL_BYTES: usize = 128;

/// An object that is written member by member, in order.
///
/// The keys must differ. They are the caller's own, or those of an [`Object`](crate::Object), never a peer's unread.
///
/// ```
/// use jsonrpc::ObjectBuilder;
///
/// let built = ObjectBuilder::new()
///     .text("name", "echo")
///     .uint("calls", 3)
///     .object("limits", |limits| limits.flag("bounded", true))
///     .finish();
/// assert_eq!(built.text(), r#"{"name":"echo","calls":3,"limits":{"bounded":true}}"#);
/// ```
#[derive(Debug)]
#[must_use]
pub struct ObjectBuilder {
    out: Vec<u8>,
}

impl Default for ObjectBuilder {
    fn default() -> Self {
        Self::new()
    }
}

impl ObjectBuilder {
    /// An object without members.
    pub fn new() -> Self {
        Self::with_capacity(USUAL_BYTES)
    }

    /// An object without members, with room for about `bytes` of them.
    pub fn with_capacity(bytes: usize) -> Self {
        let mut out = Vec::with_capacity(bytes);
        out.push(b'{');
        Self { out }
    }

    /// Adds a member.
    pub fn raw(mut self, key: &str, value: &Raw) -> Self {
        self.key(key);
        self.out.extend_from_slice(value.bytes());
        self
    }

    /// Adds several members.
    pub fn members<K: AsRef<str>, V: Borrow<Raw>>(self, members: impl IntoIterator<Item = (K, V)>) -> Self {
        let members = members.into_iter();
        members.fold(self, |object, (key, value)| object.raw(key.as_ref(), value.borrow()))
    }

    /// Adds a string.
    pub fn text(mut self, key: &str, value: &str) -> Self {
        self.key(key);
        text::write_string(value.as_bytes(), &mut self.out);
        self
    }

    /// Adds a non-negative integer.
    pub fn uint(self, key: &str, value: u64) -> Self {
        self.raw(key, &Raw::uint(value))
    }

    /// Adds `true` or `false`.
    pub fn flag(self, key: &str, value: bool) -> Self {
        self.raw(key, &Raw::boolean(value))
    }

    /// Adds an array of strings.
    pub fn texts<'a>(mut self, key: &str, values: impl IntoIterator<Item = &'a str>) -> Self {
        self.key(key);
        write_array(&mut self.out, values, |value, out| text::write_string(value.as_bytes(), out));
        self
    }

    /// Adds an array of values.
    pub fn array<V: Borrow<Raw>>(mut self, key: &str, values: impl IntoIterator<Item = V>) -> Self {
        self.key(key);
        write_array(&mut self.out, values, |value, out| out.extend_from_slice(value.borrow().bytes()));
        self
    }

    /// Adds an object, whose members `fill` adds.
    pub fn object(mut self, key: &str, fill: impl FnOnce(Self) -> Self) -> Self {
        self.key(key);
        self.out.push(b'{');
        let mut filled = fill(self);
        filled.out.push(b'}');
        filled
    }

    /// Adds a member where there is a value for it.
    pub fn maybe(self, key: &str, value: Option<&Raw>) -> Self {
        match value {
            Some(value) => self.raw(key, value),
            None => self,
        }
    }

    /// Adds a string where there is one.
    pub fn maybe_text(self, key: &str, value: Option<&str>) -> Self {
        match value {
            Some(value) => self.text(key, value),
            None => self,
        }
    }

    /// Adds a string, or `null` where there is none.
    pub fn text_or_null(self, key: &str, value: Option<&str>) -> Self {
        match value {
            Some(value) => self.text(key, value),
            None => self.raw(key, &Raw::null()),
        }
    }

    fn key(&mut self, key: &str) {
        if self.out.last() != Some(&b'{') {
            self.out.push(b',');
        }
        text::write_string(key.as_bytes(), &mut self.out);
        self.out.push(b':');
    }

    /// The bytes of the object, which are not checked for [`MAX_DEPTH`](crate::MAX_DEPTH).
    #[must_use]
    pub fn bytes(mut self) -> Vec<u8> {
        self.out.push(b'}');
        self.out
    }

    /// The object; `{}` where its values nest too deeply together.
    #[must_use]
    pub fn finish(self) -> Raw {
        Raw::parse(self.bytes(), &Limits::OWN).unwrap_or_else(|_| Raw::object_empty())
    }
}

/// An array of these values; `null` where they nest too deeply.
#[must_use]
pub fn array<V: Borrow<Raw>>(values: impl IntoIterator<Item = V>) -> Raw {
    let mut out = Vec::new();
    write_array(&mut out, values, |value, out| out.extend_from_slice(value.borrow().bytes()));
    Raw::parse(out, &Limits::OWN).unwrap_or_else(|_| Raw::null())
}

fn write_array<V>(out: &mut Vec<u8>, values: impl IntoIterator<Item = V>, write: impl Fn(V, &mut Vec<u8>)) {
    out.push(b'[');
    for (i, value) in values.into_iter().enumerate() {
        if i > 0 {
            out.push(b',');
        }
        write(value, out);
    }
    out.push(b']');
}
