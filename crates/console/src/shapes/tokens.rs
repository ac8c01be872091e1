//! The shapes of tokens.

use model::{Secret, Timestamp};
use schemars::JsonSchema;
use serde::{Deserialize, Serialize};

use super::both::Both;
use super::values::{Instant, Text};
use crate::page::{Cursor, Limit, lists};

/// The role of a token's holder
#[derive(Clone, Copy, Debug, Default, Deserialize, Serialize, JsonSchema)]
#[serde(rename_all = "lowercase")]
#[schemars(inline)]
pub(crate) enum Role {
    #[default]
    Agent,
    Operator,
}

impl From<model::Role> for Role {
    fn from(role: model::Role) -> Self {
        match role {
            model::Role::Agent => Self::Agent,
            model::Role::Operator => Self::Operator,
        }
    }
}

impl From<Role> for model::Role {
    fn from(role: Role) -> Self {
        match role {
            Role::Agent => Self::Agent,
            Role::Operator => Self::Operator,
        }
    }
}

/// Whether a token lets its holder in
#[derive(Clone, Copy, Debug, Serialize, JsonSchema)]
#[serde(rename_all = "lowercase")]
#[schemars(inline)]
enum State {
    Valid,
    Expired,
    Revoked,
}

/// A token, without its text
#[derive(Debug, Serialize, JsonSchema)]
pub(crate) struct Token {
    /// Its name, not secret
    pub(crate) id: String,
    /// Who holds it
    principal: String,
    role: Role,
    /// The servers it is for; none for everything that its holder may
    scopes: Vec<String>,
    state: State,
    /// The operator who made it
    created_by: String,
    created_at: Instant,
    /// When it expires
    expires_at: Option<Instant>,
    /// The operator who took it back
    revoked_by: Option<String>,
    revoked_at: Option<Instant>,
}

impl Token {
    /// Returns the shape of a token, with its state at a time.
    pub(crate) fn at(now: Timestamp, token: &model::Token) -> Self {
        let state = match (&token.revoked, token.expires) {
            (Some(_), _) => State::Revoked,
            (None, Some(at)) if at.has_come(now) => State::Expired,
            _ => State::Valid,
        };
        Self {
            id: token.id.to_string(),
            principal: token.principal.to_string(),
            role: token.role.into(),
            scopes: token.scopes.iter().map(ToString::to_string).collect(),
            state,
            created_by: token.created.principal.to_string(),
            created_at: Instant(token.created.at),
            expires_at: token.expires.map(Instant),
            revoked_by: token.revoked.as_ref().map(|by| by.principal.to_string()),
            revoked_at: token.revoked.as_ref().map(|by| Instant(by.at)),
        }
    }
}

/// Which tokens are listed
#[derive(Debug, Deserialize, JsonSchema)]
pub(crate) struct Filter {
    /// Who holds it
    principal: Option<String>,
    /// `agent` or `operator`
    role: Option<String>,
    /// `valid`, `expired` or `revoked`
    state: Option<String>,
    #[serde(default)]
    limit: Limit,
    cursor: Option<Cursor>,
}

lists!(Filter => Token: principal, role, state);

/// A token to be made
#[derive(Debug, Deserialize, JsonSchema)]
#[serde(deny_unknown_fields)]
pub(crate) struct NewToken {
    /// Its name, not secret; made up where there is none
    pub(crate) id: Option<String>,
    /// Who will hold it
    pub(crate) principal: Text,
    #[serde(default)]
    pub(crate) role: Role,
    /// The servers it is for; none for everything that its holder may
    #[serde(default)]
    pub(crate) scopes: Vec<String>,
    /// When it expires
    pub(crate) expires_at: Option<Instant>,
}

/// The text of a token, which is shown once
#[derive(Debug, Serialize, JsonSchema)]
#[schemars(inline)]
struct Shown {
    /// The token itself: it is kept nowhere
    token: String,
}

/// A token that has just been made
#[derive(Debug, Serialize, JsonSchema)]
#[serde(transparent)]
pub(crate) struct CreatedToken(Both<Token, Shown>);

impl CreatedToken {
    pub(crate) fn new(token: &model::Token, secret: &Secret) -> Self {
        let shown = Shown {
            token: secret.expose().to_owned(),
        };
        Self(Both(Token::at(token.created.at, token), shown))
    }
}

/// The token that is taken back
#[derive(Debug, Deserialize, JsonSchema)]
pub(crate) struct Path {
    /// Its name
    pub(crate) id: String,
}
