//! Deferred events, which no task waits for.

use std::sync::Arc;
use std::time::Duration;

use store::{AuditStore, Settings, Store, SyncMode};
use tempfile::TempDir;

use crate::faulty::{Faults, FaultyDisk};
use crate::fixture::{event, folder, found, names, oldest_first, open, settings};

const SELDOM: SyncMode = SyncMode::Interval(Duration::from_secs(60 * 60));

fn on(disk: &FaultyDisk, folder: &TempDir, sync: SyncMode) -> Settings {
    Settings {
        disk: Arc::new(disk.clone()),
        sync,
        ..settings(folder.path())
    }
}

fn note(store: &dyn Store, names: &[&str]) {
    for name in names {
        assert_eq!(store.note(event(name)), None, "there is room");
    }
}

#[tokio::test]
async fn what_is_noted_stands_before_what_is_appended_after_it_and_is_read_at_once() {
    for sync in [SELDOM, SyncMode::Always] {
        let (folder, disk) = (folder(), FaultyDisk::default());
        let store = open(&on(&disk, &folder, sync));
        note(&store, &["one", "two"]);
        assert_eq!(store.append(event("three")).await, Ok(3));
        note(&store, &["four"]);
        assert_eq!(found(&store, &oldest_first()).await, ["one", "two", "three", "four"]);
        note(&store, &["five"]);
        assert_eq!(names(&store).await, ["one", "two", "three", "four", "five"]);
    }
}

#[tokio::test]
async fn notes_go_with_the_next_write() {
    let (folder, disk) = (folder(), FaultyDisk::default());
    let store = open(&on(&disk, &folder, SELDOM));
    store.append(event("first")).await.expect("it is stored");
    let before = disk.asked().writes;
    for n in 0..50 {
        note(&store, &[&format!("noted {n}")]);
        store.append(event(&format!("appended {n}"))).await.expect("it is stored");
    }
    let writes = disk.asked().writes - before;
    // The log itself writes what was deferred a moment ago, where no task appends: the two can meet.
    assert!((50..100).contains(&writes), "{writes} writes for 100 events");
    assert_eq!(names(&store).await.len(), 101);
}

#[tokio::test]
async fn what_is_noted_is_followed_without_anything_after_it() {
    for sync in [SELDOM, SyncMode::Always] {
        let (folder, disk) = (folder(), FaultyDisk::default());
        let store = open(&on(&disk, &folder, sync));
        let mut follower = store.follow(0);
        note(&store, &["alone"]);
        let chunk = tokio::time::timeout(Duration::from_secs(30), follower.next())
            .await
            .expect("it is written");
        assert_eq!(chunk.expect("the log can be read").events.len(), 1);
    }
}

#[tokio::test]
async fn what_finds_the_disk_full_is_written_when_there_is_room() {
    for sync in [SELDOM, SyncMode::Always] {
        let (folder, disk) = (folder(), FaultyDisk::default());
        let settings = on(&disk, &folder, sync);
        let store = open(&settings);
        disk.set(Faults {
            room: Some(20),
            ..Faults::default()
        });
        note(&store, &["kept"]);
        store.append(event("refused")).await.expect_err("there is no room");
        assert_eq!(names(&store).await, [""; 0], "{sync:?}");
        disk.set(Faults::default());
        assert_eq!(store.append(event("after")).await, Ok(2), "{sync:?}");
        note(&store, &["last"]);
        drop(store);
        assert_eq!(names(&open(&settings)).await, ["kept", "after", "last"], "{sync:?}");
    }
}

#[tokio::test]
async fn notes_are_bounded_and_given_back() {
    let (folder, disk) = (folder(), FaultyDisk::default());
    let settings = Settings {
        queue: 10,
        ..on(&disk, &folder, SELDOM)
    };
    let store = open(&settings);
    disk.set(Faults {
        room: Some(0),
        ..Faults::default()
    });
    store.append(event("refused")).await.expect_err("there is no room");
    let taken = (0..20).take_while(|n| store.note(event(&n.to_string())).is_none()).count();
    assert_eq!(taken, 10);
    let mut large = event("large");
    large.body = vec![b' '; 2 << 20].into();
    disk.set(Faults::default());
    assert_eq!(names(&store).await.len(), 10, "what is read is written first");
    assert_eq!(store.note(large.clone()), Some(large));
}
