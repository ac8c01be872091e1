//! Two gateways, each measured in two lanes: their ratio, how sure it is, and how much of it could be noise.

use serde_json::{Value, json};

use crate::bench::stats::Spread;

/// The lanes: the commit twice, the present tree twice, taking turns.
pub(crate) const LANES: [Lane; 4] = [Lane::A1, Lane::B1, Lane::A2, Lane::B2];

/// One of two lanes of one of two gateways.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) enum Lane {
    /// The commit.
    A1,
    /// The present tree.
    B1,
    /// The commit again.
    A2,
    /// The present tree again.
    B2,
}

impl Lane {
    /// Whether the present tree's gateway is in it.
    pub(crate) fn is_present(self) -> bool {
        matches!(self, Self::B1 | Self::B2)
    }

    /// The lanes of one round. Each round begins with another, so that none always follows the same neighbour.
    pub(crate) fn in_turn(round: usize) -> [Self; 4] {
        let mut lanes = LANES;
        lanes.rotate_left(round % LANES.len());
        lanes
    }
}

/// What all lanes measured in one round, in the order of [`LANES`].
pub(crate) type Round = [f64; LANES.len()];

/// How much a figure varies from one measurement to the next.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) enum Kind {
    /// With what else the machine does, or with the order in which things happen: times and memory.
    Noisy,
    /// Hardly: instructions.
    Steady,
}

/// One figure over all rounds.
#[derive(Debug, Clone)]
pub(crate) struct Line {
    pub(crate) title: String,
    pub(crate) unit: &'static str,
    pub(crate) kind: Kind,
    pub(crate) rounds: Vec<Round>,
}

/// So many rounds it takes for an interval that holds a median with 95 %.
const ENOUGH: usize = 6;

/// A line in short.
#[derive(Debug, Clone, Copy, PartialEq)]
pub(crate) struct Comparison {
    rounds: usize,
    pub(crate) commit: f64,
    pub(crate) present: f64,
    /// The present tree by the commit: the median of the rounds' ratios.
    pub(crate) ratio: f64,
    /// Where that median would be with all rounds of the world, at 95 %.
    pub(crate) interval: (f64, f64),
    /// A2 by A1, and B2 by B1: medians that would be 1 if nothing but the gateway counted.
    pub(crate) noise: (f64, f64),
}

/// Whether a line keeps a bound.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) enum Verdict {
    Within,
    /// It may or may not: the noise is too large to tell.
    Unclear,
    Over,
}

impl Comparison {
    /// The comparison of what was measured; `None` when that was nothing.
    pub(crate) fn of(rounds: &[Round]) -> Option<Self> {
        let median = |of: fn(&Round) -> f64| Spread::of(rounds.iter().map(of)).map(|spread| spread.median);
        let ratio = |[a1, b1, a2, b2]: &Round| (b1 + b2) / (a1 + a2);
        Some(Self {
            rounds: rounds.len(),
            commit: median(|[a1, _, a2, _]| f64::midpoint(*a1, *a2))?,
            present: median(|[_, b1, _, b2]| f64::midpoint(*b1, *b2))?,
            ratio: median(ratio)?,
            interval: interval(rounds.iter().map(ratio).collect())?,
            noise: (median(|[a1, _, a2, _]| a2 / a1)?, median(|[_, b1, _, b2]| b2 / b1)?),
        })
    }

    /// Whether the present tree costs at most `bound` times as much. Where a figure is noisy, the whole interval has to be within the
    /// bound, or the whole interval over it by more than the lanes of one gateway differ; few rounds show neither.
    pub(crate) fn keeps(&self, bound: f64, kind: Kind) -> Verdict {
        let (a, b) = self.noise;
        let noise = f64::max((a - 1.0).abs(), (b - 1.0).abs());
        let (low, high) = match kind {
            Kind::Noisy if self.rounds < ENOUGH => return Verdict::Unclear,
            Kind::Noisy => (self.interval.0 / (1.0 + noise), self.interval.1),
            Kind::Steady => (self.ratio, self.ratio),
        };
        match (low > bound, high <= bound) {
            (true, _) => Verdict::Over,
            (false, true) => Verdict::Within,
            (false, false) => Verdict::Unclear,
        }
    }
}

impl Line {
    /// The line as JSON, with every value.
    pub(crate) fn json(&self) -> Value {
        let rounds = self
            .rounds
            .iter()
            .map(|[a1, b1, a2, b2]| json!({"A1": a1, "B1": b1, "A2": a2, "B2": b2}));
        let comparison = Comparison::of(&self.rounds).map(|found| {
            json!({
                "ratio": found.ratio,
                "interval": [found.interval.0, found.interval.1],
                "noise": [found.noise.0, found.noise.1],
            })
        });
        json!({"title": self.title, "unit": self.unit, "comparison": comparison, "rounds": rounds.collect::<Vec<_>>()})
    }
}

