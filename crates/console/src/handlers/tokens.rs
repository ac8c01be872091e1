//! Tokens.

use kernel::desk::{Answer, Request};
use kernel::office::{NewToken, Office};
use model::Role;
use serde_json::json;
use store::Clock;

use crate::Problem;
use crate::input::{self, Body, Query};
use crate::page::{page, whole};
use crate::routes::Found;
use crate::show;

pub(super) async fn list(office: &Office, found: &Found, query: &Query) -> Result<Answer, Problem> {
    let (tokens, now) = (office.tokens().await?, Clock::system().now());
    let entries = tokens.iter().map(|token| (token.id.to_string(), show::token(token, now)));
    page(found.route, query, entries.collect::<Vec<_>>())
}

pub(super) async fn create(office: &Office, request: &Request) -> Result<Answer, Problem> {
    let body = Body::read(request, &["id", "principal", "role", "scopes", "expires_at"])?;
    let scopes: Result<Vec<_>, Problem> = body.texts("scopes")?.into_iter().map(input::server).collect();
    let new = NewToken {
        id: body.text("id")?.map(str::to_owned),
        principal: body.principal()?,
        role: match body.text("role")?.unwrap_or("agent") {
            "agent" => Role::Agent,
            "operator" => Role::Operator,
            other => return Err(Problem::invalid(format!("`role` can't be `{other}`: it is `agent` or `operator`"))),
        },
        scopes: scopes?,
        expires: body.instant("expires_at")?,
    };
    let (token, secret) = office.create_token(new).await?;
    let mut shown = show::token(&token, token.created.at);
    shown["token"] = json!(secret.expose());
    Ok(whole(201, &shown))
}

pub(super) async fn revoke(office: &Office, found: &Found) -> Result<Answer, Problem> {
    let token = office.revoke_token(&found.segment).await?;
    Ok(whole(200, &show::token(&token, Clock::system().now())))
}
