//! Checks documents: generated parts equal the code's output, configuration and commands work, links have targets.

use std::path::Path;
use std::process::Command;

use anyhow::Context;

use super::tree::File;
use super::violation::Violation;
use crate::{codegen, workspace};

/// The home directories of developers and of build machines, which must not be in the project.
const MACHINE_PATHS: &[&str] = &["/work/", "/root/", "/home/", "/tmp/", "/Users/"];
/// The users whose home a document or a test may show.
const NOBODY: &[&str] = &["ada", "alice", "me", "you", "user", "u", "x"];

/// Checks the documents against a gateway that is built for it, and every text for paths of a machine.
pub(crate) fn check(files: &[File]) -> anyhow::Result<Vec<Violation>> {
    let root = workspace::root();
    let chancery = workspace::chancery()?;
    let mut found = Vec::new();
    for document in codegen::all(&root, &chancery)? {
        let now = files.iter().find(|file| file.path == document.path).map_or("", |file| &file.text);
        if let Some(line) = first_difference(now, &document.text) {
            let text = "this is not what the code says: run `cargo xtask codegen`";
            found.push(Violation::new(document.path, line, "generated", text));
        }
    }
    for file in files {
        found.extend(machine_paths(file));
        if file.path.ends_with(".md") {
            found.extend(links(file, files));
            for block in blocks(&file.text) {
                found.extend(tried(file, &block, &chancery)?);
            }
        }
    }
    Ok(found)
}

fn first_difference(a: &str, b: &str) -> Option<usize> {
    if a == b {
        return None;
    }
    let same = a.lines().zip(b.lines()).take_while(|(a, b)| a == b).count();
    Some(same + 1)
}

/// A fenced block.
#[derive(Clone, Debug, PartialEq, Eq)]
struct Block {
    language: String,
    /// The line of its first line.
    line: usize,
    text: String,
}

fn blocks(document: &str) -> Vec<Block> {
    let mut found = Vec::new();
    let mut open: Option<Block> = None;
    for (at, line) in document.lines().enumerate() {
        match (line.trim_start().strip_prefix("```"), &mut open) {
            (Some(language), None) => {
                open = Some(Block {
                    language: language.trim().to_owned(),
                    line: at + 2,
                    text: String::new(),
                });
            }
            (Some(_), Some(_)) => found.extend(open.take()),
            (None, Some(block)) => {
                block.text.push_str(line);
                block.text.push('\n');
            }
            (None, None) => {}
        }
    }
    found
}

/// Loads the configuration blocks, and lets the gateway parse the commands.
fn tried(file: &File, block: &Block, chancery: &Path) -> anyhow::Result<Vec<Violation>> {
    match block.language.as_str() {
        // The file about cargo's own TOML is not the gateway's.
        "toml" if !block.text.contains("[dependencies]") => Ok(configuration(file, block, chancery)?.into_iter().collect()),
        "sh" | "console" => {
            let mut found = Vec::new();
            for (line, words) in commands(block) {
                found.extend(command(file, line, &words, chancery)?);
            }
            Ok(found)
        }
        _ => Ok(Vec::new()),
    }
}

fn configuration(file: &File, block: &Block, chancery: &Path) -> anyhow::Result<Option<Violation>> {
    let folder = tempfile::tempdir()?;
    let config = folder.path().join("config.toml");
    std::fs::write(&config, &block.text)?;
    // Files that blocks name have to exist.
    for file in ["cert.pem", "key.pem"] {
        std::fs::write(folder.path().join(file), "")?;
    }
    let output = Command::new(chancery)
        .args(["config", "check", "--config"])
        .arg(&config)
        .env("CHANCERY_STATE_DIR", folder.path())
        .env("NO_COLOR", "1")
        .envs(variables(&block.text).into_iter().map(|name| (name, name)))
        .output()
        .context("failed to run `chancery config check`")?;
    if output.status.success() {
        return Ok(None);
    }
    let said = String::from_utf8_lossy(&output.stderr).replace(&config.display().to_string(), "config.toml");
    let text = format!("`chancery config check` refuses this block:\n{}", said.trim_end());
    Ok(Some(Violation::new(&file.path, block.line, "configuration", text)))
}

/// Returns the variables that a block expects to be set.
fn variables(config: &str) -> Vec<&str> {
    let names = config.split("${").skip(1);
    names
        .filter_map(|rest| rest.split(['}', ':']).next())
        .filter(|name| !matches!(*name, "HOME" | "PATH"))
        .collect()
}

