//! Finds all bindings that satisfy the premises of a rule: nested loops over everything, in an order in which variables
//! have values when needed.

use mangle::syntax::ast::{Atom, CompareOp, Comparison, Literal, Premise, Term, TermKind};

use super::{
    Facts, Fail,
    term::{Binding, eval, variables},
    time,
    value::Value,
};

/// Returns each binding of the variables of `premises`, wildcards included, that satisfies them all.
pub(crate) fn solve(premises: &[Premise], facts: &Facts) -> Result<Vec<Binding>, Fail> {
    solve_from(Binding::new(), premises, facts)
}

/// Does the work of [`solve`] with variables that already have a value.
pub(crate) fn solve_from(start: Binding, premises: &[Premise], facts: &Facts) -> Result<Vec<Binding>, Fail> {
    let premises = name_wildcards(premises);
    let mut bound: Vec<String> = start.keys().cloned().collect();
    let mut solutions = vec![start];
    let mut left: Vec<&Premise> = premises.iter().collect();
    while !left.is_empty() {
        let next = left.iter().position(|premise| ready(premise, &bound)).or_else(|| {
            // A negation may have variables that nothing binds; it comes when nothing else is left.
            left.iter().all(|premise| is_check(premise)).then_some(0)
        });
        let premise = left.remove(next.ok_or(Fail::Unbound)?);
        let mut extended = Vec::new();
        for solution in &solutions {
            extended.extend(step(premise, solution, facts)?);
        }
        solutions = extended;
        binds(premise, &mut bound);
    }
    Ok(solutions)
}

/// Gives each wildcard of a positive atom a variable of its own.
fn name_wildcards(premises: &[Premise]) -> Vec<Premise> {
    let mut count = 0;
    let mut premises = premises.to_vec();
    for premise in &mut premises {
        let Premise::Atom(literal) = premise else { continue };
        for arg in &mut literal.atom.args {
            if arg.kind == TermKind::Wildcard {
                count += 1;
                arg.kind = TermKind::Variable(format!("_{count}").into());
            }
        }
    }
    premises
}

fn is_check(premise: &Premise) -> bool {
    matches!(premise, Premise::Negated(_))
}

/// Returns whether everything that needs a value beforehand has one.
fn ready(premise: &Premise, bound: &[String]) -> bool {
    let known = |term: &Term| {
        let mut needed = Vec::new();
        variables(term, &mut needed);
        needed.iter().all(|name| bound.contains(name))
    };
    match premise {
        Premise::Atom(literal) if literal.atom.predicate.text.starts_with(':') => {
            inputs(&literal.atom).iter().all(|&at| known(&literal.atom.args[at]))
        }
        Premise::Atom(literal) => literal.atom.args.iter().all(|arg| is_pattern(arg) || known(arg)),
        Premise::Negated(_) => false,
        Premise::Compare(comparison) if comparison.op == CompareOp::Equal => {
            let (left, right) = (&comparison.left, &comparison.right);
            (is_pattern(left) && known(right)) || (is_pattern(right) && known(left)) || (known(left) && known(right))
        }
        Premise::Compare(comparison) => known(&comparison.left) && known(&comparison.right),
    }
}

/// Returns whether a term is a variable, wildcard or constant, which a value can be compared with.
pub(crate) fn is_pattern(term: &Term) -> bool {
    !matches!(
        term.kind,
        TermKind::Call(_) | TermKind::List(_) | TermKind::Map(_) | TermKind::Struct(_)
    )
}

/// Returns which arguments of a built-in predicate need a value.
fn inputs(atom: &Atom) -> Vec<usize> {
    match &*atom.predicate.text {
        ":list:member" => vec![1],
        ":match_pair" | ":match_cons" => vec![0],
        ":match_entry" | ":match_field" => vec![0, 1],
        _ => (0..atom.args.len()).collect(),
    }
}

/// Adds the variables that a premise gives a value.
pub(crate) fn binds(premise: &Premise, bound: &mut Vec<String>) {
    match premise {
        Premise::Negated(_) => {}
        Premise::Compare(comparison) => {
            variables(&comparison.left, bound);
            variables(&comparison.right, bound);
        }
        Premise::Atom(literal) => {
            literal.atom.args.iter().for_each(|arg| variables(arg, bound));
            let ends = literal.time.iter().flat_map(|time| [Some(&time.start), time.end.as_ref()]);
            for end in ends.flatten() {
                if let mangle::syntax::ast::BoundKind::Variable(name) = &end.kind {
                    bound.push(name.to_string());
                }
            }
        }
    }
}

/// Returns the bindings that satisfy one premise, given what the others have bound.
fn step(premise: &Premise, binding: &Binding, facts: &Facts) -> Result<Vec<Binding>, Fail> {
    match premise {
        Premise::Atom(literal) if literal.atom.predicate.text.starts_with(':') => built_in(&literal.atom, binding),
        Premise::Atom(literal) => matches(literal, binding, facts),
        Premise::Negated(literal) => {
            let found = match literal.atom.predicate.text.starts_with(':') {
                true => built_in(&literal.atom, binding)?,
                false => matches(literal, binding, facts)?,
            };
            Ok(if found.is_empty() { vec![binding.clone()] } else { Vec::new() })
        }
        Premise::Compare(comparison) => compare(comparison, binding),
    }
}

