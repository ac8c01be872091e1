//! JSON written around values that stay as they are.

use jsonrpc::Raw;

/// An object in the making.
pub(crate) struct Members<'a> {
    out: &'a mut Vec<u8>,
    empty: bool,
}

impl<'a> Members<'a> {
    pub(crate) fn open(out: &'a mut Vec<u8>) -> Self {
        out.push(b'{');
        Self { out, empty: true }
    }

    pub(crate) fn raw(&mut self, key: &str, value: &Raw) {
        self.key(key).extend_from_slice(value.bytes());
    }

    pub(crate) fn array<'b>(&mut self, key: &str, items: impl IntoIterator<Item = &'b Raw>) {
        array(items, self.key(key));
    }

    /// Writes the key; the value is the caller's to write.
    pub(crate) fn key(&mut self, key: &str) -> &mut Vec<u8> {
        if !self.empty {
            self.out.push(b',');
        }
        self.empty = false;
        self.out.extend_from_slice(Raw::string(key).bytes());
        self.out.push(b':');
        self.out
    }

    pub(crate) fn close(self) {
        self.out.push(b'}');
    }
}

pub(crate) fn array<'a>(items: impl IntoIterator<Item = &'a Raw>, out: &mut Vec<u8>) {
    out.push(b'[');
    for (i, item) in items.into_iter().enumerate() {
        if i > 0 {
            out.push(b',');
        }
        out.extend_from_slice(item.bytes());
    }
    out.push(b']');
}
