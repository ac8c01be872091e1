//! External predicates: what has to be asked, and what was answered.

use std::collections::{BTreeMap, HashSet};

use crate::{program::PredId, value::Value};

/// Questions that an evaluation needs answered before it can go on. Answer all of them with
/// [`super::Evaluation::answer`], then call [`super::Evaluation::run`] again.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Batch {
    /// Of the same predicate next to each other, in the order in which they came up.
    pub questions: Vec<Question>,
}

/// Which rows of an external predicate are wanted.
#[derive(Clone, Debug, PartialEq, Eq, Hash)]
pub struct Question {
    /// Of which predicate.
    pub pred: PredId,
    /// The arguments that are known. Rows that do not have them are left out.
    pub args: Vec<Option<Value>>,
}

/// Questions by predicate.
#[derive(Debug, Default)]
pub(crate) struct Asked {
    answered: HashSet<Question>,
    wanted: BTreeMap<PredId, Vec<Question>>,
    known: HashSet<Question>,
    closed: bool,
}

impl Asked {
    /// Whether the answer is there. If not, the question is noted.
    pub(crate) fn answered(&mut self, pred: PredId, args: Vec<Option<Value>>) -> bool {
        if self.closed {
            return true;
        }
        let question = Question { pred, args };
        if self.answered.contains(&question) {
            return true;
        }
        if self.known.insert(question.clone()) {
            self.wanted.entry(pred).or_default().push(question);
        }
        false
    }

    /// Counts every question as answered: what is there is all that there will be.
    pub(crate) fn closed() -> Self {
        Self {
            closed: true,
            ..Self::default()
        }
    }

    /// What was noted and not answered.
    pub(crate) fn batch(&self) -> Option<Batch> {
        let questions: Vec<Question> = self.wanted.values().flatten().cloned().collect();
        (!questions.is_empty()).then_some(Batch { questions })
    }

    /// Takes a question as answered; says whether it was asked.
    pub(crate) fn answer(&mut self, question: &Question) -> bool {
        let Some(open) = self.wanted.get_mut(&question.pred) else {
            return false;
        };
        let Some(at) = open.iter().position(|other| other == question) else {
            return false;
        };
        let question = open.remove(at);
        self.known.remove(&question);
        self.answered.insert(question)
    }
}
