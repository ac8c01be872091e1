//! Reads every file, and makes one configuration of them.

use std::path::{Path, PathBuf};
use std::sync::Arc;

use super::merge::{Config, Merge};
use super::node::toml_or_empty;
use super::places;
use super::problem::{Problem, Problems};
use super::project::is_trusted;
use super::source::Source;
use super::sources::{Origin, Sources};
use super::trust::Trust;
use super::watch::Watch;
use crate::import::{self, Here};

/// The result of loading the configuration.
#[derive(Clone, Debug)]
pub struct Loaded {
    /// The configuration.
    pub config: Config,
    /// Warnings for the operator; no errors.
    pub warnings: Problems,
    /// Project files that are not confirmed, and that were therefore not read.
    pub untrusted: Vec<PathBuf>,
    /// The files to watch for a reload, including those that don't exist yet.
    pub watch: Watch,
}

/// Reads, checks and merges everything.
///
/// # Errors
/// Every problem that was found, if one of them is an error.
pub fn load(sources: &Sources, trust: Trust<'_>) -> Result<Loaded, Problems> {
    let mut merge = Merge::new();
    let mut trust = if sources.trust { Trust::All } else { trust };
    let (env, home) = (&sources.env, places::home(&sources.env));
    let here = Here {
        cwd: &sources.cwd,
        home: home.as_deref(),
        env,
    };
    let candidates = sources.candidates();
    let watch = Watch::new(candidates.iter().map(|(_, path)| path.clone()));
    let mut untrusted = Vec::new();
    for (origin, path) in &candidates {
        let Some(source) = read_file(*origin, path, &mut merge.problems) else {
            continue;
        };
        if *origin == Origin::McpJson {
            let imported = import::read_json(&source, here, &mut merge.problems);
            for note in imported.iter().flat_map(|server| &server.notes) {
                merge.problems.push(Problem::warning(note.text.clone()).at(&note.at));
            }
            merge.servers(imported.iter().map(|server| &server.table));
        } else {
            let mut syntax = Problems::default();
            let node = toml_or_empty(&source, &mut syntax);
            if *origin == Origin::Project && !is_trusted(path, &source, &node, env, &mut trust, &mut merge.problems) {
                // A mistake in a file that isn't used does not keep the others from being read.
                untrusted.push(path.clone());
                continue;
            }
            merge.problems.extend(syntax);
            merge.toml(&node);
        }
        merge.files.push(path.clone());
        merge.warn_of_readers(path);
    }
    let (config, mut problems) = merge.finish(env);
    config.gateway.check_files(&mut problems);
    if problems.has_errors() {
        return Err(problems);
    }
    Ok(Loaded {
        config,
        warnings: problems,
        untrusted,
        watch,
    })
}

/// Reads everything again. A project file that changed since a person confirmed it is left out, and named in
/// [`Loaded::untrusted`].
///
/// # Errors
/// The errors of [`load`].
pub fn reload(sources: &Sources) -> Result<Loaded, Problems> {
    load(sources, Trust::Recorded)
}

fn read_file(origin: Origin, path: &Path, problems: &mut Problems) -> Option<Arc<Source>> {
    /// The most bytes of a configuration: a mistaken path to something huge isn't read whole.
    const LIMIT: u64 = 4 << 20;
    let text = match std::fs::metadata(path) {
        Ok(metadata) if metadata.len() > LIMIT => Err(format!("it is larger than {} MiB", LIMIT >> 20)),
        Ok(_) => std::fs::read(path).map_err(|error| error.to_string()).and_then(|bytes| {
            String::from_utf8(bytes).map_err(|error| format!("it is not UTF-8 (byte {})", error.utf8_error().valid_up_to()))
        }),
        Err(error) if error.kind() == std::io::ErrorKind::NotFound && matches!(origin, Origin::Project | Origin::User) => return None,
        Err(error) => Err(error.to_string()),
    };
    let name = path.display().to_string();
    match text {
        Ok(text) if origin == Origin::McpJson => Some(Source::json(&name, text)),
        Ok(text) => Some(Source::toml(&name, text)),
        Err(why) => {
            let problem = Problem::error(format!("`{name}` ({origin}) can't be read: {why}"));
            problems.push(problem.help("check the path and its permissions"));
            None
        }
    }
}
