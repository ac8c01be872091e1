//! The targets of citations: the headings of `docs/develop/decisions` and the table of
//! `docs/develop/specifications.md`.

use std::collections::BTreeMap;

use crate::tidy::tree::File;
use crate::tidy::violation::Violation;

/// The folder of the decisions; a file for each name, in lower case.
pub(super) const DECISIONS: &str = "docs/develop/decisions/";
/// The table of specifications, by name.
pub(super) const SPECIFICATIONS: &str = "docs/develop/specifications.md";
/// The specification whose pages are cited by revision and path.
const PAGED: &str = "MCP";
/// The heading below which laws stand, each as a heading of the next level.
const LAWS: &str = "## Laws";

/// The targets that may be cited.
#[derive(Debug, Default)]
pub(super) struct Books<'a> {
    /// Decisions as they are cited, `MGP D4`, with the number of their headings.
    decisions: BTreeMap<String, usize>,
    laws: Vec<&'a str>,
    specifications: Vec<&'a str>,
    revisions: Vec<&'a str>,
}

impl<'a> Books<'a> {
    pub(super) fn of(files: &'a [File]) -> Self {
        let mut books = Self::default();
        for file in files.iter().filter(|file| file.path.starts_with(DECISIONS)) {
            books.read(&file.text);
        }
        for file in files.iter().filter(|file| file.path == SPECIFICATIONS) {
            books.list(&file.text);
        }
        books
    }

    /// Adds the headings of one file of decisions: `## MGP D4: what it is about`.
    fn read(&mut self, text: &'a str) {
        let mut within_laws = false;
        for line in text.lines() {
            if let Some(law) = line.strip_prefix("### ").filter(|_| within_laws) {
                self.laws.push(law.trim());
            } else if let Some(heading) = line.strip_prefix("## ") {
                within_laws = line.trim() == LAWS;
                if let Some((cited, _)) = heading.split_once(':') {
                    *self.decisions.entry(cited.to_owned()).or_default() += 1;
                }
            }
        }
    }

    /// Adds the rows of the table of specifications: name and version.
    fn list(&mut self, text: &'a str) {
        for line in text.lines().filter(|line| line.starts_with("| ")) {
            let mut cells = line.split('|').map(str::trim).skip(1);
            let (name, version) = (cells.next().unwrap_or_default(), cells.next().unwrap_or_default());
            if name == PAGED {
                self.revisions.extend(version.split(", "));
            }
            self.specifications.push(name);
        }
    }

    /// Finds numbers that two decisions have.
    pub(super) fn faults(&self) -> Vec<Violation> {
        let twice = self.decisions.iter().filter(|(_, times)| **times > 1);
        twice
            .map(|(cited, _)| {
                Violation::new(
                    DECISIONS,
                    1,
                    "citations",
                    format!("`{cited}` is decided twice: give one the next number"),
                )
            })
            .collect()
    }

    pub(super) fn has_specification(&self, name: &str) -> bool {
        self.specifications.contains(&name)
    }

    /// Returns why the citation of a decision, `MGP D4` or `DESIGN 3`, has no target.
    pub(super) fn no_decision(&self, cited: &str) -> Option<String> {
        let name = cited.split(' ').next().unwrap_or_default().to_lowercase();
        let is_there = self.decisions.contains_key(cited);
        (!is_there)
            .then(|| format!("`{cited}` is not decided anywhere: add `## {cited}: …` to {DECISIONS}{name}.md, or cite what is there"))
    }

    /// Returns why the citation of a law has no target; `text` begins behind `Laws`.
    pub(super) fn no_law(&self, text: &str) -> Option<String> {
        let named = text.trim_start_matches([':', ' ']);
        let is_there = self.laws.iter().any(|law| named.starts_with(law));
        (!is_there).then(|| format!("there is no such law: the headings below `{LAWS}` in {DECISIONS}design.md name them"))
    }

    /// Returns why the revision of a page of MCP is unknown.
    pub(super) fn no_revision(&self, revision: &str) -> Option<String> {
        let is_there = self.revisions.contains(&revision);
        (!is_there).then(|| format!("{SPECIFICATIONS} knows no revision {revision} of {PAGED}"))
    }
}
