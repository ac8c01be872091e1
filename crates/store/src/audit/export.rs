//! Exports the log of a store's folder, event by event, with or without a process that writes to it.

use std::path::Path;

use super::query::{AuditQuery, Order};
use super::reader::{LogReader, Walk};
use crate::{StoreError, Stored};

/// The events of a log that a query finds, the oldest first. The query's limit, order and cursor do not count.
#[derive(Debug)]
pub struct Export {
    walk: Option<Walk>,
    query: AuditQuery,
}

/// Reads the log in a store's folder, as it is now.
///
/// # Errors
/// When the folder cannot be read.
pub fn export(folder: &Path, query: AuditQuery) -> Result<Export, StoreError> {
    let reader = LogReader::of_folder(&folder.join("audit"))?;
    let query = AuditQuery {
        order: Order::Oldest,
        ..query
    };
    Ok(Export {
        walk: Some(reader.walk(1)),
        query,
    })
}

impl Export {
    fn find(&mut self) -> Result<Option<Stored>, StoreError> {
        let Some(walk) = &mut self.walk else { return Ok(None) };
        while let Some((_, frame)) = walk.next()? {
            if self.query.matches(&frame.view) {
                return Ok(Some(frame.view.stored()));
            }
        }
        Ok(None)
    }
}

impl Iterator for Export {
    type Item = Result<Stored, StoreError>;

    /// Returns the next event; after an error nothing follows.
    fn next(&mut self) -> Option<Self::Item> {
        let found = self.find().transpose();
        if !matches!(found, Some(Ok(_))) {
            self.walk = None;
        }
        found
    }
}
