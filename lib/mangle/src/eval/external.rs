//! External predicates: the questions that have to be asked, and their answers.

use std::collections::BTreeMap;

use super::{
    budget::{Exceeded, Meter},
    hash::Keys,
    segment::Segment,
};
use crate::{program::PredId, value::Value};

/// Questions that have to be answered before an evaluation can continue. Answer all of them with
/// [`super::Evaluation::answer`], then call [`super::Evaluation::run`] again.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Batch {
    /// The questions, grouped by predicate, in the order in which they arose; at most [`Self::MOST`].
    pub questions: Vec<Question>,
}

impl Batch {
    /// How many questions a batch may have. Further ones are in the next batch.
    pub const MOST: usize = 1 << 16;
}

/// A question for rows of an external predicate.
#[derive(Clone, Debug, PartialEq, Eq, Hash)]
pub struct Question {
    /// The predicate.
    pub pred: PredId,
    /// The arguments that are known. Rows that do not have them are left out.
    pub args: Vec<Option<Value>>,
}

/// The questions so far.
#[derive(Debug, Default)]
pub(crate) struct Asked {
    keys: Keys,
    of: BTreeMap<PredId, Questions>,
    /// How many are not answered.
    open: usize,
    /// The size in bytes of the largest batch so far.
    batch: usize,
    closed: bool,
}

impl Asked {
    pub(crate) fn new(keys: Keys) -> Self {
        Self { keys, ..Self::default() }
    }

    /// Returns a state in which every question counts as answered: the present rows are all there will be.
    pub(crate) fn closed() -> Self {
        Self {
            closed: true,
            ..Self::default()
        }
    }

    /// Returns whether the question with these arguments, or [`UNKNOWN`], is answered. If not, it is recorded.
    pub(crate) fn answered(&mut self, pred: PredId, row: &[u64]) -> bool {
        if self.closed {
            return true;
        }
        let of = self.of.entry(pred).or_insert_with(|| Questions::new(row.len(), self.keys));
        let answered = of.answered(row);
        if answered.is_none() {
            self.open += 1;
            self.batch = self.batch.max(self.open.min(Batch::MOST) * handed_out(row.len()));
        }
        answered.unwrap_or(false)
    }

    /// Reserves room for `more` questions. With very many, it can be cancelled meanwhile.
    pub(crate) fn make_room(&mut self, more: usize, meter: &Meter, moving: usize) -> Result<(), Exceeded> {
        self.of.values_mut().try_for_each(|of| of.make_room(more, meter, moving))
    }

    /// Returns whether a recorded question is not answered.
    pub(crate) fn is_open(&self) -> bool {
        self.open > 0
    }

    /// Returns the approximate number of bytes on the heap, the next batch included.
    pub(crate) fn heap(&self) -> usize {
        self.batch + self.of.values().map(Questions::heap).sum::<usize>()
    }

    /// Returns the recorded questions that are not answered, up to the size of a batch.
    pub(crate) fn batch(&self) -> Option<Batch> {
        let open = self
            .of
            .iter()
            .flat_map(|(&pred, of)| of.open().map(move |args| Question { pred, args }));
        let questions: Vec<Question> = open.take(Batch::MOST).collect();
        (!questions.is_empty()).then_some(Batch { questions })
    }

    /// Marks a question as answered; returns whether it was asked and had no answer yet.
    pub(crate) fn answer(&mut self, question: &Question) -> bool {
        let row: Vec<u64> = question.args.iter().map(|arg| arg.map_or(UNKNOWN, Value::bits)).collect();
        let was_open = self.of.get_mut(&question.pred).is_some_and(|of| of.answer(&row));
        self.open -= usize::from(was_open);
        was_open
    }
}

/// The word for an argument that is not known: no value has it.
pub(crate) const UNKNOWN: u64 = u64::MAX;

/// Returns the bytes of a question in a batch.
const fn handed_out(arity: usize) -> usize {
    /// The overhead of the allocator.
    const BESIDE: usize = 2 * size_of::<usize>();
    size_of::<Question>() + arity * size_of::<Option<Value>>() + BESIDE
}

/// The questions of one predicate, in the order in which they arose.
#[derive(Debug)]
struct Questions {
    /// The arguments of each; a predicate without arguments has one word without meaning.
    args: Segment,
    arity: usize,
    /// Whether each question is answered.
    answered: Vec<bool>,
    /// The number of the first question that may be unanswered.
    from: usize,
}

