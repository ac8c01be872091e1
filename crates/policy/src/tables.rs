//! What the configuration says about policy, as plain data. Whoever reads the file fills it in; nothing here knows its format.

use std::collections::BTreeMap;
use std::sync::Arc;

use model::{Permission, ServerId};
use validators::arguments::Validator;
use validators::path::Roots;
use validators::sql::Dialect;
use validators::url;

use crate::Rates;

/// The configured policy. Its default is what holds without configuration (DESIGN 7).
#[derive(Clone, Debug, Default, PartialEq)]
pub struct Tables {
    /// What holds where no grant speaks. None: `opt-out` for a sole local principal, else `opt-in`.
    pub access: Option<DefaultAccess>,
    /// How requests of servers for permissions are answered.
    pub permissions: PermissionPolicy,
    /// What happens to tools of moderate risk.
    pub moderate: OnModerate,
    /// What happens to dangerous tools.
    pub dangerous: OnDangerous,
    /// What happens to tools whose definition is not the approved one any more.
    pub changed: OnChange,
    /// How many calls are let through.
    pub rates: Rates,
    /// What is different for some servers.
    pub servers: BTreeMap<ServerId, ServerTable>,
}

/// What is configured for one server; what is not said here holds as in [`Tables`].
#[derive(Clone, Debug, Default, PartialEq)]
pub struct ServerTable {
    /// What holds where no grant speaks.
    pub access: Option<DefaultAccess>,
    /// How its requests for permissions are answered.
    pub permissions: Option<PermissionPolicy>,
    /// The permissions that it has by configuration.
    pub approved: Vec<Permission>,
    /// Whether a single denied permission stops all tools that name none. Otherwise it takes the denial of all of them (MGP D4).
    pub strict: bool,
    /// What happens to its tools of moderate risk.
    pub moderate: Option<OnModerate>,
    /// What happens to its dangerous tools.
    pub dangerous: Option<OnDangerous>,
    /// What happens to its changed tools.
    pub changed: Option<OnChange>,
    /// Where paths in arguments may lead.
    pub roots: Roots,
    /// What addresses in arguments are judged by.
    pub network: url::Policy,
    /// Commands that `sandbox` allows besides those it knows.
    pub commands: Vec<String>,
    /// The dialect of statements.
    pub dialect: Option<Dialect>,
    /// The validators of all its tools, in place of inferred ones.
    pub validators: Option<Vec<Validator>>,
    /// What is different for some of its tools.
    pub tools: BTreeMap<Arc<str>, ToolTable>,
}

/// What is configured for one tool.
#[derive(Clone, Debug, Default, PartialEq)]
pub struct ToolTable {
    /// The validators, in place of its server's and of inferred ones. What the server declares is added.
    pub validators: Option<Vec<Validator>>,
    /// The operator says that the tool only reads, whatever it says itself: `readonly` looks at its arguments only.
    pub only_reads: bool,
}

/// What holds where no grant speaks (MGP §5.5).
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub enum DefaultAccess {
    /// Nobody has access who was not granted it.
    OptIn,
    /// Everybody has access who was not denied it.
    OptOut,
}

impl DefaultAccess {
    /// The specification's word.
    #[must_use]
    pub fn as_str(self) -> &'static str {
        match self {
            Self::OptIn => "opt-in",
            Self::OptOut => "opt-out",
        }
    }
}

/// How requests of servers for permissions are answered (MGP §3.3).
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Hash)]
pub enum PermissionPolicy {
    /// A person is asked about what the configuration does not approve.
    #[default]
    Interactive,
    /// Everything is approved that nobody has denied.
    AutoApprove,
    /// Nobody is asked: what neither the configuration nor a person has approved beforehand is denied.
    DenyAll,
    /// The configuration alone: a person can take away what it gives, and give nothing.
    ConfigOnly,
}

impl PermissionPolicy {
    /// The specification's word.
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

/// What happens to a tool of moderate risk (MGP §4.4: optional confirmation).
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Hash)]
pub enum OnModerate {
    /// It runs.
    #[default]
    Run,
    /// A person is asked, as for dangerous tools.
    Confirm,
}

/// What happens to a dangerous tool (MGP §4.4). Law: it never just runs.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Hash)]
pub enum OnDangerous {
    /// A person is asked, unless a standing grant has confirmed it.
    #[default]
    Confirm,
    /// It is refused, unless a standing grant has confirmed it: where nobody is there to be asked.
    Refuse,
}

/// What happens to a tool whose definition is not the one that was approved.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Hash)]
pub enum OnChange {
    /// A person is asked with every call until somebody approves the new definition.
    #[default]
    Review,
    /// It is refused until somebody approves the new definition.
    Refuse,
    /// It runs; the change is for the audit only.
    Run,
}

/// What a server gets that has no table.
pub(crate) static PLAIN: std::sync::LazyLock<ServerTable> = std::sync::LazyLock::new(ServerTable::default);

impl Tables {
    /// What is configured for a server; an empty table where nothing is.
    #[must_use]
    pub fn server(&self, id: &ServerId) -> &ServerTable {
        self.servers.get(id).unwrap_or(&PLAIN)
    }
}
