//! Checks that the citations of comments and documents are found in the project.
//!
//! `DESIGN 3`, `MGP D4` and `MCP D2` name a decision by the number of its heading in `docs/develop/decisions`; `DESIGN, Laws: Raw` names a law. A
//! section (`MGP §6.4`) and a page of MCP (`2026-07-28 basic/versioning`) belong to a specification that `docs/develop/specifications.md`
//! lists. After a name, further numbers may follow: `MGP §5.2, D16 and D17`.

use super::tree::File;
use super::violation::Violation;
use books::Books;
use words::Word;

mod books;
mod words;

/// The endings of the files in which people write citations.
const KINDS: [&str; 7] = [".rs", ".md", ".txt", ".toml", ".py", ".mjs", ".yaml"];
/// The crates in which a number without a name is one of MGP: those that are about nothing else, and the documents
/// about MGP itself.
const MGP_PLACES: [&str; 6] = [
    "crates/mgp/",
    "crates/guard/",
    "crates/kernel/",
    "crates/upstream/",
    books::DECISIONS,
    "docs/reference/mgp-rows.md",
];
/// The names of the five areas of MCP's specification, which follow a revision.
const PAGES: [&str; 5] = ["basic", "changelog", "client", "schema", "server"];
/// The name of the decisions about the gateway as a whole; they are numbers only.
const DESIGN: &str = "DESIGN";

/// Checks every text of the project.
pub(super) fn check(files: &[File]) -> Vec<Violation> {
    let books = Books::of(files);
    let mut found = books.faults();
    for file in files.iter().filter(|file| is_read(&file.path)) {
        found.extend(in_text(file, &books));
        found.extend(paths(file, files));
    }
    found
}

/// Returns whether a file's citations are checked. Tidy's own tests cite what does not exist on purpose.
fn is_read(path: &str) -> bool {
    KINDS.iter().any(|kind| path.ends_with(kind)) && !path.starts_with("xtask/src/tidy/")
}

/// The meaning of a word in the search for citations.
enum Part<'a> {
    /// A specification, `DESIGN`, or a revision of MCP: it governs what follows.
    Name(&'a str),
    /// `D4`
    Decision(&'a str),
    /// `8`, of DESIGN.
    Number(&'a str),
    /// `Laws`, of DESIGN, with what follows it.
    Law(&'a str),
    /// `§6.4`
    Section(&'a str),
    /// `basic/versioning`, of a revision.
    Page(&'a str),
    /// `and`, `to`, or the number of an RFC: the former word goes on to govern.
    Joint,
    /// Any other word.
    Other,
}

impl<'a> Part<'a> {
    fn of(word: &Word<'a>, name: Option<&'a str>, books: &Books<'_>) -> Self {
        let is_number = word.text.bytes().all(|byte| byte.is_ascii_digit());
        match (word.text, name) {
            (text, _) if words::is_decision(text) => Self::Decision(text),
            (text, _) if words::is_section(text) => Self::Section(text),
            (text, _) if text == DESIGN || books.has_specification(text) || words::is_date(text) => Self::Name(text),
            ("Laws", Some(DESIGN)) => Self::Law(word.rest),
            (text, Some(DESIGN)) if is_number => Self::Number(text),
            (text, Some(name)) if words::is_date(name) && PAGES.contains(&words::first(text)) => Self::Page(name),
            ("and" | "to" | "or", _) => Self::Joint,
            (_, Some("RFC")) if is_number => Self::Joint,
            _ => Self::Other,
        }
    }

    /// Returns what is wrong with the citation; `home` governs what no name does.
    fn fault(&self, name: Option<&str>, home: Option<&str>, books: &Books<'_>) -> Option<String> {
        match self {
            Self::Decision(text) => match name.filter(|name| *name != DESIGN).or(home) {
                Some(name) => books.no_decision(&format!("{name} {text}")),
                None => Some(format!(
                    "`{text}` does not say whose decision it is: write `MGP {text}` or `MCP {text}`"
                )),
            },
            Self::Number(text) => books.no_decision(&format!("{DESIGN} {text}")),
            Self::Law(text) => books.no_law(text),
            Self::Section(text) => {
                let is_known = name.is_some_and(|name| books.has_specification(name)) || home.is_some();
                (!is_known).then(|| format!("`{text}` does not say of which specification: write `MGP {text}`"))
            }
            Self::Page(revision) => books.no_revision(revision),
            Self::Name(_) | Self::Joint | Self::Other => None,
        }
    }
}

/// Returns the citations of one text that lead nowhere.
fn in_text(file: &File, books: &Books<'_>) -> Vec<Violation> {
    let home = MGP_PLACES.iter().any(|place| file.path.starts_with(place)).then_some("MGP");
    let mut found = Vec::new();
    let mut refuse = |line, text: String| found.push(Violation::new(&file.path, line, "citations", text));
    // What governs the next word, and where `DESIGN` was the last one.
    let (mut name, mut design) = (None, None);
    for word in words::of(&file.text, file.path.ends_with(".txt")) {
        name = name.filter(|_| word.continues);
        let part = Part::of(&word, name, books);
        if let Some(line) = design.take()
            && !matches!(part, Part::Number(_) | Part::Law(_))
        {
            refuse(line, format!("say which decision: `{DESIGN} 3`, or `{DESIGN}, Laws: Raw`"));
        }
        if let Some(text) = part.fault(name, home, books) {
            refuse(word.line, text);
        }
        design = (word.text == DESIGN && !file.path.starts_with(books::DECISIONS)).then_some(word.line);
        name = match part {
            Part::Name(text) => Some(text),
            Part::Other => None,
            _ => name,
        };
        name = name.filter(|_| !word.ends);
    }
    found
}

/// Returns the document that the comments of a file are printed in: links in the docs of configuration keys lead from the reference.
fn stands_in(path: &str) -> &str {
    match path.starts_with("crates/chancery/src/config/schema/") {
        true => "docs/reference/configuration.md",
        false => path,
    }
}

/// Finds documents that are named and do not exist, and paths that lead out of the project.
fn paths(file: &File, files: &[File]) -> Vec<Violation> {
    // It says where the documents of others are.
    if file.path == books::SPECIFICATIONS {
        return Vec::new();
    }
    let known = |path: &str| {
        files.iter().any(|file| {
            file.path
                .strip_prefix(path)
                .is_some_and(|rest| rest.is_empty() || rest.starts_with('/'))
        })
    };
    let mut found = Vec::new();
    for (at, line) in file.text.lines().enumerate() {
        let is_prose = file.path.ends_with(".md") || line.trim_start().starts_with("//");
        for path in words::paths(line) {
            let name = path.rsplit('/').next().unwrap_or_default();
            let is_document = path.starts_with("docs/") || name.strip_suffix(".md").is_some_and(words::is_capitals);
            let leads_up = is_prose && path.starts_with("../");
            let from_here = words::joined(stands_in(&file.path), path);
            if (is_document || leads_up) && !known(path) && !from_here.as_deref().is_some_and(known) {
                let text = format!("`{path}` is not in the project: name what is, or bring what it says into `docs`");
                found.push(Violation::new(&file.path, at + 1, "citations", text));
            }
        }
    }
    found
}

#[cfg(test)]
mod tests;