impl Questions {
    fn new(arity: usize, keys: Keys) -> Self {
        Self {
            args: Segment::new(arity.max(1), 0, keys),
            arity,
            answered: Vec::new(),
            from: 0,
        }
    }

    /// Returns whether a question is answered; a new one is recorded.
    fn answered(&mut self, row: &[u64]) -> Option<bool> {
        let row = if row.is_empty() { &[UNKNOWN] } else { row };
        match self.args.insert(row, self.args.keys.row(row)) {
            Ok(_) => {
                self.answered.push(false);
                None
            }
            Err(known) => Some(self.answered[known]),
        }
    }

    fn answer(&mut self, row: &[u64]) -> bool {
        if row.len() != self.arity {
            return false;
        }
        let row = if row.is_empty() { &[UNKNOWN] } else { row };
        let Some(at) = self.args.find(row, self.args.keys.row(row)) else {
            return false;
        };
        let was_open = !std::mem::replace(&mut self.answered[at], true);
        while self.answered.get(self.from) == Some(&true) {
            self.from += 1;
        }
        was_open
    }

    /// Returns the arguments of the unanswered questions.
    fn open(&self) -> impl Iterator<Item = Vec<Option<Value>>> {
        let open = (self.from..self.answered.len()).filter(|&at| !self.answered[at]);
        let known = |&word: &u64| (word != UNKNOWN).then(|| Value::from_bits(word));
        open.map(move |at| self.args.row(at)[..self.arity].iter().map(known).collect())
    }

    fn make_room(&mut self, more: usize, meter: &Meter, moving: usize) -> Result<(), Exceeded> {
        self.args.make_room(more, meter, moving)
    }

    fn heap(&self) -> usize {
        self.args.moving() + self.answered.capacity()
    }
}

#[cfg(test)]
mod tests {
    use super::{Asked, Batch, Keys, PredId, Question, UNKNOWN, Value};

    fn question(pred: u32, args: &[Option<u64>]) -> Question {
        Question {
            pred: PredId(pred),
            args: args.iter().map(|arg| arg.map(Value::from_bits)).collect(),
        }
    }

    #[test]
    fn a_batch_has_what_is_open_by_predicate() {
        let mut asked = Asked::new(Keys::default());
        assert!(asked.batch().is_none());
        let ask = |asked: &mut Asked, pred: u32, row: &[u64]| asked.answered(PredId(pred), row);
        for (pred, row) in [(2, &[16, UNKNOWN][..]), (1, &[]), (2, &[UNKNOWN, 16]), (2, &[16, UNKNOWN])] {
            assert!(!ask(&mut asked, pred, row));
        }
        let (first, second) = (question(2, &[Some(16), None]), question(2, &[None, Some(16)]));
        let batch = asked.batch().expect("three are open");
        assert_eq!(batch.questions, [question(1, &[]), first.clone(), second.clone()]);
        assert!(asked.answer(&second));
        assert!(ask(&mut asked, 2, &[UNKNOWN, 16]) && !ask(&mut asked, 2, &[16, UNKNOWN]));
        assert_eq!(asked.batch().expect("two are open").questions, [question(1, &[]), first.clone()]);
        assert!(asked.answer(&first) && asked.answer(&question(1, &[])));
        assert!(!asked.is_open() && asked.batch().is_none());
    }

    #[test]
    fn only_what_was_asked_is_answered_and_once() {
        let mut asked = Asked::new(Keys::default());
        asked.answered(PredId(0), &[16, UNKNOWN]);
        for other in [
            question(0, &[Some(32), None]),
            question(0, &[Some(16)]),
            question(0, &[]),
            question(1, &[Some(16), None]),
        ] {
            assert!(!asked.answer(&other), "{other:?}");
        }
        let right = question(0, &[Some(16), None]);
        assert!(asked.answer(&right) && !asked.answer(&right));
    }

    #[test]
    fn very_many_questions_come_in_several_batches() {
        let mut asked = Asked::new(Keys::default());
        let most = Batch::MOST as u64;
        for number in 0..most + 3 {
            asked.answered(PredId(0), &[16 * number]);
        }
        let mut rest = asked.batch().expect("all are open").questions;
        assert_eq!(rest.len(), Batch::MOST);
        // One of them is asked again, because it has no answer.
        let last = rest.pop();
        rest.iter().rev().for_each(|question| assert!(asked.answer(question)));
        let next = asked.batch().expect("four are open").questions;
        assert_eq!(next.first(), last.as_ref());
        assert_eq!(next[1..], [0, 1, 2].map(|more| question(0, &[Some(16 * (most + more))])));
    }
}
