//! Growth of large vectors that can be interrupted.

use super::budget::{Exceeded, Meter};

/// Reserves room for `more` elements. A very large vector can be interrupted while it is moved, and does not begin to
/// grow if that exceeded the budget beside the `moving` bytes.
pub(crate) fn make_room<T: Copy>(words: &mut Vec<T>, more: usize, meter: &Meter, moving: usize) -> Result<(), Exceeded> {
    /// The number of elements that takes milliseconds to move.
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

#[cfg(test)]
mod tests {
    use super::{Exceeded, Meter, make_room};
    use crate::eval::{Budget, Cancel, Limit};

    const MANY: usize = 3 << 20;

    fn grown(budget: Budget, cancel: Cancel) -> Result<Vec<u64>, Exceeded> {
        let mut words: Vec<u64> = (0..MANY as u64).collect();
        make_room(&mut words, MANY, &Meter::new(budget, cancel), 0).map(|()| words)
    }

    #[test]
    fn what_moves_is_the_same_afterwards() {
        let words = grown(Budget::default(), Cancel::default()).expect("memory is allowed");
        assert!(words.capacity() >= 2 * MANY);
        assert!(words.into_iter().eq(0..MANY as u64));
    }

    #[test]
    fn it_is_not_begun_beyond_the_budget_or_once_cancelled() {
        let narrow = Budget {
            bytes: 1 << 20,
            ..Budget::default()
        };
        let cancel = Cancel::default();
        cancel.cancel();
        let limit = |result: Result<Vec<u64>, Exceeded>| result.expect_err("it is stopped").limit;
        assert_eq!(limit(grown(narrow, Cancel::default())), Limit::Bytes);
        assert_eq!(limit(grown(Budget::default(), cancel)), Limit::Cancelled);
    }
}
