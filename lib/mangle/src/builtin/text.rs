//! Names and strings.

use super::{
    context::{Context, Fault},
    entry::{FunctionEntry, entry, exactly, many},
};
use crate::value::{Value, View};

/// The length of the longest string that a function makes.
const LONGEST: usize = 16 << 20;

pub(super) const FUNCTIONS: &[FunctionEntry] = &[
    entry(
        "fn:string:concat",
        many(&["/any"]),
        "/string",
        "All arguments as one string: strings as they are, names, numbers and floats as they print.",
        "fn:string:concat(\"a\", 1, /b)",
        "\"a1/b\"",
        concat,
    ),
    entry(
        "fn:string:replace",
        exactly(&["/string", "/string", "/string", "/number"]),
        "/string",
        "The first string with the first so many occurrences of the second replaced by the third; a negative count means all.",
        "fn:string:replace(\"aaa\", \"a\", \"b\", 2)",
        "\"bba\"",
        replace,
    ),
    entry(
        "fn:number:to_string",
        exactly(&["/number"]),
        "/string",
        "A number as a string.",
        "fn:number:to_string(7)",
        "\"7\"",
        |cx, args| {
            let text = cx.number(args[0])?.to_string();
            Ok(cx.interner.string(&text))
        },
    ),
    entry(
        "fn:float64:to_string",
        exactly(&["/float64"]),
        "/string",
        "A float as a string, without an exponent; a whole one has no point.",
        "fn:float64:to_string(2.50)",
        "\"2.5\"",
        |cx, args| match cx.interner.view(args[0]) {
            View::Float(_) => {
                let text = cx.show(args[0]);
                Ok(cx.interner.string(&text))
            }
            _ => Err(Fault::Kind {
                wanted: "a float",
                got: cx.show(args[0]),
            }),
        },
    ),
    entry(
        "fn:name:to_string",
        exactly(&["/name"]),
        "/string",
        "A name as a string, slashes included.",
        "fn:name:to_string(/a/b)",
        "\"/a/b\"",
        |cx, args| {
            let text = cx.name(args[0])?.to_owned();
            Ok(cx.interner.string(&text))
        },
    ),
    entry(
        "fn:name:root",
        exactly(&["/name"]),
        "/name",
        "The first part of a name.",
        "fn:name:root(/a/b/c)",
        "/a",
        |cx, args| {
            let root = parts(cx.name(args[0])?).next().unwrap_or_default().to_owned();
            Ok(cx.interner.name(&root))
        },
    ),
    entry(
        "fn:name:tip",
        exactly(&["/name"]),
        "/name",
        "The last part of a name.",
        "fn:name:tip(/a/b/c)",
        "/c",
        |cx, args| {
            let tip = parts(cx.name(args[0])?).last().unwrap_or_default().to_owned();
            Ok(cx.interner.name(&tip))
        },
    ),
    entry(
        "fn:name:list",
        exactly(&["/name"]),
        ".List</name>",
        "The parts of a name, each a name of its own.",
        "fn:name:list(/a/b/c)",
        "[/a, /b, /c]",
        |cx, args| {
            let parts: Vec<String> = parts(cx.name(args[0])?).map(str::to_owned).collect();
            let parts: Vec<Value> = parts.iter().map(|part| cx.interner.name(part)).collect();
            Ok(cx.interner.list(&parts))
        },
    ),
];

/// Returns the parts of a name, each with its slash.
fn parts(name: &str) -> impl Iterator<Item = &str> {
    let slashes = name.match_indices('/').map(|(at, _)| at);
    let ends = name.match_indices('/').map(|(at, _)| at).skip(1).chain([name.len()]);
    slashes.zip(ends).map(|(start, end)| &name[start..end])
}

fn concat(cx: &mut Context<'_>, args: &[Value]) -> Result<Value, Fault> {
    let mut all = String::new();
    for &arg in args {
        match cx.interner.view(arg) {
            View::String(text) => all.push_str(text),
            View::Name(_) | View::Number(_) | View::Float(_) => all.push_str(&cx.show(arg)),
            _ => {
                return Err(Fault::Kind {
                    wanted: "a string, name, number or float",
                    got: cx.show(arg),
                });
            }
        }
    }
    Ok(cx.interner.string(&all))
}

fn replace(cx: &mut Context<'_>, args: &[Value]) -> Result<Value, Fault> {
    let (text, old, new) = (cx.string(args[0])?, cx.string(args[1])?, cx.string(args[2])?);
    let count = usize::try_from(cx.number(args[3])?).unwrap_or(usize::MAX);
    let found = text.matches(old).take(count).count();
    if text.len().saturating_add(found.saturating_mul(new.len())) > LONGEST {
        return Err(Fault::Range("a string of at most 16 MiB"));
    }
    let replaced = text.replacen(old, new, count);
    Ok(cx.interner.string(&replaced))
}
