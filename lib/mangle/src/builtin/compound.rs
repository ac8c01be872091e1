//! Pairs, tuples, options, maps and structs.

use super::{
    context::{Context, Fault},
    entry::{FunctionEntry, entry, exactly, many},
};
use crate::value::{MapError, Value, View};

pub(super) const FUNCTIONS: &[FunctionEntry] = &[
    entry(
        "fn:pair",
        exactly(&["X", "Y"]),
        ".Pair<X, Y>",
        "The pair of two values.",
        "fn:pair(1, /a)",
        "fn:pair(1, /a)",
        |cx, args| Ok(cx.interner.pair(args[0], args[1])),
    ),
    entry(
        "fn:pair:fst",
        exactly(&[".Pair<X, Y>"]),
        "X",
        "The first value of a pair.",
        "fn:pair:fst(fn:pair(1, /a))",
        "1",
        |cx, args| Ok(cx.pair(args[0])?.0),
    ),
    entry(
        "fn:pair:snd",
        exactly(&[".Pair<X, Y>"]),
        "Y",
        "The second value of a pair.",
        "fn:pair:snd(fn:pair(1, /a))",
        "/a",
        |cx, args| Ok(cx.pair(args[0])?.1),
    ),
    entry(
        "fn:tuple",
        many(&["/any", "/any"]),
        "/any",
        "One value is itself, two are a pair, more are a pair of the first and the tuple of the rest.",
        "fn:tuple(1, 2, 3)",
        "fn:pair(1, fn:pair(2, 3))",
        |cx, args| tuple(cx, args).ok_or(Fault::Range("defined without an argument")),
    ),
    entry(
        "fn:some",
        exactly(&["X"]),
        ".Option<X>",
        "A value where there might be none. It is represented by the value itself.",
        "fn:some(1)",
        "1",
        |_, args| Ok(args[0]),
    ),
    entry(
        "fn:map",
        many(&["/any"]),
        "/any",
        "The map of keys and values that alternate; the same as `[key : value, ..]`. A key must not stand twice.",
        "fn:map(/k, 1, /l, 2)",
        "[/k : 1, /l : 2]",
        |cx, args| {
            let entries = entries(args)?;
            let made = cx.interner.map(entries);
            made.map_err(|MapError(key)| Fault::Twice(cx.show(key)))
        },
    ),
    entry(
        "fn:struct",
        many(&["/any"]),
        "/any",
        "The struct of field names and values that alternate; the same as `{/field : value, ..}`. A field must not stand twice.",
        "fn:struct(/x, 1, /y, 2)",
        "{/x : 1, /y : 2}",
        |cx, args| {
            let fields = entries(args)?;
            let made = cx.interner.structure(fields);
            made.map_err(|MapError(key)| Fault::Twice(cx.show(key)))
        },
    ),
    entry(
        "fn:struct:get",
        exactly(&["/any", "/name"]),
        "/any",
        "The value of a field. No such field is an error; `:match_field` asks whether there is one.",
        "fn:struct:get({/x : 1, /y : 2}, /y)",
        "2",
        field,
    ),
];

/// Builds a tuple: one value is itself, more nest to the right.
pub(super) fn tuple(cx: &mut Context<'_>, args: &[Value]) -> Option<Value> {
    let (last, before) = args.split_last()?;
    Some(before.iter().rev().fold(*last, |rest, &first| cx.interner.pair(first, rest)))
}

fn entries(args: &[Value]) -> Result<Vec<(Value, Value)>, Fault> {
    if !args.len().is_multiple_of(2) {
        return Err(Fault::Range("defined for a key without a value"));
    }
    Ok(args.chunks_exact(2).map(|entry| (entry[0], entry[1])).collect())
}

fn field(cx: &mut Context<'_>, args: &[Value]) -> Result<Value, Fault> {
    let View::Struct(fields) = cx.interner.view(args[0]) else {
        return Err(Fault::Kind {
            wanted: "a struct",
            got: cx.show(args[0]),
        });
    };
    fields.get(args[1]).ok_or_else(|| Fault::Missing {
        what: format!("field `{}`", cx.show(args[1])),
        within: cx.show(args[0]),
    })
}