/// Returns every fact, and every interval of it, that a literal fits.
fn matches(literal: &Literal, binding: &Binding, facts: &Facts) -> Result<Vec<Binding>, Fail> {
    let mut found = Vec::new();
    for (row, intervals) in facts.rows(&literal.atom.predicate.text, literal.atom.args.len()) {
        let mut extended = Some(binding.clone());
        for (arg, value) in literal.atom.args.iter().zip(row) {
            extended = match extended {
                Some(binding) => unify(arg, value, binding)?,
                None => break,
            };
        }
        let Some(extended) = extended else { continue };
        for &interval in intervals {
            if let Some(operator) = &literal.operator
                && !time::seen(operator, interval, &extended, facts.now)?
            {
                continue;
            }
            match &literal.time {
                Some(time) => found.extend(time::fit(time, interval, &extended, facts.now)?),
                None if literal.operator.is_some() || (interval.0 <= facts.now && facts.now <= interval.1) => {
                    found.push(extended.clone());
                }
                None => {}
            }
        }
    }
    // An operator without an annotation asks whether there is an interval, not how many.
    if literal.time.is_none() {
        found.dedup();
    }
    Ok(found)
}

/// Returns the binding under which a pattern equals the value.
pub(crate) fn unify(pattern: &Term, value: &Value, mut binding: Binding) -> Result<Option<Binding>, Fail> {
    match &pattern.kind {
        TermKind::Wildcard => Ok(Some(binding)),
        TermKind::Variable(name) if !binding.contains_key(&**name) => {
            binding.insert(name.to_string(), value.clone());
            Ok(Some(binding))
        }
        _ => Ok((eval(pattern, &binding)? == *value).then_some(binding)),
    }
}

fn built_in(atom: &Atom, binding: &Binding) -> Result<Vec<Binding>, Fail> {
    let value = |at: usize| eval(&atom.args[at], binding);
    let holds = |yes: bool| Ok(if yes { vec![binding.clone()] } else { Vec::new() });
    match &*atom.predicate.text {
        ":lt" | ":time:lt" | ":duration:lt" => holds(value(0)? < value(1)?),
        ":le" | ":time:le" | ":duration:le" => holds(value(0)? <= value(1)?),
        ":gt" | ":time:gt" | ":duration:gt" => holds(value(0)? > value(1)?),
        ":ge" | ":time:ge" | ":duration:ge" => holds(value(0)? >= value(1)?),
        ":filter" => holds(value(0)? == Value::Name("/true".to_owned())),
        ":list:member" => {
            let Value::List(mut items) = value(1)? else { return Ok(Vec::new()) };
            items.sort();
            items.dedup();
            let bound = items.iter().map(|item| unify(&atom.args[0], item, binding.clone()));
            Ok(bound.collect::<Result<Vec<_>, _>>()?.into_iter().flatten().collect())
        }
        ":match_pair" => match value(0)? {
            Value::Pair(pair) => both(atom, &pair.0, &pair.1, binding),
            _ => Ok(Vec::new()),
        },
        ":match_entry" | ":match_field" => match (value(0)?, value(1)?) {
            (Value::Map(entries) | Value::Struct(entries), key) => match entries.iter().find(|(known, _)| *known == key) {
                Some((_, found)) => Ok(unify(&atom.args[2], found, binding.clone())?.into_iter().collect()),
                None => Ok(Vec::new()),
            },
            _ => Ok(Vec::new()),
        },
        ":match_nil" => holds(value(0)? == Value::List(Vec::new())),
        ":match_prefix" => match (value(0)?, value(1)?) {
            (Value::Name(name), Value::Name(prefix)) => holds(name.len() > prefix.len() && name.starts_with(&prefix)),
            _ => Ok(Vec::new()),
        },
        ":string:starts_with" => match (value(0)?, value(1)?) {
            (Value::Text(text), Value::Text(start)) => holds(text.starts_with(&start)),
            _ => Ok(Vec::new()),
        },
        ":match_cons" => match value(0)? {
            Value::List(items) if !items.is_empty() => both(atom, &items[0], &Value::List(items[1..].to_vec()), binding),
            _ => Ok(Vec::new()),
        },
        other => Err(Fail::NotCovered(other.to_owned())),
    }
}

fn both(atom: &Atom, first: &Value, second: &Value, binding: &Binding) -> Result<Vec<Binding>, Fail> {
    let Some(binding) = unify(&atom.args[1], first, binding.clone())? else {
        return Ok(Vec::new());
    };
    Ok(unify(&atom.args[2], second, binding)?.into_iter().collect())
}

fn compare(comparison: &Comparison, binding: &Binding) -> Result<Vec<Binding>, Fail> {
    let (left, right) = (&comparison.left, &comparison.right);
    if comparison.op == CompareOp::Equal {
        let bound = match eval(right, binding) {
            Ok(value) => unify(left, &value, binding.clone())?,
            Err(Fail::Unbound) => unify(right, &eval(left, binding)?, binding.clone())?,
            Err(fail) => return Err(fail),
        };
        return Ok(bound.into_iter().collect());
    }
    let (left, right) = (eval(left, binding)?, eval(right, binding)?);
    let holds = match comparison.op {
        CompareOp::Equal => unreachable!("handled above"),
        CompareOp::NotEqual => left != right,
        CompareOp::Less => left < right,
        CompareOp::LessEqual => left <= right,
        CompareOp::Greater => left > right,
        CompareOp::GreaterEqual => left >= right,
    };
    Ok(if holds { vec![binding.clone()] } else { Vec::new() })
}
