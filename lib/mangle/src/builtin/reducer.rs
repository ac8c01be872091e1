//! Reducers: from the rows of a group to one value. Rows are a multiset: equal values of different rows all count.

use super::{
    compound::tuple,
    context::{Context, Fault},
    entry::{Example, Params, ReducerEntry, exactly, many},
};
use crate::value::{Value, View};

/// The rows of one group, flat: each has as many values as the call has arguments.
#[derive(Clone, Copy, Debug)]
pub(crate) struct Rows<'a> {
    /// The number of rows.
    pub count: usize,
    /// The arguments of the call, row after row.
    pub values: &'a [Value],
}

impl Rows<'_> {
    fn iter(&self) -> impl Iterator<Item = &[Value]> {
        let width = self.values.len().checked_div(self.count).unwrap_or(0);
        (0..self.count).map(move |row| &self.values[row * width..(row + 1) * width])
    }
}

type Eval = fn(&mut Context<'_>, &Rows<'_>) -> Result<Value, Fault>;

const fn plain(
    name: &'static str,
    params: Params,
    result: &'static str,
    doc: &'static str,
    write: &'static str,
    get: &'static str,
    eval: Eval,
) -> ReducerEntry {
    ReducerEntry {
        name,
        params,
        result,
        doc,
        example: Example { write, get },
        ordered: false,
        gathers: false,
        eval,
    }
}

/// Returns a reducer whose result depends on the order of the rows.
const fn ordered(entry: ReducerEntry) -> ReducerEntry {
    ReducerEntry { ordered: true, ..entry }
}

/// Returns a reducer whose result contains the rows, in order.
const fn gathering(entry: ReducerEntry) -> ReducerEntry {
    ReducerEntry {
        gathers: true,
        ..ordered(entry)
    }
}

const NUMBER: Params = exactly(&["/number"]);
const FLOAT: Params = exactly(&["/float64"]);
const TIME: Params = exactly(&["/time"]);
const DURATION: Params = exactly(&["/duration"]);

