//! Objects and arrays of values that are JSON already.

use jsonrpc::{Limits, MAX_DEPTH, Raw};

/// Values are checked already; only their depth could be too much together, and then nothing is the safe answer.
fn built(out: Vec<u8>, otherwise: fn() -> Raw) -> Raw {
    let limits = Limits {
        max_bytes: usize::MAX,
        max_depth: MAX_DEPTH,
    };
    Raw::parse(out, &limits).unwrap_or_else(|_| otherwise())
}

/// An object of these members, in order. The keys must differ. `{}` where the values nest too deeply.
pub(crate) fn object<'a>(members: impl IntoIterator<Item = (&'a str, &'a Raw)>) -> Raw {
    let mut out = vec![b'{'];
    for (key, value) in members {
        if out.len() > 1 {
            out.push(b',');
        }
        out.extend_from_slice(Raw::string(key).bytes());
        out.push(b':');
        out.extend_from_slice(value.bytes());
    }
    out.push(b'}');
    built(out, Raw::object_empty)
}

/// An array of these values. `null` where they nest too deeply.
pub(crate) fn array<'a>(items: impl IntoIterator<Item = &'a Raw>) -> Raw {
    let mut out = vec![b'['];
    for item in items {
        if out.len() > 1 {
            out.push(b',');
        }
        out.extend_from_slice(item.bytes());
    }
    out.push(b']');
    built(out, Raw::null)
}

/// The same array with some elements replaced by any number of others; `None` where nothing is replaced.
pub(crate) fn map_items(list: &Raw, mut replace: impl FnMut(&Raw) -> Option<Vec<Raw>>) -> Option<Raw> {
    let mut items = Vec::new();
    let mut changed = false;
    for item in list.items() {
        match replace(&item) {
            Some(replaced) => {
                items.extend(replaced);
                changed = true;
            }
            None => items.push(item),
        }
    }
    changed.then(|| array(&items))
}
