//! Tests of jumps of the machine's clock, forwards and backwards.

use std::time::Duration;

use model::Timestamp;
use store::Clock;

use super::Calendar;

const NOON: i64 = 1_795_000_000_000;
const HOUR: i64 = 3_600_000;

/// Returns the calendar's readings for readings of the machine's clock, each so many milliseconds after the start.
fn said(readings: &[(i64, u64)]) -> Vec<i64> {
    let calendar = Calendar::new(Clock::system());
    let read = |&(machine, after): &(i64, u64)| {
        let now = calendar.started + Duration::from_millis(after);
        calendar.read(Timestamp(NOON + machine), now).0 - NOON
    };
    readings.iter().map(read).collect()
}

#[test]
fn it_is_what_the_machine_says() {
    assert_eq!(said(&[(0, 0), (1_000, 1_000), (HOUR, 3_600_000)]), [0, 1_000, HOUR]);
}

#[test]
fn a_jump_forwards_counts_at_once() {
    assert_eq!(said(&[(0, 0), (HOUR, 1_000), (HOUR + 5, 1_005)]), [0, HOUR, HOUR + 5]);
}

#[test]
fn after_a_jump_back_time_goes_on_at_its_pace() {
    assert_eq!(said(&[(0, 0), (1_000 - HOUR, 1_000), (9_000 - HOUR, 9_000)]), [0, 1_000, 9_000]);
    assert_eq!(
        said(&[(0, 0), (HOUR, 1_000), (2_000, 2_000)]),
        [0, HOUR, HOUR + 1_000],
        "forwards and back"
    );
}

#[test]
fn a_clock_that_has_caught_up_is_followed_again() {
    assert_eq!(
        said(&[(0, 0), (-HOUR, 1_000), (HOUR, 2_000), (HOUR + 7, 2_007)]),
        [0, 1_000, HOUR, HOUR + 7]
    );
}

#[test]
fn the_ends_of_time_are_no_panic() {
    let calendar = Calendar::new(Clock::system());
    for machine in [i64::MIN, 0, i64::MAX, i64::MIN] {
        calendar.read(Timestamp(machine), calendar.started + Duration::from_secs(1));
    }
    assert_eq!(calendar.read(Timestamp(0), calendar.started), Timestamp(i64::MAX - 1_000));
}
