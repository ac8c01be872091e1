//! Reads test files in YAML with the place of every value, so that errors name their line.
//!
//! A small part of YAML is supported: mappings, lists and scalars. Aliases and tags are refused: no test needs them,
//! and a file with aliases may be larger than it looks.

mod node;

use std::path::Path;

use anyhow::{Context as _, bail, ensure};

use super::suite::{Case, Section, Suite, Texts, beside, error, pad, time};
use node::{Kind, Node};

const SUITE: &[&str] = &["rules", "extended", "given", "answers", "cases"];
const CASE: &[&str] = &["name", "now", "given", "answers", "expect", "absent", "exactly", "error"];

/// Reads a file of this form.
pub(super) fn read(file: &Path, text: &str) -> anyhow::Result<Suite> {
    let reader = Reader {
        name: file.display().to_string(),
        text,
    };
    let root = Node::read(text).map_err(|(line, what)| anyhow::anyhow!("{}:{line}: {what}", reader.name))?;
    reader.suite(file, &root)
}

struct Reader<'t> {
    name: String,
    text: &'t str,
}

impl Reader<'_> {
    fn at(&self, node: &Node) -> String {
        format!("{}:{}", self.name, node.line)
    }

    fn suite(&self, file: &Path, root: &Node) -> anyhow::Result<Suite> {
        let (mut suite, mut common) = (Suite::default(), Texts::default());
        let entries = self.mapping(root, SUITE)?;
        for &(key, value) in &entries {
            match key {
                "rules" => {
                    let names = self.several(value)?;
                    suite.rules = names.iter().map(|name| beside(file, name.0)).collect();
                }
                "extended" => suite.extended = self.truth(value)?,
                "cases" => {}
                section => self.facts(section, value, &mut common)?,
            }
        }
        let cases = entries.iter().find(|(key, _)| *key == "cases").map(|(_, cases)| *cases);
        let cases = cases.with_context(|| format!("{}: there are no `cases`", self.name))?;
        let Kind::List(cases) = &cases.kind else {
            bail!("{}: `cases` is a list: begin each with `- name:`", self.at(cases));
        };
        for case in cases {
            suite.cases.push(self.case(case, &common)?);
        }
        Ok(suite)
    }

    fn case(&self, node: &Node, common: &Texts) -> anyhow::Result<Case> {
        let mut case = Case {
            line: node.line,
            texts: common.clone(),
            ..Case::default()
        };
        for (key, value) in self.mapping(node, CASE)? {
            match key {
                "name" => self.scalar(value)?.clone_into(&mut case.name),
                "now" => case.now = time(self.scalar(value)?).with_context(|| self.at(value))?,
                "error" => case.error = Some(error(self.scalar(value)?).with_context(|| self.at(value))?),
                section => self.facts(section, value, &mut case.texts)?,
            }
        }
        ensure!(!case.name.is_empty(), "{}: a case has a `name`", self.at(node));
        Ok(case)
    }

    /// Reads facts: a text of clauses, or a list of facts, whose full stops may be left out.
    fn facts(&self, section: &str, value: &Node, texts: &mut Texts) -> anyhow::Result<()> {
        let section = Section::by_name(section).with_context(|| self.at(value))?;
        let into = texts.of(section);
        match &value.kind {
            // The lines as they stand in the file, so that columns are right.
            Kind::Block(_) => {
                let lines = self.text.lines().enumerate().skip(value.line - 1);
                let inside = lines.take(value.last.saturating_sub(value.line) + 1);
                inside.for_each(|(index, line)| pad(into, index, 0, line));
            }
            Kind::List(_) | Kind::Scalar(_) => {
                for (fact, line, column) in self
                    .several(value)?
                    .iter()
                    .map(|(fact, node)| (fact.trim(), node.line, node.column))
                {
                    let stop = if fact.is_empty() || fact.ends_with('.') { "" } else { " ." };
                    pad(into, line - 1, column, &format!("{fact}{stop}"));
                }
            }
            Kind::Mapping(_) => bail!("{}: facts are a text or a list of texts", self.at(value)),
        }
        Ok(())
    }

    /// Returns the entries of a mapping, which may have only these keys, each once.
    fn mapping<'n>(&self, node: &'n Node, known: &'static [&'static str]) -> anyhow::Result<Entries<'n>> {
        let Kind::Mapping(entries) = &node.kind else {
            bail!("{}: expected a mapping of {}", self.at(node), known.join(", "));
        };
        let mut found = Vec::new();
        for (key, value) in entries {
            let name = key.text().unwrap_or_default();
            let Some(&name) = known.iter().find(|known| **known == name) else {
                let near = known.iter().max_by(|a, b| strsim::jaro(a, name).total_cmp(&strsim::jaro(b, name)));
                bail!(
                    "{}: `{name}` is none of {}; did you mean `{}`?",
                    self.at(key),
                    known.join(", "),
                    near.copied().unwrap_or_default()
                );
            };
            ensure!(
                !found.iter().any(|(other, _)| *other == name),
                "{}: `{name}` stands twice",
                self.at(key)
            );
            found.push((name, value));
        }
        Ok(found)
    }

    fn scalar<'n>(&self, node: &'n Node) -> anyhow::Result<&'n str> {
        node.text().with_context(|| format!("{}: expected a text", self.at(node)))
    }

    /// Returns one text, or the texts of a list.
    fn several<'n>(&self, node: &'n Node) -> anyhow::Result<Vec<(&'n str, &'n Node)>> {
        match &node.kind {
            Kind::List(items) => items.iter().map(|item| Ok((self.scalar(item)?, item))).collect(),
            _ => Ok(vec![(self.scalar(node)?, node)]),
        }
    }

    fn truth(&self, node: &Node) -> anyhow::Result<bool> {
        match self.scalar(node)? {
            "true" => Ok(true),
            "false" => Ok(false),
            other => bail!("{}: `{other}` is neither true nor false", self.at(node)),
        }
    }
}

/// Known keys with their values.
type Entries<'n> = Vec<(&'static str, &'n Node)>;
