//! Files that are not what was written: cut short, changed, exchanged, gone.

use std::fs;
use std::path::{Path, PathBuf};

use store::{AuditStore, ControlStore, Health, Settings, Store, StoreError, verify};

use crate::fixture::{event, folder, granting, names, open, settings};

/// Makes a store with some events in one segment, and returns its settings and the segment.
async fn small(folder: &Path, events: u64) -> (Settings, PathBuf) {
    let settings = settings(folder);
    let store = open(&settings);
    for n in 1..=events {
        store.append(event(&n.to_string())).await.expect("it is stored");
    }
    drop(store);
    let segment = settings.folder.join("audit/00000000000000000001.seg");
    (settings, segment)
}

#[tokio::test]
async fn every_byte_of_a_segment_that_changes_is_found_and_stops_all_writing() {
    let folder = folder();
    let (settings, segment) = small(folder.path(), 4).await;
    let whole = fs::read(&segment).expect("it can be read");
    for at in 0..whole.len() {
        let mut bytes = whole.clone();
        bytes[at] ^= 1 << (at % 8);
        fs::write(&segment, &bytes).expect("it can be written");
        let report = verify(&settings.folder).expect("it can be read");
        let bad = report.bad.unwrap_or_else(|| panic!("byte {at} is not found"));
        assert!(bad.offset <= at as u64 && bad.seq == report.records + 1, "byte {at}: {bad:?}");
        // A start takes longer than a look.
        if at % 7 == 0 {
            let store = open(&settings);
            let health = store.health();
            assert!(
                matches!(health, Health::ReadOnly(StoreError::Damaged { .. })),
                "byte {at}: {health:?}"
            );
            assert!(store.append(event("no")).await.is_err_and(|why| why.is_lasting()));
            drop(store);
            assert_eq!(fs::read(&segment).expect("it can be read"), bytes, "it was not touched");
        }
    }
}

#[tokio::test]
async fn a_segment_cut_short_is_found_wherever_it_was_cut() {
    let folder = folder();
    let (settings, segment) = small(folder.path(), 3).await;
    let whole = fs::read(&segment).expect("it can be read");
    for length in 0..whole.len() {
        fs::write(&segment, &whole[..length]).expect("it can be written");
        let report = verify(&settings.folder).expect("it can be read");
        assert!(report.bad.is_some(), "cut to {length}: {report:?}");
        if length % 11 != 0 {
            continue;
        }
        let store = open(&settings);
        assert!(
            matches!(store.health(), Health::ReadOnly(StoreError::Damaged { .. })),
            "cut to {length}"
        );
        drop(store);
        fs::write(&segment, &whole).expect("it can be written");
    }
}

#[tokio::test]
async fn a_record_that_a_dying_process_left_half_written_is_cut_off_and_told_of() {
    let folder = folder();
    let (settings, segment) = small(folder.path(), 3).await;
    let whole = fs::read(&segment).expect("it can be read");
    let record = (whole.len() - 104) / 3;
    // What was on the disk for certain ends before the last record.
    for half in (1..record).step_by(5) {
        fs::write(settings.folder.join("audit/synced"), format!("{:020}\n", 2)).expect("it can be written");
        fs::write(&segment, &whole[..whole.len() - half]).expect("it can be written");
        let torn = verify(&settings.folder).expect("it can be read").torn;
        assert_eq!(torn.map(|torn| (torn.seq, torn.bytes)), Some((3, (record - half) as u64)));
        let store = open(&settings);
        assert_eq!(store.health(), Health::Sound);
        assert_eq!(store.append(event("after")).await, Ok(4));
        assert_eq!(names(&store).await, ["1", "2", "dev.chancery.audit_recovered", "after"]);
        drop(store);
        assert!(verify(&settings.folder).expect("it can be read").is_sound());
        fs::write(&segment, &whole).expect("it can be written");
    }
}

#[tokio::test]
async fn what_a_power_cut_left_of_records_that_were_not_on_the_disk_is_cut_off() {
    let folder = folder();
    let (settings, segment) = small(folder.path(), 3).await;
    let whole = fs::read(&segment).expect("it can be read");
    let record = (whole.len() - 104) / 3;
    fs::write(settings.folder.join("audit/synced"), format!("{:020}\n", 1)).expect("it can be written");
    let mut holes = whole.clone();
    holes[104 + record..104 + record + 50].fill(0);
    fs::write(&segment, &holes).expect("it can be written");
    let store = open(&settings);
    assert_eq!(store.append(event("after")).await, Ok(3));
    assert_eq!(names(&store).await, ["1", "dev.chancery.audit_recovered", "after"]);
}

