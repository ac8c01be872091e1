//! The description of each built-in, and the handles that rules hold.

use std::{fmt, ops::Deref};

use super::{
    context::{Context, Fault},
    relation::Answers,
};
use crate::{program::Mode, value::Value};

/// The arguments that a function takes, as Mangle type expressions; single capitals are type variables.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Params {
    /// The type of each argument.
    pub types: &'static [&'static str],
    /// Whether the last type may repeat, zero or more times.
    pub variadic: bool,
}

impl Params {
    /// Returns whether `count` arguments are accepted.
    pub fn accept(&self, count: usize) -> bool {
        if self.variadic {
            count + 1 >= self.types.len()
        } else {
            count == self.types.len()
        }
    }
}

/// Returns parameters of exactly these types.
pub(super) const fn exactly(types: &'static [&'static str]) -> Params {
    Params { types, variadic: false }
}

/// Returns parameters of these types, the last one any number of times.
pub(super) const fn many(types: &'static [&'static str]) -> Params {
    Params { types, variadic: true }
}

/// An example: an expression (or a body) and its result.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Example {
    /// The input: for a function an expression; for a relation a body; for a reducer the rows `v(..)` and a call
    /// without commas.
    pub write: &'static str,
    /// The printed output: the value, the bindings as `X = 1, Y = 2` (`; ` between rows, `no` for none), or the reduced
    /// value.
    pub get: &'static str,
}

/// A function of values to a value.
pub struct FunctionEntry {
    /// Its name, with `fn:`.
    pub name: &'static str,
    /// The types of its arguments.
    pub params: Params,
    /// The type of its result, as a type expression.
    pub result: &'static str,
    /// Its meaning, in a sentence or two.
    pub doc: &'static str,
    /// An example of its use.
    pub example: Example,
    pub(crate) eval: Eval,
}

type Eval = fn(&mut Context<'_>, &[Value]) -> Result<Value, Fault>;

/// Builds a function's entry: name, parameters, result, meaning, an expression and its value, and the code.
pub(super) const fn entry(
    name: &'static str,
    params: Params,
    result: &'static str,
    doc: &'static str,
    write: &'static str,
    get: &'static str,
    eval: Eval,
) -> FunctionEntry {
    FunctionEntry {
        name,
        params,
        result,
        doc,
        example: Example { write, get },
        eval,
    }
}

/// A reducer of the rows of a group to a value.
pub struct ReducerEntry {
    /// Its name, with `fn:`.
    pub name: &'static str,
    /// The types of its arguments for each row.
    pub params: Params,
    /// The type of its result.
    pub result: &'static str,
    /// Its meaning.
    pub doc: &'static str,
    /// An example of its use.
    pub example: Example,
    /// Whether the result depends on the order of the rows: then they are passed in the canonical order.
    pub(crate) ordered: bool,
    /// Whether all rows may be in the result.
    pub(crate) gathers: bool,
    /// The function that reduces the rows, each with as many values as the call has arguments.
    pub(crate) eval: fn(&mut Context<'_>, &super::reducer::Rows<'_>) -> Result<Value, Fault>,
}

/// A relation between values that is computed, not stored.
pub struct RelationEntry {
    /// Its name, with its colon.
    pub name: &'static str,
    /// The types of its arguments.
    pub params: Params,
    /// The arguments that need a value beforehand.
    pub modes: &'static [Mode],
    /// Its meaning.
    pub doc: &'static str,
    /// An example of its use.
    pub example: Example,
    pub(crate) eval: fn(&mut Context<'_>, &[Value], &mut Answers) -> Result<(), Fault>,
}

/// The required type of both sides of a comparison.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Operand {
    /// Numbers and floats are compared by size; two values of another kind in the canonical order of that kind.
    Ordered,
    /// Integers.
    Number,
    /// Times.
    Time,
    /// Durations.
    Duration,
}

macro_rules! handle {
    ($(#[$doc:meta])* $name:ident => $entry:ident) => {
        $(#[$doc])*
        #[derive(Clone, Copy)]
        pub struct $name(&'static $entry);

        impl $name {
            pub(super) const fn new(entry: &'static $entry) -> Self {
                Self(entry)
            }
        }

        impl Deref for $name {
            type Target = $entry;

            fn deref(&self) -> &$entry {
                self.0
            }
        }

        impl PartialEq for $name {
            fn eq(&self, other: &Self) -> bool {
                self.0.name == other.0.name
            }
        }

        impl Eq for $name {}

        impl fmt::Debug for $name {
            fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
                f.write_str(self.0.name)
            }
        }

        impl fmt::Debug for $entry {
            fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
                f.write_str(self.name)
            }
        }
    };
}

handle! {
    /// A built-in function.
    Function => FunctionEntry
}
handle! {
    /// A built-in reducer.
    Reducer => ReducerEntry
}
handle! {
    /// A built-in relation.
    Relation => RelationEntry
}
