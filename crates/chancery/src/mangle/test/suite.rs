//! Test files: facts and expectations, with lines that begin with `#:` between them.

use std::path::{Path, PathBuf};

use anyhow::{Context as _, bail};

/// One test file.
pub(super) struct Suite {
    /// As it was named.
    pub(super) name: String,
    /// The files under test.
    pub(super) rules: Vec<PathBuf>,
    pub(super) extended: bool,
    pub(super) cases: Vec<Case>,
}

/// One case. Each text stands at its own line of the file, so that places in findings are right.
#[derive(Clone, Default)]
pub(super) struct Case {
    pub(super) name: String,
    /// The evaluation time.
    pub(super) now: i64,
    /// Facts that are given.
    pub(super) given: String,
    /// Facts that have to be there.
    pub(super) expect: String,
    /// Facts that must not be there.
    pub(super) absent: String,
    /// All facts of the predicates that stand in it.
    pub(super) exactly: String,
    /// The code of the error that has to come.
    pub(super) error: Option<String>,
}

/// Which text of a case lines belong to.
#[derive(Clone, Copy, PartialEq)]
enum Section {
    /// Before the first case: facts of every case.
    Common,
    Given,
    Expect,
    Absent,
    Exactly,
}

impl Suite {
    pub(super) fn read(file: &Path, text: &str) -> anyhow::Result<Self> {
        let mut suite = Self {
            name: file.display().to_string(),
            rules: Vec::new(),
            extended: false,
            cases: Vec::new(),
        };
        let (mut section, mut common) = (Section::Common, String::new());
        for (index, line) in text.lines().enumerate() {
            let place = || format!("{}:{}", file.display(), index + 1);
            match line.trim().strip_prefix("#:") {
                Some(directive) => {
                    section = suite
                        .directive(directive.trim(), file, section, (index, &common))
                        .with_context(place)?
                }
                None if section == Section::Common => pad(&mut common, index, line),
                None => {
                    let case = suite.cases.last_mut().with_context(|| format!("{}: no case yet", place()))?;
                    pad(case.text(section), index, line);
                }
            }
        }
        if suite.rules.is_empty() {
            suite.rules.extend(super::default_rules(file).filter(|rules| rules.is_file()));
        }
        Ok(suite)
    }

    fn directive(&mut self, text: &str, file: &Path, section: Section, common: (usize, &String)) -> anyhow::Result<Section> {
        let (word, rest) = text
            .split_once(char::is_whitespace)
            .map_or((text, ""), |(word, rest)| (word, rest.trim()));
        if word == "rules" {
            self.rules.extend(
                rest.split_whitespace()
                    .map(|rules| file.parent().unwrap_or(Path::new("")).join(rules)),
            );
            return Ok(section);
        }
        if word == "extended" {
            self.extended = true;
            return Ok(section);
        }
        if word == "case" {
            self.cases.push(Case {
                name: rest.to_owned(),
                given: common.1.clone(),
                ..Case::default()
            });
            return Ok(Section::Given);
        }
        let case = self.cases.last_mut().context("first comes `#: case NAME`")?;
        Ok(match word {
            "now" => {
                case.now =
                    mangle::value::parse_rfc3339(rest).with_context(|| format!("`{rest}` is no time such as 2024-06-01T00:00:00Z"))?;
                section
            }
            "given" => Section::Given,
            "expect" => Section::Expect,
            "absent" => Section::Absent,
            "exactly" => Section::Exactly,
            "error" => {
                case.error = Some(rest.to_owned());
                section
            }
            other => bail!("`{other}` is none of rules, extended, case, now, given, expect, absent, exactly, error"),
        })
    }
}

impl Case {
    fn text(&mut self, section: Section) -> &mut String {
        match section {
            Section::Common | Section::Given => &mut self.given,
            Section::Expect => &mut self.expect,
            Section::Absent => &mut self.absent,
            Section::Exactly => &mut self.exactly,
        }
    }
}

/// Appends a line at its own number.
fn pad(text: &mut String, index: usize, line: &str) {
    let lines = text.bytes().filter(|&byte| byte == b'\n').count();
    text.extend(std::iter::repeat_n('\n', index.saturating_sub(lines)));
    text.push_str(line);
    text.push('\n');
}
