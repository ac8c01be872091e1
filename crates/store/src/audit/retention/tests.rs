//! Which segments may be dropped, as a table.

use super::*;

const DAY: i64 = GRACE;

/// Returns segments of 100 bytes, each a day younger than the one before; the last one is being written.
fn segments(count: u64) -> Vec<Segment> {
    let made = |n: u64| Segment {
        first: n,
        end: 100,
        newest: (n < count).then(|| Timestamp(i64::try_from(n).expect("small") * DAY)),
    };
    (1..=count).map(made).collect()
}

fn days(days: u64) -> Duration {
    Duration::from_secs(days * 24 * 60 * 60)
}

fn drops(retention: Retention, now: i64, condemned: &[(u64, i64)]) -> (usize, usize, Vec<(u64, i64)>) {
    let condemned = condemned.iter().map(|(first, day)| (*first, Timestamp(day * DAY))).collect();
    let plan = plan(&segments(5), retention, Timestamp(now * DAY), &condemned);
    let mut waiting: Vec<(u64, i64)> = plan.condemned.iter().map(|(first, at)| (*first, at.0 / DAY)).collect();
    waiting.sort_unstable();
    (plan.drop, plan.hide, waiting)
}

#[test]
fn everything_stays_where_everything_is_kept() {
    assert_eq!(drops(Retention::KeepAll, 1000, &[(1, 1)]), (0, 0, vec![]));
}

#[test]
fn the_first_segments_go_until_the_rest_fits_and_the_last_never_does() {
    for (most, dropped) in [(500, 0), (499, 1), (400, 1), (250, 3), (1, 4), (0, 4)] {
        assert_eq!(drops(Retention::Size(most), 9, &[]), (dropped, dropped, vec![]), "{most} bytes");
    }
}

#[test]
fn what_is_too_old_waits_a_day_first() {
    let kept = Retention::Time(days(10));
    assert_eq!(drops(kept, 10, &[]), (0, 0, vec![]));
    assert_eq!(drops(kept, 12, &[]), (0, 0, vec![(1, 12), (2, 12)]));
    assert_eq!(drops(kept, 13, &[(1, 12), (2, 12)]), (2, 2, vec![(3, 13)]));
    assert_eq!(drops(kept, 13, &[(1, 12), (2, 13)]), (1, 1, vec![(2, 13), (3, 13)]));
}

#[test]
fn a_clock_that_went_back_forgets_what_it_condemned() {
    let kept = Retention::Time(days(10));
    assert_eq!(drops(kept, 3, &[(1, 1000), (2, 1000)]), (0, 0, vec![]));
    assert_eq!(drops(kept, 12, &[(1, 1000)]), (0, 0, vec![(1, 12), (2, 12)]));
}

#[test]
fn a_segment_whose_age_is_not_known_is_kept_with_all_behind_it() {
    let mut unknown = segments(5);
    unknown[1].newest = None;
    let condemned = (1..=5).map(|first| (first, Timestamp(0))).collect();
    let plan = plan(&unknown, Retention::Time(days(1)), Timestamp(1000 * DAY), &condemned);
    assert_eq!(plan.drop, 1);
}

#[test]
fn tiers_hide_before_they_drop() {
    let tiered = Retention::Tiered {
        searchable: days(5),
        kept: days(20),
    };
    assert_eq!(drops(tiered, 8, &[]), (0, 3, vec![]));
    assert_eq!(drops(tiered, 22, &[(1, 21), (2, 21)]), (2, 4, vec![]));
}
