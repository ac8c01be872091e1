//! Reads everything that `control.db` remembers, as plain data.

use model::{Approval, Grant, PermissionDecision, Pin, Token};
use rusqlite::Connection;

use super::row::{Columns, unsigned};
use crate::{Fact, PermissionRequest, Remembered, SealKey, SealKeys};

/// Reads everything.
pub(super) fn everything(db: &Connection) -> rusqlite::Result<Remembered> {
    Ok(Remembered {
        revision: revision(db)?,
        tokens: all(db, "SELECT * FROM tokens ORDER BY id", token)?,
        grants: all(db, "SELECT * FROM grants", grant)?,
        permissions: all(db, "SELECT * FROM permissions", permission)?,
        requests: all(db, "SELECT * FROM permission_requests ORDER BY asked, request, permission", request)?,
        approvals: all(db, "SELECT * FROM approvals ORDER BY asked, request", approval)?,
        pins: all(db, "SELECT * FROM pins", pin)?,
        facts: all(db, "SELECT * FROM facts", fact)?,
        keys: seal_keys(db)?,
    })
}

/// Returns the policy's revision.
pub(super) fn revision(db: &Connection) -> rusqlite::Result<u64> {
    db.query_row("SELECT revision FROM policy", [], |row| row.get(0)).map(unsigned)
}

/// Returns the last two keys.
pub(super) fn seal_keys(db: &Connection) -> rusqlite::Result<SealKeys> {
    let mut keys = all(db, "SELECT id, key FROM seal_keys ORDER BY id DESC LIMIT 2", |row| {
        Ok(SealKey::new(row.number("id")?, row.digest("key")?.0))
    })?
    .into_iter();
    let current = keys.next().ok_or(rusqlite::Error::QueryReturnedNoRows)?;
    Ok(SealKeys {
        current,
        previous: keys.next(),
    })
}

fn all<T>(db: &Connection, sql: &str, read: impl Fn(&Columns<'_>) -> rusqlite::Result<T>) -> rusqlite::Result<Vec<T>> {
    let mut statement = db.prepare(sql)?;
    let rows = statement.query_map([], |row| read(&Columns(row)))?;
    rows.collect()
}

fn token(row: &Columns<'_>) -> rusqlite::Result<Token> {
    Ok(Token {
        id: row.text("id")?,
        digest: row.digest("digest")?,
        principal: row.principal("principal")?,
        role: row.role()?,
        scopes: row.scopes()?,
        created: row.by("created_by", "created_at")?,
        expires: row.maybe_instant("expires")?,
        revoked: row.maybe_by("revoked_by", "revoked_at")?,
    })
}

fn grant(row: &Columns<'_>) -> rusqlite::Result<Grant> {
    Ok(Grant {
        principal: row.principal("principal")?,
        scope: row.scope()?,
        access: row.access()?,
        confirms: row.flag("confirms")?,
        granted: row.by("granted_by", "granted_at")?,
        expires: row.maybe_instant("expires")?,
        justification: row.maybe_text("justification")?,
    })
}

fn permission(row: &Columns<'_>) -> rusqlite::Result<PermissionDecision> {
    Ok(PermissionDecision {
        request: row.request()?,
        server: row.server()?,
        permission: row.permission()?,
        answer: row.answer()?,
        decided: row.by("decided_by", "decided_at")?,
        expires: row.maybe_instant("expires")?,
    })
}

fn request(row: &Columns<'_>) -> rusqlite::Result<PermissionRequest> {
    Ok(PermissionRequest {
        request: row.request()?,
        server: row.server()?,
        permission: row.permission()?,
        asked: row.instant("asked")?,
        expires: row.maybe_instant("expires")?,
    })
}

pub(super) fn approval(row: &Columns<'_>) -> rusqlite::Result<Approval> {
    Ok(Approval {
        request: row.request()?,
        principal: row.principal("principal")?,
        tool: row.tool()?,
        arguments: row.digest("arguments")?,
        revision: row.number("revision")?,
        asked: row.instant("asked")?,
        expires: row.instant("expires")?,
        state: row.state()?,
    })
}

fn pin(row: &Columns<'_>) -> rusqlite::Result<Pin> {
    Ok(Pin {
        tool: row.tool()?,
        digest: row.digest("digest")?,
        pinned: row.by("pinned_by", "pinned_at")?,
    })
}

fn fact(row: &Columns<'_>) -> rusqlite::Result<Fact> {
    Ok(Fact {
        kind: row.text("kind")?,
        name: row.text("name")?,
        value: row.text("value")?,
        by: row.by("said_by", "said_at")?,
    })
}
