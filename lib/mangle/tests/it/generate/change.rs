//! Changes to a program that must not change its meaning.

use super::{Literal, Program, Random, Rule};

/// Returns the variables in a text, in order, once each.
pub(crate) fn variables(text: &str) -> Vec<String> {
    let mut found: Vec<String> = Vec::new();
    for word in words(text) {
        if is_variable(word) && !found.iter().any(|have| have == word) {
            found.push(word.to_owned());
        }
    }
    found
}

fn is_variable(word: &str) -> bool {
    word.starts_with('V') && word[1..].bytes().all(|byte| byte.is_ascii_digit()) && word.len() > 1
}

fn is_predicate(word: &str) -> bool {
    let mut bytes = word.bytes();
    bytes.next().is_some_and(|first| b"bdtu".contains(&first)) && word.len() > 1 && bytes.all(|byte| byte.is_ascii_digit())
}

/// Returns the words of a text, without what is between them.
fn words(text: &str) -> impl Iterator<Item = &str> {
    text.split(|c: char| !c.is_ascii_alphanumeric()).filter(|word| !word.is_empty())
}

/// Reorders facts and rules, and the conditions of each rule as well.
pub(crate) fn reorder(program: &Program, random: &mut Random) -> Program {
    let mut changed = program.clone();
    random.shuffle(&mut changed.facts);
    random.shuffle(&mut changed.rules);
    for rule in &mut changed.rules {
        random.shuffle(&mut rule.body);
    }
    changed
}

/// Renames variables and predicates. [`named_back`] undoes it for predicates.
pub(crate) fn rename(text: &str) -> String {
    replace_words(text, |word| {
        if is_variable(word) {
            Some(format!("Other{}", &word[1..]))
        } else if is_predicate(word) {
            // The order is reversed, so that the predicates sort differently, too.
            let number: usize = word[1..].parse().ok()?;
            Some(format!("z{}_{}", 999 - number, &word[..1]))
        } else {
            None
        }
    })
}

/// Returns the name that a predicate had before [`rename`].
pub(crate) fn named_back(name: &str) -> String {
    let back = || {
        let (number, letter) = name.strip_prefix('z')?.split_once('_')?;
        Some(format!("{letter}{}", 999 - number.parse::<usize>().ok()?))
    };
    back().unwrap_or_else(|| name.to_owned())
}

fn replace_words(text: &str, new: impl Fn(&str) -> Option<String>) -> String {
    let mut changed = String::new();
    let mut rest = text;
    while !rest.is_empty() {
        let end = rest.find(|c: char| !c.is_ascii_alphanumeric()).unwrap_or(rest.len());
        let (word, after) = rest.split_at(end);
        // Neither a name (`/b0`) nor a function (`fn:d0`) is a predicate.
        let alone = !changed.ends_with(['/', ':']);
        changed += &new(word).filter(|_| alone).unwrap_or_else(|| word.to_owned());
        let next = after.chars().next();
        changed.extend(next);
        rest = &after[next.map_or(0, char::len_utf8)..];
    }
    changed
}

/// Splits every rule of at least two binding conditions: the first half derives a new predicate `part…`, which the
/// second reads.
pub(crate) fn split(program: &Program) -> Program {
    let mut changed = program.clone();
    changed.rules = program
        .rules
        .iter()
        .enumerate()
        .flat_map(|(number, rule)| halves(number, rule))
        .collect();
    changed
}

fn halves(number: usize, rule: &Rule) -> Vec<Rule> {
    let (binding, others): (Vec<Literal>, Vec<Literal>) = rule.body.iter().cloned().partition(|literal| literal.binds);
    // A group counts rows, wildcards included; a half without variables could not pass them on.
    let has_wildcard = binding.iter().any(|literal| literal.text.contains('_'));
    if binding.len() < 2 || (!rule.tail.is_empty() && has_wildcard) {
        return vec![rule.clone()];
    }
    let (first, second) = binding.split_at(binding.len() / 2);
    let mut variables: Vec<String> = first.iter().flat_map(|literal| literal.variables.clone()).collect();
    variables.sort();
    variables.dedup();
    let part = format!("part{number}({})", variables.join(", "));
    let read = Literal {
        text: part.clone(),
        variables,
        binds: true,
    };
    let rest = std::iter::once(read).chain(second.iter().cloned()).chain(others).collect();
    vec![
        Rule {
            head: part,
            body: first.to_vec(),
            tail: String::new(),
        },
        Rule {
            head: rule.head.clone(),
            body: rest,
            tail: rule.tail.clone(),
        },
    ]
}
