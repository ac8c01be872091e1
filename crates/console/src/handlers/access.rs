//! Who may use what.

use kernel::office::Office;
use model::PrincipalId;
use serde_json::json;

use super::named;
use crate::input::{Input, Nothing};
use crate::page::{Page, page};
use crate::problem::Problem;
use crate::shapes::access::{Filter, Grant, NewGrant, Question, Revocation, Revoked, Standing};

pub(crate) async fn list(office: Office, input: Input<Nothing, Filter>) -> Result<Page<Grant>, Problem> {
    let grants = office.grants().await?;
    let entries = grants.iter().map(Grant::from).map(|grant| {
        // Unique, and in the order of the list.
        let key = [json!(grant.principal), json!(grant.server), json!(grant.tool), json!(grant.access)];
        (key.map(|part| part.to_string()).join(" "), grant)
    });
    page(&input.query, entries)
}

pub(crate) fn check(office: &Office, input: Input<Nothing, Question>) -> Result<Standing, Problem> {
    let Question { principal, server, tool } = input.query;
    let standing = office.access(&PrincipalId::new(&principal), &named::server(&server)?, tool.as_deref());
    Ok(Standing::from(&standing))
}

pub(crate) async fn grant(office: Office, input: Input<Nothing, Nothing, NewGrant>) -> Result<Grant, Problem> {
    let new = input.body;
    let grant = kernel::office::NewGrant {
        principal: PrincipalId::new(new.principal.as_str()),
        scope: named::scope(new.server.as_str(), new.tool)?,
        access: new.access.into(),
        confirms: new.confirms,
        expires: new.expires_at.map(|at| at.0),
        justification: new.justification,
    };
    Ok(Grant::from(&office.grant(grant).await?))
}

pub(crate) async fn revoke(office: Office, input: Input<Nothing, Revocation>) -> Result<Revoked, Problem> {
    let Revocation { principal, server, tool } = input.query;
    let scope = named::scope(&server, tool)?;
    let revoked = office.revoke(&PrincipalId::new(&principal), &scope).await?;
    Ok(Revoked {
        revoked: revoked.iter().map(Grant::from).collect(),
    })
}
