//! Generates random programs that are valid by construction: every variable bound, kinds of columns kept apart,
//! negation and groups only of complete predicates, arithmetic and shifts in time only where they end.
//!
//! Predicates are `b0…` (base), `t0…` (base, temporal), `d0…` (derived) and `u0…` (derived, temporal); variables are
//! `V0…`.

pub(crate) mod change;
mod random;
mod rule;
mod temporal;

pub(crate) use random::Random;
pub(crate) use temporal::NOW;

/// The kind of value in a column.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Kind {
    Number,
    Name,
    List,
    Time,
}

/// A predicate with the kinds of its columns.
#[derive(Clone, Debug)]
pub(crate) struct Predicate {
    pub name: String,
    pub columns: Vec<Kind>,
    pub temporal: bool,
    /// The number of its block. Derived predicates of one block may be recursive through each other; earlier blocks are
    /// complete.
    pub block: usize,
}

/// A rule in parts.
#[derive(Clone, Debug)]
pub(crate) struct Rule {
    pub head: String,
    pub body: Vec<Literal>,
    /// The transforms, `|> …`, or nothing.
    pub tail: String,
}

/// One condition of a rule.
#[derive(Clone, Debug)]
pub(crate) struct Literal {
    pub text: String,
    /// The variables in it.
    pub variables: Vec<String>,
    /// Whether it gives all of them a value.
    pub binds: bool,
}

/// A program in parts.
#[derive(Clone, Debug, Default)]
pub(crate) struct Program {
    pub decls: Vec<String>,
    pub facts: Vec<String>,
    pub rules: Vec<Rule>,
}

impl Program {
    /// Returns the text, with one clause on each line.
    pub(crate) fn text(&self) -> String {
        let rules = self.rules.iter().map(Rule::text);
        let lines = self.decls.iter().chain(&self.facts).cloned().chain(rules);
        lines.map(|line| line + "\n").collect()
    }
}

impl Rule {
    pub(crate) fn text(&self) -> String {
        let body: Vec<&str> = self.body.iter().map(|literal| &*literal.text).collect();
        format!("{} :- {}{}.", self.head, body.join(", "), self.tail)
    }
}

/// Generates the program of this seed. Three in ten have time in them, half of all negation, half groups.
pub(crate) fn program(seed: u64) -> Program {
    let mut random = Random::new(seed);
    let mut program = Program::default();
    let mut known = base(&mut random, &mut program);
    if random.percent(30) {
        temporal::add(&mut random, &mut program, &mut known);
    }
    let style = rule::Style {
        negation: random.percent(50),
        groups: random.percent(50),
        arithmetic: random.percent(60),
    };
    for block in 1..=random.within(1, 4) {
        derived(&mut random, &mut program, &mut known, style, block);
    }
    program
}

/// Generates base predicates and their facts.
fn base(random: &mut Random, program: &mut Program) -> Vec<Predicate> {
    let mut known = Vec::new();
    for number in 0..random.within(2, 4) {
        let columns = (0..random.within(1, 3))
            .map(|_| *random.pick(&[Kind::Number, Kind::Name]))
            .collect();
        let predicate = Predicate {
            name: format!("b{number}"),
            columns,
            temporal: false,
            block: 0,
        };
        for _ in 0..random.within(1, 8) {
            let row: Vec<String> = predicate.columns.iter().map(|&kind| constant(random, kind)).collect();
            program.facts.push(format!("{}({}).", predicate.name, row.join(", ")));
        }
        known.push(predicate);
    }
    known
}

/// Generates one or two predicates that may be recursive through each other, with their rules.
fn derived(random: &mut Random, program: &mut Program, known: &mut Vec<Predicate>, style: rule::Style, block: usize) {
    if style.groups && random.percent(40) {
        let name = format!("d{}", known.len());
        let (rule, columns) = rule::grouped(random, known, &name);
        program.rules.push(rule);
        known.push(Predicate {
            name,
            columns,
            temporal: false,
            block,
        });
        return;
    }
    let first = known.len();
    for _ in 0..random.within(1, 2) {
        let columns = (0..random.within(1, 3))
            .map(|_| *random.pick(&[Kind::Number, Kind::Name]))
            .collect();
        known.push(Predicate {
            name: format!("d{}", known.len()),
            columns,
            temporal: false,
            block,
        });
    }
    for index in first..known.len() {
        let start = rule::plain(random, &known[..first], &known[index], style);
        program.rules.push(start);
        for _ in 0..random.below(3) {
            program.rules.push(rule::recursive(random, known, &known[index], style));
        }
    }
}

/// Generates a constant of a kind; there are few, so that rows match.
fn constant(random: &mut Random, kind: Kind) -> String {
    match kind {
        Kind::Number => random.below(5).to_string(),
        Kind::Name => format!("/{}", random.pick(&["a", "b", "c", "d"])),
        Kind::List => format!("[{}]", random.below(3)),
        Kind::Time => format!("fn:time:from_unix_nanos({})", temporal::day(random)),
    }
}
