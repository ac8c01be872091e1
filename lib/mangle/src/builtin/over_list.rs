//! Reducers as functions of a list: outside a group, `fn:max([1, 2])` reduces the items.

use super::{
    context::{Context, Fault},
    entry::{FunctionEntry, Params, entry, exactly},
    reducer::Rows,
};
use crate::value::Value;

const NUMBERS: Params = exactly(&[".List</number>"]);
const FLOATS: Params = exactly(&[".List</float64>"]);
const TIMES: Params = exactly(&[".List</time>"]);
const DURATIONS: Params = exactly(&[".List</duration>"]);

macro_rules! over_list {
    ($($name:literal $params:ident $result:literal $doc:literal $write:literal $get:literal)*) => {
        pub(super) const FUNCTIONS: &[FunctionEntry] =
            &[$(entry($name, $params, $result, $doc, $write, $get, |cx, args| reduce(cx, $name, args[0])),)*];
    };
}

over_list! {
    "fn:sum" NUMBERS "/number" "The sum of the items." "fn:sum([1, 2, 3])" "6"
    "fn:min" NUMBERS "/number" "The smallest item." "fn:min([3, 1, 2])" "1"
    "fn:max" NUMBERS "/number" "The largest item." "fn:max([3, 1, 2])" "3"
    "fn:float:sum" FLOATS "/float64" "The sum of the items." "fn:float:sum([1.5, 3.0])" "4.5"
    "fn:float:min" FLOATS "/float64" "The smallest item." "fn:float:min([1.5, 3.0])" "1.5"
    "fn:float:max" FLOATS "/float64" "The largest item." "fn:float:max([1.5, 3.0])" "3"
    "fn:time:min" TIMES "/time" "The earliest item." "fn:time:min([fn:time:from_unix_nanos(5), fn:time:from_unix_nanos(2)])" "1970-01-01T00:00:00.000000002Z"
    "fn:time:max" TIMES "/time" "The latest item." "fn:time:max([fn:time:from_unix_nanos(5), fn:time:from_unix_nanos(2)])" "1970-01-01T00:00:00.000000005Z"
    "fn:duration:sum" DURATIONS "/duration" "All items together." "fn:duration:sum([fn:duration:parse('1m'), fn:duration:parse('2s')])" "1m2s"
    "fn:duration:min" DURATIONS "/duration" "The shortest item." "fn:duration:min([fn:duration:parse('1m'), fn:duration:parse('2s')])" "2s"
    "fn:duration:max" DURATIONS "/duration" "The longest item." "fn:duration:max([fn:duration:parse('1m'), fn:duration:parse('2s')])" "1m0s"
}

fn reduce(cx: &mut Context<'_>, name: &'static str, list: Value) -> Result<Value, Fault> {
    let items = cx.list(list)?.to_vec();
    let reducer = super::reducer(name).expect("every function here has a reducer of its name");
    let rows = Rows {
        count: items.len(),
        values: &items,
    };
    (reducer.eval)(cx, &rows)
}
