//! `chancery import`: adds the servers of other clients to the user's file.

use std::fmt::Write as _;
use std::path::{Path, PathBuf};

use super::imported::{Here, Imported, Note};
use super::read::{numbered, read_text};
use super::toml_out::to_toml;
use crate::clients::{CLIENTS, Client, Machine};
use crate::config::{Env, Node, Problem, Problems, Severity, Source, home, load_text, nearest, parse_toml, replace_file};

/// An import: its source and its target.
#[derive(Clone, Debug)]
pub struct Import<'a> {
    /// A client's name or a file; without one, every known place is searched.
    pub from: Option<&'a str>,
    /// The file that the servers are added to.
    pub into: &'a Path,
    /// Whether to say what would be done, and do nothing.
    pub dry_run: bool,
}

/// Imports, and returns a report. Servers that are configured already stay as they are.
///
/// # Errors
/// When nothing can be found or read, or the result would not be a valid configuration.
pub fn run(import: &Import<'_>, machine: &Machine<'_>, env: &Env) -> Result<(String, Problems), Problems> {
    let files = places(import.from, machine)?;
    let old = match std::fs::read_to_string(import.into) {
        Ok(text) => text,
        Err(error) if error.kind() == std::io::ErrorKind::NotFound => String::new(),
        Err(error) => return Err(Problem::error(format!("`{}` can't be read: {error}", import.into.display())).into()),
    };
    let mut additions = Additions {
        configured: ids(import.into, &old)?,
        servers: Vec::new(),
    };
    let mut report = Report::new(import.dry_run);
    let (mut problems, mut usable) = (Problems::default(), 0);
    let home = home(env);
    let here = Here {
        cwd: machine.cwd,
        home: home.as_deref(),
        env,
    };
    for (title, path) in &files {
        let mut wrong = Problems::default();
        let found = read_place(path, here, &mut wrong);
        // Places that are only tried may contain anything; a file that was asked for must be valid.
        if import.from.is_none()
            && let Some(problem) = wrong.iter().find(|problem| problem.severity() == Severity::Error)
        {
            report.note(format_args!("{title}: {}: left out: {}", path.display(), problem.message()));
            continue;
        }
        problems.extend(wrong);
        usable += found.len();
        additions.add(title, path, found, &mut report);
    }
    if problems.has_errors() {
        return Err(problems);
    }
    if import.from.is_some() && usable == 0 && !problems.is_empty() {
        let mut all = Problems::from(Problem::error("nothing was imported: no server there can be used"));
        all.extend(problems);
        return Err(all);
    }
    if import.from.is_none() {
        note_project_files(machine, &mut report);
    }
    let servers: Vec<Imported> = additions.servers.into_iter().map(|(_, server)| server).collect();
    if servers.is_empty() {
        report.note(format_args!("nothing to add to {}", import.into.display()));
        return Ok((report.text, problems));
    }
    write(import, &old, &servers, env, &mut report)?;
    Ok((report.text, problems))
}

fn note_project_files(machine: &Machine<'_>, report: &mut Report) {
    let files = CLIENTS.iter().filter_map(|client| client.project_file(machine));
    for path in files.filter(|path| path.is_file()) {
        report.note(format_args!(
            "{} belongs to this project and was not read; import it by its name",
            path.display()
        ));
    }
}

fn read_place(path: &Path, here: Here<'_>, problems: &mut Problems) -> Vec<Imported> {
    match std::fs::read_to_string(path) {
        Ok(text) => read_text(path, text, here, problems),
        Err(error) => {
            problems.push(Problem::error(format!("`{}` can't be read: {error}", path.display())));
            Vec::new()
        }
    }
}

/// The servers that are to be added.
struct Additions<'a> {
    /// The ids that the file has already.
    configured: Vec<String>,
    /// The servers to add, each with the client that it comes from.
    servers: Vec<(&'a str, Imported)>,
}

impl<'a> Additions<'a> {
    /// Adds the servers of one client, and reports the result.
    fn add(&mut self, title: &'a str, path: &Path, found: Vec<Imported>, report: &mut Report) {
        let (count, before) = (found.len(), self.servers.len());
        let known: Vec<String> = found.into_iter().filter_map(|server| self.take(title, server)).collect();
        let new = self.servers.len() - before;
        report.note(format_args!("{title}: {}: {count} found, {new} new", path.display()));
        for line in known {
            report.note(format_args!("  {line}"));
        }
    }

    /// Adds one server, or reports which client has it already. Another server of the same name gets a number.
    fn take(&mut self, title: &'a str, mut server: Imported) -> Option<String> {
        if self.configured.contains(&server.id) {
            return Some(format!("`{}` is configured already and stays as it is", server.id));
        }
        let (name, mut number, mut first) = (server.id.clone(), 1, None);
        loop {
            match self.servers.iter().find(|(_, known)| known.id == server.id) {
                Some((client, known)) if known.reaches_the_same(&server) => {
                    return Some(format!("`{name}` is the same server as in {client}"));
                }
                Some((client, _)) => first = first.or(Some(*client)),
                None if !self.configured.contains(&server.id) => break,
                None => {}
            }
            number += 1;
            server.rename(numbered(&name, number));
        }
        if let Some(first) = first {
            server.notes.push(Note {
                text: format!(
                    "`{name}` of {title} is called `{}` here: {first} has another server of that name",
                    server.id
                ),
                at: server.table.place.clone(),
            });
        }
        self.servers.push((title, server));
        None
    }
}

