//! Translates errors of SQLite for the store's callers.

use std::path::Path;

use rusqlite::{Error, ErrorCode};

use crate::StoreError;
use crate::error::shown;

/// Returns the error that the caller of the store gets.
pub(super) fn meaning(path: &Path, why: &Error) -> StoreError {
    let Some(code) = why.sqlite_error_code() else {
        // A value that was read has another type than was written.
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
