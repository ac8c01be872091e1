//! Lists.

use super::{
    context::{Context, Fault},
    entry::{FunctionEntry, entry, exactly, many},
};
use crate::value::{Value, View};

pub(super) const FUNCTIONS: &[FunctionEntry] = &[
    entry(
        "fn:list",
        many(&["X"]),
        ".List<X>",
        "The list of the arguments; the same as `[..]`.",
        "fn:list(1, 2)",
        "[1, 2]",
        |cx, args| Ok(cx.interner.list(args)),
    ),
    entry(
        "fn:list:len",
        exactly(&[".List<X>"]),
        "/number",
        "How many items a list has.",
        "fn:list:len([7, 8, 9])",
        "3",
        |cx, args| {
            let count = cx.list(args[0])?.len();
            Ok(cx.interner.number(count as i64))
        },
    ),
    entry(
        "fn:list:get",
        exactly(&[".List<X>", "/number"]),
        "X",
        "The item at a position, counted from zero. No such position is an error.",
        "fn:list:get([7, 8, 9], 1)",
        "8",
        get,
    ),
    entry(
        "fn:list:contains",
        exactly(&[".List<X>", "X"]),
        ".Union<.Singleton</true>, .Singleton</false>>",
        "`/true` if the value is an item of the list, else `/false`.",
        "fn:list:contains([7, 8], 8)",
        "/true",
        |cx, args| {
            let found = cx.list(args[0])?.contains(&args[1]);
            Ok(cx.interner.truth(found))
        },
    ),
    entry(
        "fn:list:append",
        exactly(&[".List<X>", "X"]),
        ".List<X>",
        "The list with the value behind its last item.",
        "fn:list:append([1, 2], 3)",
        "[1, 2, 3]",
        |cx, args| {
            let mut items = cx.list(args[0])?;
            items.push(args[1]);
            Ok(cx.interner.list(&items))
        },
    ),
    entry(
        "fn:list:cons",
        exactly(&["X", ".List<X>"]),
        ".List<X>",
        "The list with the value before its first item.",
        "fn:list:cons(0, [1, 2])",
        "[0, 1, 2]",
        |cx, args| {
            let mut items = cx.list(args[1])?;
            items.insert(0, args[0]);
            Ok(cx.interner.list(&items))
        },
    ),
];

fn get(cx: &mut Context<'_>, args: &[Value]) -> Result<Value, Fault> {
    let index = cx.number(args[1])?;
    let View::List(items) = cx.interner.view(args[0]) else {
        return cx.list(args[0]).map(|_| args[0]);
    };
    let item = usize::try_from(index).ok().and_then(|index| items.get(index));
    item.ok_or_else(|| Fault::Missing {
        what: format!("item {index}"),
        within: cx.show(args[0]),
    })
}