/// The report of an import. A dry run's is TOML, so that it can be kept in a file.
struct Report {
    text: String,
    prefix: &'static str,
}

impl Report {
    fn new(dry_run: bool) -> Self {
        Self {
            text: String::new(),
            prefix: if dry_run { "# " } else { "" },
        }
    }

    fn note(&mut self, line: std::fmt::Arguments<'_>) {
        // Writing into a string can't fail.
        let _ = writeln!(self.text, "{}{line}", self.prefix);
    }
}

fn write(import: &Import<'_>, old: &str, servers: &[Imported], env: &Env, report: &mut Report) -> Result<(), Problems> {
    let new = to_toml(servers, false);
    let text = match old.trim_end() {
        "" => new.trim_start().to_owned(),
        _ if old.ends_with('\n') => format!("{old}{new}"),
        _ => format!("{old}\n{new}"),
    };
    // The file is not written unless it would load afterwards.
    let name = import.into.display().to_string();
    load_text(&name, &text, env).map_err(|problems| {
        let errors = problems.into_iter().filter(|problem| problem.severity() == Severity::Error);
        let mut all = Problems::from(Problem::error(format!(
            "nothing was imported: `{name}` would not be a valid configuration"
        )));
        all.extend(errors);
        all
    })?;
    if import.dry_run {
        report.note(format_args!("would be added to {name} (secrets are not shown):"));
        report.text.push_str(&to_toml(servers, true));
        return Ok(());
    }
    replace_file(import.into, text.as_bytes()).map_err(|error| Problem::error(format!("`{name}` can't be written: {error}")))?;
    for server in servers {
        report.note(format_args!("added `{}`", server.id));
        for note in &server.notes {
            report.note(format_args!("    {}", note.text));
        }
    }
    report.note(format_args!(
        "{} added to {name}; see how they do with `chancery doctor`",
        servers.len()
    ));
    Ok(())
}

/// Returns the ids of a file's servers.
fn ids(path: &Path, text: &str) -> Result<Vec<String>, Problems> {
    let mut problems = Problems::default();
    let source = Source::toml(&path.display().to_string(), text.to_owned());
    let root = parse_toml(&source, &mut problems);
    if problems.has_errors() {
        return Err(problems);
    }
    let servers = root.get("servers").map(Node::list).unwrap_or_default();
    Ok(servers
        .iter()
        .filter_map(|server| Some(server.get("id")?.text()?.to_owned()))
        .collect())
}

/// Returns the files to read: the one that was named, or every client's file of the user. A project's file starts
/// programs, and is read only if the user names it: it may have come with the directory (DESIGN 14).
fn places(from: Option<&str>, machine: &Machine<'_>) -> Result<Vec<(String, PathBuf)>, Problem> {
    let Some(from) = from else {
        let all: Vec<_> = CLIENTS.iter().filter_map(|client| of_client(client, machine)).collect();
        return if all.is_empty() { Err(nothing_found()) } else { Ok(all) };
    };
    if let Some(client) = Client::named(from) {
        return of_client(client, machine).map(|found| vec![found]).ok_or_else(|| {
            let wanted = client.user_file(machine).map(|path| path.display().to_string()).unwrap_or_default();
            let problem = Problem::error(format!("{} has no configuration here: there is no `{wanted}`", client.title));
            problem.help("name the file itself if it lies elsewhere, or belongs to a project: `chancery import FILE`")
        });
    }
    let path = machine.cwd.join(from);
    if path.is_file() {
        return Ok(vec![("file".to_owned(), path)]);
    }
    Err(no_such(from, &path))
}

/// Returns the problem of a name that is neither a file nor a client. It says where the file was searched: the shell's
/// directory may not be the one its user expects.
fn no_such(from: &str, path: &Path) -> Problem {
    if path.is_dir() {
        let problem = Problem::error(format!("`{}` is a directory", path.display()));
        return problem.help("name the file in it that lists the servers, such as `.mcp.json`");
    }
    let names = || CLIENTS.iter().map(|client| client.name);
    let problem = Problem::error(format!("`{from}` is no client, and there is no file `{}`", path.display()));
    match nearest(from, names()) {
        Some(near) => problem.help(format!("did you mean `{near}`?")),
        None if from.contains(['/', '.']) => problem.help("check the path"),
        None => problem.help(format!("clients are {}", names().collect::<Vec<_>>().join(", "))),
    }
}

fn of_client(client: &Client, machine: &Machine<'_>) -> Option<(String, PathBuf)> {
    let path = client.user_file(machine).filter(|path| path.is_file())?;
    Some((client.title.to_owned(), path))
}

fn nothing_found() -> Problem {
    let names: Vec<_> = CLIENTS.iter().map(|client| client.title).collect();
    Problem::error("no configuration of another client was found").help(format!(
        "looked for {}; name a file to read another one: `chancery import FILE`",
        names.join(", ")
    ))
}