pub(super) const REDUCERS: &[ReducerEntry] = &[
    plain(
        "fn:count",
        exactly(&[]),
        "/number",
        "The number of rows.",
        "v(/a). v(/b). => fn:count()",
        "2",
        |cx, rows| Ok(cx.interner.number(rows.count as i64)),
    ),
    ordered(plain(
        "fn:count_distinct",
        many(&["/any"]),
        "/number",
        "The number of rows that differ in a variable of the body.",
        "v(/a). v(/b). => fn:count_distinct()",
        "2",
        |cx, rows| {
            // In order, equal rows are side by side.
            let (mut count, mut last) = (0, None);
            for row in rows.iter() {
                count += i64::from(last.replace(row) != Some(row));
            }
            Ok(cx.interner.number(count))
        },
    )),
    plain(
        "fn:sum",
        NUMBER,
        "/number",
        "The sum of numbers.",
        "v(1). v(5). => fn:sum(X)",
        "6",
        |cx, rows| numbers(cx, rows, 0, i64::wrapping_add),
    ),
    plain(
        "fn:max",
        NUMBER,
        "/number",
        "The largest number.",
        "v(1). v(5). => fn:max(X)",
        "5",
        |cx, rows| numbers(cx, rows, i64::MIN, i64::max),
    ),
    plain(
        "fn:min",
        NUMBER,
        "/number",
        "The smallest number.",
        "v(1). v(5). => fn:min(X)",
        "1",
        |cx, rows| numbers(cx, rows, i64::MAX, i64::min),
    ),
    ordered(plain(
        "fn:avg",
        exactly(&[".Union</number, /float64>"]),
        "/float64",
        "The mean of numbers or floats, as a float.",
        "v(1). v(2). v(6). => fn:avg(X)",
        "3",
        average,
    )),
    ordered(plain(
        "fn:float:sum",
        FLOAT,
        "/float64",
        "The sum of floats, added in the order of their size.",
        "v(1.5). v(0.25). => fn:float:sum(X)",
        "1.75",
        |cx, rows| floats(cx, rows, 0.0, |sum, float| sum + float),
    )),
    plain(
        "fn:float:max",
        FLOAT,
        "/float64",
        "The largest float.",
        "v(1.5). v(0.25). => fn:float:max(X)",
        "1.5",
        |cx, rows| floats(cx, rows, -f64::MAX, f64::max),
    ),
    plain(
        "fn:float:min",
        FLOAT,
        "/float64",
        "The smallest float.",
        "v(1.5). v(0.25). => fn:float:min(X)",
        "0.25",
        |cx, rows| floats(cx, rows, f64::MAX, f64::min),
    ),
    plain(
        "fn:duration:sum",
        DURATION,
        "/duration",
        "The sum of durations.",
        "v(fn:duration:parse(\"1h\")). v(fn:duration:parse(\"2h\")). => fn:duration:sum(X)",
        "3h0m0s",
        |cx, rows| durations(cx, rows, 0, i64::wrapping_add),
    ),
    plain(
        "fn:duration:max",
        DURATION,
        "/duration",
        "The longest duration.",
        "v(fn:duration:parse(\"1h\")). v(fn:duration:parse(\"2h\")). => fn:duration:max(X)",
        "2h0m0s",
        |cx, rows| durations(cx, rows, i64::MIN, i64::max),
    ),
    plain(
        "fn:duration:min",
        DURATION,
        "/duration",
        "The shortest duration.",
        "v(fn:duration:parse(\"1h\")). v(fn:duration:parse(\"2h\")). => fn:duration:min(X)",
        "1h0m0s",
        |cx, rows| durations(cx, rows, i64::MAX, i64::min),
    ),
    plain(
        "fn:time:max",
        TIME,
        "/time",
        "The latest time.",
        "v(fn:time:from_unix_nanos(0)). v(fn:time:from_unix_nanos(1000000000)). => fn:time:max(X)",
        "1970-01-01T00:00:01Z",
        |cx, rows| times(cx, rows, i64::MIN, i64::max),
    ),
    plain(
        "fn:time:min",
        TIME,
        "/time",
        "The earliest time.",
        "v(fn:time:from_unix_nanos(0)). v(fn:time:from_unix_nanos(1000000000)). => fn:time:min(X)",
        "1970-01-01T00:00:00Z",
        |cx, rows| times(cx, rows, i64::MAX, i64::min),
    ),
    gathering(plain(
        "fn:collect",
        many(&["X", "/any"]),
        ".List<X>",
        "The values of all rows in a list, in their canonical order; several arguments make a tuple for each row.",
        "v(2). v(1). => fn:collect(X)",
        "[1, 2]",
        |cx, rows| {
            let items = tuples(cx, rows)?;
            Ok(cx.interner.list(&items))
        },
    )),
    gathering(plain(
        "fn:collect_distinct",
        many(&["X", "/any"]),
        ".List<X>",
        "As `fn:collect`, each value once.",
        "v(2). v(1). => fn:collect_distinct(X)",
        "[1, 2]",
        |cx, rows| {
            let mut items = tuples(cx, rows)?;
            items.dedup();
            Ok(cx.interner.list(&items))
        },
    )),
    gathering(plain(
        "fn:collect_to_map",
        exactly(&["X", "Y"]),
        ".Map<X, Y>",
        "A map with an entry for each distinct first value; of several second values the first in the canonical order is taken.",
        "v(/a). v(/b). => fn:collect_to_map(X, /true)",
        "[/a : /true, /b : /true]",
        |cx, rows| {
            let mut entries: Vec<(Value, Value)> = rows.iter().map(|row| (row[0], row[1])).collect();
            entries.dedup_by_key(|entry| entry.0);
            cx.interner.map(entries).map_err(|error| Fault::Twice(cx.show(error.0)))
        },
    )),
    ordered(plain(
        "fn:pick_any",
        exactly(&["X"]),
        "X",
        "One of the values: the first in the canonical order, so that it is always the same one.",
        "v(/b). v(/a). => fn:pick_any(X)",
        "/a",
        |_, rows| {
            let first = rows.values.first().copied();
            first.ok_or(Fault::Range("defined for a group without rows"))
        },
    )),
];

fn numbers(cx: &mut Context<'_>, rows: &Rows<'_>, start: i64, step: fn(i64, i64) -> i64) -> Result<Value, Fault> {
    let mut result = start;
    for &value in rows.values {
        result = step(result, cx.number(value)?);
    }
    Ok(cx.interner.number(result))
}

fn durations(cx: &mut Context<'_>, rows: &Rows<'_>, start: i64, step: fn(i64, i64) -> i64) -> Result<Value, Fault> {
    let mut result = start;
    for &value in rows.values {
        result = step(result, cx.duration(value)?);
    }
    Ok(cx.interner.duration(result))
}

fn times(cx: &mut Context<'_>, rows: &Rows<'_>, start: i64, step: fn(i64, i64) -> i64) -> Result<Value, Fault> {
    let mut result = start;
    for &value in rows.values {
        result = step(result, cx.time(value)?);
    }
    Ok(cx.interner.time(result))
}

fn floats(cx: &mut Context<'_>, rows: &Rows<'_>, start: f64, step: fn(f64, f64) -> f64) -> Result<Value, Fault> {
    let mut result = start;
    for &value in rows.values {
        let View::Float(float) = cx.interner.view(value) else {
            return Err(Fault::Kind {
                wanted: "a float",
                got: cx.show(value),
            });
        };
        result = step(result, float);
    }
    Ok(cx.interner.float(result))
}

fn average(cx: &mut Context<'_>, rows: &Rows<'_>) -> Result<Value, Fault> {
    let mut sum = 0.0;
    for &value in rows.values {
        sum += cx.float(value)?;
    }
    Ok(cx.interner.float(sum / rows.count as f64))
}

fn tuples(cx: &mut Context<'_>, rows: &Rows<'_>) -> Result<Vec<Value>, Fault> {
    rows.iter()
        .map(|row| tuple(cx, row).ok_or(Fault::Range("defined without an argument")))
        .collect()
}
