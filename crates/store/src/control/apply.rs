//! Applies one change to the tables.

use std::sync::Arc;

use model::{
    Access, Approval, ApprovalState, By, Digest, Grant, GrantScope, Permission, PermissionAnswer, PermissionDecision, Pin, PrincipalId,
    RequestId, Timestamp, Token, ToolId,
};
use rusqlite::{Connection, OptionalExtension as _, params};

use super::read;
use super::row::{self, Columns};
use crate::{Change, Conflict, Fact, PermissionRequest};

/// Why a change was not made.
#[derive(Debug)]
pub(super) enum Refused {
    Conflict(Conflict),
    Sqlite(rusqlite::Error),
}

impl From<rusqlite::Error> for Refused {
    fn from(why: rusqlite::Error) -> Self {
        Self::Sqlite(why)
    }
}

type Applied = Result<(), Refused>;

/// Makes a change.
pub(super) fn apply(db: &Connection, change: &Change) -> Applied {
    match change {
        Change::PutToken(token) => put_token(db, token),
        Change::RevokeToken { id, by } => revoke_token(db, id, by),
        Change::PutGrant(grant) => put_grant(db, grant),
        Change::RevokeGrant { principal, scope, access } => revoke_grant(db, principal, scope, *access),
        Change::AskPermission(request) => ask_permission(db, request),
        Change::AnswerPermission(decision) => answer_permission(db, decision),
        Change::SetPermission(decision) => set_permission(db, decision),
        Change::WithdrawPermission { request, permission } => close_request(db, request, permission).map(drop),
        Change::AskApproval(approval) => ask_approval(db, approval),
        Change::MoveApproval { request, state } => move_approval(db, request, state),
        Change::PutPin { pin, instead_of } => put_pin(db, pin, *instead_of),
        Change::RemovePin(tool) => remove_pin(db, tool),
        Change::PutFact(fact) => put_fact(db, fact),
        Change::RemoveFact { kind, name } => remove_fact(db, kind, name),
        Change::Prune { before } => prune(db, *before),
    }
}

fn conflict(conflict: Conflict) -> Applied {
    Err(Refused::Conflict(conflict))
}

fn put_token(db: &Connection, token: &Token) -> Applied {
    let made = db.execute(
        "INSERT OR IGNORE INTO tokens VALUES (?, ?, ?, ?, ?, ?, ?, ?, ?, ?)",
        params![
            &*token.id,
            token.digest.0,
            token.principal.as_str(),
            row::role(token.role),
            row::servers(&token.scopes),
            token.created.principal.as_str(),
            token.created.at.0,
            token.expires.map(|at| at.0),
            token.revoked.as_ref().map(|by| by.principal.as_str()),
            token.revoked.as_ref().map(|by| by.at.0),
        ],
    )?;
    match made {
        0 => conflict(Conflict::TokenExists(Arc::clone(&token.id))),
        _ => Ok(()),
    }
}

fn revoke_token(db: &Connection, id: &Arc<str>, by: &By) -> Applied {
    let changed = db.execute(
        "UPDATE tokens SET revoked_by = ?, revoked_at = ? WHERE id = ? AND revoked_by IS NULL",
        params![by.principal.as_str(), by.at.0, &**id],
    )?;
    if changed > 0 {
        return Ok(());
    }
    let known: bool = db.query_row("SELECT EXISTS (SELECT 1 FROM tokens WHERE id = ?)", [&**id], |row| row.get(0))?;
    conflict(match known {
        true => Conflict::TokenRevoked(Arc::clone(id)),
        false => Conflict::TokenUnknown(Arc::clone(id)),
    })
}

fn put_grant(db: &Connection, grant: &Grant) -> Applied {
    let (server, of_tool, tool) = row::scope(&grant.scope);
    db.execute(
        "INSERT OR REPLACE INTO grants VALUES (?, ?, ?, ?, ?, ?, ?, ?, ?, ?)",
        params![
            grant.principal.as_str(),
            server,
            of_tool,
            tool,
            row::access(grant.access),
            grant.confirms,
            grant.granted.principal.as_str(),
            grant.granted.at.0,
            grant.expires.map(|at| at.0),
            grant.justification.as_deref(),
        ],
    )?;
    Ok(())
}

fn revoke_grant(db: &Connection, principal: &PrincipalId, scope: &GrantScope, access: Access) -> Applied {
    let (server, of_tool, tool) = row::scope(scope);
    let gone = db.execute(
        "DELETE FROM grants WHERE principal = ? AND server = ? AND of_tool = ? AND tool = ? AND access = ?",
        params![principal.as_str(), server, of_tool, tool, row::access(access)],
    )?;
    if gone > 0 {
        return Ok(());
    }
    conflict(Conflict::GrantUnknown {
        principal: principal.as_str().into(),
        scope: if of_tool {
            format!("{server}/{tool}").into()
        } else {
            server.into()
        },
    })
}

fn ask_permission(db: &Connection, request: &PermissionRequest) -> Applied {
    let made = db.execute(
        "INSERT OR IGNORE INTO permission_requests VALUES (?, ?, ?, ?, ?)",
        params![
            request.request.as_str(),
            request.permission.as_str(),
            request.server.as_str(),
            request.asked.0,
            request.expires.map(|at| at.0),
        ],
    )?;
    match made {
        0 => conflict(Conflict::RequestExists(request.request.as_str().into())),
        _ => Ok(()),
    }
}

