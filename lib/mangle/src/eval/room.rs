//! Room for much more: what is moved for it is very large now and then, and still can be stopped.

use super::budget::{Exceeded, Meter};

/// Makes room for so many more words, or whatever they are. Where they are very many, it can be stopped while they move, and does not
/// begin if that were too much beside the `moving` bytes.
pub(crate) fn make_room<T: Copy>(words: &mut Vec<T>, more: usize, meter: &Meter, moving: usize) -> Result<(), Exceeded> {
    /// So many take milliseconds to move.
    const LARGE: usize = 1 << 20;
    let wanted = words.len() + more;
    if wanted < LARGE || wanted <= words.capacity() {
        return Ok(());
    }
    let capacity = wanted.max(2 * words.capacity());
    meter.check_bytes(moving + (capacity - words.capacity()) * size_of::<T>())?;
    let mut grown = Vec::with_capacity(capacity);
    for part in words.chunks(LARGE) {
        meter.glance(0)?;
        grown.extend_from_slice(part);
    }
    *words = grown;
    Ok(())
}
