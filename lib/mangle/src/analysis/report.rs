//! Collects findings, and looks for the words that misspelt ones were meant to be.

use crate::{
    diagnostic::{Code, Diagnostic},
    eval::Cancel,
    syntax::Span,
};

/// How many findings an analysis keeps: enough for a person, and bounded for any program.
const MAX_FINDINGS: usize = 500;

/// The total cost of looking for misspelt words in one analysis: some tenths of a second.
const MAX_COMPARED: usize = 1_000_000;

/// The cost of comparing two words, in addition to checking whether a comparison is worthwhile.
const COMPARISON: usize = 50;

/// The length above which words are not compared, because they were not typed by hand.
const MAX_WORD: usize = 64;

/// The findings so far.
#[derive(Debug)]
pub(crate) struct Report {
    found: Vec<Diagnostic>,
    errors: usize,
    cancel: Cancel,
    /// The remaining budget for misspelt words.
    compared: usize,
}

impl Default for Report {
    fn default() -> Self {
        Self {
            found: Vec::new(),
            errors: 0,
            cancel: Cancel::default(),
            compared: MAX_COMPARED,
        }
    }
}

impl Report {
    /// Returns an empty report whose `cancel` says when to end early.
    pub(crate) fn until(cancel: Cancel) -> Self {
        Self { cancel, ..Self::default() }
    }

    /// Returns whether to end early. Checked before each clause, and within clauses that may be long.
    pub(crate) fn is_cancelled(&self) -> bool {
        self.cancel.is_cancelled()
    }

    /// Returns the flag itself, for code that has no report.
    pub(crate) fn cancel(&self) -> &Cancel {
        &self.cancel
    }

    /// Returns whether the limit of findings is reached: then no further finding needs to be worded.
    pub(crate) fn is_full(&self) -> bool {
        self.found.len() > MAX_FINDINGS
    }

    pub(crate) fn push(&mut self, diagnostic: Diagnostic) {
        self.errors += usize::from(diagnostic.is_error());
        if self.found.len() < MAX_FINDINGS {
            self.found.push(diagnostic);
        } else if self.found.len() == MAX_FINDINGS {
            let more = Diagnostic::new(Code::TooManyFindings, diagnostic.primary.span, "there are more findings");
            self.found.push(more.help("mend the first ones and look again"));
        }
    }

    /// Returns how many errors there were, including those that were not kept.
    pub(crate) fn errors(&self) -> usize {
        self.errors
    }

    /// Returns all findings in order of place, without duplicates.
    pub(crate) fn finish(mut self) -> Vec<Diagnostic> {
        if self.is_cancelled() {
            // The findings are incomplete, and some may be wrong without the rest.
            let found = Diagnostic::new(Code::BudgetExceeded, Span::default(), "the analysis was cancelled");
            return vec![found.help("it was interrupted, or took longer than it was allowed")];
        }
        self.found.sort_by_key(|found| (found.primary.span, found.code));
        self.found.dedup();
        self.found
    }

    /// Returns the known word that was probably meant; `None` if no word is near, or too many were compared already.
    pub(crate) fn nearest<'k>(&mut self, word: &str, known: impl IntoIterator<Item = &'k str>) -> Option<&'k str> {
        if self.is_full() || word.len() > MAX_WORD {
            return None;
        }
        let allowed = (word.chars().count() / 3).min(3);
        let mut best: Option<(usize, &str)> = None;
        for candidate in known {
            self.compared = self.compared.checked_sub(1)?;
            // A character has at most four bytes.
            if candidate.len().abs_diff(word.len()) > 4 * allowed || candidate == word {
                continue;
            }
            self.compared = self.compared.checked_sub(COMPARISON)?;
            let distance = strsim::damerau_levenshtein(word, candidate);
            if distance <= allowed && best.is_none_or(|best| (distance, candidate) < best) {
                best = Some((distance, candidate));
            }
        }
        best.map(|(_, candidate)| candidate)
    }
}
