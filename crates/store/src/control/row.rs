//! Converts values of the model to and from the columns of a row.

use std::sync::Arc;

use model::{
    Access, ApprovalState, By, Digest, GrantScope, Permission, PermissionAnswer, PrincipalId, RequestId, Role, ServerId, Timestamp, ToolId,
};
use rusqlite::Row;
use rusqlite::types::Type;

/// The separator between servers in a list of them: no id contains it.
const COMMA: char = ',';

pub(super) fn role(role: Role) -> &'static str {
    role.as_str()
}

pub(super) fn access(access: Access) -> &'static str {
    match access {
        Access::Allow => "allow",
        Access::Deny => "deny",
    }
}

pub(super) fn answer(answer: PermissionAnswer) -> &'static str {
    match answer {
        PermissionAnswer::Approved => "approved",
        PermissionAnswer::Denied => "denied",
        PermissionAnswer::Deferred => "deferred",
    }
}

/// Returns the name of a state, and who caused it.
pub(super) fn state(state: &ApprovalState) -> (&'static str, Option<&By>) {
    match state {
        ApprovalState::Pending => ("pending", None),
        ApprovalState::Approved(by) => ("approved", Some(by)),
        ApprovalState::Denied(by) => ("denied", Some(by)),
        ApprovalState::Used(by) => ("used", Some(by)),
    }
}

/// Returns the server, whether the scope is a tool, and the tool.
pub(super) fn scope(scope: &GrantScope) -> (&str, bool, &str) {
    match scope {
        GrantScope::Tool(tool) => (tool.server.as_str(), true, &tool.name),
        GrantScope::Server(server) => (server.as_str(), false, ""),
    }
}

pub(super) fn servers(scopes: &[ServerId]) -> String {
    let ids: Vec<&str> = scopes.iter().map(ServerId::as_str).collect();
    ids.join(",")
}

/// Converts a number that counts from 1; such numbers are far below 2^63.
pub(super) fn signed(number: u64) -> i64 {
    i64::try_from(number).unwrap_or(i64::MAX)
}

pub(super) fn unsigned(number: i64) -> u64 {
    u64::try_from(number).unwrap_or_default()
}

/// Reads a row column by column. A value that cannot have been written is an error.
pub(super) struct Columns<'a>(pub(super) &'a Row<'a>);

type Read<T> = rusqlite::Result<T>;

impl Columns<'_> {
    fn wrong<T>(&self, column: &str) -> Read<T> {
        let at = self.0.as_ref().column_index(column)?;
        Err(rusqlite::Error::InvalidColumnType(at, column.to_owned(), Type::Text))
    }

    pub(super) fn text(&self, column: &str) -> Read<Arc<str>> {
        self.0.get::<_, String>(column).map(Arc::from)
    }

    pub(super) fn maybe_text(&self, column: &str) -> Read<Option<Arc<str>>> {
        Ok(self.0.get::<_, Option<String>>(column)?.map(Arc::from))
    }

    pub(super) fn flag(&self, column: &str) -> Read<bool> {
        self.0.get(column)
    }

    pub(super) fn number(&self, column: &str) -> Read<u64> {
        self.0.get(column).map(unsigned)
    }

    pub(super) fn instant(&self, column: &str) -> Read<Timestamp> {
        self.0.get(column).map(Timestamp)
    }

    pub(super) fn maybe_instant(&self, column: &str) -> Read<Option<Timestamp>> {
        Ok(self.0.get::<_, Option<i64>>(column)?.map(Timestamp))
    }

    pub(super) fn digest(&self, column: &str) -> Read<Digest> {
        self.0.get(column).map(Digest)
    }

    pub(super) fn principal(&self, column: &str) -> Read<PrincipalId> {
        Ok(PrincipalId::new(&self.text(column)?))
    }

    pub(super) fn request(&self) -> Read<RequestId> {
        Ok(RequestId::new(&self.text("request")?))
    }

    pub(super) fn permission(&self) -> Read<Permission> {
        Ok(Permission::new(&self.text("permission")?))
    }

    pub(super) fn server(&self) -> Read<ServerId> {
        ServerId::new(&self.text("server")?).or_else(|_| self.wrong("server"))
    }

    pub(super) fn tool(&self) -> Read<ToolId> {
        Ok(ToolId {
            server: self.server()?,
            name: self.text("tool")?,
        })
    }

    pub(super) fn by(&self, principal: &str, at: &str) -> Read<By> {
        Ok(By {
            principal: self.principal(principal)?,
            at: self.instant(at)?,
        })
    }

    pub(super) fn maybe_by(&self, principal: &str, at: &str) -> Read<Option<By>> {
        match self.maybe_text(principal)? {
            Some(_) => self.by(principal, at).map(Some),
            None => Ok(None),
        }
    }

    pub(super) fn role(&self) -> Read<Role> {
        match &*self.text("role")? {
            "agent" => Ok(Role::Agent),
            "operator" => Ok(Role::Operator),
            _ => self.wrong("role"),
        }
    }

    pub(super) fn access(&self) -> Read<Access> {
        match &*self.text("access")? {
            "allow" => Ok(Access::Allow),
            "deny" => Ok(Access::Deny),
            _ => self.wrong("access"),
        }
    }

    pub(super) fn answer(&self) -> Read<PermissionAnswer> {
        match &*self.text("answer")? {
            "approved" => Ok(PermissionAnswer::Approved),
            "denied" => Ok(PermissionAnswer::Denied),
            "deferred" => Ok(PermissionAnswer::Deferred),
            _ => self.wrong("answer"),
        }
    }

    pub(super) fn state(&self) -> Read<ApprovalState> {
        match (&*self.text("state")?, self.maybe_by("by_whom", "at")?) {
            ("pending", None) => Ok(ApprovalState::Pending),
            ("approved", Some(by)) => Ok(ApprovalState::Approved(by)),
            ("denied", Some(by)) => Ok(ApprovalState::Denied(by)),
            ("used", Some(by)) => Ok(ApprovalState::Used(by)),
            _ => self.wrong("state"),
        }
    }

    pub(super) fn scope(&self) -> Read<GrantScope> {
        if self.flag("of_tool")? {
            self.tool().map(GrantScope::Tool)
        } else {
            self.server().map(GrantScope::Server)
        }
    }

    pub(super) fn scopes(&self) -> Read<Vec<ServerId>> {
        let text = self.text("scopes")?;
        let ids = text.split(COMMA).filter(|id| !id.is_empty());
        ids.map(|id| ServerId::new(id).or_else(|_| self.wrong("scopes"))).collect()
    }
}
