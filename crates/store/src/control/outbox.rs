//! The outbox: events that were committed with their changes and are not in the audit yet. They are removed once they
//! are on the disk there, and after a crash those that are missing are sent again: the audit says up to which number it
//! has them.

use rusqlite::{Connection, params};

use super::row::{signed, unsigned};
use crate::Event;
use crate::audit::{Origin, View};

/// Adds an event, and returns its number.
pub(super) fn add(db: &Connection, event: &Event) -> rusqlite::Result<Origin> {
    let mut payload = Vec::with_capacity(event.weight());
    crate::audit::push_payload(&mut payload, 0, 0, event);
    db.execute("INSERT INTO outbox (event) VALUES (?)", [payload])?;
    Ok(unsigned(db.last_insert_rowid()))
}

/// Removes the events that are in the audit for certain.
pub(super) fn remove_until(db: &Connection, origin: Origin) -> rusqlite::Result<()> {
    db.execute("DELETE FROM outbox WHERE id <= ?", [signed(origin)]).map(drop)
}

/// Returns the events that the audit does not have.
pub(super) fn behind(db: &Connection, origin: Origin) -> rusqlite::Result<Vec<(Event, Origin)>> {
    let mut statement = db.prepare("SELECT id, event FROM outbox WHERE id > ? ORDER BY id")?;
    let rows = statement.query_map([signed(origin)], |row| {
        let payload: Vec<u8> = row.get(1)?;
        let view = View::of(&payload).ok_or_else(|| rusqlite::Error::InvalidColumnType(1, "event".into(), rusqlite::types::Type::Blob))?;
        Ok((view.event(), unsigned(row.get(0)?)))
    })?;
    rows.collect()
}

/// Makes numbering continue behind the numbers that the audit knows, in case this file is older than the audit.
pub(super) fn go_on_behind(db: &Connection, origin: Origin) -> rusqlite::Result<()> {
    let known: i64 = db.query_row(
        "SELECT coalesce(max(seq), 0) FROM sqlite_sequence WHERE name = 'outbox'",
        [],
        |row| row.get(0),
    )?;
    if unsigned(known) < origin {
        db.execute("DELETE FROM sqlite_sequence WHERE name = 'outbox'", [])?;
        db.execute("INSERT INTO sqlite_sequence VALUES ('outbox', ?)", params![signed(origin)])?;
    }
    Ok(())
}
