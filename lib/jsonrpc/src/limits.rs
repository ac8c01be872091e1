//! How large and how deep a value may be before it is refused.

/// The deepest nesting that any configuration can allow. Walks over a value may recurse this far.
pub const MAX_DEPTH: usize = 512;

/// What one frame may cost. Both limits refuse with code -32700.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Limits {
    /// Bytes of the whole frame, outer whitespace included.
    pub max_bytes: usize,
    /// Objects and arrays inside one another, the envelope (and the batch around it) included. At most [`MAX_DEPTH`].
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
