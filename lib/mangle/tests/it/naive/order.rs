//! Finds the order in which rules are evaluated: a group of mutually recursive predicates comes after all that it
//! reads.

use std::collections::{BTreeMap, BTreeSet};

use mangle::syntax::ast::{Clause, Premise};

use super::{Fail, Predicate, of};

/// Returns the rules, in groups; a predicate that is negated or aggregated is complete before it is read.
pub(crate) fn groups<'a>(rules: &[&'a Clause]) -> Result<Vec<Vec<&'a Clause>>, Fail> {
    let defined: BTreeSet<Predicate> = rules.iter().map(|rule| of(&rule.head)).collect();
    let reads = reachable(rules, &defined);
    for rule in rules {
        let head = of(&rule.head);
        let whole = rule.transforms.iter().any(|transform| transform.group.is_some());
        for premise in &rule.premises {
            let (read, negated) = match premise {
                Premise::Atom(literal) => (of(&literal.atom), false),
                Premise::Negated(literal) => (of(&literal.atom), true),
                Premise::Compare(_) => continue,
            };
            let back = read == head || reads.get(&read).is_some_and(|reads| reads.contains(&head));
            if (negated || whole) && back {
                return Err(Fail::Strata);
            }
        }
    }
    let mut left = defined;
    let mut groups = Vec::new();
    while let Some(next) = left
        .iter()
        .find(|one| reads[*one].iter().all(|read| !left.contains(read) || reads[read].contains(*one)))
    {
        let next = next.clone();
        let together = |other: &Predicate| *other == next || (reads[&next].contains(other) && reads[other].contains(&next));
        let (group, rest) = left.into_iter().partition::<BTreeSet<_>, _>(together);
        left = rest;
        groups.push(rules.iter().copied().filter(|rule| group.contains(&of(&rule.head))).collect());
    }
    Ok(groups)
}

/// Returns which defined predicates each of them reads, directly or not.
fn reachable(rules: &[&Clause], defined: &BTreeSet<Predicate>) -> BTreeMap<Predicate, BTreeSet<Predicate>> {
    let mut reads: BTreeMap<Predicate, BTreeSet<Predicate>> = defined.iter().map(|one| (one.clone(), BTreeSet::new())).collect();
    for rule in rules {
        for premise in &rule.premises {
            if let Premise::Atom(literal) | Premise::Negated(literal) = premise
                && defined.contains(&of(&literal.atom))
            {
                reads.entry(of(&rule.head)).or_default().insert(of(&literal.atom));
            }
        }
    }
    for middle in defined {
        for from in defined {
            if reads[from].contains(middle) {
                let further = reads[middle].clone();
                reads.entry(from.clone()).or_default().extend(further);
            }
        }
    }
    reads
}
