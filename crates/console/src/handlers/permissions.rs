//! Permissions of servers.

use std::collections::BTreeMap;

use kernel::desk::{Answer, Request};
use kernel::office::Office;
use model::PermissionAnswer;

use crate::Problem;
use crate::input::{self, Body, Query};
use crate::page::{page, whole};
use crate::routes::Found;
use crate::show;

/// One entry for each permission of each server. One that was put off waits still, and is shown as what was decided.
pub(super) async fn list(office: &Office, found: &Found, query: &Query) -> Result<Answer, Problem> {
    let permissions = office.permissions().await?;
    let waiting = permissions
        .waiting
        .iter()
        .map(|request| (format!("{}/{}", request.server, request.permission), show::asked(request)));
    let decided = permissions
        .decided
        .iter()
        .map(|decision| (format!("{}/{}", decision.server, decision.permission), show::decision(decision)));
    page(found.route, query, decided.chain(waiting).collect::<BTreeMap<_, _>>())
}

pub(super) async fn decide(office: &Office, request: &Request) -> Result<Answer, Problem> {
    let body = Body::read(request, &["server", "permission", "decision", "expires_at"])?;
    let answer = match body.required("decision")? {
        "approved" => PermissionAnswer::Approved,
        "denied" => PermissionAnswer::Denied,
        "deferred" => PermissionAnswer::Deferred,
        other => {
            return Err(Problem::invalid(format!(
                "`decision` can't be `{other}`: it is `approved`, `denied` or `deferred`"
            )));
        }
    };
    let (server, permission) = (input::server(body.required("server")?)?, body.permission()?);
    let decision = office
        .decide_permission(&server, &permission, answer, body.instant("expires_at")?)
        .await?;
    Ok(whole(200, &show::decision(&decision)))
}
