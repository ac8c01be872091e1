//! Who may use what.

use kernel::desk::{Answer, Request};
use kernel::office::{NewGrant, Office};
use model::{Access, PrincipalId};
use serde_json::{Value, json};

use crate::Problem;
use crate::input::{self, Body, Query};
use crate::page::{page, whole};
use crate::routes::Found;
use crate::show;

pub(super) async fn list(office: &Office, found: &Found, query: &Query) -> Result<Answer, Problem> {
    let grants = office.grants().await?;
    let entries = grants.iter().map(|grant| {
        let shown = show::grant(grant);
        // Unique, and in the order of the list.
        let key = ["principal", "server", "tool", "access"]
            .map(|field| shown[field].to_string())
            .join(" ");
        (key, shown)
    });
    page(found.route, query, entries.collect::<Vec<_>>())
}

pub(super) fn check(office: &Office, query: &Query) -> Result<Answer, Problem> {
    let (principal, server) = (
        PrincipalId::new(query.required("principal")),
        input::server(query.required("server"))?,
    );
    let standing = office.access(&principal, &server, query.get("tool"));
    Ok(whole(200, &show::standing(&standing)))
}

pub(super) async fn grant(office: &Office, request: &Request) -> Result<Answer, Problem> {
    const FIELDS: [&str; 7] = ["principal", "server", "tool", "access", "confirms", "expires_at", "justification"];
    let body = Body::read(request, &FIELDS)?;
    let grant = NewGrant {
        principal: body.principal()?,
        scope: body.scope()?,
        access: match body.text("access")?.unwrap_or("allow") {
            "allow" => Access::Allow,
            "deny" => Access::Deny,
            other => return Err(Problem::invalid(format!("`access` can't be `{other}`: it is `allow` or `deny`"))),
        },
        confirms: body.flag("confirms")?,
        expires: body.instant("expires_at")?,
        justification: body.text("justification")?.map(str::to_owned),
    };
    let grant = office.grant(grant).await?;
    Ok(whole(200, &show::grant(&grant)))
}

pub(super) async fn revoke(office: &Office, query: &Query) -> Result<Answer, Problem> {
    let scope = input::scope(query.required("server"), query.get("tool"))?;
    let revoked = office.revoke(&PrincipalId::new(query.required("principal")), &scope).await?;
    let revoked: Vec<Value> = revoked.iter().map(show::grant).collect();
    Ok(whole(200, &json!({ "revoked": revoked })))
}
