//! The shapes of access: grants and queries.

use model::GrantScope;
use schemars::JsonSchema;
use serde::{Deserialize, Serialize};

use super::values::{Instant, Text};
use crate::page::{Cursor, Limit, lists};

/// Whether access is given or denied
#[derive(Clone, Copy, Debug, Default, Deserialize, Serialize, JsonSchema)]
#[serde(rename_all = "lowercase")]
#[schemars(inline)]
pub(crate) enum Access {
    #[default]
    Allow,
    Deny,
}

impl From<model::Access> for Access {
    fn from(access: model::Access) -> Self {
        match access {
            model::Access::Allow => Self::Allow,
            model::Access::Deny => Self::Deny,
        }
    }
}

impl From<Access> for model::Access {
    fn from(access: Access) -> Self {
        match access {
            Access::Allow => Self::Allow,
            Access::Deny => Self::Deny,
        }
    }
}

/// A grant that an operator made
#[derive(Debug, Serialize, JsonSchema)]
pub(crate) struct Grant {
    /// Whom it is about
    pub(crate) principal: String,
    /// The server
    pub(crate) server: String,
    /// The tool; null for the server as a whole
    pub(crate) tool: Option<String>,
    pub(crate) access: Access,
    /// Whether it stands for the confirmation of dangerous calls too
    confirms: bool,
    /// The operator who made it
    granted_by: String,
    granted_at: Instant,
    /// When it expires
    expires_at: Option<Instant>,
    /// Why, in the words of the operator who made it
    justification: Option<String>,
}

impl From<&model::Grant> for Grant {
    fn from(grant: &model::Grant) -> Self {
        let (server, tool) = match &grant.scope {
            GrantScope::Server(server) => (server.to_string(), None),
            GrantScope::Tool(tool) => (tool.server.to_string(), Some(tool.name.to_string())),
        };
        Self {
            principal: grant.principal.to_string(),
            server,
            tool,
            access: grant.access.into(),
            confirms: grant.confirms,
            granted_by: grant.granted.principal.to_string(),
            granted_at: Instant(grant.granted.at),
            expires_at: grant.expires.map(Instant),
            justification: grant.justification.as_deref().map(str::to_owned),
        }
    }
}

/// Which grants are listed
#[derive(Debug, Deserialize, JsonSchema)]
pub(crate) struct Filter {
    /// Whom they are about
    principal: Option<String>,
    /// The server
    server: Option<String>,
    /// The tool
    tool: Option<String>,
    /// `allow` or `deny`
    access: Option<String>,
    #[serde(default)]
    limit: Limit,
    cursor: Option<Cursor>,
}

lists!(Filter => Grant: principal, server, tool, access);

/// What access is asked about
#[derive(Debug, Deserialize, JsonSchema)]
pub(crate) struct Question {
    /// Who
    pub(crate) principal: String,
    /// The server
    pub(crate) server: String,
    /// The tool; without it, the server as a whole
    pub(crate) tool: Option<String>,
}

/// What says whether a principal has access
#[derive(Clone, Copy, Debug, Serialize, JsonSchema)]
#[serde(rename_all = "snake_case")]
#[schemars(inline)]
enum Source {
    ToolGrant,
    ServerGrant,
    DefaultPolicy,
}

impl From<policy::Source> for Source {
    fn from(source: policy::Source) -> Self {
        match source {
            policy::Source::ToolGrant => Self::ToolGrant,
            policy::Source::ServerGrant => Self::ServerGrant,
            policy::Source::DefaultPolicy => Self::DefaultPolicy,
        }
    }
}

/// Whether a principal has access, and what says so
#[derive(Debug, Serialize, JsonSchema)]
pub(crate) struct Standing {
    access: Access,
    source: Source,
    /// The grant that decides; null where the default policy does
    grant: Option<Grant>,
}

impl From<&policy::Standing> for Standing {
    fn from(standing: &policy::Standing) -> Self {
        Self {
            access: standing.access.into(),
            source: standing.source.into(),
            grant: standing.grant.as_deref().map(Grant::from),
        }
    }
}

/// A grant to be made
#[derive(Debug, Deserialize, JsonSchema)]
#[serde(deny_unknown_fields)]
pub(crate) struct NewGrant {
    /// Whom it is about
    pub(crate) principal: Text,
    /// The server
    pub(crate) server: Text,
    /// Without it, the server as a whole
    pub(crate) tool: Option<String>,
    #[serde(default)]
    pub(crate) access: Access,
    /// Whether it stands for the confirmation of dangerous calls too
    #[serde(default)]
    pub(crate) confirms: bool,
    /// When it expires
    pub(crate) expires_at: Option<Instant>,
    /// Why
    pub(crate) justification: Option<String>,
}

/// Which grants are taken back
#[derive(Debug, Deserialize, JsonSchema)]
pub(crate) struct Revocation {
    /// Whom it is about
    pub(crate) principal: String,
    /// The server
    pub(crate) server: String,
    /// The tool; without it, the grant of the server as a whole
    pub(crate) tool: Option<String>,
}

/// The grants that were taken back
#[derive(Debug, Serialize, JsonSchema)]
pub(crate) struct Revoked {
    pub(crate) revoked: Vec<Grant>,
}
