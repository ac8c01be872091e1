//! Everything the language has built in: functions, relations and reducers, each with its signature, its meaning and an
//! example that runs. The reference for rule authors is generated from these tables, the analysis reads the signatures,
//! and the evaluator calls the entries: there is no second list.

mod compound;
mod context;
mod duration;
mod entry;
mod interval;
mod list;
mod number;
mod over_list;
mod reducer;
mod relation;
mod text;
mod time;
mod zone;

pub use context::{Context, Fault};
pub use entry::{Example, Function, FunctionEntry, Operand, Params, Reducer, ReducerEntry, Relation, RelationEntry};
pub(crate) use reducer::Rows;
pub(crate) use relation::Answers;

/// Returns all functions, by area and within an area in the order of the reference.
pub fn functions() -> impl Iterator<Item = Function> {
    [
        number::FUNCTIONS,
        text::FUNCTIONS,
        list::FUNCTIONS,
        compound::FUNCTIONS,
        time::FUNCTIONS,
        zone::FUNCTIONS,
        duration::FUNCTIONS,
        interval::FUNCTIONS,
        over_list::FUNCTIONS,
    ]
    .into_iter()
    .flatten()
    .map(Function::new)
}

/// Returns all reducers: the functions that may follow `do fn:group_by(..)`.
pub fn reducers() -> impl Iterator<Item = Reducer> {
    reducer::REDUCERS.iter().map(Reducer::new)
}

/// Returns all relations, the comparisons included.
pub fn relations() -> impl Iterator<Item = Relation> {
    relation::RELATIONS.iter().map(Relation::new)
}

/// Returns the function of this name (`fn:plus`), whatever its number of arguments.
pub fn function(name: &str) -> Option<Function> {
    functions().find(|function| function.name == name)
}

/// Returns the reducer of this name (`fn:sum`).
pub fn reducer(name: &str) -> Option<Reducer> {
    reducers().find(|reducer| reducer.name == name)
}

/// Returns the relation of this name (`:match_cons`).
pub fn relation(name: &str) -> Option<Relation> {
    relations().find(|relation| relation.name == name)
}
