//! Opens `control.db`: creates it, migrates it to the present version, and checks that it is sound.

use std::fs::OpenOptions;
use std::path::Path;

use rusqlite::{Connection, OpenFlags};

use super::meaning::meaning;
use super::read;
use super::schema::{APPLICATION, STEPS};
use crate::disk::{narrow, private, sync_folder};
use crate::{StoreError, keys};

/// Opens the file for the one thread that changes it; creates it where it is missing.
pub(crate) fn open(path: &Path, most_bytes: u64) -> Result<Connection, StoreError> {
    prepare(path)?;
    let db = connect(path, OpenFlags::SQLITE_OPEN_READ_WRITE)?;
    let failed = |why: rusqlite::Error| meaning(path, &why);
    settle(&db, most_bytes).map_err(failed)?;
    check(&db, path)?;
    migrate(&db, path, STEPS)?;
    db.execute(
        "INSERT INTO seal_keys (key) SELECT ? WHERE NOT EXISTS (SELECT 1 FROM seal_keys)",
        [keys::fresh()],
    )
    .map_err(failed)?;
    Ok(db)
}

/// Checks that a file is sound and can be read, without changing it.
pub(crate) fn verify(path: &Path) -> Result<(), StoreError> {
    let failed = |why: rusqlite::Error| meaning(path, &why);
    let db = connect(path, OpenFlags::SQLITE_OPEN_READ_ONLY)?;
    check(&db, path)?;
    if version(&db).map_err(failed)? as usize == STEPS.len() {
        read::everything(&db).map_err(failed)?;
    }
    Ok(())
}

/// Creates the file for its owner only: SQLite gives its own files the same rights.
fn prepare(path: &Path) -> Result<(), StoreError> {
    let made = private(OpenOptions::new().write(true).create(true).truncate(false)).open(path);
    made.and_then(|_| narrow(path, 0o600))
        .and_then(|()| path.parent().map_or(Ok(()), sync_folder))
        .map_err(|why| StoreError::write(path, &why))
}

fn connect(path: &Path, flags: OpenFlags) -> Result<Connection, StoreError> {
    Connection::open_with_flags(path, flags | OpenFlags::SQLITE_OPEN_NO_MUTEX).map_err(|why| meaning(path, &why))
}

/// Sets the connection up: every commit is on the disk before it returns, deleted data is overwritten, and the file's
/// size is limited.
fn settle(db: &Connection, most_bytes: u64) -> rusqlite::Result<()> {
    db.busy_timeout(std::time::Duration::from_secs(5))?;
    db.pragma_update(None, "journal_mode", "WAL")?;
    db.pragma_update(None, "synchronous", "FULL")?;
    db.pragma_update(None, "fullfsync", true)?;
    db.pragma_update(None, "secure_delete", true)?;
    db.pragma_update(None, "trusted_schema", false)?;
    let page: i64 = db.query_row("PRAGMA page_size", [], |row| row.get(0))?;
    let pages = i64::try_from(most_bytes).unwrap_or(i64::MAX) / page.max(1);
    db.query_row(&format!("PRAGMA max_page_count = {}", pages.max(1)), [], |_| Ok(()))
}

/// Checks that the file is sound, and that it is a chancery store.
pub(crate) fn check(db: &Connection, path: &Path) -> Result<(), StoreError> {
    let failed = |why: rusqlite::Error| meaning(path, &why);
    let application: i32 = db.query_row("PRAGMA application_id", [], |row| row.get(0)).map_err(failed)?;
    let version = version(db).map_err(failed)?;
    if application != APPLICATION && (application, version) != (0, 0) {
        return Err(StoreError::damaged(path, "it is a database of another program"));
    }
    let known = u32::try_from(STEPS.len()).unwrap_or(u32::MAX);
    if version > known {
        return Err(StoreError::Newer {
            path: crate::error::shown(path),
            found: version,
            known,
        });
    }
    let finding: String = db.query_row("PRAGMA integrity_check(1)", [], |row| row.get(0)).map_err(failed)?;
    if finding == "ok" {
        Ok(())
    } else {
        Err(StoreError::damaged(path, finding))
    }
}

fn version(db: &Connection) -> rusqlite::Result<u32> {
    db.query_row("PRAGMA user_version", [], |row| row.get(0))
}

/// Applies the missing migrations, all or none. The former file is kept beside it, as `control.db.before-N`.
pub(crate) fn migrate(db: &Connection, path: &Path, steps: &[&str]) -> Result<(), StoreError> {
    let failed = |why: rusqlite::Error| meaning(path, &why);
    let from = usize::try_from(version(db).map_err(failed)?).unwrap_or(usize::MAX);
    if from >= steps.len() {
        return Ok(());
    }
    if from > 0 {
        let mut before = path.to_owned().into_os_string();
        before.push(format!(".before-{}", steps.len()));
        copy(db, path, Path::new(&before))?;
    }
    let take = || -> rusqlite::Result<()> {
        let transaction = db.unchecked_transaction()?;
        for step in steps.iter().skip(from) {
            transaction.execute_batch(step)?;
        }
        transaction.pragma_update(None, "application_id", APPLICATION)?;
        transaction.pragma_update(None, "user_version", u32::try_from(steps.len()).unwrap_or(u32::MAX))?;
        transaction.commit()
    };
    take().map_err(failed)
}

/// Writes a copy as of now to a new file, for its owner only, and syncs it.
pub(crate) fn copy(db: &Connection, path: &Path, to: &Path) -> Result<(), StoreError> {
    let failed = |why: std::io::Error| StoreError::write(to, &why);
    let file = private(OpenOptions::new().write(true).create(true).truncate(true))
        .open(to)
        .map_err(failed)?;
    let Some(name) = to.to_str() else {
        return Err(StoreError::io("copy to", to, &"its name is not Unicode"));
    };
    db.execute("VACUUM INTO ?", [name]).map_err(|why| meaning(path, &why))?;
    file.sync_all().map_err(failed)
}
