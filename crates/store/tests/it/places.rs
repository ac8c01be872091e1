//! The folder: who may read it, who may write to it, and whose version it is.

use store::{AuditStore, ControlStore, Health, LocalStore, Store, StoreError};

use crate::fixture::{event, folder, granting, open, settings};

#[tokio::test]
async fn two_at_once_are_one_too_many() {
    let folder = folder();
    let settings = settings(folder.path());
    let first = open(&settings);
    let second = LocalStore::open(&settings).expect_err("it is taken");
    assert!(matches!(second, StoreError::InUse { .. }));
    let by = format!("(process {})", std::process::id());
    assert!(second.to_string().contains(&by), "{second}");
    drop(first);
    open(&settings);
}

#[cfg(unix)]
#[tokio::test]
async fn nobody_else_may_read_anything() {
    use std::os::unix::fs::PermissionsExt as _;
    let folder = folder();
    let settings = settings(folder.path());
    std::fs::create_dir_all(settings.folder.join("audit")).expect("it can be made");
    std::fs::write(settings.folder.join("control.db"), b"").expect("it can be made");
    let store = open(&settings);
    for n in 0..100 {
        store.append(event(&n.to_string())).await.expect("it is stored");
    }
    store.commit(granting("alice", "fs")).await.expect("it is stored");
    let copy = folder.path().join("copy");
    store.backup(&copy).await.expect("it is copied");
    let mut seen = 0;
    let mut folders = vec![settings.folder.clone(), copy];
    while let Some(folder) = folders.pop() {
        let mode = |path: &std::path::Path| std::fs::metadata(path).expect("it is there").permissions().mode() & 0o777;
        assert_eq!(mode(&folder), 0o700, "{}", folder.display());
        for entry in std::fs::read_dir(&folder).expect("it can be read") {
            let path = entry.expect("it can be read").path();
            if path.is_dir() {
                folders.push(path);
            } else {
                assert_eq!(mode(&path), 0o600, "{}", path.display());
                seen += 1;
            }
        }
    }
    assert!(seen >= 10, "{seen} files");
}

#[tokio::test]
async fn keys_have_one_predecessor_outlive_the_process_and_are_not_shown() {
    let folder = folder();
    let settings = settings(folder.path());
    let store = open(&settings);
    let first = store.load().await.expect("it loads").keys;
    assert_eq!(first.previous, None);
    let second = store.rotate_seal_key().await.expect("it is stored");
    assert_eq!(second.previous, Some(first.current.clone()));
    let third = store.rotate_seal_key().await.expect("it is stored");
    assert_eq!(third.previous, Some(second.current.clone()));
    assert!(first.current.id() < second.current.id() && second.current.id() < third.current.id());
    drop(store);
    let remembered = open(&settings).load().await.expect("it loads");
    assert_eq!(remembered.keys, third);
    assert_ne!(first.current.expose(), second.current.expose());
    let shown = format!("{remembered:?}");
    assert!(
        shown.contains("***") && !shown.contains(&format!("{:?}", third.current.expose())),
        "{shown}"
    );
    // What was deleted is not left in the file, nor in the log beside it.
    let bytes = std::fs::read(settings.folder.join("control.db")).expect("it can be read");
    assert!(
        !bytes.windows(32).any(|window| window == first.current.expose()),
        "a key that is gone can still be read"
    );
}

#[tokio::test]
async fn another_programs_database_is_left_alone() {
    let folder = folder();
    let settings = settings(folder.path());
    std::fs::create_dir_all(&settings.folder).expect("it can be made");
    let path = settings.folder.join("control.db");
    let theirs = rusqlite::Connection::open(&path).expect("it can be made");
    theirs
        .execute_batch("CREATE TABLE theirs (x); PRAGMA application_id = 7;")
        .expect("it can be made");
    drop(theirs);
    let store = open(&settings);
    let Health::ReadOnly(why) = store.health() else {
        panic!("it writes")
    };
    assert!(why.to_string().contains("another program"), "{why}");
    drop(store);
    let theirs = rusqlite::Connection::open(&path).expect("it opens");
    let tables: i64 = theirs
        .query_row("SELECT count(*) FROM sqlite_schema", [], |row| row.get(0))
        .expect("it reads");
    assert_eq!(tables, 1);
}
