//! Evaluates transforms, the part of a rule after `|>`.

use std::collections::{BTreeMap, BTreeSet};

use mangle::syntax::ast::{Call, Clause, Let, TermKind, Transform};

use super::{
    Facts, Fail,
    body::{self, solve},
    term::{Binding, eval},
    value::Value,
};

/// Returns every binding that a rule's head is derived for.
pub(crate) fn bindings(rule: &Clause, facts: &Facts) -> Result<Vec<Binding>, Fail> {
    let mut bindings = solve(&rule.premises, facts)?;
    if let [_, _, ..] = &rule.premises[..] {
        bindings = named(bindings);
    }
    for transform in &rule.transforms {
        bindings = apply(transform, bindings)?;
    }
    Ok(bindings)
}

/// Adds what the rule's `let`s define to a binding of the body.
pub(crate) fn lets_of(rule: &Clause, binding: Binding) -> Result<Binding, Fail> {
    rule.transforms
        .iter()
        .try_fold(binding, |binding, transform| lets(&transform.lets, binding))
}

/// Returns the variables that no `let` defines.
pub(crate) fn body_variables(rule: &Clause) -> BTreeSet<String> {
    let mut found = Vec::new();
    for premise in &rule.premises {
        body::binds(premise, &mut found);
    }
    found.into_iter().collect()
}

/// Returns the distinct bindings of the variables that have a name. With a single premise each fact is a row instead, as in the public
/// engine.
fn named(bindings: Vec<Binding>) -> Vec<Binding> {
    let named = |binding: Binding| binding.into_iter().filter(|(name, _)| !name.starts_with('_')).collect();
    let distinct: BTreeSet<Binding> = bindings.into_iter().map(named).collect();
    distinct.into_iter().collect()
}

fn apply(transform: &Transform, bindings: Vec<Binding>) -> Result<Vec<Binding>, Fail> {
    let Some(group) = &transform.group else {
        let each = bindings.into_iter().map(|binding| lets(&transform.lets, binding));
        return each.collect();
    };
    let mut groups: BTreeMap<Vec<(String, Value)>, Vec<Binding>> = BTreeMap::new();
    for binding in bindings {
        groups.entry(key(group, &binding)?).or_default().push(binding);
    }
    let each = groups
        .into_iter()
        .map(|(key, rows)| reduce(&transform.lets, key.into_iter().collect(), &rows));
    each.collect()
}

fn lets(lets: &[Let], mut binding: Binding) -> Result<Binding, Fail> {
    for one in lets {
        let value = eval(&one.value, &binding)?;
        binding.insert(one.variable.text.to_string(), value);
    }
    Ok(binding)
}

/// Returns the variables of `fn:group_by(..)` with their values.
fn key(group: &Call, binding: &Binding) -> Result<Vec<(String, Value)>, Fail> {
    let one = |arg: &mangle::syntax::ast::Term| match &arg.kind {
        TermKind::Variable(name) => Ok((name.to_string(), eval(arg, binding)?)),
        other => Err(Fail::NotCovered(format!("{other:?} as a key"))),
    };
    group.args.iter().map(one).collect()
}

/// Returns one binding for a group: its key and the results of the reducers.
fn reduce(lets: &[Let], mut result: Binding, rows: &[Binding]) -> Result<Binding, Fail> {
    for one in lets {
        let TermKind::Call(call) = &one.value.kind else {
            return Err(Fail::NotCovered("a group without a reducer".to_owned()));
        };
        let value = match &*call.function.text {
            "fn:count" => Value::Number(rows.len() as i64),
            "fn:sum" => Value::Number(sum(&column(call, rows)?)?),
            "fn:min" | "fn:time:min" | "fn:duration:min" => column(call, rows)?.first().cloned().ok_or(Fail::Unbound)?,
            "fn:max" | "fn:time:max" | "fn:duration:max" => column(call, rows)?.last().cloned().ok_or(Fail::Unbound)?,
            "fn:collect" => Value::List(column(call, rows)?),
            "fn:collect_distinct" => {
                let mut values = column(call, rows)?;
                values.dedup();
                Value::List(values)
            }
            name => eval(&one.value, &result).map_err(|fail| match fail {
                Fail::Unbound => Fail::NotCovered(name.to_owned()),
                other => other,
            })?,
        };
        result.insert(one.variable.text.to_string(), value);
    }
    Ok(result)
}

/// Returns the value of a reducer's argument in each row, in ascending order.
fn column(call: &Call, rows: &[Binding]) -> Result<Vec<Value>, Fail> {
    let arg = call.args.first().ok_or(Fail::Unbound)?;
    let mut values = rows.iter().map(|row| eval(arg, row)).collect::<Result<Vec<_>, _>>()?;
    values.sort();
    Ok(values)
}

fn sum(values: &[Value]) -> Result<i64, Fail> {
    values.iter().try_fold(0_i64, |sum, value| match value {
        Value::Number(number) => Ok(sum.wrapping_add(*number)),
        other => Err(Fail::NoResult(format!("{other} is no number"))),
    })
}
