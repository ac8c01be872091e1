//! The handlers of servers' permissions.

use std::collections::BTreeMap;

use kernel::operator::Operations;

use super::named;
use crate::input::{Input, Nothing};
use crate::page::{Page, page};
use crate::problem::Problem;
use crate::shapes::permissions::{Filter, Permission, PermissionDecision};

/// Lists one entry for each permission of each server. A deferred one still waits, and is shown as decided.
pub(crate) async fn list(operations: Operations, input: Input<Nothing, Filter>) -> Result<Page<Permission>, Problem> {
    let permissions = operations.permissions().await?;
    let decided = permissions.decided.iter().map(Permission::from);
    let all = decided.chain(permissions.waiting.iter().map(Permission::from));
    let entries = all.map(|permission| (format!("{}/{}", permission.server, permission.permission), permission));
    page(&input.query, entries.collect::<BTreeMap<_, _>>())
}

pub(crate) async fn decide(operations: Operations, input: Input<Nothing, Nothing, PermissionDecision>) -> Result<Permission, Problem> {
    let decision = input.body;
    let server = named::server(decision.server.as_str())?;
    let permission = named::permission(decision.permission.as_str())?;
    let expires = decision.expires_at.map(|at| at.0);
    let decided = operations
        .decide_permission(&server, &permission, decision.decision.into(), expires)
        .await?;
    Ok(Permission::from(&decided))
}
