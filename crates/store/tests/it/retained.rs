//! Retention: what is dropped, what stays, and that the chain still holds.

use std::fs;
use std::path::{Path, PathBuf};
use std::time::Duration;

use model::Timestamp;
use store::{AuditQuery, AuditStore, Event, Retention, Settings, TallyBy, export, verify};

use crate::fixture::{Hands, event, everything, folder, found, name, oldest_first, open, settings};

const DAY: i64 = 24 * 60 * 60 * 1000;

fn at(n: u64, day: i64) -> Event {
    let mut event = event(&n.to_string());
    event.key.at = Timestamp(day * DAY);
    event
}

/// Makes a store of many small segments, and closes it.
async fn filled(folder: &Path, events: u64) -> Settings {
    let settings = Settings {
        segment_bytes: 2000,
        ..settings(folder)
    };
    let store = open(&settings);
    for n in 1..=events {
        store.append(at(n, 1)).await.expect("it is stored");
    }
    settings
}

/// Runs retention once, and closes the store again.
fn retain(settings: &Settings, retention: Retention) {
    let store = open(&Settings {
        retention,
        ..settings.clone()
    });
    store.retain(Timestamp(0)).expect("it drops");
}

#[tokio::test]
async fn only_so_many_bytes_are_kept_and_the_chain_heads_of_what_went() {
    let folder = folder();
    let settings = filled(folder.path(), 200).await;
    retain(&settings, Retention::Size(7000));
    let report = verify(&settings.folder).expect("it can be read");
    let heads_path = settings.folder.join("audit/heads");
    let heads = fs::read_to_string(&heads_path).expect("they are kept");
    assert!(report.is_sound() && report.dropped > 8, "{report:?}");
    assert_eq!(heads.lines().count(), report.dropped);
    let store = open(&settings);
    let all = everything(&store).await;
    assert!(all[0].seq > 100);
    assert_eq!(store.replay(1, 10).await.expect("it reads").kept_from, all[0].seq);
    let told = all
        .iter()
        .filter(|stored| name(stored) == "dev.chancery.audit_segment_dropped")
        .count();
    assert!(told > 0, "it is told of");
    assert_eq!(found(&store, &oldest_first()).await.len(), all.len());
    let next = all.last().expect("there are some").seq + 1;
    assert_eq!(store.append(at(201, 1)).await, Ok(next));
    drop(store);
    for line in 0..report.dropped {
        let mut lines: Vec<String> = heads.lines().map(|line| format!("{line}\n")).collect();
        lines.remove(line);
        fs::write(&heads_path, lines.concat()).expect("it can be written");
        // Without the first line only less is known.
        let sound = verify(&settings.folder).expect("it can be read").is_sound();
        assert_eq!(sound, line == 0, "without line {line}");
    }
}

#[tokio::test]
async fn a_segment_whose_head_was_noted_before_the_process_died_goes_at_the_next_look() {
    let folder = folder();
    let settings = filled(folder.path(), 60).await;
    let audit = settings.folder.join("audit");
    let copies: Vec<(PathBuf, Vec<u8>)> = fs::read_dir(&audit)
        .expect("it can be read")
        .map(|entry| entry.expect("it can be read").path())
        .filter(|path| path.extension().is_some_and(|end| end == "seg"))
        .map(|path| (path.clone(), fs::read(path).expect("it can be read")))
        .collect();
    retain(&settings, Retention::Size(3000));
    let dropped = verify(&settings.folder).expect("it can be read").dropped;
    let (path, bytes) = copies.iter().filter(|(path, _)| !path.exists()).max().expect("some have gone");
    fs::write(path, bytes).expect("it can be written");
    // And the line of the next one was cut short.
    let mut heads = fs::read_to_string(audit.join("heads")).expect("they are kept");
    heads.push_str("half a li");
    fs::write(audit.join("heads"), heads).expect("it can be written");
    let report = verify(&settings.folder).expect("it can be read");
    assert!(report.is_sound() && report.dropped == dropped, "{report:?}");
    retain(&settings, Retention::Size(3000));
    assert!(!path.exists());
    filled(folder.path(), 60).await;
    retain(&settings, Retention::Size(1));
    let report = verify(&settings.folder).expect("it can be read");
    assert!(report.is_sound() && report.dropped > dropped, "{report:?}");
}

#[tokio::test]
async fn tiers_are_searched_then_only_kept_then_gone() {
    let (folder, hands) = (folder(), Hands::default());
    let settings = Settings {
        segment_bytes: 60_000,
        retention: Retention::Tiered {
            searchable: Duration::from_secs(10 * 24 * 60 * 60),
            kept: Duration::from_secs(100 * 24 * 60 * 60),
        },
        clock: hands.clock(),
        ..settings(folder.path())
    };
    let store = open(&settings);
    for day in 1..=40 {
        hands.set(day * DAY);
        for n in 0..50 {
            store.append(at(n, day)).await.expect("it is stored");
        }
    }
    drop(store);
    // Opening and closing has everything indexed that can be.
    let store = open(&settings);
    assert_eq!(store.retain(Timestamp(40 * DAY)), Ok(0));
    let searched = found(&store, &oldest_first()).await.len();
    let exported = export(&settings.folder, AuditQuery::default()).expect("it can be read").count();
    assert_eq!(exported, 2000);
    assert!((500..2000).contains(&searched), "{searched}");
    let tally = store.tally(AuditQuery::default(), TallyBy::Kind).await.expect("it counts");
    assert_eq!(tally.total, searched as u64);
    for day in [120, 121] {
        hands.set(day * DAY);
        store.retain(Timestamp(day * DAY)).expect("it looks");
    }
    let exported = export(&settings.folder, AuditQuery::default()).expect("it can be read").count();
    assert!(exported < 1500, "{exported}");
    drop(store);
    assert!(verify(&settings.folder).expect("it can be read").is_sound());
}
