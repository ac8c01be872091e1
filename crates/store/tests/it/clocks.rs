//! Clocks that jump: numbers keep their order, and nothing is thrown away because a clock was wrong for a while.

use std::time::Duration;

use model::Timestamp;
use store::{AuditQuery, AuditStore, LocalStore, Order, Retention, Settings, verify};
use tempfile::TempDir;

use crate::fixture::{Hands, event, everything, folder, found, name, oldest_first, open, settings};

const DAY: i64 = 24 * 60 * 60 * 1000;
const YEARS: i64 = 3650 * DAY;

fn keeping(folder: &TempDir, hands: &Hands) -> Settings {
    Settings {
        retention: Retention::Time(Duration::from_secs(30 * 24 * 60 * 60)),
        segment_bytes: 2000,
        clock: hands.clock(),
        ..settings(folder.path())
    }
}

async fn write(store: &LocalStore, at: i64, names: std::ops::RangeInclusive<u32>) {
    for n in names {
        let mut event = event(&n.to_string());
        event.key.at = Timestamp(at);
        store.append(event).await.expect("it is stored");
    }
}

/// Returns the names of events that are not the store's own.
async fn kept(store: &LocalStore) -> Vec<u32> {
    everything(store)
        .await
        .iter()
        .filter_map(|stored| name(stored).parse().ok())
        .collect()
}

#[tokio::test]
async fn a_clock_that_is_years_ahead_for_some_hours_costs_nothing() {
    let (folder, hands) = (folder(), Hands::default());
    let settings = keeping(&folder, &hands);
    hands.set(DAY);
    let store = open(&settings);
    write(&store, DAY, 1..=50).await;
    hands.set(YEARS);
    assert_eq!(store.retain(Timestamp(YEARS)), Ok(0), "too old, and waits");
    write(&store, YEARS, 51..=60).await;
    assert_eq!(store.retain(Timestamp(YEARS + DAY / 2)), Ok(0));
    hands.set(2 * DAY);
    assert_eq!(store.retain(Timestamp(2 * DAY)), Ok(0));
    // Were the first look still remembered, these would be dropped now.
    assert_eq!(store.retain(Timestamp(YEARS + 2 * DAY)), Ok(0));
    assert_eq!(kept(&store).await, (1..=60).collect::<Vec<_>>());
}

#[tokio::test]
async fn what_is_too_old_goes_after_a_day_of_grace_even_across_a_restart() {
    let (folder, hands) = (folder(), Hands::default());
    let settings = keeping(&folder, &hands);
    hands.set(DAY);
    let store = open(&settings);
    write(&store, DAY, 1..=50).await;
    write(&store, 40 * DAY, 51..=60).await;
    for day in [20, 32] {
        hands.set(day * DAY);
        assert_eq!(store.retain(Timestamp(day * DAY)), Ok(0));
    }
    drop(store);
    hands.set(33 * DAY);
    let store = open(&settings);
    // It may have done so by itself at its start.
    store.retain(Timestamp(33 * DAY)).expect("it drops");
    let kept = kept(&store).await;
    assert!(kept.contains(&51) && kept.len() < 30, "{kept:?}");
    drop(store);
    assert!(verify(&settings.folder).expect("it can be read").is_sound());
}

#[tokio::test]
async fn events_keep_the_order_in_which_they_were_stored_whatever_the_clock_says() {
    let (folder, hands) = (folder(), Hands::default());
    let settings = keeping(&folder, &hands);
    let store = open(&settings);
    for (n, at) in [(1, 500), (2, i64::MIN), (3, i64::MAX), (4, 0), (5, 500)] {
        write(&store, at, n..=n).await;
    }
    assert_eq!(kept(&store).await, [1, 2, 3, 4, 5]);
    let at_500 = AuditQuery {
        from: Some(Timestamp(500)),
        until: Some(Timestamp(501)),
        ..oldest_first()
    };
    assert_eq!(found(&store, &at_500).await, ["1", "5"]);
    let newest = AuditQuery {
        order: Order::Newest,
        until: Some(Timestamp(1)),
        ..AuditQuery::default()
    };
    assert_eq!(found(&store, &newest).await, ["4", "2"]);
}

#[tokio::test]
async fn a_clock_beyond_the_calendar_stops_nothing() {
    for at in [i64::MIN, i64::MAX] {
        let (folder, hands) = (folder(), Hands::default());
        hands.set(at);
        let settings = keeping(&folder, &hands);
        let store = open(&settings);
        write(&store, at, 1..=40).await;
        store.retain(Timestamp(at)).expect("it looks");
        assert_eq!(kept(&store).await, (1..=40).collect::<Vec<_>>());
    }
}
