//! The configuration of policy, as plain data. The reader of the configuration fills it in; nothing here knows the file's format.

use std::collections::BTreeMap;
use std::sync::Arc;

use model::{Permission, ServerId};
use validators::arguments::Validator;
use validators::path::Roots;
use validators::sql::Dialect;
use validators::url;

use crate::Rates;

/// The configured policy. Its default holds without configuration (DESIGN 7).
#[derive(Clone, Debug, Default, PartialEq)]
pub struct Tables {
    /// The access without a grant. None: `opt-out` for a sole local principal, else `opt-in`.
    pub access: Option<DefaultAccess>,
    /// The answer to servers' requests for permissions.
    pub permissions: PermissionPolicy,
    /// The treatment of tools of moderate risk.
    pub moderate: OnModerate,
    /// The treatment of dangerous tools.
    pub dangerous: OnDangerous,
    /// The treatment of tools whose definition is not the approved one any more.
    pub changed: OnChange,
    /// The rate limits.
    pub rates: Rates,
    /// The tables of single servers.
    pub servers: BTreeMap<ServerId, ServerTable>,
}

/// The configuration of one server; without a value here that of [`Tables`] holds.
#[derive(Clone, Debug, Default, PartialEq)]
pub struct ServerTable {
    /// The access without a grant.
    pub access: Option<DefaultAccess>,
    /// The answer to its requests for permissions.
    pub permissions: Option<PermissionPolicy>,
    /// The permissions that it has by configuration.
    pub approved: Vec<Permission>,
    /// Whether a single denied permission stops all tools that name none. Otherwise only the denial of all permissions does (MGP D4).
    pub strict: bool,
    /// The treatment of its tools of moderate risk.
    pub moderate: Option<OnModerate>,
    /// The treatment of its dangerous tools.
    pub dangerous: Option<OnDangerous>,
    /// The treatment of its changed tools.
    pub changed: Option<OnChange>,
    /// The folders in which paths in arguments may lie.
    pub roots: Roots,
    /// The policy for addresses in arguments.
    pub network: url::Policy,
    /// The commands that `sandbox` allows in addition to those it knows.
    pub commands: Vec<String>,
    /// The SQL dialect of statements.
    pub dialect: Option<Dialect>,
    /// The validators of all its tools, instead of inferred ones.
    pub validators: Option<Vec<Validator>>,
    /// The tables of single tools.
    pub tools: BTreeMap<Arc<str>, ToolTable>,
}

/// The configuration of one tool.
#[derive(Clone, Debug, Default, PartialEq)]
pub struct ToolTable {
    /// The validators, instead of its server's and of inferred ones. Those that the server declares are added.
    pub validators: Option<Vec<Validator>>,
    /// Whether the operator declares that the tool only reads, whatever the tool declares: `readonly` then judges only its arguments.
    pub only_reads: bool,
}

/// The access of principals without a grant (MGP §5.5).
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub enum DefaultAccess {
    /// Only principals with a grant have access.
    OptIn,
    /// All principals without a denial have access.
    OptOut,
}

impl DefaultAccess {
    /// Returns the specification's word.
    #[must_use]
    pub fn as_str(self) -> &'static str {
        match self {
            Self::OptIn => "opt-in",
            Self::OptOut => "opt-out",
        }
    }
}

/// The policy that answers servers' requests for permissions (MGP §3.3).
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Hash)]
pub enum PermissionPolicy {
    /// A person is asked about permissions that the configuration does not approve.
    #[default]
    Interactive,
    /// Permissions are approved unless a person has denied them.
    AutoApprove,
    /// No person is asked: permissions that neither the configuration nor a person has approved beforehand are denied.
    DenyAll,
    /// The configuration alone approves: a person can deny what it approves, and approve nothing else.
    ConfigOnly,
}

impl PermissionPolicy {
    /// Returns the specification's word.
    #[must_use]
    pub fn as_str(self) -> &'static str {
        match self {
            Self::Interactive => "interactive",
            Self::AutoApprove => "auto_approve",
            Self::DenyAll => "deny_all",
            Self::ConfigOnly => "config_only",
        }
    }
}

/// The treatment of a tool of moderate risk (MGP §4.4: optional confirmation).
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Hash)]
pub enum OnModerate {
    /// It runs.
    #[default]
    Run,
    /// A person is asked, as for dangerous tools.
    Confirm,
}

/// The treatment of a dangerous tool (MGP §4.4). Law: it never runs without a confirmation.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Hash)]
pub enum OnDangerous {
    /// A person is asked, unless a standing grant has confirmed it.
    #[default]
    Confirm,
    /// It is refused, unless a standing grant has confirmed it. This is for gateways that have no person to ask.
    Refuse,
}

/// The treatment of a tool whose definition is not the approved one.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Hash)]
pub enum OnChange {
    /// A person is asked with every call until an operator approves the new definition.
    #[default]
    Review,
    /// It is refused until an operator approves the new definition.
    Refuse,
    /// It runs; the change is only recorded.
    Run,
}

/// The table of servers without a table.
pub(crate) static PLAIN: std::sync::LazyLock<ServerTable> = std::sync::LazyLock::new(ServerTable::default);

impl Tables {
    /// Returns the table of a server; an empty one if none is configured.
    #[must_use]
    pub fn server(&self, id: &ServerId) -> &ServerTable {
        self.servers.get(id).unwrap_or(&PLAIN)
    }
}
