//! Reads sixty-four bytes of a string at a time, as masks: one bit for each byte, the lowest for the first.

use wide::u8x16;

/// The number of bytes that are examined together.
pub(super) const LEN: usize = 64;

/// The masks of one block.
#[derive(Clone, Copy)]
pub(super) struct Block<'a> {
    bytes: &'a [u8; LEN],
    quotes: u64,
    backslashes: u64,
    controls: u64,
}

impl<'a> Block<'a> {
    /// Returns the block at `pos`, if that many bytes are left.
    #[inline(always)]
    pub(super) fn at(bytes: &'a [u8], pos: usize) -> Option<Self> {
        let bytes: &[u8; LEN] = bytes.get(pos..)?.first_chunk()?;
        Some(Self {
            bytes,
            quotes: mask(bytes, |lane| lane.simd_eq(u8x16::splat(b'"'))),
            backslashes: mask(bytes, |lane| lane.simd_eq(u8x16::splat(b'\\'))),
            controls: mask(bytes, |lane| lane.min(u8x16::splat(0x1f)).simd_eq(lane)),
        })
    }

    /// Returns the bytes that are not plain text.
    #[inline(always)]
    pub(super) fn stops(self) -> u64 {
        self.quotes | self.backslashes | self.controls
    }

    /// Checks the escapes in the block. `carried` says whether the byte before the block is a backslash that escapes
    /// its first byte.
    #[inline(always)]
    pub(super) fn escapes(self, carried: bool) -> Escapes {
        let (escaped, carries) = escaped(self.backslashes, carried);
        let ends = self.quotes & !escaped;
        // All bits below the first end; all bits where there is none.
        let inside = ends.wrapping_sub(1) & !ends;
        let wrong = if escaped & inside == 0 { 0 } else { escaped & !self.followers() };
        Escapes {
            end: (ends != 0).then_some(ends.trailing_zeros() as usize),
            faulty: (self.controls | wrong) & inside != 0,
            unicode: match escaped & inside {
                0 => 0,
                escaped => escaped & mask(self.bytes, |lane| lane.simd_eq(u8x16::splat(b'u'))),
            },
            carries,
        }
    }

    /// Returns the bytes that may follow a backslash: `"`, `\`, `/`, `b`, `f`, `n`, `r`, `t`, `u`.
    #[inline(always)]
    fn followers(self) -> u64 {
        let rest = mask(self.bytes, |lane| {
            // Two letters that differ in one bit are one comparison.
            let b_or_f = (lane & u8x16::splat(!4)).simd_eq(u8x16::splat(b'b'));
            let t_or_u = (lane & u8x16::splat(!1)).simd_eq(u8x16::splat(b't'));
            let others = [b'/', b'n', b'r'].map(|byte| lane.simd_eq(u8x16::splat(byte)));
            b_or_f | t_or_u | others[0] | others[1] | others[2]
        });
        self.quotes | self.backslashes | rest
    }
}

/// The result of checking the escapes of a block.
#[derive(Clone, Copy)]
pub(super) struct Escapes {
    /// The end of the string, if it lies in this block.
    pub(super) end: Option<usize>,
    /// Whether a byte before that end may not stand in a string. A slower scan finds where and which.
    pub(super) faulty: bool,
    /// The `u`s of unicode escapes before that end.
    pub(super) unicode: u64,
    /// Whether the first byte behind the block is escaped.
    pub(super) carries: bool,
}

/// Returns the bytes that a backslash escapes: those behind an odd number of backslashes. An addition carries through
/// each run of backslashes, and ends at an even or an odd place.
#[inline(always)]
fn escaped(backslashes: u64, carried: bool) -> (u64, bool) {
    const EVEN: u64 = 0x5555_5555_5555_5555;
    let carried = u64::from(carried);
    let backslashes = backslashes & !carried;
    let behind = backslashes << 1 | carried;
    let odd_starts = backslashes & !EVEN & !behind;
    let (from_even, carries) = odd_starts.overflowing_add(backslashes);
    ((EVEN ^ from_even << 1) & behind, carries)
}

#[inline(always)]
fn mask(bytes: &[u8; LEN], matches: impl Fn(u8x16) -> u8x16) -> u64 {
    let (lanes, _) = bytes.as_chunks::<16>();
    let bits = |lane: usize| u64::from(matches(u8x16::new(lanes[lane])).to_bitmask());
    bits(0) | bits(1) << 16 | bits(2) << 32 | bits(3) << 48
}
