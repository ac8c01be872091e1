//! `chancery check KIND`: runs a validator for people and pipelines.

use std::io::Read as _;
use std::path::Path;

use serde_json::{Value, json};
use validators::code::{Language, Level};
use validators::path::Roots;
use validators::shell::{self, Profile};
use validators::sql::{self, Dialect};
use validators::{Findings, Place, code, path, url};

use crate::cli::{Check, CheckKind};
use crate::config::Problem;

/// A validator's result for a text.
#[derive(Clone, Debug)]
pub struct Checked {
    text: String,
    findings: Findings,
    /// The name that still has to be resolved.
    resolve: Option<String>,
    /// The answer of MGP §7.4.
    rejection: Option<Value>,
}

impl Checked {
    /// Returns whether the text is allowed.
    #[must_use]
    pub fn is_allowed(&self) -> bool {
        self.findings.is_clean()
    }

    /// Returns the output: a line for each finding, or a JSON object.
    #[must_use]
    pub fn render(&self, as_json: bool) -> String {
        if as_json { self.json() } else { self.lines() }
    }

    fn lines(&self) -> String {
        let place = |at| Place::of(&self.text, at);
        let mut lines: Vec<String> = self
            .findings
            .as_slice()
            .iter()
            .map(|finding| {
                let Place { line, column } = place(finding.span.start);
                format!("{line}:{column}: {finding}")
            })
            .collect();
        if lines.is_empty() {
            lines.push(match &self.resolve {
                Some(name) => format!("allowed, if every address of `{name}` is public"),
                None => "allowed".to_owned(),
            });
        }
        lines.push(String::new());
        lines.join("\n")
    }

    fn json(&self) -> String {
        let findings: Vec<Value> = self
            .findings
            .as_slice()
            .iter()
            .map(|finding| {
                let Place { line, column } = Place::of(&self.text, finding.span.start);
                json!({
                    "rule": finding.rule, "line": line, "column": column, "start": finding.span.start, "end": finding.span.end,
                    "reason": finding.reason, "hint": finding.hint,
                })
            })
            .collect();
        let mut all = json!({ "allowed": self.is_allowed(), "findings": findings });
        if let Some(name) = &self.resolve {
            all["resolve"] = json!(name);
        }
        if let Some(rejection) = &self.rejection {
            all["rejection"] = rejection.clone();
        }
        format!("{all}\n")
    }
}

/// Runs `chancery check KIND -- TEXT`.
///
/// # Errors
/// When the profile, dialect or root is invalid, or stdin can't be read.
pub fn check(args: &Check, cwd: &Path) -> Result<Checked, Problem> {
    let text = if args.text.is_empty() { read_stdin()? } else { args.text.join(" ") };
    let mut checked = Checked {
        text,
        findings: Findings::default(),
        resolve: None,
        rejection: None,
    };
    let profile = args.profile.as_deref();
    let text = checked.text.as_str();
    checked.findings = match args.kind {
        CheckKind::Shell => check_shell(text, profile, args, cwd)?,
        CheckKind::Sql => check_sql(text, profile, args)?,
        CheckKind::Url => {
            let judged = url::check(text, &url::Policy::default());
            checked.resolve = judged.resolve;
            judged.findings
        }
        CheckKind::Path => path::check(text, &roots(args, cwd)?),
        CheckKind::Python | CheckKind::Javascript | CheckKind::Typescript => {
            let policy = code::Policy::new(level(profile)?, language(args.kind));
            let findings = code::check(text, &policy);
            checked.rejection = (!findings.is_clean()).then(|| code::rejection(text, &findings, &policy));
            findings
        }
    };
    Ok(checked)
}

fn read_stdin() -> Result<String, Problem> {
    let mut text = String::new();
    std::io::stdin()
        .read_to_string(&mut text)
        .map_err(|error| Problem::error(format!("stdin can't be read: {error}")).help("give the text behind `--`"))?;
    // A pipe ends its last line, which is no part of the text.
    if text.ends_with('\n') {
        text.pop();
    }
    Ok(text)
}

fn check_shell(text: &str, profile: Option<&str>, args: &Check, cwd: &Path) -> Result<Findings, Problem> {
    let (profile, read_only) = match profile {
        Some("literal") => return Ok(shell::check_literal(text)),
        Some("readonly") => (Profile::Pipeline, true),
        Some(name) => {
            let profile = Profile::parse(name).ok_or_else(|| unknown("profile", name, "strict, default, pipeline, readonly or literal"))?;
            (profile, false)
        }
        None => (Profile::Default, false),
    };
    let policy = shell::Policy {
        profile,
        roots: &roots(args, cwd)?,
        read_only,
        allow: &args.allow,
    };
    Ok(shell::check(text, &policy))
}

fn check_sql(text: &str, profile: Option<&str>, args: &Check) -> Result<Findings, Problem> {
    let dialect = match args.dialect.as_deref() {
        Some(name) => Some(Dialect::parse(name).ok_or_else(|| unknown("dialect", name, "postgresql, mysql, sqlite, mssql, duckdb, …"))?),
        None => None,
    };
    match profile {
        None | Some("readonly") => Ok(sql::check(text, dialect)),
        Some("literal") => Ok(sql::check_literal(text)),
        Some(name) => Err(unknown("profile", name, "readonly or literal")),
    }
}

fn level(profile: Option<&str>) -> Result<Level, Problem> {
    let name = profile.unwrap_or("strict");
    Level::parse(name).ok_or_else(|| unknown("level", name, "unrestricted, standard, strict or readonly"))
}

fn language(kind: CheckKind) -> Language {
    match kind {
        CheckKind::Typescript => Language::TypeScript,
        CheckKind::Javascript => Language::JavaScript,
        _ => Language::Python,
    }
}

/// Returns the folders that were named, or the working folder.
fn roots(args: &Check, cwd: &Path) -> Result<Roots, Problem> {
    let named: Vec<String> = if args.root.is_empty() {
        vec![cwd.display().to_string()]
    } else {
        args.root.iter().map(|root| cwd.join(root).display().to_string()).collect()
    };
    Roots::new(named.iter().map(String::as_str)).map_err(|error| Problem::error(error.to_string()).help("name a folder by its whole path"))
}

fn unknown(what: &str, name: &str, known: &str) -> Problem {
    Problem::error(format!("there is no {what} `{name}`")).help(format!("use {known}"))
}

#[cfg(test)]
mod tests;
