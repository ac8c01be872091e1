//! `[[policy.grants]]`: who has access to what.

use std::path::Path;
use std::sync::Arc;
use std::time::{SystemTime, UNIX_EPOCH};

use model::{Access, By, Grant, GrantScope, PrincipalId, ServerId, Timestamp, ToolId};

use super::fields::{Fields, nearest};
use super::node::Node;
use super::problem::{Problem, Problems};
use super::schema::grant as keys;
use super::source::Place;

/// The name under which grants of the configuration are recorded.
const GRANTED_BY: &str = "configuration";

/// A grant, and the place of its server.
#[derive(Clone, Debug)]
pub(super) struct Granted {
    /// The grant.
    pub(super) grant: Grant,
    at: Place,
}

/// Reads one grant. Returns `None` if something is wrong with it.
pub(super) fn grant(node: &Node, problems: &mut Problems) -> Option<Granted> {
    let fields = Fields::read(&keys::SECTION, node, problems);
    let principal = fields.require(&keys::PRINCIPAL, node, "a grant", problems);
    let server = fields.require(&keys::SERVER, node, "a grant", problems)?;
    let (access, confirms) = (fields.get(&keys::ACCESS), fields.get(&keys::CONFIRMS));
    if access == Access::Deny && confirms {
        let at = fields.value_at(&keys::CONFIRMS).unwrap_or(&node.place);
        problems.push(
            Problem::error("a grant can't both deny and confirm")
                .at(at)
                .help("remove `confirms`, or say `access = \"allow\"`"),
        );
        return None;
    }
    let at = fields.value_at(&keys::SERVER).unwrap_or(&node.place).clone();
    Some(Granted {
        grant: Grant {
            principal: PrincipalId::new(&principal?),
            scope: match fields.get(&keys::TOOL) {
                Some(tool) => GrantScope::Tool(ToolId { server, name: tool.into() }),
                None => GrantScope::Server(server),
            },
            access,
            confirms,
            granted: By {
                principal: PrincipalId::new(GRANTED_BY),
                at: written(Path::new(at.source().name())),
            },
            expires: fields.get(&keys::EXPIRES),
            justification: fields.get(&keys::JUSTIFICATION).map(Arc::from),
        },
        at,
    })
}

/// Returns when a file was last written; the beginning of the calendar for what is no file.
fn written(path: &Path) -> Timestamp {
    let modified = std::fs::metadata(path).and_then(|metadata| metadata.modified()).ok();
    modified.map_or(Timestamp(0), instant)
}

fn instant(time: SystemTime) -> Timestamp {
    let since = time.duration_since(UNIX_EPOCH).unwrap_or_default();
    Timestamp(i64::try_from(since.as_millis()).unwrap_or(i64::MAX))
}

impl Granted {
    /// Warns of what is no error, because another file or another day may make it right.
    pub(super) fn warn(&self, known: &[&ServerId], problems: &mut Problems) {
        let server = match &self.grant.scope {
            GrantScope::Server(server) => server,
            GrantScope::Tool(tool) => &tool.server,
        };
        if server.as_str() != policy::KERNEL && !known.contains(&server) {
            let problem = Problem::warning(format!("a grant is about `{server}`, and no server is called that")).at(&self.at);
            let near = nearest(server.as_str(), known.iter().map(|id| id.as_str()));
            problems.push(match near {
                Some(near) => problem.help(format!("did you mean `{near}`?")),
                None => problem.help("the grant says nothing until there is one"),
            });
        }
        if self.grant.expires.is_some_and(|at| at.has_come(instant(SystemTime::now()))) {
            problems.push(
                Problem::warning("a grant has expired")
                    .at(&self.at)
                    .help("remove it, or set another `expires`"),
            );
        }
    }
}
