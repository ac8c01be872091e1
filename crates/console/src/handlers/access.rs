//! The handlers of access: grants and queries.

use kernel::operator::Operations;
use model::PrincipalId;
use serde_json::json;

use super::named;
use crate::input::{Input, Nothing};
use crate::page::{Page, page};
use crate::problem::Problem;
use crate::shapes::access::{Filter, Grant, NewGrant, Question, Revocation, Revoked, Standing};

pub(crate) async fn list(operations: Operations, input: Input<Nothing, Filter>) -> Result<Page<Grant>, Problem> {
    let grants = operations.grants().await?;
    let entries = grants.iter().map(Grant::from).map(|grant| {
        // The key is unique, and has the order of the list.
        let key = [json!(grant.principal), json!(grant.server), json!(grant.tool), json!(grant.access)];
        (key.map(|part| part.to_string()).join(" "), grant)
    });
    page(&input.query, entries)
}

pub(crate) fn check(operations: &Operations, input: Input<Nothing, Question>) -> Result<Standing, Problem> {
    let Question { principal, server, tool } = input.query;
    let standing = operations.access(&PrincipalId::new(&principal), &named::server(&server)?, tool.as_deref());
    Ok(Standing::from(&standing))
}

pub(crate) async fn grant(operations: Operations, input: Input<Nothing, Nothing, NewGrant>) -> Result<Grant, Problem> {
    let new = input.body;
    let grant = kernel::operator::NewGrant {
        principal: PrincipalId::new(new.principal.as_str()),
        scope: named::scope(new.server.as_str(), new.tool)?,
        access: new.access.into(),
        confirms: new.confirms,
        expires: new.expires_at.map(|at| at.0),
        justification: new.justification,
    };
    Ok(Grant::from(&operations.grant(grant).await?))
}

pub(crate) async fn revoke(operations: Operations, input: Input<Nothing, Revocation>) -> Result<Revoked, Problem> {
    let Revocation { principal, server, tool } = input.query;
    let scope = named::scope(&server, tool)?;
    let revoked = operations.revoke(&PrincipalId::new(&principal), &scope).await?;
    Ok(Revoked {
        revoked: revoked.iter().map(Grant::from).collect(),
    })
}
