//! Arithmetic. Integers are 64 bits wide and wrap around, as everywhere in the language.

use super::{
    context::{Context, Fault},
    entry::{FunctionEntry, Params, entry, exactly, many},
};
use crate::value::Value;

const NUMBERS: Params = many(&["/number"]);
const FLOATS: Params = many(&[".Union</number, /float64>"]);

pub(super) const FUNCTIONS: &[FunctionEntry] = &[
    entry(
        "fn:plus",
        NUMBERS,
        "/number",
        "The sum of all arguments.",
        "fn:plus(1, 2, 3)",
        "6",
        |cx, args| fold_numbers(cx, 0, args, |sum, number| Ok(sum.wrapping_add(number))),
    ),
    entry(
        "fn:minus",
        many(&["/number", "/number"]),
        "/number",
        "The first argument less all others; with one argument, its negative.",
        "fn:minus(10, 3, 2)",
        "5",
        minus,
    ),
    entry(
        "fn:mult",
        NUMBERS,
        "/number",
        "The product of all arguments.",
        "fn:mult(2, 3, 4)",
        "24",
        |cx, args| fold_numbers(cx, 1, args, |product, number| Ok(product.wrapping_mul(number))),
    ),
    entry(
        "fn:div",
        many(&["/number", "/number"]),
        "/number",
        "The first argument divided by all others in turn, cut towards zero; with one argument, one divided by it. Zero as a divisor is an error.",
        "fn:div(7, 2)",
        "3",
        divide,
    ),
    entry(
        "fn:mod",
        exactly(&["/number", "/number"]),
        "/number",
        "What is left of the first argument after division by the second, with the sign of the first. Zero as a divisor is an error.",
        "fn:mod(-7, 2)",
        "-1",
        |cx, args| fold_numbers(cx, cx.number(args[0])?, &args[1..], remainder),
    ),
    entry(
        "fn:sqrt",
        exactly(&[".Union</number, /float64>"]),
        "/float64",
        "The square root, as a float.",
        "fn:sqrt(2.25)",
        "1.5",
        |cx, args| {
            let root = cx.float(args[0])?.sqrt();
            Ok(cx.interner.float(root))
        },
    ),
    entry(
        "fn:float:plus",
        FLOATS,
        "/float64",
        "The sum of all arguments as a float; numbers are taken as floats.",
        "fn:float:plus(1.5, 2)",
        "3.5",
        |cx, args| fold_floats(cx, 0.0, args, |sum, float| Ok(sum + float)),
    ),
    entry(
        "fn:float:mult",
        FLOATS,
        "/float64",
        "The product of all arguments as a float; numbers are taken as floats.",
        "fn:float:mult(1.5, 2)",
        "3",
        |cx, args| fold_floats(cx, 1.0, args, |product, float| Ok(product * float)),
    ),
    entry(
        "fn:float:div",
        many(&[".Union</number, /float64>", ".Union</number, /float64>"]),
        "/float64",
        "The first argument divided by all others in turn; with one argument, one divided by it. Zero as a divisor is an error.",
        "fn:float:div(1.5, 2.0)",
        "0.75",
        |cx, args| match args {
            [only] => fold_floats(cx, 1.0, &[*only], over),
            [first, rest @ ..] => fold_floats(cx, cx.float(*first)?, rest, over),
            [] => Err(Fault::Range("defined without an argument")),
        },
    ),
];

fn fold_numbers(cx: &mut Context<'_>, start: i64, args: &[Value], step: fn(i64, i64) -> Result<i64, Fault>) -> Result<Value, Fault> {
    let mut result = start;
    for &arg in args {
        result = step(result, cx.number(arg)?)?;
    }
    Ok(cx.interner.number(result))
}

fn fold_floats(cx: &mut Context<'_>, start: f64, args: &[Value], step: fn(f64, f64) -> Result<f64, Fault>) -> Result<Value, Fault> {
    let mut result = start;
    for &arg in args {
        result = step(result, cx.float(arg)?)?;
    }
    Ok(cx.interner.float(result))
}

fn minus(cx: &mut Context<'_>, args: &[Value]) -> Result<Value, Fault> {
    match args {
        [only] => fold_numbers(cx, 0, &[*only], |zero, number| Ok(zero.wrapping_sub(number))),
        [first, rest @ ..] => fold_numbers(cx, cx.number(*first)?, rest, |left, number| Ok(left.wrapping_sub(number))),
        [] => Err(Fault::Range("defined without an argument")),
    }
}

fn divide(cx: &mut Context<'_>, args: &[Value]) -> Result<Value, Fault> {
    match args {
        [only] => fold_numbers(cx, 1, &[*only], quotient),
        [first, rest @ ..] => fold_numbers(cx, cx.number(*first)?, rest, quotient),
        [] => Err(Fault::Range("defined without an argument")),
    }
}

fn quotient(number: i64, divisor: i64) -> Result<i64, Fault> {
    if divisor == 0 {
        Err(Fault::DivisionByZero)
    } else {
        Ok(number.wrapping_div(divisor))
    }
}

fn remainder(number: i64, divisor: i64) -> Result<i64, Fault> {
    if divisor == 0 {
        Err(Fault::DivisionByZero)
    } else {
        Ok(number.wrapping_rem(divisor))
    }
}

fn over(number: f64, divisor: f64) -> Result<f64, Fault> {
    if divisor == 0.0 {
        Err(Fault::DivisionByZero)
    } else {
        Ok(number / divisor)
    }
}
