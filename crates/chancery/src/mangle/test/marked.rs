//! Reads test files in the language's own form: facts, with lines that begin with `#:` between them.

use std::path::Path;

use anyhow::{Context as _, bail};

use super::suite::{Case, Section, Suite, Texts, beside, error, pad, time};

const WORDS: &str = "rules, extended, case, now, given, answers, expect, absent, exactly, error";

/// Reads a file of this form.
pub(super) fn read(file: &Path, text: &str) -> anyhow::Result<Suite> {
    let mut reader = Reader {
        file,
        suite: Suite::default(),
        common: Texts::default(),
        section: Section::Given,
    };
    for (index, line) in text.lines().enumerate() {
        match line.trim().strip_prefix("#:") {
            Some(directive) => reader
                .directive(directive.trim(), index)
                .with_context(|| format!("{}:{}", file.display(), index + 1))?,
            None => {
                let section = reader.section;
                pad(reader.texts().of(section), index, 0, line);
            }
        }
    }
    Ok(reader.suite)
}

struct Reader<'f> {
    file: &'f Path,
    suite: Suite,
    /// The facts before the first case, which belong to every case.
    common: Texts,
    section: Section,
}

impl Reader<'_> {
    fn texts(&mut self) -> &mut Texts {
        match self.suite.cases.last_mut() {
            Some(case) => &mut case.texts,
            None => &mut self.common,
        }
    }

    fn directive(&mut self, text: &str, index: usize) -> anyhow::Result<()> {
        let (word, rest) = text.split_once(char::is_whitespace).unwrap_or((text, ""));
        let rest = rest.trim();
        match word {
            "rules" => {
                let files = rest.split_whitespace().map(|rules| beside(self.file, rules));
                self.suite.rules.extend(files);
            }
            "extended" => self.suite.extended = true,
            "case" => {
                self.section = Section::Given;
                self.suite.cases.push(Case {
                    name: rest.to_owned(),
                    line: index + 1,
                    texts: self.common.clone(),
                    ..Case::default()
                });
            }
            "now" => self.case()?.now = time(rest)?,
            "error" => self.case()?.error = Some(error(rest)?),
            word => match Section::by_name(word) {
                Some(section @ (Section::Given | Section::Answers)) => self.section = section,
                Some(section) => {
                    self.case()?;
                    self.section = section;
                }
                None => bail!("`{word}` is none of {WORDS}"),
            },
        }
        Ok(())
    }

    fn case(&mut self) -> anyhow::Result<&mut Case> {
        self.suite.cases.last_mut().context("first comes `#: case NAME`")
    }
}
