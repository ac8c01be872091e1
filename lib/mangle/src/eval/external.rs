//! External predicates: what has to be asked, and what was answered.

use std::collections::BTreeMap;

use super::{
    budget::{Exceeded, Meter},
    hash::Keys,
    segment::Segment,
};
use crate::{program::PredId, value::Value};

/// Questions that an evaluation needs answered before it can go on. Answer all of them with
/// [`super::Evaluation::answer`], then call [`super::Evaluation::run`] again.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Batch {
    /// Of the same predicate next to each other, in the order in which they came up; at most [`Self::MOST`].
    pub questions: Vec<Question>,
}

impl Batch {
    /// How many questions are handed out at once. Where more came up, the next batch has them.
    pub const MOST: usize = 1 << 16;
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
    keys: Keys,
    of: BTreeMap<PredId, Questions>,
    /// How many are not answered.
    open: usize,
    /// Bytes of the largest batch so far.
    batch: usize,
    closed: bool,
}

impl Asked {
    pub(crate) fn new(keys: Keys) -> Self {
        Self { keys, ..Self::default() }
    }

    /// Counts every question as answered: what is there is all that there will be.
    pub(crate) fn closed() -> Self {
        Self {
            closed: true,
            ..Self::default()
        }
    }

    /// Whether the answer is there to a question with these arguments, or [`UNKNOWN`]. If not, it is noted.
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

    /// Makes room for so many more questions. Where they are very many, it can be stopped meanwhile.
    pub(crate) fn make_room(&mut self, more: usize, meter: &Meter, moving: usize) -> Result<(), Exceeded> {
        self.of.values_mut().try_for_each(|of| of.make_room(more, meter, moving))
    }

    /// Whether a question was noted and not answered.
    pub(crate) fn is_open(&self) -> bool {
        self.open > 0
    }

    /// About how many bytes it takes on the heap, the next batch included.
    pub(crate) fn heap(&self) -> usize {
        self.batch + self.of.values().map(Questions::heap).sum::<usize>()
    }

    /// What was noted and not answered, as much as a batch takes.
    pub(crate) fn batch(&self) -> Option<Batch> {
        let open = self
            .of
            .iter()
            .flat_map(|(&pred, of)| of.open().map(move |args| Question { pred, args }));
        let questions: Vec<Question> = open.take(Batch::MOST).collect();
        (!questions.is_empty()).then_some(Batch { questions })
    }

    /// Takes a question as answered; says whether it was asked and had no answer yet.
    pub(crate) fn answer(&mut self, question: &Question) -> bool {
        let row: Vec<u64> = question.args.iter().map(|arg| arg.map_or(UNKNOWN, Value::bits)).collect();
        let was_open = self.of.get_mut(&question.pred).is_some_and(|of| of.answer(&row));
        self.open -= usize::from(was_open);
        was_open
    }
}

/// Stands for an argument that is not known: no value has this word.
pub(crate) const UNKNOWN: u64 = u64::MAX;

/// Bytes of a question in a batch.
const fn handed_out(arity: usize) -> usize {
    /// What the allocator adds.
    const BESIDE: usize = 2 * size_of::<usize>();
    size_of::<Question>() + arity * size_of::<Option<Value>>() + BESIDE
}

/// The questions of one predicate, in the order in which they came up.
#[derive(Debug)]
struct Questions {
    /// The arguments of each; a predicate without arguments has one word, which says nothing.
    args: Segment,
    arity: usize,
    /// Whether each is answered.
    answered: Vec<bool>,
    /// All before this one are.
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

    /// Whether a question is answered; one that is new is noted.
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

    /// The arguments of those that are not answered.
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
        // One of them comes again, as it has no answer.
        let last = rest.pop();
        rest.iter().rev().for_each(|question| assert!(asked.answer(question)));
        let next = asked.batch().expect("four are open").questions;
        assert_eq!(next.first(), last.as_ref());
        assert_eq!(next[1..], [0, 1, 2].map(|more| question(0, &[Some(16 * (most + more))])));
    }
}
