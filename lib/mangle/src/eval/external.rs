//! External predicates: what has to be asked, and what was answered.

use std::collections::{BTreeMap, HashMap};

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

/// What was asked so far.
#[derive(Debug, Default)]
pub(crate) struct Asked {
    /// Every question, and whether it was answered.
    known: HashMap<Question, bool>,
    /// The questions since everything was answered the last time, by predicate.
    noted: BTreeMap<PredId, Vec<Question>>,
    /// How many of them are open.
    open: usize,
    /// About how many bytes all that takes.
    heap: usize,
    closed: bool,
}

impl Asked {
    /// Whether the answer is there. If not, the question is noted.
    pub(crate) fn answered(&mut self, pred: PredId, args: Vec<Option<Value>>) -> bool {
        if self.closed {
            return true;
        }
        let question = Question { pred, args };
        if let Some(&answered) = self.known.get(&question) {
            return answered;
        }
        self.heap += heap_of(&question);
        self.noted.entry(pred).or_default().push(question.clone());
        self.known.insert(question, false);
        self.open += 1;
        false
    }

    /// Counts every question as answered: what is there is all that there will be.
    pub(crate) fn closed() -> Self {
        Self {
            closed: true,
            ..Self::default()
        }
    }

    /// Whether a question was noted and not answered.
    pub(crate) fn is_open(&self) -> bool {
        self.open > 0
    }

    /// About how many bytes it takes on the heap, the next batch included.
    pub(crate) fn heap(&self) -> usize {
        self.heap
    }

    /// What was noted and not answered.
    pub(crate) fn batch(&self) -> Option<Batch> {
        let noted = self.noted.values().flatten();
        let questions: Vec<Question> = noted.filter(|question| self.known.get(question) == Some(&false)).cloned().collect();
        (!questions.is_empty()).then_some(Batch { questions })
    }

    /// Takes a question as answered; says whether it was asked.
    pub(crate) fn answer(&mut self, question: &Question) -> bool {
        let Some(answered @ false) = self.known.get_mut(question) else {
            return false;
        };
        *answered = true;
        self.open -= 1;
        if self.open == 0 {
            self.noted.clear();
        }
        true
    }
}

/// A question is kept to be found, to be handed out in order, and in the batch; tables and lists double when they grow.
fn heap_of(question: &Question) -> usize {
    let once = size_of::<Question>() + size_of_val(&question.args[..]) + 2 * size_of::<usize>();
    3 * once + 2 * size_of::<(Question, bool)>()
}
