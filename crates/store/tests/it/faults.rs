//! Disks that are full, cut writes short, and fail an fsync.

use std::io::ErrorKind;
use std::sync::Arc;
use std::time::Duration;

use store::{
    AuditStore, Change, Commit, CommitError, ControlStore, Fact, Health, LocalStore, Settings, Store, StoreError, SyncMode, verify,
};
use tempfile::TempDir;

use crate::faulty::{Faults, FaultyDisk};
use crate::fixture::{by, event, folder, grant, granting, names, open, settings};

fn on(disk: &FaultyDisk, folder: &TempDir, sync: SyncMode) -> Settings {
    Settings {
        disk: Arc::new(disk.clone()),
        sync,
        ..settings(folder.path())
    }
}

const SELDOM: SyncMode = SyncMode::Interval(Duration::from_secs(60 * 60));

fn why_read_only(store: &LocalStore) -> StoreError {
    match store.health() {
        Health::ReadOnly(why) => why,
        Health::Sound => panic!("it writes"),
    }
}

#[tokio::test]
async fn a_full_disk_refuses_and_goes_on_when_there_is_room() {
    for sync in [SELDOM, SyncMode::Always] {
        for room in [0, 1, 7, 8, 50, 100] {
            let (folder, disk) = (folder(), FaultyDisk::default());
            let settings = on(&disk, &folder, sync);
            let store = open(&settings);
            assert_eq!(store.append(event("before")).await, Ok(1));
            disk.set(Faults {
                room: Some(room),
                ..Faults::default()
            });
            for name in ["lost", "lost too"] {
                let refused = store.append(event(name)).await;
                assert!(matches!(refused, Err(StoreError::Full { .. })), "room for {room}: {refused:?}");
            }
            let why = why_read_only(&store);
            assert!(why.to_string().contains("free some space"), "{why}");
            assert_eq!(names(&store).await, ["before"], "it can be read");
            disk.set(Faults::default());
            assert_eq!(store.append(event("after")).await, Ok(2));
            assert_eq!(store.health(), Health::Sound);
            drop(store);
            assert!(verify(&settings.folder).expect("it can be read").is_sound());
            assert_eq!(names(&open(&settings)).await, ["before", "after"]);
        }
    }
}

#[tokio::test]
async fn writes_that_are_cut_short_are_finished() {
    let (folder, disk) = (folder(), FaultyDisk::default());
    let settings = on(&disk, &folder, SELDOM);
    let store = open(&settings);
    disk.set(Faults {
        piece: Some(5),
        ..Faults::default()
    });
    for n in 1..=20 {
        assert_eq!(store.append(event(&n.to_string())).await, Ok(n));
    }
    drop(store);
    assert_eq!(verify(&settings.folder).expect("it can be read").records, 20);
}

#[tokio::test]
async fn after_an_fsync_that_failed_nothing_is_written_and_none_is_tried_again() {
    let (folder, disk) = (folder(), FaultyDisk::default());
    let settings = on(&disk, &folder, SyncMode::Always);
    let store = open(&settings);
    store.commit(granting("alice", "fs")).await.expect("it is stored");
    disk.set(Faults {
        sync: true,
        ..Faults::default()
    });
    let refused = store.append(event("unanswered")).await.expect_err("it is not on the disk");
    assert!(refused.is_lasting() && refused.to_string().contains("fsync failed"), "{refused}");
    // The disk says that it works again; whether it does is not known.
    disk.set(Faults::default());
    let asked = disk.asked();
    for _ in 0..3 {
        assert_eq!(store.append(event("refused")).await, Err(refused.clone()));
    }
    assert_eq!(why_read_only(&store), refused);
    assert_eq!(store.load().await.expect("it can be read").grants.len(), 1);
    drop(store);
    assert_eq!(disk.asked(), asked, "the disk was not touched any more");
    let store = open(&settings);
    assert_eq!(store.health(), Health::Sound);
    let names = names(&store).await;
    assert!(!names.contains(&"refused".to_owned()), "{names:?}");
}

#[tokio::test]
async fn an_fsync_that_fails_between_two_events_stops_the_next_one() {
    let (folder, disk) = (folder(), FaultyDisk::default());
    let store = open(&on(&disk, &folder, SyncMode::Interval(Duration::from_millis(1))));
    disk.set(Faults {
        sync: true,
        ..Faults::default()
    });
    let refused = tokio::time::timeout(Duration::from_secs(30), async {
        loop {
            if let Err(why) = store.append(event("one more")).await {
                return why;
            }
            tokio::task::yield_now().await;
        }
    });
    let refused = refused.await.expect("it is noticed");
    assert!(refused.to_string().contains("fsync failed"), "{refused}");
}

#[tokio::test]
async fn a_write_that_fails_for_another_reason_stops_everything() {
    let (folder, disk) = (folder(), FaultyDisk::default());
    let settings = on(&disk, &folder, SELDOM);
    let store = open(&settings);
    disk.set(Faults {
        write: Some(ErrorKind::Other),
        ..Faults::default()
    });
    assert!(store.append(event("lost")).await.is_err_and(|why| why.is_lasting()));
    disk.set(Faults::default());
    assert!(store.append(event("refused")).await.is_err_and(|why| why.is_lasting()));
    drop(store);
    assert_eq!(open(&settings).append(event("after")).await, Ok(1));
}

