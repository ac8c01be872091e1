//! The definitions of kernel tools: which exist, which roles see them, and under which names (§5.4, D10, D15, D29, D30).

use jsonrpc::{Limits, Raw};
use model::Role;

/// The id of the server that kernel tools belong to, in grants and in the audit (D15).
pub const SERVER: &str = "kernel";

/// A tool of the kernel.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub enum KernelTool {
    /// `mgp.access.query`
    AccessQuery,
    /// `mgp.access.grant`
    AccessGrant,
    /// `mgp.access.revoke`
    AccessRevoke,
    /// `mgp.permission.list`
    PermissionList,
    /// `mgp.permission.decide`
    PermissionDecide,
    /// `mgp.audit.replay`
    AuditReplay,
}

impl KernelTool {
    /// All kernel tools.
    pub const ALL: [Self; 6] = [
        Self::AccessQuery,
        Self::AccessGrant,
        Self::AccessRevoke,
        Self::PermissionList,
        Self::PermissionDecide,
        Self::AuditReplay,
    ];

    /// Returns its name in the specification.
    #[must_use]
    pub fn name(self) -> &'static str {
        match self {
            Self::AccessQuery => "mgp.access.query",
            Self::AccessGrant => "mgp.access.grant",
            Self::AccessRevoke => "mgp.access.revoke",
            Self::PermissionList => "mgp.permission.list",
            Self::PermissionDecide => "mgp.permission.decide",
            Self::AuditReplay => "mgp.audit.replay",
        }
    }

    /// Returns its name for models' providers that allow no dots (D29).
    #[must_use]
    pub fn alias(self) -> String {
        self.name().replace('.', "_")
    }

    /// Finds a tool by either name; both can always be called.
    #[must_use]
    pub fn find(name: &str) -> Option<Self> {
        Self::ALL.into_iter().find(|tool| tool.name() == name || tool.alias() == name)
    }

    /// Returns whether a principal with that role may call it. An agent may ask about itself.
    #[must_use]
    pub fn may_call(self, role: Role) -> bool {
        role == Role::Operator || self == Self::AccessQuery
    }

    /// Returns whether it is listed for that role (§16.8, D30): these are administrative tools, which models do not need.
    #[must_use]
    pub fn is_listed(self, role: Role) -> bool {
        role == Role::Operator
    }

    fn text(self) -> &'static str {
        match self {
            Self::AccessQuery => include_str!("definitions/mgp.access.query.json"),
            Self::AccessGrant => include_str!("definitions/mgp.access.grant.json"),
            Self::AccessRevoke => include_str!("definitions/mgp.access.revoke.json"),
            Self::PermissionList => include_str!("definitions/mgp.permission.list.json"),
            Self::PermissionDecide => include_str!("definitions/mgp.permission.decide.json"),
            Self::AuditReplay => include_str!("definitions/mgp.audit.replay.json"),
        }
    }

    /// Returns the definition for `tools/list`, on one line; with the underscored name if `underscored` (D29).
    #[must_use]
    pub fn definition(self, underscored: bool) -> Raw {
        let parsed = Raw::parse(self.text(), &Limits::default());
        let definition = parsed.map_or_else(|_| Raw::object_empty(), |raw| Raw::of(&raw.to_value()));
        if underscored {
            definition.edit().set(&["name"], &Raw::string(&self.alias())).finish()
        } else {
            definition
        }
    }
}

/// Returns whether a name belongs to the kernel: no server's tool gets it unqualified, whether or not the kernel has such a tool (DESIGN 3, D19).
#[must_use]
pub fn is_reserved(name: &str) -> bool {
    name.starts_with("mgp.") || name.starts_with("mgp_")
}