fn answer_permission(db: &Connection, decision: &PermissionDecision) -> Applied {
    let open: bool = db.query_row(
        "SELECT EXISTS (SELECT 1 FROM permission_requests WHERE request = ? AND permission = ? AND server = ?)",
        (decision.request.as_str(), decision.permission.as_str(), decision.server.as_str()),
        |row| row.get(0),
    )?;
    if !open {
        return conflict(Conflict::RequestNotOpen(decision.request.as_str().into()));
    }
    if decision.answer != PermissionAnswer::Deferred {
        close_request(db, &decision.request, &decision.permission)?;
    }
    set_permission(db, decision)
}

fn close_request(db: &Connection, request: &RequestId, permission: &Permission) -> Result<usize, Refused> {
    let sql = "DELETE FROM permission_requests WHERE request = ? AND permission = ?";
    Ok(db.execute(sql, (request.as_str(), permission.as_str()))?)
}

fn set_permission(db: &Connection, decision: &PermissionDecision) -> Applied {
    db.execute(
        "INSERT OR REPLACE INTO permissions VALUES (?, ?, ?, ?, ?, ?, ?)",
        params![
            decision.server.as_str(),
            decision.permission.as_str(),
            decision.request.as_str(),
            row::answer(decision.answer),
            decision.decided.principal.as_str(),
            decision.decided.at.0,
            decision.expires.map(|at| at.0),
        ],
    )?;
    Ok(())
}

fn ask_approval(db: &Connection, approval: &Approval) -> Applied {
    let (state, by) = row::state(&approval.state);
    let made = db.execute(
        "INSERT OR IGNORE INTO approvals VALUES (?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?)",
        params![
            approval.request.as_str(),
            approval.principal.as_str(),
            approval.tool.server.as_str(),
            &*approval.tool.name,
            approval.arguments.0,
            row::signed(approval.revision),
            approval.asked.0,
            approval.expires.0,
            state,
            by.map(|by| by.principal.as_str()),
            by.map(|by| by.at.0),
        ],
    )?;
    match made {
        0 => conflict(Conflict::RequestExists(approval.request.as_str().into())),
        _ => Ok(()),
    }
}

fn move_approval(db: &Connection, request: &RequestId, state: &ApprovalState) -> Applied {
    let id = || Arc::from(request.as_str());
    let sql = "SELECT * FROM approvals WHERE request = ?";
    let known = db
        .query_row(sql, [request.as_str()], |row| read::approval(&Columns(row)))
        .optional()?;
    let Some(approval) = known else {
        return conflict(Conflict::ApprovalUnknown(id()));
    };
    let by = match (&approval.state, state) {
        (ApprovalState::Pending, ApprovalState::Approved(by) | ApprovalState::Denied(by)) => by,
        (ApprovalState::Approved(_), ApprovalState::Used(by)) => by,
        _ => {
            return conflict(Conflict::ApprovalDecided {
                request: id(),
                is: approval.state,
            });
        }
    };
    if approval.expires.has_come(by.at) {
        return conflict(Conflict::ApprovalExpired(id()));
    }
    db.execute(
        "UPDATE approvals SET state = ?, by_whom = ?, at = ? WHERE request = ?",
        params![row::state(state).0, by.principal.as_str(), by.at.0, request.as_str()],
    )?;
    Ok(())
}

fn put_pin(db: &Connection, pin: &Pin, instead_of: Option<Digest>) -> Applied {
    let (server, tool) = (pin.tool.server.as_str(), &*pin.tool.name);
    let sql = "SELECT digest FROM pins WHERE server = ? AND tool = ?";
    let is = db.query_row(sql, (server, tool), |row| row.get(0)).optional()?.map(Digest);
    if is == Some(pin.digest) && instead_of.is_none() {
        // Two readers of one definition have seen the tool for the first time.
        return Ok(());
    }
    if let Some(is) = is.filter(|is| instead_of != Some(*is)) {
        return conflict(Conflict::PinMoved {
            tool: pin.tool.to_string().into(),
            is,
        });
    }
    db.execute(
        "INSERT OR REPLACE INTO pins VALUES (?, ?, ?, ?, ?)",
        params![server, tool, pin.digest.0, pin.pinned.principal.as_str(), pin.pinned.at.0],
    )?;
    Ok(())
}

fn remove_pin(db: &Connection, tool: &ToolId) -> Applied {
    db.execute(
        "DELETE FROM pins WHERE server = ? AND tool = ?",
        (tool.server.as_str(), &*tool.name),
    )?;
    Ok(())
}

fn put_fact(db: &Connection, fact: &Fact) -> Applied {
    db.execute(
        "INSERT OR REPLACE INTO facts VALUES (?, ?, ?, ?, ?)",
        params![&*fact.kind, &*fact.name, &*fact.value, fact.by.principal.as_str(), fact.by.at.0],
    )?;
    Ok(())
}

fn remove_fact(db: &Connection, kind: &str, name: &str) -> Applied {
    db.execute("DELETE FROM facts WHERE kind = ? AND name = ?", (kind, name))?;
    Ok(())
}

fn prune(db: &Connection, before: Timestamp) -> Applied {
    for sql in [
        "DELETE FROM tokens WHERE expires < ?1 OR revoked_at < ?1",
        "DELETE FROM grants WHERE expires < ?1",
        "DELETE FROM permissions WHERE expires < ?1",
        "DELETE FROM permission_requests WHERE expires < ?1",
        "DELETE FROM approvals WHERE expires < ?1 OR (state IN ('denied', 'used') AND at < ?1)",
    ] {
        db.execute(sql, [before.0])?;
    }
    Ok(())
}
