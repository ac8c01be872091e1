//! The table of all routes, by which requests are matched and from which the OpenAPI document is generated.

use std::sync::LazyLock;

use kernel::http_api::Verb::{self, Delete, Get, Post, Put};
use schemars::JsonSchema;
use serde::Serialize;
use serde_json::{Map, Value};

use crate::handlers::{access, approvals, audit, permissions, tokens, tools};
use crate::input::Input;
use crate::openapi;
use crate::problem::Problem;
use crate::route::{Route, Segments, at_once};

/// Every route.
#[rustfmt::skip]
static ROUTES: LazyLock<Vec<Route>> = LazyLock::new(|| vec![
    Route::new(Get,    "/openapi.json",                    "OpenApi",          "This document", at_once(|_, _: Input| Ok(Document(document())))),
    Route::new(Get,    "/approvals",                       "ListApprovals",    "The calls that wait for a person, the oldest first", at_once(approvals::list)),
    Route::new(Get,    "/approvals/stream",                "StreamApprovals",  "All calls that wait, now and each time that one is added or decided", at_once(approvals::stream)),
    Route::new(Post,   "/approvals/{request_id}/decision", "DecideApproval",   "Approve or deny a call that waits; of two who decide at once, the second is told", approvals::decide),
    Route::new(Get,    "/permissions",                     "ListPermissions",  "What servers were permitted, and what they ask for", permissions::list),
    Route::new(Put,    "/permissions",                     "DecidePermission", "Decide about a permission of a server, asked for or not", permissions::decide),
    Route::new(Get,    "/access",                          "ListGrants",       "The grants that were made here; those of the configuration are not among them", access::list),
    Route::new(Get,    "/access/check",                    "CheckAccess",      "Whether a principal has access, and what says so", at_once(access::check)),
    Route::new(Put,    "/access",                          "PutGrant",         "Grant or deny access; takes the place of the grant with the same principal, scope and access", access::grant),
    Route::new(Delete, "/access",                          "RevokeGrant",      "Take back what a principal was granted and denied in one scope; answered once no call that it allowed can still be sent", access::revoke),
    Route::new(Get,    "/tokens",                          "ListTokens",       "Every token, also those that admit no client any more", tokens::list),
    Route::new(Post,   "/tokens",                          "CreateToken",      "Make a token; its text is in this answer and nowhere else", tokens::create),
    Route::new(Delete, "/tokens/{id}",                     "RevokeToken",      "Take a token back; answered once no call of its holder can still be sent", tokens::revoke),
    Route::new(Get,    "/audit",                           "QueryAudit",       "Events, the last first", audit::query),
    Route::new(Get,    "/audit/stream",                    "StreamAudit",      "Events as they come; `Last-Event-ID` or `from` goes on behind an event", at_once(audit::stream)),
    Route::new(Get,    "/servers",                         "ListServers",      "The servers and how they do", at_once(tools::servers)),
    Route::new(Get,    "/tools",                           "ListTools",        "Every tool, its risk and why", at_once(tools::list)),
    Route::new(Post,   "/tools/approve",                   "ApproveTool",      "Approve the definition of a tool as it is now", tools::approve),
]);

/// Returns the OpenAPI document, which does not depend on a particular gateway.
#[must_use]
pub fn document() -> Value {
    openapi::document(&ROUTES)
}

/// The OpenAPI document as an answer.
#[derive(Debug, Serialize, JsonSchema)]
#[serde(transparent)]
#[schemars(inline, description = "")]
struct Document(#[schemars(with = "Map<String, Value>")] Value);

/// Finds the route of a request, and the values of the names in braces of its path.
///
/// # Errors
/// 404 if there is no route for the path, 405 if there is one with another verb.
pub(crate) fn find(verb: Verb, path: &str) -> Result<(&'static Route, Segments), Problem> {
    let mut others = Vec::new();
    for route in &*ROUTES {
        let Some(segments) = route.segments(path) else { continue };
        if route.verb == verb {
            return Ok((route, segments));
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

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn paths_find_their_way() {
        let operation = |verb, path: &str| {
            let found = find(verb, path).map_err(|problem| problem.status);
            found.map(|(route, segments)| (route.operation, segments))
        };
        let segment = |name: &str, value: &str| vec![(name.to_owned(), value.to_owned())];
        assert_eq!(operation(Get, "/approvals/stream"), Ok(("StreamApprovals", Vec::new())));
        assert_eq!(operation(Delete, "/tokens/a%2Fb"), Ok(("RevokeToken", segment("id", "a/b"))));
        for (verb, path, status) in [
            (Get, "/nothing", 404),
            (Get, "/tokens/", 404),
            (Delete, "/tokens/", 404),
            (Put, "/tokens", 405),
            (Get, "", 404),
        ] {
            assert_eq!(operation(verb, path), Err(status), "{path}");
        }
    }

    /// Tests that the names in braces of a path are the parameters of its handler, and that every parameter is documented.
    #[test]
    fn handlers_take_what_stands_in_their_paths() {
        let document = document();
        for route in &*ROUTES {
            let verb = route.verb.as_str().to_ascii_lowercase();
            let parameters = document["paths"][route.path][verb]["parameters"].as_array().expect("parameters");
            assert!(parameters.iter().all(|parameter| parameter["description"].is_string()), "{route:?}");
            let taken = parameters.iter().filter(|parameter| parameter["in"] == "path");
            let taken: Vec<&str> = taken.filter_map(|parameter| parameter["name"].as_str()).collect();
            let segments = route.path.split('/');
            let named: Vec<&str> = segments
                .filter_map(|segment| segment.strip_prefix('{')?.strip_suffix('}'))
                .collect();
            assert_eq!(taken, named, "{route:?}");
        }
    }

    /// Tests that every referenced schema exists, and every existing one is referenced.
    #[test]
    fn every_reference_leads_somewhere() {
        let document = document();
        let text = document.to_string();
        let schemas = document["components"]["schemas"].as_object().expect("schemas");
        for name in schemas.keys() {
            assert!(text.contains(&format!("\"#/components/schemas/{name}\"")), "{name} is not used");
        }
        for part in text.split("\"#/components/schemas/").skip(1) {
            let name = part.split('"').next().expect("a name");
            assert!(schemas.contains_key(name), "{name} is not there");
        }
    }
}
