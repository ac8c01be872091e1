//! Finds servers, tools and permissions by the names in requests.

use model::{GrantScope, Permission, ServerId, ToolId};

use crate::problem::Problem;

/// Parses the id of a server.
pub(super) fn server(id: &str) -> Result<ServerId, Problem> {
    ServerId::new(id).map_err(|_| Problem::invalid(format!("`{id}` can't be a server's id")))
}

/// Parses the scope of a tool, or of a server as a whole.
pub(super) fn scope(server: &str, tool: Option<String>) -> Result<GrantScope, Problem> {
    let server = self::server(server)?;
    Ok(match tool {
        Some(name) => GrantScope::Tool(ToolId { server, name: name.into() }),
        None => GrantScope::Server(server),
    })
}

/// Parses one permission, by any of its names.
pub(super) fn permission(name: &str) -> Result<Permission, Problem> {
    let said = mgp::permission::read(name).map_err(|error| Problem::invalid(error.to_string()))?;
    match &said.permissions[..] {
        [one] => Ok(one.clone()),
        several => {
            let names: Vec<_> = several.iter().map(Permission::as_str).collect();
            Err(Problem::invalid(format!(
                "`{name}` stands for several permissions; decide about each: {}",
                names.join(", ")
            )))
        }
    }
}
