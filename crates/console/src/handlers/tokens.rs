//! The handlers of tokens.

use kernel::operator::Operations;
use model::PrincipalId;
use store::Clock;

use super::named;
use crate::input::{Input, Nothing};
use crate::page::{Page, page};
use crate::problem::Problem;
use crate::reply::Created;
use crate::shapes::tokens::{CreatedToken, Filter, NewToken, Path, Token};

pub(crate) async fn list(operations: Operations, input: Input<Nothing, Filter>) -> Result<Page<Token>, Problem> {
    let (tokens, now) = (operations.tokens().await?, Clock::system().now());
    let entries = tokens.iter().map(|token| (token.id.to_string(), Token::at(now, token)));
    page(&input.query, entries)
}

pub(crate) async fn create(operations: Operations, input: Input<Nothing, Nothing, NewToken>) -> Result<Created<CreatedToken>, Problem> {
    let new = input.body;
    let scopes: Result<_, Problem> = new.scopes.iter().map(|server| named::server(server)).collect();
    let new = kernel::operator::NewToken {
        id: new.id,
        principal: PrincipalId::new(new.principal.as_str()),
        role: new.role.into(),
        scopes: scopes?,
        expires: new.expires_at.map(|at| at.0),
    };
    let (token, secret) = operations.create_token(new).await?;
    Ok(Created(CreatedToken::new(&token, &secret)))
}

pub(crate) async fn revoke(operations: Operations, input: Input<Path>) -> Result<Token, Problem> {
    let token = operations.revoke_token(&input.path.id).await?;
    Ok(Token::at(Clock::system().now(), &token))
}
