//! Where findings go, and what to compare a misspelt word with.

use crate::{
    diagnostic::{Code, Diagnostic},
    eval::Cancel,
    syntax::Span,
};

/// How many findings an analysis keeps: enough for a person, and bounded whatever the program is.
const MAX_FINDINGS: usize = 500;

/// What looking for misspelt words may cost in all of an analysis: some tenths of a second.
const MAX_COMPARED: usize = 1_000_000;

/// What it costs to compare two words, beside looking whether they are worth it.
const COMPARISON: usize = 50;

/// Longer words were not misspelt by hand.
const MAX_WORD: usize = 64;

/// The findings so far.
#[derive(Debug)]
pub(crate) struct Report {
    found: Vec<Diagnostic>,
    errors: usize,
    cancel: Cancel,
    /// What may still be spent on misspelt words.
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
    /// One that says when to end early.
    pub(crate) fn until(cancel: Cancel) -> Self {
        Self { cancel, ..Self::default() }
    }

    /// Whether to end early. Asked before each clause, and within those that may be long.
    pub(crate) fn is_cancelled(&self) -> bool {
        self.cancel.is_cancelled()
    }

    /// The flag itself, for what has no report at hand.
    pub(crate) fn cancel(&self) -> &Cancel {
        &self.cancel
    }

    /// Whether another finding would not be kept: then no work is worth the words of one.
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

    /// How many errors there were, those that were not kept included.
    pub(crate) fn errors(&self) -> usize {
        self.errors
    }

    /// All of them by place, each once.
    pub(crate) fn finish(mut self) -> Vec<Diagnostic> {
        if self.is_cancelled() {
            // What was found is not all, and some of it may be wrong for want of the rest.
            let found = Diagnostic::new(Code::BudgetExceeded, Span::default(), "the analysis was cancelled");
            return vec![found.help("it was interrupted, or took longer than it was allowed")];
        }
        self.found.sort_by_key(|found| (found.primary.span, found.code));
        self.found.dedup();
        self.found
    }

    /// The known word that was probably meant; none if nothing is near, or if too many were compared already.
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
