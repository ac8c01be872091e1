//! Generates rules without time.

use super::{Kind, Literal, Predicate, Random, Rule, constant};

/// The features that a program uses.
#[derive(Clone, Copy, Debug)]
pub(crate) struct Style {
    pub negation: bool,
    pub groups: bool,
    pub arithmetic: bool,
}

/// The variables of a rule under construction.
#[derive(Default)]
struct Scope {
    variables: Vec<(String, Kind)>,
}

impl Scope {
    /// Returns a variable of this kind that already has a value.
    fn bound(&self, random: &mut Random, kind: Kind) -> Option<String> {
        let fitting: Vec<&String> = self.variables.iter().filter(|(_, of)| *of == kind).map(|(name, _)| name).collect();
        (!fitting.is_empty()).then(|| (*random.pick(&fitting)).clone())
    }

    fn fresh(&mut self, kind: Kind) -> String {
        let name = format!("V{}", self.variables.len());
        self.variables.push((name.clone(), kind));
        name
    }
}

/// Generates a rule that reads complete predicates only: it may negate and compute.
pub(crate) fn plain(random: &mut Random, complete: &[Predicate], head: &Predicate, style: Style) -> Rule {
    let mut scope = Scope::default();
    let mut body = positive(random, complete, &mut scope, 3);
    if style.arithmetic
        && random.percent(40)
        && let Some(from) = scope.bound(random, Kind::Number)
    {
        let function = random.pick(&["plus", "minus", "mult"]);
        let by = random.below(4);
        let to = scope.fresh(Kind::Number);
        body.push(Literal {
            text: format!("{to} = fn:{function}({from}, {by})"),
            variables: vec![from, to],
            binds: false,
        });
    }
    body.extend(checks(random, complete, &scope, style));
    finish(random, &scope, head, body)
}

/// Generates a rule that may read its own predicate and its siblings, but makes no new values.
pub(crate) fn recursive(random: &mut Random, known: &[Predicate], head: &Predicate, style: Style) -> Rule {
    let complete: Vec<Predicate> = known.iter().filter(|one| one.block < head.block).cloned().collect();
    let mut scope = Scope::default();
    let mut body = positive(random, known, &mut scope, 3);
    body.extend(checks(random, &complete, &scope, style));
    finish(random, &scope, head, body)
}

/// Generates a rule with groups, and returns the kinds of the columns that it makes.
pub(crate) fn grouped(random: &mut Random, complete: &[Predicate], name: &str) -> (Rule, Vec<Kind>) {
    let mut scope = Scope::default();
    let body = positive(random, complete, &mut scope, 2);
    let key = random
        .percent(70)
        .then(|| random.pick(&[Kind::Name, Kind::Number]))
        .and_then(|&kind| Some((scope.bound(random, kind)?, kind)));
    let number = scope
        .bound(random, Kind::Number)
        .filter(|number| key.as_ref().is_none_or(|(key, _)| key != number));
    let mut lets = vec![("Total", "fn:count()".to_owned(), Kind::Number)];
    if let Some(number) = number {
        let reducer = random.pick(&["sum", "min", "max"]);
        lets.push(("Value", format!("fn:{reducer}({number})"), Kind::Number));
        if random.percent(30) {
            let reducer = random.pick(&["collect", "collect_distinct"]);
            lets.push(("All", format!("fn:{reducer}({number})"), Kind::List));
        }
        if random.percent(20) {
            lets.push(("Twice", "fn:mult(Value, 2)".to_owned(), Kind::Number));
        }
    }
    let keys: Vec<String> = key.iter().map(|(name, _)| name.clone()).collect();
    let args: Vec<&str> = keys.iter().map(|key| &**key).chain(lets.iter().map(|one| one.0)).collect();
    let columns = key.iter().map(|(_, kind)| *kind).chain(lets.iter().map(|one| one.2)).collect();
    let lets: Vec<String> = lets.iter().map(|(name, value, _)| format!("let {name} = {value}")).collect();
    let rule = Rule {
        head: format!("{name}({})", args.join(", ")),
        body,
        tail: format!(" |> do fn:group_by({}), {}", keys.join(", "), lets.join(", ")),
    };
    (rule, columns)
}