#[tokio::test]
async fn a_segment_that_was_just_being_made_is_made_again() {
    let folder = folder();
    let (settings, segment) = small(folder.path(), 3).await;
    let header = fs::read(&segment).expect("it can be read")[..104].to_vec();
    let next = settings.folder.join("audit/00000000000000000004.seg");
    for length in [0, 1, 50, 103] {
        fs::write(&next, &header[..length]).expect("it can be written");
        assert!(verify(&settings.folder).expect("it can be read").is_sound());
        let store = open(&settings);
        assert_eq!((store.health(), names(&store).await.len()), (Health::Sound, 3));
    }
}

#[tokio::test]
async fn segments_that_are_gone_or_exchanged_are_missed() {
    let folder = folder();
    let settings = settings(folder.path());
    let store = open(&settings);
    for n in 1..=200 {
        store.append(event(&n.to_string())).await.expect("it is stored");
    }
    drop(store);
    let audit = settings.folder.join("audit");
    let mut segments: Vec<PathBuf> = fs::read_dir(&audit)
        .expect("it can be read")
        .map(|entry| entry.expect("it can be read").path())
        .filter(|path| path.extension().is_some_and(|end| end == "seg"))
        .collect();
    segments.sort();
    assert!(segments.len() >= 4, "{segments:?}");
    assert!(verify(&settings.folder).expect("it can be read").is_sound());
    for gone in &segments {
        let bytes = fs::read(gone).expect("it can be read");
        fs::remove_file(gone).expect("it can be removed");
        let report = verify(&settings.folder).expect("it can be read");
        assert!(report.bad.is_some(), "{} is not missed", gone.display());
        fs::write(gone, bytes).expect("it can be written");
    }
    let (second, third) = (fs::read(&segments[1]).expect("read"), fs::read(&segments[2]).expect("read"));
    fs::write(&segments[1], &third).expect("it can be written");
    fs::write(&segments[2], &second).expect("it can be written");
    let bad = verify(&settings.folder).expect("it can be read").bad.expect("it is noticed");
    assert_eq!(bad.file, segments[1]);
    fs::write(&segments[1], second).expect("it can be written");
    fs::write(&segments[2], third).expect("it can be written");
    let last = segments.last().expect("there are some");
    fs::remove_file(last).expect("it can be removed");
    let store = open(&settings);
    assert!(matches!(store.health(), Health::ReadOnly(StoreError::Damaged { .. })));
}

#[tokio::test]
async fn a_damaged_control_db_is_not_believed_and_the_audit_can_be_read() {
    let folder = folder();
    let settings = settings(folder.path());
    let store = open(&settings);
    for n in 0..200 {
        store.commit(granting("alice", &format!("server{n}"))).await.expect("it is stored");
    }
    drop(store);
    let path = settings.folder.join("control.db");
    let whole = fs::read(&path).expect("it can be read");
    let mut damaged = Vec::new();
    for page in 0..whole.len() / 4096 {
        let mut bytes = whole.clone();
        bytes[page * 4096..page * 4096 + 64].fill(0xaa);
        damaged.push(bytes);
    }
    damaged.push(b"not a database, but long enough to be looked at as one".repeat(100));
    damaged.push(whole[..whole.len() / 2].to_vec());
    let mut refused = 0;
    for bytes in &damaged {
        fs::write(&path, bytes).expect("it can be written");
        let store = open(&settings);
        match store.load().await {
            Err(why) => {
                assert!(matches!(why, StoreError::Damaged { .. }), "{why:?}");
                assert!(why.to_string().contains("restore a backup"), "{why}");
                assert_eq!(store.health(), Health::ReadOnly(why.clone()));
                assert!(store.commit(granting("mallory", "fs")).await.is_err());
                assert!(verify(&settings.folder).expect("it can be read").control.is_some());
                refused += 1;
            }
            // The page was one that nothing is in.
            Ok(remembered) => assert_eq!(remembered.grants.len(), 200),
        }
        assert_eq!(names(&store).await.len(), 200, "the audit can be read");
    }
    // How many pages nothing is in depends on how the file grew; each was looked at above.
    assert!(refused * 2 > damaged.len(), "{refused} of {}", damaged.len());
}

#[tokio::test]
async fn a_control_db_that_was_lost_starts_anew_and_its_events_go_on() {
    let folder = folder();
    let settings = settings(folder.path());
    let store = open(&settings);
    for n in 0..5 {
        store.commit(granting("alice", &format!("server{n}"))).await.expect("it is stored");
    }
    drop(store);
    fs::remove_file(settings.folder.join("control.db")).expect("it can be removed");
    let store = open(&settings);
    assert_eq!(store.load().await.expect("it loads").grants.len(), 0);
    store.commit(granting("bob", "fs")).await.expect("it is stored");
    assert_eq!(
        names(&store).await.last().map(String::as_str),
        Some("grant bob fs"),
        "its number is not taken for an old one"
    );
    drop(store);
    assert_eq!(names(&open(&settings)).await.len(), 6);
}
