//! Everything there is: each way to the API with what it takes and gives.

use kernel::desk::Verb;
use percent_encoding::percent_decode_str;

use crate::Problem;

/// What is done.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub enum Operation {
    /// This document.
    OpenApi,
    /// The calls that wait.
    ListApprovals,
    /// The same, as they change.
    StreamApprovals,
    /// Decides about a call.
    DecideApproval,
    /// The permissions of servers.
    ListPermissions,
    /// Decides about a permission.
    DecidePermission,
    /// The grants.
    ListGrants,
    /// Whether somebody has access.
    CheckAccess,
    /// Makes a grant.
    PutGrant,
    /// Takes grants back.
    RevokeGrant,
    /// The tokens.
    ListTokens,
    /// Makes a token.
    CreateToken,
    /// Takes a token back.
    RevokeToken,
    /// Finds events.
    QueryAudit,
    /// Events as they come.
    StreamAudit,
    /// The servers.
    ListServers,
    /// The tools.
    ListTools,
    /// Approves a tool as it is.
    ApproveTool,
}

/// What is answered.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Gives {
    /// The OpenAPI document.
    Document,
    /// One object, by the name of its schema.
    One(&'static str),
    /// A page of objects, by the name of their schema.
    Page(&'static str),
    /// A stream of events, each one object.
    Events(&'static str),
}

/// A parameter of the query.
#[derive(Debug)]
pub struct Parameter {
    /// Its name.
    pub name: &'static str,
    /// What it means.
    pub doc: &'static str,
    /// Whether it has to be given.
    pub required: bool,
}

/// One way to the API.
#[derive(Debug)]
pub struct Route {
    /// What is done.
    pub operation: Operation,
    /// With which verb.
    pub verb: Verb,
    /// On which path; a segment in braces stands for any.
    pub path: &'static str,
    /// What is done, in a sentence.
    pub summary: &'static str,
    /// What the query may say. Of pages, each is also the name of a field that has to have that value.
    pub query: &'static [Parameter],
    /// The schema of the body, where there is one.
    pub body: Option<&'static str>,
    /// What is answered.
    pub gives: Gives,
}

const fn may(name: &'static str, doc: &'static str) -> Parameter {
    Parameter {
        name,
        doc,
        required: false,
    }
}

const fn must(name: &'static str, doc: &'static str) -> Parameter {
    Parameter { name, doc, required: true }
}

/// Every way.
#[rustfmt::skip]
pub const ROUTES: &[Route] = &[
    Route { operation: Operation::OpenApi, verb: Verb::Get, path: "/openapi.json", summary: "This document", query: &[], body: None, gives: Gives::Document },
    Route { operation: Operation::ListApprovals, verb: Verb::Get, path: "/approvals", summary: "The calls that wait for a person, the oldest first", query: &[may("principal", "Who wants to call"), may("server", "The server"), may("tool", "The tool")], body: None, gives: Gives::Page("Approval") },
    Route { operation: Operation::StreamApprovals, verb: Verb::Get, path: "/approvals/stream", summary: "All calls that wait, now and each time that one is added or decided", query: &[], body: None, gives: Gives::Events("Approvals") },
    Route { operation: Operation::DecideApproval, verb: Verb::Post, path: "/approvals/{request_id}/decision", summary: "Approve or deny a call that waits; of two who decide at once, the second is told", query: &[], body: Some("ApprovalDecision"), gives: Gives::One("DecidedApproval") },
    Route { operation: Operation::ListPermissions, verb: Verb::Get, path: "/permissions", summary: "What servers were permitted, and what they ask for", query: &[may("server", "The server"), may("state", "`waiting`, `approved`, `denied` or `deferred`"), may("permission", "The permission")], body: None, gives: Gives::Page("Permission") },
    Route { operation: Operation::DecidePermission, verb: Verb::Put, path: "/permissions", summary: "Decide about a permission of a server, asked for or not", query: &[], body: Some("PermissionDecision"), gives: Gives::One("Permission") },
    Route { operation: Operation::ListGrants, verb: Verb::Get, path: "/access", summary: "The grants that were made here; those of the configuration are not among them", query: &[may("principal", "Whom they are about"), may("server", "The server"), may("tool", "The tool"), may("access", "`allow` or `deny`")], body: None, gives: Gives::Page("Grant") },
    Route { operation: Operation::CheckAccess, verb: Verb::Get, path: "/access/check", summary: "Whether a principal has access, and what says so", query: &[must("principal", "Who"), must("server", "The server"), may("tool", "The tool; without it, the server as a whole")], body: None, gives: Gives::One("Standing") },
    Route { operation: Operation::PutGrant, verb: Verb::Put, path: "/access", summary: "Grant or deny access; takes the place of the grant with the same principal, scope and access", query: &[], body: Some("NewGrant"), gives: Gives::One("Grant") },
    Route { operation: Operation::RevokeGrant, verb: Verb::Delete, path: "/access", summary: "Take back what a principal was granted and denied in one scope; answered once no call that it allowed can still be sent", query: &[must("principal", "Whom it is about"), must("server", "The server"), may("tool", "The tool; without it, the grant of the server as a whole")], body: None, gives: Gives::One("Revoked") },
    Route { operation: Operation::ListTokens, verb: Verb::Get, path: "/tokens", summary: "Every token, also those that let nobody in any more", query: &[may("principal", "Who holds it"), may("role", "`agent` or `operator`"), may("state", "`valid`, `expired` or `revoked`")], body: None, gives: Gives::Page("Token") },
    Route { operation: Operation::CreateToken, verb: Verb::Post, path: "/tokens", summary: "Make a token; its text is in this answer and nowhere else", query: &[], body: Some("NewToken"), gives: Gives::One("CreatedToken") },
    Route { operation: Operation::RevokeToken, verb: Verb::Delete, path: "/tokens/{id}", summary: "Take a token back; answered once no call of its holder can still be sent", query: &[], body: None, gives: Gives::One("Token") },
    Route { operation: Operation::QueryAudit, verb: Verb::Get, path: "/audit", summary: "Events, the last first", query: &[may("since", "From this instant on, RFC 3339"), may("until", "Before this instant"), may("type", "The type; several with commas"), may("actor", "The actor's id"), may("server", "The server"), may("tool", "The tool"), may("result", "`SUCCESS`, `FAILURE`, `BLOCKED` or `PENDING`"), may("trace", "The trace"), may("order", "`newest` or `oldest` first")], body: None, gives: Gives::Page("Event") },
    Route { operation: Operation::StreamAudit, verb: Verb::Get, path: "/audit/stream", summary: "Events as they come; `Last-Event-ID` or `from` goes on behind an event", query: &[may("from", "The number of the first event that is wanted")], body: None, gives: Gives::Events("Event") },
    Route { operation: Operation::ListServers, verb: Verb::Get, path: "/servers", summary: "The servers and how they do", query: &[may("state", "`configured`, `known`, `connected` or `error`")], body: None, gives: Gives::Page("Server") },
    Route { operation: Operation::ListTools, verb: Verb::Get, path: "/tools", summary: "Every tool, its risk and why", query: &[may("server", "The server"), may("risk", "`safe`, `moderate` or `dangerous`"), may("definition", "`unpinned`, `approved` or `changed`")], body: None, gives: Gives::Page("Tool") },
    Route { operation: Operation::ApproveTool, verb: Verb::Post, path: "/tools/approve", summary: "Approve the definition of a tool as it is now", query: &[], body: Some("ToolName"), gives: Gives::One("Pin") },
];

/// A way, and what stands where its path has a segment in braces.
#[derive(Debug)]
pub struct Found {
    /// The way.
    pub route: &'static Route,
    /// The segment, decoded.
    pub segment: String,
}

/// Finds the way of a request.
///
/// # Errors
/// 404 where there is none, 405 where there is one with another verb.
pub fn find(verb: Verb, path: &str) -> Result<Found, Problem> {
    let mut others = Vec::new();
    for route in ROUTES {
        let Some(segment) = matched(route.path, path) else { continue };
        if route.verb == verb {
            return Ok(Found { route, segment });
        }
        others.push(route.verb.as_str());
    }
    match others[..] {
        [] => Err(Problem::absent(format!(
            "nothing is at `{path}`; `/openapi.json` says what there is"
        ))),
        _ => Err(Problem::new(
            405,
            "the method does not fit",
            format!("use {} at `{path}`", others.join(" or ")),
        )),
    }
}

/// What stands for the braces, where a path fits a pattern.
fn matched(pattern: &str, path: &str) -> Option<String> {
    let (mut wanted, mut given) = (pattern.split('/'), path.split('/'));
    let mut segment = String::new();
    loop {
        match (wanted.next(), given.next()) {
            (None, None) => return Some(segment),
            (Some(wanted), Some(given)) if wanted.starts_with('{') && !given.is_empty() => {
                segment = percent_decode_str(given).decode_utf8().ok()?.into_owned();
            }
            (Some(wanted), Some(given)) if wanted == given => {}
            _ => return None,
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn paths_find_their_way() {
        let operation = |verb, path: &str| find(verb, path).map(|found| (found.route.operation, found.segment));
        assert_eq!(
            operation(Verb::Get, "/approvals/stream"),
            Ok((Operation::StreamApprovals, String::new()))
        );
        assert_eq!(
            operation(Verb::Delete, "/tokens/a%2Fb"),
            Ok((Operation::RevokeToken, "a/b".to_owned()))
        );
        for (verb, path, status) in [
            (Verb::Get, "/nothing", 404),
            (Verb::Get, "/tokens/", 404),
            (Verb::Delete, "/tokens/", 404),
            (Verb::Put, "/tokens", 405),
            (Verb::Get, "", 404),
        ] {
            assert_eq!(operation(verb, path).map_err(|problem| problem.status), Err(status), "{path}");
        }
    }
}
