//! Rows of attack and benign strings, and the judgement that each class of them gets.

use std::path::Path;

use serde_json::Value;
use validators::code::{self, Language};
use validators::path::Roots;
use validators::{Findings, path, shell, sql, url};

/// A string, and its expected judgement.
pub(crate) struct Row {
    pub id: String,
    pub text: String,
    /// Whether it has to be refused.
    pub hostile: bool,
    /// Its construct in the table of constructs.
    pub construct: String,
    /// Whether only name resolution can decide.
    pub needs_network: bool,
}

/// The required rates of a class.
pub(crate) struct Class {
    pub name: &'static str,
    /// The share of the hostile rows that has to be refused at least, in percent.
    pub blocked: f64,
    /// The share of the benign rows that may be refused at most, in percent.
    pub alarms: f64,
    pub judge: fn(&str) -> Findings,
}

/// Every class that has a validator.
pub(crate) const CLASSES: &[Class] = &[
    class("shell_command", 97.0, 2.0, shell_command),
    class("shell_arg", 99.0, 1.0, shell::check_literal),
    class("sqli_fragment", 97.0, 2.0, sql::check_literal),
    class("ssrf_url", 100.0, 0.0, |text| url::check(text, &url::Policy::default()).findings),
    class("path", 99.0, 1.0, |text| path::check(text, &roots())),
    class("sql", 99.0, 2.0, |text| sql::check(text, None)),
    class("python", 97.0, 2.0, |text| {
        code::check(text, &code::Policy::strict(Language::Python))
    }),
    class("javascript", 97.0, 2.0, |text| {
        code::check(text, &code::Policy::strict(Language::JavaScript))
    }),
    class("typescript", 97.0, 2.0, |text| {
        code::check(text, &code::Policy::strict(Language::TypeScript))
    }),
];

const fn class(name: &'static str, blocked: f64, alarms: f64, judge: fn(&str) -> Findings) -> Class {
    Class {
        name,
        blocked,
        alarms,
        judge,
    }
}

pub(crate) fn roots() -> Roots {
    Roots::new(["/srv/project"]).expect("an absolute path")
}

fn shell_command(text: &str) -> Findings {
    let policy = shell::Policy {
        profile: shell::Profile::Pipeline,
        roots: &roots(),
        read_only: false,
        allow: &[],
    };
    shell::check(text, &policy)
}

/// Returns the rows of a class; none if the folder has no file of it.
pub(crate) fn read(folder: &Path, class: &str) -> Result<Vec<Row>, String> {
    let file = folder.join(format!("{class}.jsonl"));
    let Ok(text) = std::fs::read_to_string(&file) else {
        return Ok(Vec::new());
    };
    text.lines()
        .enumerate()
        .filter(|(_, line)| !line.trim().is_empty())
        .map(|(at, line)| row(line).map_err(|why| format!("{} line {}: {why}", file.display(), at + 1)))
        .collect()
}

fn row(line: &str) -> Result<Row, String> {
    let value: Value = serde_json::from_str(line).map_err(|error| error.to_string())?;
    let text = |key: &str| value[key].as_str().map(str::to_owned).ok_or_else(|| format!("`{key}` is no text"));
    let hostile = match value["expected"].as_str() {
        Some("block") => true,
        Some("allow") => false,
        _ => return Err("`expected` is neither `block` nor `allow`".to_owned()),
    };
    let meta = &value["meta"];
    Ok(Row {
        id: text("id")?,
        text: text("text")?,
        hostile,
        construct: meta["construct"].as_str().unwrap_or_default().to_owned(),
        needs_network: meta["needs_network"].as_bool().unwrap_or(false),
    })
}