#[tokio::test]
async fn what_cannot_be_taken_back_stops_everything_and_is_cut_off_at_the_next_start() {
    let (folder, disk) = (folder(), FaultyDisk::default());
    let settings = on(&disk, &folder, SELDOM);
    let store = open(&settings);
    store.append(event("before")).await.expect("it is stored");
    disk.set(Faults {
        room: Some(20),
        truncate: true,
        ..Faults::default()
    });
    let refused = store.append(event("half")).await.expect_err("there is no room");
    assert!(
        refused.is_lasting() && refused.to_string().contains("could not be cut off"),
        "{refused}"
    );
    drop(store);
    disk.set(Faults::default());
    let store = open(&settings);
    assert_eq!(store.append(event("after")).await, Ok(3));
    assert_eq!(names(&store).await, ["before", "dev.chancery.audit_recovered", "after"]);
}

#[tokio::test]
async fn a_segment_that_cannot_be_begun_refuses_and_leaves_nothing_behind() {
    let (folder, disk) = (folder(), FaultyDisk::default());
    let settings = Settings {
        segment_bytes: 300,
        ..on(&disk, &folder, SELDOM)
    };
    let store = open(&settings);
    let mut stored = 0;
    for faults in [
        Faults {
            create: Some(ErrorKind::StorageFull),
            ..Faults::default()
        },
        Faults {
            room: Some(40),
            ..Faults::default()
        },
    ] {
        store.append(event("fills")).await.expect("it is stored");
        store.append(event("fills")).await.expect("it is stored");
        stored += 2;
        disk.set(faults);
        // The one that found the segment full was stored; those that come need a new one.
        let refused = store.append(event("lost")).await;
        assert!(matches!(refused, Err(StoreError::Full { .. })), "{refused:?}");
        disk.set(Faults::default());
    }
    assert_eq!(store.append(event("after")).await, Ok(stored + 1));
    drop(store);
    let report = verify(&settings.folder).expect("it can be read");
    assert!(report.is_sound() && report.segments >= 2, "{report:?}");
    assert_eq!(report.records, stored + 1, "{report:?}");
}

#[tokio::test]
async fn changes_are_kept_while_the_audit_is_full_and_told_of_once_there_is_room() {
    let (folder, disk) = (folder(), FaultyDisk::default());
    let settings = on(&disk, &folder, SELDOM);
    let store = open(&settings);
    disk.set(Faults {
        room: Some(0),
        ..Faults::default()
    });
    store.commit(granting("alice", "fs")).await.expect("control.db has room");
    store.commit(granting("bob", "fs")).await.expect("control.db has room");
    assert_eq!(names(&store).await, [""; 0]);
    disk.set(Faults::default());
    store.commit(granting("carol", "fs")).await.expect("it is stored");
    let expected = ["grant alice fs", "grant bob fs", "grant carol fs"];
    assert_eq!(names(&store).await, expected);
    disk.set(Faults {
        room: Some(0),
        ..Faults::default()
    });
    store.commit(granting("dora", "fs")).await.expect("control.db has room");
    drop(store);
    disk.set(Faults::default());
    let store = open(&settings);
    assert_eq!(names(&store).await, [&expected[..], &["grant dora fs"]].concat());
    assert_eq!(store.load().await.expect("it loads").grants.len(), 4);
}

#[tokio::test]
async fn control_db_has_a_bound_and_refuses_as_a_full_disk_does() {
    let folder = folder();
    let settings = Settings {
        control_bytes: 256 << 10,
        ..settings(folder.path())
    };
    let store = open(&settings);
    let mut kept = 0;
    let refused = loop {
        let fact = Fact {
            kind: "test".into(),
            name: format!("fact {kept}").into(),
            value: "x".repeat(4000).into(),
            by: by("root", 1),
        };
        match store
            .commit(Commit::new(vec![Change::PutFact(fact)], vec![event(&kept.to_string())]))
            .await
        {
            Ok(_) => kept += 1,
            Err(why) => break why,
        }
    };
    assert!(matches!(refused, CommitError::Store(StoreError::Full { .. })), "{refused}");
    assert!(matches!(why_read_only(&store), StoreError::Full { .. }));
    assert_eq!(store.load().await.expect("it loads").facts.len(), kept);
    assert_eq!(names(&store).await.len(), kept, "no event without its change");
    let forget = (0..kept).map(|n| Change::RemoveFact {
        kind: "test".into(),
        name: format!("fact {n}").into(),
    });
    store
        .commit(Commit::new(forget.collect(), Vec::new()))
        .await
        .expect("forgetting needs no room");
    assert_eq!(store.health(), Health::Sound);
    store
        .commit(Commit::new(vec![Change::PutGrant(grant("alice", "fs"))], Vec::new()))
        .await
        .expect("there is room");
}
