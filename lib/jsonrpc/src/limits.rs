//! Limits on the size and depth of a value.

/// The deepest nesting that any configuration can allow. Walks over a value may recurse this far.
pub const MAX_DEPTH: usize = 512;

/// The limits for one frame. A frame beyond either is refused with code -32700.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Limits {
    /// How many bytes the whole frame may have, outer whitespace included.
    pub max_bytes: usize,
    /// How deeply objects and arrays may nest, the envelope (and the batch around it) included. At most [`MAX_DEPTH`].
    pub max_depth: usize,
}

impl Limits {
    /// The limits of a value that this process wrote itself: any length, and the deepest nesting that can be walked over.
    pub const OWN: Self = Self {
        max_bytes: usize::MAX,
        max_depth: MAX_DEPTH,
    };
}

impl Default for Limits {
    fn default() -> Self {
        Self {
            max_bytes: 16 << 20,
            max_depth: 128,
        }
    }
}
