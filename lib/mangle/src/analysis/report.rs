//! Where findings go, and what to compare a misspelt word with.

use crate::{
    diagnostic::{Code, Diagnostic},
    eval::Cancel,
    syntax::Span,
};

/// How many findings an analysis keeps: enough for a person, and bounded whatever the program is.
const MAX_FINDINGS: usize = 500;

/// The findings so far.
#[derive(Debug, Default)]
pub(crate) struct Report {
    found: Vec<Diagnostic>,
    errors: usize,
    cancel: Cancel,
}

impl Report {
    /// One that says when to end early.
    pub(crate) fn until(cancel: Cancel) -> Self {
        Self { cancel, ..Self::default() }
    }

    /// Whether to end early. Asked before each clause.
    pub(crate) fn is_cancelled(&self) -> bool {
        self.cancel.is_cancelled()
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
            return vec![Diagnostic::new(Code::BudgetExceeded, Span::default(), "the analysis was cancelled")];
        }
        self.found.sort_by_key(|found| (found.primary.span, found.code));
        self.found.dedup();
        self.found
    }
}

/// The known word that was probably meant; none if nothing is near.
pub(crate) fn nearest<'k>(word: &str, known: impl IntoIterator<Item = &'k str>) -> Option<&'k str> {
    let allowed = (word.chars().count() / 3).min(3);
    known
        .into_iter()
        .map(|candidate| (strsim::damerau_levenshtein(word, candidate), candidate))
        .filter(|(distance, candidate)| *distance <= allowed && *candidate != word)
        .min()
        .map(|(_, candidate)| candidate)
}
