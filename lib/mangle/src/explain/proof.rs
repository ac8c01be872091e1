//! Proofs: facts, and what each of them rests on. A fact occurs once, however often it is used.

use crate::{
    program::{Interval, PredId, RuleId},
    syntax::Word,
    value::Value,
};

/// The number of a fact in a proof.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub struct NodeId(pub u32);

/// The proof of a fact. What a fact rests on comes after it; no fact rests on itself.
#[derive(Clone, Debug, PartialEq)]
pub struct Proof {
    /// The facts; the first is the one in question.
    pub nodes: Vec<Node>,
}

impl Proof {
    /// Returns a fact by its number.
    pub fn node(&self, id: NodeId) -> &Node {
        &self.nodes[id.0 as usize]
    }

    /// Returns the facts that the proof rests on and that were given, not derived.
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
    /// The reason; a fact that holds at an interval may have several, which together cover it.
    pub because: Vec<Because>,
}

/// A reason why a fact holds.
#[derive(Clone, Debug, PartialEq)]
pub enum Because {
    /// The fact was given: it is in the program, or came with the request.
    Given,
    /// The fact is the answer of an external predicate.
    Answered,
    /// A rule derives the fact.
    Rule(Derivation),
    /// The fact was merged from two, because its predicate keeps one fact for each key. Neither of the two need exist
    /// any more.
    Merged {
        /// The old fact.
        before: NodeId,
        /// The new fact.
        with: NodeId,
    },
}

/// One use of a rule.
#[derive(Clone, Debug, PartialEq)]
pub struct Derivation {
    /// The rule.
    pub rule: RuleId,
    /// When its head holds with these values.
    pub time: Option<Interval>,
    /// The values of its variables, in the order of their numbers; for a group those of the first row.
    pub bindings: Vec<(Word, Value)>,
    /// What each premise rests on; empty for a group.
    pub premises: Vec<Support>,
    /// The rows of the group, for a rule with groups.
    pub group: Vec<Contribution>,
}

/// One row of a group.
#[derive(Clone, Debug, PartialEq)]
pub struct Contribution {
    /// The values of the rule's variables.
    pub bindings: Vec<(Word, Value)>,
    /// What each premise rests on.
    pub premises: Vec<Support>,
}

/// What a premise rests on.
#[derive(Clone, Debug, PartialEq)]
pub enum Support {
    /// A fact.
    Fact(NodeId),
    /// The absence of a fact; `None` stands for any value.
    Absent(PredId, Vec<Option<Value>>),
    /// A computation from the bindings.
    Computed,
    /// An answer of a deferred predicate, with these arguments.
    Called(PredId, Vec<Value>),
}
