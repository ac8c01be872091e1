//! The import cycles that are allowed, each for a reason. The list only shrinks.

/// Files of a crate that may form an import cycle.
#[derive(Clone, Copy, Debug)]
pub(crate) struct Allowed {
    pub(crate) krate: &'static str,
    /// Their paths from the crate's `src`.
    pub(crate) files: &'static [&'static str],
    /// The reason, in one sentence.
    pub(crate) why: &'static str,
}

#[rustfmt::skip]
pub(crate) const ALLOWED: &[Allowed] = &[
    Allowed { krate: "jsonrpc",
              files: &["canonical.rs", "edit.rs", "envelope.rs", "error.rs", "error_object.rs", "id.rs", "message.rs", "object.rs",
                       "raw.rs", "scan.rs", "scan/number.rs", "scan/string.rs", "value.rs"],
              why: "a payload hands out the objects, editors and errors that are made of payloads, and the scanner reports errors that quote them" },
    Allowed { krate: "mangle",
              files: &["analysis/clause_types.rs", "analysis/fits.rs"],
              why: "types are nested: how two fit is asked of their parts, and the parts of a clause have types in turn" },
    Allowed { krate: "mangle",
              files: &["analysis/mod.rs", "analysis/names.rs", "analysis/results.rs", "analysis/weight.rs"],
              why: "what every pass is given stands in the file that runs the passes; not taken apart yet" },
    Allowed { krate: "mangle",
              files: &["analysis/types/mod.rs", "analysis/types/relate.rs"],
              why: "types hold types: a type is joined by joining its parts" },
    Allowed { krate: "mangle",
              files: &["builtin/compound.rs", "builtin/context.rs", "builtin/entry.rs", "builtin/reducer.rs", "builtin/relation.rs",
                       "eval/budget.rs", "eval/room.rs", "eval/table.rs", "program/predicate.rs", "program/rule.rs", "program/time.rs",
                       "value/interner.rs", "value/pool.rs"],
              why: "a rule holds the built-in functions it calls, which work on the values and budgets of the rules that call them; not taken apart yet" },
    Allowed { krate: "mangle",
              files: &["builtin/mod.rs", "builtin/over_list.rs"],
              why: "the functions over lists look up, in the table that lists them, the reducers they apply" },
    Allowed { krate: "mangle",
              files: &["eval/call.rs", "eval/machine.rs", "eval/machine/ahead.rs", "eval/machine/emit.rs", "eval/machine/expr.rs",
                       "eval/machine/outbox.rs", "eval/machine/rows.rs", "eval/merge.rs", "eval/plan.rs", "eval/plan/injective.rs",
                       "eval/plan/live.rs", "eval/plan/order.rs", "eval/relation.rs"],
              why: "calls are nested: a plan's machine evaluates the predicate that it calls by planning it and running a machine" },
    Allowed { krate: "mangle",
              files: &["eval/evaluation.rs", "eval/round.rs"],
              why: "a round is one step of the evaluation that it carries on; not taken apart yet" },
    Allowed { krate: "mangle",
              files: &["eval/index.rs", "eval/segment.rs"],
              why: "a segment holds its index, which reads the segment's columns; not taken apart yet" },
    Allowed { krate: "mangle",
              files: &["explain/earlier.rs", "explain/mod.rs", "explain/search.rs", "explain/why.rs", "explain/why_not.rs"],
              why: "explanations are nested: each way to explain a fact asks the explainer for the facts it rests on" },
    Allowed { krate: "chancery-sdk",
              files: &["args.rs", "ask.rs", "error.rs"],
              why: "an error can be a question to the user, whose answer is read as arguments, which can fail; not taken apart yet" },
    Allowed { krate: "chancery-sdk",
              files: &["catalog.rs", "context.rs", "core.rs", "handle.rs", "handler.rs", "machine/facts.rs", "machine/interface.rs",
                       "machine/mod.rs", "prompt.rs", "resource.rs", "tool.rs"],
              why: "a handler is given the context of its call, through which it can change the catalog of handlers" },
    Allowed { krate: "chancery-sdk",
              files: &["http/endpoint.rs", "http/mod.rs"],
              why: "the endpoint answers at the path that the folder's front documents; not taken apart yet" },
];
