//! Sorting that can be interrupted.

use std::cmp::Ordering;

/// How many elements are sorted between two checks of the flag.
const RUN: usize = 1 << 14;

/// Sorts, and ends early when `stop` fails: first runs, then pairs of runs that are twice as long each time. `stop`
/// gets the bytes that the sort needs in addition to what it sorts.
pub(crate) fn merge_sort<T: Copy, E>(
    all: &mut Vec<T>,
    stop: &dyn Fn(usize) -> Result<(), E>,
    compare: impl Fn(&T, &T) -> Ordering,
) -> Result<(), E> {
    let extra = if all.len() > RUN { size_of_val(&all[..]) } else { 0 };
    for run in all.chunks_mut(RUN) {
        run.sort_by(&compare);
        stop(extra)?;
    }
    let mut length = RUN;
    while length < all.len() {
        let mut merged = Vec::with_capacity(all.len());
        for both in all.chunks(2 * length) {
            let (mut left, mut right) = both.split_at(length.min(both.len()));
            while let ([first, left_rest @ ..], [second, right_rest @ ..]) = (left, right) {
                if compare(first, second).is_le() {
                    merged.push(*first);
                    left = left_rest;
                } else {
                    merged.push(*second);
                    right = right_rest;
                }
                if merged.len().is_multiple_of(RUN) {
                    stop(extra)?;
                }
            }
            merged.extend_from_slice(left);
            merged.extend_from_slice(right);
        }
        *all = merged;
        length *= 2;
    }
    Ok(())
}

#[cfg(test)]
mod tests {
    use super::{RUN, merge_sort};

    #[test]
    fn runs_are_merged_in_order_and_what_is_equal_stays_as_it_came() {
        for count in [0, 1, RUN - 1, RUN, RUN + 1, 5 * RUN + 7] {
            let scattered = (0..count as u64).map(|number| (number.wrapping_mul(0x9e37_79b9_7f4a_7c15) >> 52, number));
            let mut sorted: Vec<(u64, u64)> = scattered.collect();
            let mut expected = sorted.clone();
            expected.sort_by_key(|pair| pair.0);
            merge_sort::<_, ()>(&mut sorted, &|_| Ok(()), |a, b| a.0.cmp(&b.0)).expect("nothing stops it");
            assert!(sorted == expected, "{count}");
        }
    }
}
