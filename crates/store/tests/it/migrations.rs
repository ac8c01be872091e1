//! `control.db` of every version that was ever released opens, with everything in it.

use std::fmt::Write as _;

use expect_test::expect_file;
use store::{ControlStore, LocalStore, Settings, StoreError, verify};

use crate::fixture::{folder, granting, names, open};

/// The files of old versions: `tests/data/control-vN.sql`, what that version remembered, with a value of every kind;
/// beside it what is remembered now.
const VERSIONS: [&str; 1] = [include_str!("../data/control-v1.sql")];

#[tokio::test]
async fn each_version_opens_with_what_it_remembered_and_goes_on() {
    for (at, dump) in VERSIONS.iter().enumerate() {
        let folder = folder();
        let settings = Settings::new(folder.path());
        let path = folder.path().join("control.db");
        let db = rusqlite::Connection::open(&path).expect("it can be made");
        db.execute_batch(dump).expect("it is SQL");
        drop(db);
        let store = open(&settings);
        let remembered = store.load().await.expect("it loads");
        let mut shown = String::new();
        writeln!(shown, "{remembered:#?}").expect("a string takes it");
        expect_file![format!("{}/tests/data/control-v{}.txt", env!("CARGO_MANIFEST_DIR"), at + 1)].assert_eq(&shown);
        assert_eq!(names(&store).await, ["waits"], "what was in the outbox is sent");
        store.commit(granting("after", "fs")).await.expect("it goes on");
        drop(store);
        assert!(verify(folder.path()).expect("it can be read").is_sound());
    }
}

#[tokio::test]
async fn a_later_version_is_left_alone() {
    let folder = folder();
    let settings = Settings::new(folder.path());
    drop(open(&settings));
    let db = rusqlite::Connection::open(folder.path().join("control.db")).expect("it opens");
    db.pragma_update(None, "user_version", 2).expect("it can be set");
    drop(db);
    let refused = LocalStore::open(&settings).expect_err("it is too new");
    assert!(matches!(refused, StoreError::Newer { found: 2, known: 1, .. }), "{refused:?}");
}
