//! `chancery connect`: writes the gateway as a server into another client's configuration, and removes it again.

mod backup;
mod toml_file;

#[cfg(test)]
mod tests;

use std::path::{Path, PathBuf};

use serde_json::Value as Json;

use crate::clients::{CLIENTS, Client, Format, Machine};
use crate::config::{Problem, nearest, replace_file};
use crate::jsonc::{self, EditError};

/// The gateway's name in a client's file.
pub(crate) const NAME: &str = "chancery";

/// The advice where a client's file can't be found.
const HOME: &str = "set HOME (on Windows APPDATA)";

/// How the client reaches the gateway.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum Endpoint {
    /// By starting `chancery stdio` itself.
    Stdio {
        /// This program.
        command: String,
        /// Its arguments.
        args: Vec<String>,
    },
    /// By the address of a running gateway.
    Http {
        /// The address.
        url: String,
    },
}

/// A request to connect or disconnect a client.
#[derive(Clone, Debug)]
pub struct Connect<'a> {
    /// The client.
    pub client: &'static Client,
    /// How the client reaches the gateway.
    pub endpoint: Endpoint,
    /// Whether to change the file of the project instead of the user's.
    pub project: bool,
    /// Whether to say what would be done, and do nothing.
    pub dry_run: bool,
    /// The time, in seconds since 1970, for the backup's name.
    pub now: u64,
    /// The machine with the client's files.
    pub machine: &'a Machine<'a>,
}

/// Returns the client of that name.
///
/// # Errors
/// When there is none; with the name that was probably meant.
pub fn client(name: &str) -> Result<&'static Client, Problem> {
    let names = || CLIENTS.iter().map(|client| client.name);
    Client::named(name).ok_or_else(|| {
        let problem = Problem::error(format!("`{name}` is not a client that is known here"));
        match nearest(name, names()) {
            Some(near) => problem.help(format!("did you mean `{near}`?")),
            None => problem.help(format!("clients are {}", names().collect::<Vec<_>>().join(", "))),
        }
    })
}

/// Returns every client with its file, whether that exists, and whether it has the gateway.
///
/// # Errors
/// When nothing says where any client keeps its file.
pub fn list(machine: &Machine<'_>) -> Result<String, Problem> {
    let mut out = String::new();
    for client in &CLIENTS {
        let files = [("user", client.user_file(machine)), ("project", client.project_file(machine))];
        for (scope, path) in files {
            let Some(path) = path else { continue };
            let state = match std::fs::read_to_string(&path) {
                Ok(text) if find(client, &text).is_some() => "connected",
                Ok(_) => "found",
                Err(_) if scope == "project" => continue,
                Err(_) => "-",
            };
            out.push_str(&format!("{:15} {scope:8} {state:10} {}\n", client.name, path.display()));
        }
    }
    if out.is_empty() {
        return Err(Problem::error("nothing says where clients keep their configuration").help(HOME));
    }
    Ok(out)
}

/// Writes the gateway into the client's file, and keeps a backup of the file beside it.
///
/// # Errors
/// When the client can't be reached that way, or its file can't be read, changed or written.
pub fn connect(request: &Connect<'_>) -> Result<String, Problem> {
    let client = request.client;
    let entry = match &request.endpoint {
        Endpoint::Stdio { command, args } => client.stdio_entry(command, args),
        Endpoint::Http { url } => client.http_entry(url).ok_or_else(|| {
            let problem = Problem::error(format!("{} can't be given an address, it only starts programs", client.title));
            problem.help(format!(
                "use `chancery connect {} --stdio`; it joins a running gateway of the same configuration",
                client.name
            ))
        })?,
    };
    let path = file(request)?;
    let old = read(&path)?;
    let new = with_entry(client, old.as_deref().unwrap_or_default(), &entry).map_err(|why| by_hand(client, &path, &entry, &why))?;
    if old.as_deref() == Some(new.as_str()) {
        return Ok(format!("{} is connected already: {}\n", client.title, path.display()));
    }
    let drawn = draw(client, &entry);
    if request.dry_run {
        return Ok(format!("would add to {}:\n{drawn}\n", path.display()));
    }
    let kept = match &old {
        Some(old) => format!("the file as it was: {}\n", backup::keep(&path, old, request.now)?.display()),
        None => String::new(),
    };
    write(&path, &new)?;
    Ok(format!(
        "{} is connected: {}\n{kept}next: {}; `chancery connect {}{} --undo` takes it back\n",
        client.title,
        path.display(),
        client.after,
        client.name,
        if request.project { " --project" } else { "" }
    ))
}

