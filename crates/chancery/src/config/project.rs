//! Decides whether a project's file may be used: a person confirms it first (DESIGN 14).

use std::path::Path;

use super::expand::Env;
use super::node::Node;
use super::places::{self, whole};
use super::problem::{Problem, Problems};
use super::server;
use super::source::Source;
use super::trust::{self, Known, Question, Trust, Trusted};

/// Returns whether a file may be used; a person who is asked may confirm it now. A file that is left out is reported as
/// a warning.
pub(super) fn is_trusted(path: &Path, source: &Source, node: &Node, env: &Env, decide: &mut Trust<'_>, problems: &mut Problems) -> bool {
    let state = places::state_dir(env).map(|dir| Trusted::in_dir(&dir));
    let bytes = source.text().as_bytes();
    let path = &whole(path);
    let known = trust::known(path, bytes, env);
    if known == Known::Yes {
        return true;
    }
    let refused = match decide {
        Trust::All => return true,
        Trust::Recorded => true,
        Trust::Ask(ask) => !ask(&question(path, known, node)),
    };
    if refused {
        let why = if known == Known::Changed {
            "has changed since you trusted it"
        } else {
            "is not trusted yet"
        };
        let problem = Problem::warning(format!(
            "`{}` is left out: it {why}, and a project's file can start any program",
            source.name()
        ));
        problems
            .push(problem.help("look at it, then run `chancery config trust` in that directory, or pass `--trust` to use it this once"));
        return false;
    }
    match state.map(|state| state.confirm(path, bytes)) {
        Some(Ok(())) => {}
        Some(Err(error)) => problems.push(Problem::warning(format!("the answer can't be remembered: {error}"))),
        None => problems.push(Problem::warning("the answer can't be remembered: no home directory is known")),
    }
    true
}

/// Returns what a person should see of a file before trusting it.
#[must_use]
pub fn question(path: &Path, known: Known, node: &Node) -> Question {
    let tables = node.get("servers").map(Node::list).unwrap_or_default();
    // What is wrong with them is reported once they are trusted.
    let servers = tables.iter().filter_map(|table| server::read(table, &mut Problems::default()));
    let servers = servers.map(|server| (server.id.to_string(), server.summary()));
    let rules = [
        ("policy", "says who may do what"),
        ("audit", "says what is kept"),
        ("store", "says where"),
    ];
    let rules = rules.iter().filter(|(name, _)| node.get(name).is_some());
    Question {
        path: path.to_path_buf(),
        changed: known == Known::Changed,
        servers: servers
            .chain(rules.map(|(name, what)| (format!("[{name}]"), (*what).to_owned())))
            .collect(),
    }
}
