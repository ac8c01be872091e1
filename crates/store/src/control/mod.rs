//! `control.db`: who may do what, in SQLite, changed by one thread.

mod apply;
mod open;
mod outbox;
mod read;
mod row;
mod schema;
mod thread;

pub(crate) use open::{copy, open, verify};
pub(crate) use thread::Control;

use std::path::Path;

use rusqlite::ErrorCode;

use crate::StoreError;
use crate::error::shown;

/// What an error of SQLite means to the one who waits.
pub(crate) fn meaning(path: &Path, why: &rusqlite::Error) -> StoreError {
    let Some(code) = why.sqlite_error_code() else {
        // A value that was read is not of the kind that was written.
        return StoreError::damaged(path, why.to_string());
    };
    match code {
        ErrorCode::DiskFull => StoreError::Full { path: shown(path) },
        ErrorCode::DatabaseBusy | ErrorCode::DatabaseLocked => {
            StoreError::io("lock", path, &"another program has it; close that one, then try again")
        }
        ErrorCode::DatabaseCorrupt | ErrorCode::NotADatabase => StoreError::damaged(path, why.to_string()),
        _ => StoreError::failed(path, why),
    }
}

#[cfg(test)]
mod tests;
