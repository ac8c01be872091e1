//! A proof: facts, and what each of them rests on. A fact stands once, however often it is used.

use crate::{
    program::{Interval, PredId, RuleId},
    syntax::Word,
    value::Value,
};

/// A fact of a proof, by number.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub struct NodeId(pub u32);

/// Why a fact holds. What it rests on comes after it; no fact rests on itself.
#[derive(Clone, Debug, PartialEq)]
pub struct Proof {
    /// The facts; the first is the one that was asked about.
    pub nodes: Vec<Node>,
}

impl Proof {
    /// A fact by its number.
    pub fn node(&self, id: NodeId) -> &Node {
        &self.nodes[id.0 as usize]
    }

    /// The facts that were given, not derived, and that the proof rests on.
    pub fn leaves(&self) -> impl Iterator<Item = &Node> {
        let given = |node: &&Node| {
            node.because
                .iter()
                .any(|because| matches!(because, Because::Given | Because::Answered))
        };
        self.nodes.iter().filter(given)
    }
}

/// A fact and why it holds.
#[derive(Clone, Debug, PartialEq)]
pub struct Node {
    /// Its predicate.
    pub pred: PredId,
    /// Its arguments.
    pub args: Vec<Value>,
    /// For a temporal predicate, the interval that is proved.
    pub time: Option<Interval>,
    /// One reason; for a fact that holds at an interval several, which together cover it.
    pub because: Vec<Because>,
}

/// A reason.
#[derive(Clone, Debug, PartialEq)]
pub enum Because {
    /// It was given: it stands in the program, or came with the request.
    Given,
    /// It is the answer of an external predicate.
    Answered,
    /// A rule derives it.
    Rule(Derivation),
    /// Its predicate keeps one fact for each key, and this is what two of them were merged to. Neither of them need be there any more.
    Merged {
        /// The fact that was there.
        before: NodeId,
        /// The fact that came.
        with: NodeId,
    },
}

/// One use of a rule.
#[derive(Clone, Debug, PartialEq)]
pub struct Derivation {
    /// Which.
    pub rule: RuleId,
    /// When its head holds with these values.
    pub time: Option<Interval>,
    /// The values of its variables, in the order of their numbers; for a group those of the first row.
    pub bindings: Vec<(Word, Value)>,
    /// For each premise what it rests on; empty for a group.
    pub premises: Vec<Support>,
    /// For a rule that makes groups: the rows of the group.
    pub group: Vec<Contribution>,
}

/// One row of a group.
#[derive(Clone, Debug, PartialEq)]
pub struct Contribution {
    /// The values of the rule's variables.
    pub bindings: Vec<(Word, Value)>,
    /// For each premise what it rests on.
    pub premises: Vec<Support>,
}

/// What a premise rests on.
#[derive(Clone, Debug, PartialEq)]
pub enum Support {
    /// A fact.
    Fact(NodeId),
    /// That there is no fact like this; `None` stands for any value.
    Absent(PredId, Vec<Option<Value>>),
    /// It was computed from the bindings.
    Computed,
    /// A deferred predicate says so, with these arguments.
    Called(PredId, Vec<Value>),
}