/// Generates up to `most` atoms that bind variables.
fn positive(random: &mut Random, readable: &[Predicate], scope: &mut Scope, most: usize) -> Vec<Literal> {
    let plain: Vec<&Predicate> = readable.iter().filter(|one| !one.temporal).collect();
    let mut atoms = Vec::new();
    for _ in 0..random.within(1, most) {
        let predicate = random.pick(&plain);
        atoms.push(atom(random, predicate, scope));
    }
    atoms
}

/// Generates an atom, which binds its variables if they are not bound.
fn atom(random: &mut Random, predicate: &Predicate, scope: &mut Scope) -> Literal {
    let mut variables = Vec::new();
    let mut args = Vec::new();
    for &kind in &predicate.columns {
        let known = scope.bound(random, kind).filter(|_| random.percent(55));
        args.push(match known {
            Some(known) => {
                variables.push(known.clone());
                known
            }
            None if random.percent(12) => "_".to_owned(),
            None if random.percent(12) && matches!(kind, Kind::Number | Kind::Name) => constant(random, kind),
            None => {
                let fresh = scope.fresh(kind);
                variables.push(fresh.clone());
                fresh
            }
        });
    }
    Literal {
        text: format!("{}({})", predicate.name, args.join(", ")),
        variables,
        binds: true,
    }
}

/// Generates conditions that bind nothing.
fn checks(random: &mut Random, complete: &[Predicate], scope: &Scope, style: Style) -> Vec<Literal> {
    let mut checks = Vec::new();
    if style.negation && random.percent(60) {
        let plain: Vec<&Predicate> = complete.iter().filter(|one| !one.temporal).collect();
        let predicate = random.pick(&plain);
        checks.extend(negated(random, predicate, scope));
    }
    if random.percent(30)
        && let (Some(left), Some(right)) = (scope.bound(random, Kind::Number), scope.bound(random, Kind::Number))
    {
        let right = if random.percent(50) { right } else { random.below(4).to_string() };
        let op = random.pick(&["<", "<=", ">", ">=", "!=", "="]);
        checks.push(Literal {
            text: format!("{left} {op} {right}"),
            variables: [left, right].into_iter().filter(|name| name.starts_with('V')).collect(),
            binds: false,
        });
    }
    if let Some(list) = scope.bound(random, Kind::List)
        && let Some(member) = scope.bound(random, Kind::Number)
    {
        checks.push(Literal {
            text: format!(":filter(fn:list:contains({list}, {member}))"),
            variables: vec![list, member],
            binds: false,
        });
    }
    checks
}

/// Generates a negated atom over bound variables, constants and wildcards.
fn negated(random: &mut Random, predicate: &Predicate, scope: &Scope) -> Option<Literal> {
    let mut variables = Vec::new();
    let mut args = Vec::new();
    for &kind in &predicate.columns {
        match scope.bound(random, kind).filter(|_| random.percent(80)) {
            Some(bound) => {
                variables.push(bound.clone());
                args.push(bound);
            }
            None if random.percent(40) => args.push("_".to_owned()),
            None => args.push(constant(random, kind)),
        }
    }
    // Without a variable it would hold for all rows or for none.
    (!variables.is_empty()).then(|| Literal {
        text: format!("!{}({})", predicate.name, args.join(", ")),
        variables,
        binds: false,
    })
}

/// Generates the head, with bound variables where there are some of the kind.
fn finish(random: &mut Random, scope: &Scope, head: &Predicate, mut body: Vec<Literal>) -> Rule {
    let args: Vec<String> = head
        .columns
        .iter()
        .map(|&kind| match scope.bound(random, kind).filter(|_| random.percent(95)) {
            Some(bound) => bound,
            None => constant(random, kind),
        })
        .collect();
    if random.percent(30) {
        random.shuffle(&mut body);
    }
    Rule {
        head: format!("{}({})", head.name, args.join(", ")),
        body,
        tail: String::new(),
    }
}
