//! Latencies in a log-linear histogram: constant memory, and an error of at most 1 %.

/// How many buckets a power of two has: a bucket is at most 1/128 of its value wide.
const STEPS: u64 = 128;
/// The exponent of `STEPS` as a power of two.
const STEP_BITS: u32 = STEPS.trailing_zeros();
/// The number of buckets, up to 2^40 ns, which is 18 minutes; longer durations count as that.
const BUCKETS: usize = ((40 - STEP_BITS as usize) + 1) * STEPS as usize;

/// A histogram of durations in nanoseconds.
#[derive(Debug, Clone)]
pub(crate) struct Histogram {
    counts: Vec<u64>,
    total: u64,
    sum_ns: u64,
    max_ns: u64,
}

impl Default for Histogram {
    fn default() -> Self {
        Self {
            counts: vec![0; BUCKETS],
            total: 0,
            sum_ns: 0,
            max_ns: 0,
        }
    }
}

impl Histogram {
    /// Adds one duration.
    pub(crate) fn record(&mut self, ns: u64) {
        self.counts[bucket(ns)] += 1;
        self.total += 1;
        self.sum_ns += ns;
        self.max_ns = self.max_ns.max(ns);
    }

    /// Adds all durations of `other`.
    pub(crate) fn merge(&mut self, other: &Self) {
        for (mine, theirs) in self.counts.iter_mut().zip(&other.counts) {
            *mine += theirs;
        }
        self.total += other.total;
        self.sum_ns += other.sum_ns;
        self.max_ns = self.max_ns.max(other.max_ns);
    }

    /// Returns the number of durations.
    pub(crate) fn len(&self) -> u64 {
        self.total
    }

    /// Returns the duration in µs that `quantile` (0 to 1) of all durations don't exceed; 0 when there are none.
    pub(crate) fn quantile_us(&self, quantile: f64) -> f64 {
        let rank = ((self.total as f64 * quantile).ceil() as u64).max(1);
        let mut seen = 0;
        for (index, count) in self.counts.iter().enumerate() {
            seen += count;
            if seen >= rank {
                return middle_ns(index).min(self.max_ns as f64) / 1e3;
            }
        }
        0.0
    }

    /// Returns the mean in µs; 0 when there are none.
    pub(crate) fn mean_us(&self) -> f64 {
        if self.total == 0 {
            0.0
        } else {
            self.sum_ns as f64 / self.total as f64 / 1e3
        }
    }

    /// Returns the longest duration in µs.
    pub(crate) fn max_us(&self) -> f64 {
        self.max_ns as f64 / 1e3
    }
}

/// Returns the bucket of a duration. Values below `STEPS` have a bucket each; above, each power of two is split into
/// `STEPS` parts.
fn bucket(ns: u64) -> usize {
    if ns < STEPS {
        return ns as usize;
    }
    let shift = ns.ilog2() - STEP_BITS;
    let index = u64::from(shift) * STEPS + (ns >> shift);
    (index as usize).min(BUCKETS - 1)
}

/// Returns the middle of a bucket in nanoseconds.
fn middle_ns(index: usize) -> f64 {
    let index = index as u64;
    if index < 2 * STEPS {
        return index as f64;
    }
    let shift = index / STEPS - 1;
    let low = (index % STEPS + STEPS) << shift;
    low as f64 + (1u64 << shift) as f64 / 2.0
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn quantiles_are_within_one_percent() {
        let mut histogram = Histogram::default();
        for us in 1..=100_000u64 {
            histogram.record(us * 1_000);
        }
        for (quantile, expected) in [(0.01, 1_000.0), (0.5, 50_000.0), (0.99, 99_000.0), (1.0, 100_000.0)] {
            let found = histogram.quantile_us(quantile);
            assert!((found / expected - 1.0).abs() < 0.01, "{quantile}: {found} instead of {expected}");
        }
        assert_eq!(histogram.len(), 100_000);
        assert_eq!(histogram.max_us(), 100_000.0);
    }

    #[test]
    fn every_value_lies_near_the_middle_of_its_bucket() {
        for exponent in 0..40 {
            for value in [1u64 << exponent, (1 << exponent) + (1 << exponent) / 3, (1 << (exponent + 1)) - 1] {
                let middle = middle_ns(bucket(value));
                assert!(
                    (middle - value as f64).abs() <= value as f64 / STEPS as f64,
                    "{value} became {middle}"
                );
            }
        }
    }

    #[test]
    fn merging_is_adding() {
        let (mut left, mut right, mut both) = (Histogram::default(), Histogram::default(), Histogram::default());
        for ns in [5, 700, 90_000, 1 << 50] {
            left.record(ns);
            right.record(ns * 3);
            both.record(ns);
            both.record(ns * 3);
        }
        left.merge(&right);
        assert_eq!(left.counts, both.counts);
        assert_eq!((left.len(), left.max_us()), (both.len(), both.max_us()));
        assert_eq!(left.mean_us(), both.mean_us());
    }

    #[test]
    fn an_empty_histogram_has_no_latency() {
        assert_eq!(Histogram::default().quantile_us(0.5), 0.0);
        assert_eq!(Histogram::default().mean_us(), 0.0);
    }
}