/// Returns the gateway's commands in a block of shell, as words, with their lines.
fn commands(block: &Block) -> Vec<(usize, Vec<String>)> {
    let mut found = Vec::new();
    for (at, line) in block.text.lines().enumerate() {
        let line = line.trim_start_matches("$ ");
        let line = line
            .strip_prefix("cargo run --release -- ")
            .map_or_else(|| line.to_owned(), |rest| format!("chancery {rest}"));
        let words = words(&line);
        let start = words.iter().position(|word| !word.contains('=') || word.starts_with('-'));
        if let Some(start) = start.filter(|start| words[*start] == "chancery") {
            found.push((block.line + at, words[start + 1..].to_vec()));
        }
    }
    found
}

/// Returns the words of one simple command: up to a comment, a pipe or a redirection.
fn words(line: &str) -> Vec<String> {
    let mut words = Vec::new();
    let mut word: Option<String> = None;
    let mut quote: Option<char> = None;
    for c in line.chars() {
        match (quote, c) {
            (Some(open), c) if c == open => quote = None,
            (None, '\'' | '"') => {
                quote = Some(c);
                word.get_or_insert_default();
            }
            (None, '#') if word.is_none() => break,
            (None, '|' | '>' | '<' | '&' | ';') => break,
            (None, c) if c.is_whitespace() => words.extend(word.take()),
            (_, c) => word.get_or_insert_default().push(c),
        }
    }
    words.extend(word);
    words
}

/// With `--help` behind it, a command is parsed as far as its flags, and not carried out.
fn command(file: &File, line: usize, words: &[String], chancery: &Path) -> anyhow::Result<Option<Violation>> {
    let own = words.iter().position(|word| word == "--").unwrap_or(words.len());
    let output = Command::new(chancery).args(&words[..own]).arg("--help").output()?;
    if output.status.success() {
        return Ok(None);
    }
    let said = String::from_utf8_lossy(&output.stderr);
    let text = format!(
        "`chancery {}` is no command: {}",
        words.join(" "),
        said.lines().next().unwrap_or_default()
    );
    Ok(Some(Violation::new(&file.path, line, "commands", text)))
}

/// Checks links to files of the project.
fn links(file: &File, files: &[File]) -> Vec<Violation> {
    let folder = file.path.rsplit_once('/').map_or("", |(folder, _)| folder);
    let mut found = Vec::new();
    for (at, line) in file.text.lines().enumerate() {
        for rest in line.split("](").skip(1) {
            let target = rest.split([')', '#', ' ']).next().unwrap_or_default();
            if target.is_empty() || target.contains(':') {
                continue;
            }
            let path = joined(folder, target);
            let known = files
                .iter()
                .any(|file| file.path == path || file.path.starts_with(&format!("{path}/")));
            if !known {
                let text = format!("`{target}` leads nowhere: there is no {path} in the project");
                found.push(Violation::new(&file.path, at + 1, "links", text));
            }
        }
    }
    found
}

fn joined(folder: &str, target: &str) -> String {
    let mut parts: Vec<&str> = folder.split('/').filter(|part| !part.is_empty()).collect();
    for part in target.split('/') {
        match part {
            "" | "." => {}
            ".." => drop(parts.pop()),
            part => parts.push(part),
        }
    }
    parts.join("/")
}

/// Finds paths of a developer's machine.
fn machine_paths(file: &File) -> Vec<Violation> {
    if file.path.starts_with("xtask/src/tidy/") {
        return Vec::new();
    }
    let mut found = Vec::new();
    for (at, line) in file.text.lines().enumerate() {
        for path in MACHINE_PATHS {
            let shown = |start: usize| {
                let before = line[..start].chars().next_back();
                let inside =
                    before.is_some_and(|c| c.is_alphanumeric() || matches!(c, '.' | '_' | '-' | '~' | '}' | '/' | '$' | '*' | ')'));
                let rest = &line[start + path.len()..];
                let owner = rest.split(|c: char| !c.is_alphanumeric()).next().unwrap_or_default();
                let nobody = matches!(*path, "/home/" | "/Users/" | "/tmp/") && (NOBODY.contains(&owner) || owner.is_empty());
                !inside && !nobody
            };
            if line.match_indices(path).any(|(start, _)| shown(start)) {
                let text = format!("`{path}…` is a path of one machine: say it relative to the project");
                found.push(Violation::new(&file.path, at + 1, "machine", text));
            }
        }
    }
    found
}

#[cfg(test)]
mod tests;
