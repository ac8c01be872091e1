//! What an argument is, by its name and what stands around it.

use super::infer::Kind;
use crate::code::Language;

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

/// The words that decide, from a name, as a list to compare with.
fn is(words: &[String], names: &[&str]) -> bool {
    let joined = words.join(" ");
    names.contains(&joined.as_str())
}

fn ends(words: &[String], names: &[&str]) -> bool {
    words.last().is_some_and(|last| names.contains(&last.as_str()))
}

/// What a name alone says. `about` is what the tool and the argument say of themselves, in small letters.
pub(super) fn kind(name: &str, about: &str) -> Option<Kind> {
    let words = words(name);
    let is_about = |subjects: &[&str]| about.split(|c: char| !c.is_alphanumeric()).any(|word| subjects.contains(&word));
    let of_shell = || is_about(&["shell", "bash", "terminal", "command", "commands", "powershell", "cmd"]);
    let of_sql = || {
        is_about(&[
            "sql",
            "database",
            "postgres",
            "postgresql",
            "mysql",
            "sqlite",
            "mariadb",
            "duckdb",
            "clickhouse",
            "bigquery",
            "snowflake",
            "mssql",
        ])
    };
    if is(
        &words,
        &[
            "command",
            "cmd",
            "command line",
            "commandline",
            "shell",
            "shell command",
            "bash",
            "bash command",
            "terminal command",
            "exec",
            "commands",
        ],
    ) {
        return Some(Kind::Command);
    }
    if is(&words, &["argv", "args", "arguments", "command args", "cmd args"]) {
        return Some(Kind::Words);
    }
    if is(&words, &["run", "script", "input", "line"]) && of_shell() && !is_about(&["python", "javascript", "typescript"]) {
        return Some(Kind::Command);
    }
    if is(&words, &["sql", "sql query", "sql statement", "statement", "query sql", "select"])
        || (is(&words, &["query", "queries", "q", "expression"]) && of_sql())
    {
        return Some(Kind::Sql);
    }
    if is(&words, &["python", "python code", "python script"]) {
        return Some(Kind::Code(Some(Language::Python)));
    }
    if is(&words, &["javascript", "js", "javascript code", "js code"]) {
        return Some(Kind::Code(Some(Language::JavaScript)));
    }
    if is(&words, &["typescript", "ts", "typescript code"]) {
        return Some(Kind::Code(Some(Language::TypeScript)));
    }
    if is(
        &words,
        &[
            "code",
            "source code",
            "snippet",
            "program",
            "script",
            "source",
            "code snippet",
            "function code",
        ],
    ) && !(is(&words, &["source"]) && is_about(&["path", "file", "copy", "move"]))
    {
        return Some(Kind::Code(language_of(about)));
    }
    if ends(
        &words,
        &["url", "urls", "uri", "uris", "href", "link", "links", "endpoint", "webhook"],
    ) {
        return Some(Kind::Url);
    }
    if is(
        &words,
        &[
            "host",
            "hostname",
            "host name",
            "server",
            "ip",
            "ip address",
            "address",
            "domain",
            "proxy",
            "remote host",
            "hosts",
        ],
    ) && !is_about(&["mail", "postal", "street", "wallet"])
    {
        return Some(Kind::Host);
    }
    if ends(
        &words,
        &[
            "path",
            "paths",
            "file",
            "files",
            "filename",
            "filepath",
            "filenames",
            "dir",
            "directory",
            "directories",
            "folder",
            "cwd",
            "workdir",
        ],
    ) || is(
        &words,
        &[
            "src",
            "dst",
            "dest",
            "destination",
            "output file",
            "input file",
            "file name",
            "working directory",
            "source",
        ],
    ) {
        return Some(Kind::Path);
    }
    if is(&words, &["method", "http method", "verb"]) && is_about(&["http", "url", "request", "api", "rest", "fetch"]) {
        return Some(Kind::Method);
    }
    if is(&words, &["mode", "open mode", "file mode"]) && is_about(&["file", "files", "open"]) {
        return Some(Kind::Mode);
    }
    None
}

/// The language that a description speaks of, if it is one alone.
pub(super) fn language_of(about: &str) -> Option<Language> {
    let mut found = about
        .split(|c: char| !c.is_alphanumeric())
        .filter(|word| matches!(*word, "python" | "python3" | "javascript" | "typescript" | "nodejs" | "js"))
        .filter_map(Language::parse);
    let first = found.next()?;
    found.all(|other| other == first).then_some(first)
}

/// Arguments that say in which language the code beside them is.
pub(super) fn names_language(name: &str) -> bool {
    is(&words(name), &["language", "lang", "runtime", "kernel", "interpreter"])
}
