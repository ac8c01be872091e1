//! Migrations from version to version, and the translation of SQLite's errors.

use std::path::Path;

use rusqlite::ffi;

use super::meaning::meaning;
use super::open::migrate;
use crate::StoreError;

fn error(code: i32) -> StoreError {
    meaning(
        Path::new("control.db"),
        &rusqlite::Error::SqliteFailure(ffi::Error::new(code), None),
    )
}

#[test]
fn a_full_disk_passes_damage_and_failed_writes_stay() {
    assert!(matches!(error(ffi::SQLITE_FULL), StoreError::Full { .. }));
    assert!(matches!(error(ffi::SQLITE_CORRUPT), StoreError::Damaged { .. }));
    assert!(matches!(error(ffi::SQLITE_NOTADB), StoreError::Damaged { .. }));
    for code in [
        ffi::SQLITE_IOERR_FSYNC,
        ffi::SQLITE_IOERR_DIR_FSYNC,
        ffi::SQLITE_IOERR_WRITE,
        ffi::SQLITE_IOERR_SHORT_READ,
        ffi::SQLITE_READONLY,
        ffi::SQLITE_CANTOPEN,
    ] {
        let meant = error(code);
        assert!(
            matches!(meant, StoreError::Failed { .. }) && meant.is_lasting(),
            "{code}: {meant:?}"
        );
    }
    assert!(!error(ffi::SQLITE_BUSY).is_lasting(), "another program may go away");
    let strange = meaning(Path::new("control.db"), &rusqlite::Error::QueryReturnedNoRows);
    assert!(matches!(strange, StoreError::Damaged { .. }));
}

const STEPS: [&str; 3] = [
    "CREATE TABLE things (name TEXT)",
    "ALTER TABLE things ADD COLUMN size INTEGER NOT NULL DEFAULT 7",
    "UPDATE things SET size = size + 1",
];

fn version_of(db: &rusqlite::Connection) -> u32 {
    db.query_row("PRAGMA user_version", [], |row| row.get(0)).expect("it can be asked")
}

#[test]
fn each_older_version_becomes_the_present_one_and_is_kept_beside_it() {
    for from in 0..=STEPS.len() {
        let folder = tempfile::tempdir().expect("a folder can be made");
        let path = folder.path().join("control.db");
        let db = rusqlite::Connection::open(&path).expect("it can be made");
        migrate(&db, &path, &STEPS[..from]).expect("it migrates");
        if from > 0 {
            db.execute("INSERT INTO things (name) VALUES ('one')", []).expect("it takes a row");
        }
        migrate(&db, &path, &STEPS).expect("it migrates");
        migrate(&db, &path, &STEPS).expect("there is nothing to do");
        assert_eq!(version_of(&db), 3);
        let sizes: Vec<u32> = db
            .prepare("SELECT size FROM things")
            .and_then(|mut rows| rows.query_map([], |row| row.get(0))?.collect())
            .expect("it can be read");
        let expected = [vec![], vec![8], vec![8], vec![7]];
        assert_eq!(sizes, expected[from], "from version {from}");
        let before = folder.path().join("control.db.before-3");
        assert_eq!(before.exists(), (1..3).contains(&from));
        if before.exists() {
            let before = rusqlite::Connection::open(before).expect("it opens");
            assert_eq!(version_of(&before), u32::try_from(from).expect("small"));
        }
    }
}

#[test]
fn a_step_that_fails_changes_nothing() {
    let folder = tempfile::tempdir().expect("a folder can be made");
    let path = folder.path().join("control.db");
    let db = rusqlite::Connection::open(&path).expect("it can be made");
    migrate(&db, &path, &STEPS[..1]).expect("it migrates");
    let failing = [STEPS[0], STEPS[1], "UPDATE nothing SET x = 1"];
    migrate(&db, &path, &failing).expect_err("the last step fails");
    assert_eq!(version_of(&db), 1);
    migrate(&db, &path, &STEPS).expect("the steps that were released work");
}
