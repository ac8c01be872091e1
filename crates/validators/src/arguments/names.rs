//! What an argument is, by its name and by what its tool speaks of: a table of rules.

use super::kind::Kind;
use crate::code::Language;

/// One rule: arguments with these names are of this kind, if their tool speaks of the right things.
struct Rule {
    /// What the argument is. `Code(None)` is code in the language that the tool speaks of.
    kind: Kind,
    /// The names that the rule holds for, as their words.
    names: &'static [&'static str],
    /// The words that end a name that the rule holds for.
    endings: &'static [&'static str],
    /// The tool has to speak of one of these. Empty, if it need not.
    about: &'static [&'static str],
    /// The tool must not speak of any of these.
    not_about: &'static [&'static str],
}

impl Rule {
    const fn about(self, about: &'static [&'static str]) -> Self {
        Self { about, ..self }
    }

    const fn not_about(self, not_about: &'static [&'static str]) -> Self {
        Self { not_about, ..self }
    }

    /// Whether the rule holds for an argument: `name` has its words with blanks between them, `about` what its tool says.
    fn holds(&self, name: &str, about: &str) -> bool {
        let is_about = |subjects: &[&str]| words_of(about).any(|word| subjects.contains(&word));
        let last = name.rsplit(' ').next().unwrap_or_default();
        (self.names.contains(&name) || self.endings.contains(&last))
            && (self.about.is_empty() || is_about(self.about))
            && (self.not_about.is_empty() || !is_about(self.not_about))
    }
}

/// A rule for arguments with one of these names.
const fn named(kind: Kind, names: &'static [&'static str]) -> Rule {
    ending(kind, &[], names)
}

/// A rule for arguments whose names end with one of some words, or are one of these.
const fn ending(kind: Kind, endings: &'static [&'static str], names: &'static [&'static str]) -> Rule {
    Rule {
        kind,
        names,
        endings,
        about: &[],
        not_about: &[],
    }
}

const SHELLS: &[&str] = &["shell", "bash", "terminal", "command", "commands", "powershell", "cmd"];
const LANGUAGES: &[&str] = &["python", "javascript", "typescript"];
const FILES: &[&str] = &["path", "file", "copy", "move"];
const POST: &[&str] = &["mail", "postal", "street", "wallet"];
const HTTP: &[&str] = &["http", "url", "request", "api", "rest", "fetch"];
#[rustfmt::skip]
const DATABASES: &[&str] = &[
    "sql", "database", "postgres", "postgresql", "mysql", "sqlite", "mariadb", "duckdb", "clickhouse", "bigquery", "snowflake", "mssql",
];

/// The first rule that holds decides.
#[rustfmt::skip]
const RULES: &[Rule] = &[
    named(Kind::Command, &["command", "cmd", "command line", "commandline", "shell", "shell command", "bash", "bash command",
                           "terminal command", "exec", "commands"]),
    named(Kind::Words, &["argv", "args", "arguments", "command args", "cmd args"]),
    named(Kind::Command, &["run", "script", "input", "line"]).about(SHELLS).not_about(LANGUAGES),
    named(Kind::Sql, &["sql", "sql query", "sql statement", "statement", "query sql", "select"]),
    named(Kind::Sql, &["query", "queries", "q", "expression"]).about(DATABASES),
    named(Kind::Code(Some(Language::Python)), &["python", "python code", "python script"]),
    named(Kind::Code(Some(Language::JavaScript)), &["javascript", "js", "javascript code", "js code"]),
    named(Kind::Code(Some(Language::TypeScript)), &["typescript", "ts", "typescript code"]),
    named(Kind::Code(None), &["code", "source code", "snippet", "program", "script", "code snippet", "function code"]),
    named(Kind::Code(None), &["source"]).not_about(FILES),
    ending(Kind::Url, &["url", "urls", "uri", "uris", "href", "link", "links", "endpoint", "webhook"], &[]),
    named(Kind::Host, &["host", "hostname", "host name", "server", "ip", "ip address", "address", "domain", "proxy", "remote host",
                        "hosts"]).not_about(POST),
    ending(Kind::Path, &["path", "paths", "file", "files", "filename", "filepath", "filenames", "dir", "directory", "directories",
                         "folder", "cwd", "workdir"],
                       &["src", "dst", "dest", "destination", "output file", "input file", "file name", "working directory", "source"]),
    named(Kind::Method, &["method", "http method", "verb"]).about(HTTP),
    named(Kind::Mode, &["mode", "open mode", "file mode"]).about(&["file", "files", "open"]),
];

/// Names of arguments that say in which language the code beside them is.
const NAMES_OF_LANGUAGES: &[&str] = &["language", "lang", "runtime", "kernel", "interpreter"];

/// What a name alone says. `about` is what the tool and the argument say of themselves, in small letters.
pub(super) fn kind(name: &str, about: &str) -> Option<Kind> {
    let name = words(name).join(" ");
    let rule = RULES.iter().find(|rule| rule.holds(&name, about))?;
    Some(match rule.kind {
        Kind::Code(None) => Kind::Code(language_of(about)),
        kind => kind,
    })
}

/// The language that a description speaks of, if it is one alone.
fn language_of(about: &str) -> Option<Language> {
    let mut found = words_of(about)
        .filter(|word| matches!(*word, "python" | "python3" | "javascript" | "typescript" | "nodejs" | "js"))
        .filter_map(Language::parse);
    let first = found.next()?;
    found.all(|other| other == first).then_some(first)
}

/// Whether an argument says in which language the code beside it is.
pub(super) fn names_language(name: &str) -> bool {
    NAMES_OF_LANGUAGES.contains(&words(name).join(" ").as_str())
}

/// The words of a name: `fileName`, `file_name` and `file-name` have the same two.
pub(super) fn words(name: &str) -> Vec<String> {
    let mut words: Vec<String> = Vec::new();
    let mut before = ' ';
    for c in name.chars() {
        let begins = !c.is_alphanumeric() || (c.is_uppercase() && !before.is_uppercase()) || words.is_empty();
        if begins {
            words.push(String::new());
        }
        if c.is_alphanumeric()
            && let Some(word) = words.last_mut()
        {
            word.extend(c.to_lowercase());
        }
        before = c;
    }
    words.retain(|word| !word.is_empty());
    words
}

/// The words of a text in small letters.
fn words_of(text: &str) -> impl Iterator<Item = &str> {
    text.split(|c: char| !c.is_alphanumeric())
}