/// An interval that holds the median of what the values are drawn from in at least 95 of 100 cases, whatever that is: from one value
/// to another, so many from each end (the sign test). Fewer than [`ENOUGH`] values cannot say so much; it is all of them then.
fn interval(mut values: Vec<f64>) -> Option<(f64, f64)> {
    values.sort_by(f64::total_cmp);
    let count = values.len();
    // How likely it is that only so many values lie on one side of the median, and that so many or fewer do.
    let (mut outside, mut chance) = (0, 0.5_f64.powi(i32::try_from(count).ok()?));
    let mut tail = chance;
    loop {
        chance *= (count - outside) as f64 / (outside + 1) as f64;
        tail += chance;
        if tail > 0.025 {
            break;
        }
        outside += 1;
    }
    Some((*values.get(outside)?, *values.get(count.checked_sub(1 + outside)?)?))
}

#[cfg(test)]
mod tests {
    use super::*;

    fn numbered(count: u32) -> Option<(f64, f64)> {
        interval((1..=count).map(f64::from).collect())
    }

    #[test]
    fn intervals_are_those_of_the_sign_test() {
        // Of tables of order statistics: 15 values leave out three at each end (96.5 %), 20 five (95.9 %), 31 nine (97.1 %).
        assert_eq!(numbered(15), Some((4.0, 12.0)));
        assert_eq!(numbered(20), Some((6.0, 15.0)));
        assert_eq!(numbered(31), Some((10.0, 22.0)));
        assert_eq!(numbered(6), Some((1.0, 6.0)));
        assert_eq!(numbered(3), Some((1.0, 3.0)), "too few to leave one out");
        assert_eq!(numbered(1), Some((1.0, 1.0)));
        assert_eq!(numbered(0), None);
    }

    #[test]
    fn rounds_are_paired() {
        // The machine is ten times as slow in the second round: ratios do not care.
        let rounds = [[10.0, 11.0, 10.0, 11.0], [100.0, 110.0, 100.0, 110.0], [10.0, 11.0, 10.0, 11.0]];
        let found = Comparison::of(&rounds).expect("rounds");
        assert_eq!((found.commit, found.present), (10.0, 11.0));
        assert!((found.ratio - 1.1).abs() < 1e-9, "{found:?}");
        assert_eq!(found.noise, (1.0, 1.0));
        assert_eq!(Comparison::of(&[]), None);
    }

    #[test]
    fn noise_is_what_lanes_of_one_gateway_differ_by() {
        let found = Comparison::of(&[[10.0, 20.0, 12.0, 15.0]]).expect("a round");
        assert_eq!(found.noise, (1.2, 0.75));
    }

    #[test]
    fn a_noisy_figure_is_judged_only_where_it_is_sure() {
        let comparison = |low, high, noise| Comparison {
            rounds: 6,
            commit: 1.0,
            present: 1.03,
            ratio: 1.03,
            interval: (low, high),
            noise: (1.0, noise),
        };
        let noisy = |low, high, noise| comparison(low, high, noise).keeps(1.02, Kind::Noisy);
        assert_eq!(noisy(0.99, 1.02, 1.3), Verdict::Within);
        assert_eq!(noisy(1.00, 1.05, 1.0), Verdict::Unclear, "the bound lies in the interval");
        assert_eq!(noisy(1.03, 1.05, 0.97), Verdict::Unclear, "the lanes of one gateway differ as much");
        assert_eq!(noisy(1.03, 1.05, 0.995), Verdict::Over);
        let few = Comparison {
            rounds: 5,
            ..comparison(0.9, 0.95, 1.0)
        };
        assert_eq!(few.keeps(1.02, Kind::Noisy), Verdict::Unclear, "five rounds show nothing");
        let steady = |bound| comparison(0.9, 1.1, 0.9).keeps(bound, Kind::Steady);
        assert_eq!((steady(1.02), steady(1.03)), (Verdict::Over, Verdict::Within));
    }

    #[test]
    fn lanes_take_turns() {
        assert_eq!(Lane::in_turn(0), LANES);
        assert_eq!(Lane::in_turn(5), [Lane::B1, Lane::A2, Lane::B2, Lane::A1]);
        assert_eq!(LANES.map(Lane::is_present), [false, true, false, true]);
    }
}