/// Removes the gateway from the client's file again: by restoring the backup where nothing else changed since,
/// otherwise by removing the gateway's entry alone.
///
/// # Errors
/// When the file has no entry of the gateway, or can't be read, changed or written.
pub fn undo(request: &Connect<'_>) -> Result<String, Problem> {
    let client = request.client;
    let path = file(request)?;
    let now = read(&path)?.unwrap_or_default();
    let Some(entry) = find(client, &now) else {
        return Err(Problem::error(format!(
            "{} isn't connected: there is no `{NAME}` in `{}`",
            client.title,
            path.display()
        )));
    };
    // The newest backup that the gateway's own change turns into the present file.
    let fits = |old: &str| with_entry(client, old, &entry).is_ok_and(|made| made == now);
    for (kept, old) in backup::newest_first(&path) {
        if fits(&old) {
            if request.dry_run {
                return Ok(format!("would restore {} from {}\n", path.display(), kept.display()));
            }
            write(&path, &old)?;
            // It is the file itself now.
            std::fs::remove_file(&kept).ok();
            return Ok(format!("{} is as it was: restored from {}\n", path.display(), kept.display()));
        }
    }
    if request.dry_run {
        return Ok(format!("would remove `{NAME}` from {}, and nothing else\n", path.display()));
    }
    if fits("") {
        std::fs::remove_file(&path).map_err(|error| Problem::error(format!("`{}` can't be removed: {error}", path.display())))?;
        return Ok(format!("{} is removed: nothing else stood in it\n", path.display()));
    }
    let without = without_entry(client, &now).map_err(|why| Problem::error(format!("`{}` can't be changed: {why}", path.display())))?;
    write(&path, &without)?;
    Ok(format!("`{NAME}` is removed from {}; what changed since stays\n", path.display()))
}

fn file(request: &Connect<'_>) -> Result<PathBuf, Problem> {
    let client = request.client;
    if request.project {
        return client.project_file(request.machine).ok_or_else(|| {
            let problem = Problem::error(format!("{} has no configuration of a project", client.title));
            problem.help("leave out `--project`")
        });
    }
    client.user_file(request.machine).ok_or_else(|| {
        let problem = Problem::error(format!("nothing says where {} keeps its configuration", client.title));
        problem.help(HOME)
    })
}

fn read(path: &Path) -> Result<Option<String>, Problem> {
    match std::fs::read_to_string(path) {
        Ok(text) => Ok(Some(text)),
        Err(error) if error.kind() == std::io::ErrorKind::NotFound => Ok(None),
        Err(error) => Err(Problem::error(format!("`{}` can't be read: {error}", path.display()))),
    }
}

fn write(path: &Path, text: &str) -> Result<(), Problem> {
    replace_file(path, text.as_bytes()).map_err(|error| Problem::error(format!("`{}` can't be written: {error}", path.display())))
}

fn with_entry(client: &Client, text: &str, entry: &Json) -> Result<String, String> {
    match client.format {
        Format::Json => jsonc::set(text, &[client.key, NAME], entry).map_err(|error| explain(&error)),
        Format::Toml => toml_file::set(text, client.key, NAME, entry),
    }
}

fn without_entry(client: &Client, text: &str) -> Result<String, String> {
    match client.format {
        Format::Json => jsonc::remove(text, &[client.key, NAME]).map_err(|error| explain(&error)),
        Format::Toml => toml_file::remove(text, client.key, NAME),
    }
}

/// Returns the gateway's entry in a client's file.
fn find(client: &Client, text: &str) -> Option<Json> {
    match client.format {
        Format::Json => {
            let source = crate::config::Source::json("", text.to_owned());
            let root = jsonc::parse(&source).ok()?;
            let span = root.get(client.key)?.get(NAME)?.place.span();
            serde_json::from_str(&text[span]).ok()
        }
        Format::Toml => toml_file::find(text, client.key, NAME),
    }
}

fn explain(error: &EditError) -> String {
    match error {
        EditError::Syntax(problem) => match problem.place() {
            Some(place) => format!(
                "{} (line {}, column {})",
                problem.message(),
                place.line_column().0,
                place.line_column().1
            ),
            None => problem.message().to_owned(),
        },
        EditError::NotAnObject(_) => error.to_string(),
    }
}

fn draw(client: &Client, entry: &Json) -> String {
    with_entry(client, "", entry).unwrap_or_default()
}

/// Returns the problem of a file that can't be changed safely, and is left for its owner to change.
fn by_hand(client: &Client, path: &Path, entry: &Json, why: &str) -> Problem {
    let problem = Problem::error(format!("`{}` can't be changed: {why}", path.display()));
    problem.help(format!("mend it, or add this yourself:\n{}", draw(client, entry)))
}
