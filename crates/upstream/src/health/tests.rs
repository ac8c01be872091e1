//! Tests of a server's health over time.

use std::time::{Duration, Instant};

use super::{Health, HealthRecord};
use crate::unavailable::Unavailable;

const SECOND: Duration = Duration::from_secs(1);

#[test]
fn a_failed_server_is_left_alone_for_a_growing_time() {
    let start = Instant::now();
    let mut record = HealthRecord::new(None);
    let mut waits = Vec::new();
    for _ in 0..4 {
        record.went_down(start, &Unavailable::new("nobody answers"));
        waits.push(record.retry_at().expect("it may pass by itself") - start);
    }
    for (round, wait) in waits.iter().enumerate() {
        let whole = Duration::from_millis(500 << round);
        assert!((whole / 2..=whole).contains(wait), "round {round}: {wait:?}");
    }
    let refused = record.check_backoff(start).expect_err("it was just tried");
    assert!(refused.why.starts_with("nobody answers (tried again in "), "{}", refused.why);
    assert!(record.check_backoff(start + 60 * SECOND).is_ok());
}

#[test]
fn a_failure_for_the_same_reason_is_no_news() {
    let now = Instant::now();
    let mut record = HealthRecord::new(None);
    assert!(record.went_down(now, &Unavailable::new("refused")));
    assert!(!record.went_down(now, &Unavailable::new("refused")));
    assert!(record.went_down(now, &Unavailable::new("unknown host")));
}

#[test]
fn what_a_person_has_to_mend_is_not_tried_again() {
    let now = Instant::now();
    let mut record = HealthRecord::new(Some(&"`${TOKEN}` is not set".to_owned()));
    assert!(record.is_error());
    record.went_down(now, &Unavailable::lasting("`${TOKEN}` is not set"));
    assert_eq!(record.retry_at(), None);
}

#[test]
fn a_connection_with_a_good_life_starts_the_backoff_anew() {
    let start = Instant::now();
    let mut record = HealthRecord::new(None);
    for _ in 0..5 {
        record.went_down(start, &Unavailable::new("refused"));
    }
    record.came_up();
    assert_eq!(record.health(), &Health::Started);
    let end = start + 20 * SECOND;
    record.lost(end, start, Unavailable::new("it exited"));
    let wait = record.retry_at().expect("it is tried again") - end;
    assert!(wait <= Duration::from_millis(500), "{wait:?}");
}

#[test]
fn the_wait_of_lists_is_counted_once() {
    let start = Instant::now();
    let mut record = HealthRecord::new(None);
    assert_eq!(record.patience(start, 2 * SECOND), 2 * SECOND);
    assert_eq!(record.patience(start + SECOND, 2 * SECOND), SECOND);
    assert_eq!(record.patience(start + 9 * SECOND, 2 * SECOND), Duration::ZERO);
    record.came_up();
    assert_eq!(record.patience(start + 9 * SECOND, 2 * SECOND), 2 * SECOND);
}
