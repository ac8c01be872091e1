//! Resolves names: which predicate each atom means, across packages.

use std::{
    collections::{HashMap, HashSet},
    ops::Range,
    sync::Arc,
};

use smallvec::SmallVec;

use super::{
    Input,
    declaration::{self, count},
    model::{FactInfo, Meaning, Model, PredicateInfo, RuleInfo},
    report::Report,
};
use crate::{
    builtin::{self, Operand},
    diagnostic::{Code, Diagnostic},
    program::{Comparison, PredId, RuleId},
    syntax::{
        Dialect, Word,
        ast::{Atom, Clause, CompareOp, Decl, Ident, Premise, TermKind},
    },
};

/// The relations that are comparisons: name, operator, type of both sides.
const COMPARISONS: &[(&str, Comparison, Operand)] = &[
    (":lt", Comparison::Less, Operand::Number),
    (":le", Comparison::LessOrEqual, Operand::Number),
    (":gt", Comparison::Greater, Operand::Number),
    (":ge", Comparison::GreaterOrEqual, Operand::Number),
    (":time:lt", Comparison::Less, Operand::Time),
    (":time:le", Comparison::LessOrEqual, Operand::Time),
    (":time:gt", Comparison::Greater, Operand::Time),
    (":time:ge", Comparison::GreaterOrEqual, Operand::Time),
    (":duration:lt", Comparison::Less, Operand::Duration),
    (":duration:le", Comparison::LessOrEqual, Operand::Duration),
    (":duration:gt", Comparison::Greater, Operand::Duration),
    (":duration:ge", Comparison::GreaterOrEqual, Operand::Duration),
];

/// Resolves every name; some, if it is cancelled.
pub(crate) fn resolve<'u>(inputs: &[Input<'u>], dialect: Dialect, report: &mut Report) -> Model<'u> {
    let mut names = Names {
        model: Model::default(),
        uses: uses(inputs, report),
        dialect,
        report,
    };
    for input in inputs {
        let package = package(input);
        for decl in input.unit.decls() {
            if names.report.is_cancelled() {
                break;
            }
            names.declare(decl, input, &package);
        }
    }
    let mut rules = Vec::new();
    for input in inputs {
        let package = package(input);
        let first = names.model.rules.len();
        for clause in input.unit.clauses() {
            if names.report.is_cancelled() {
                break;
            }
            names.define(clause, input, &package);
        }
        rules.push(first..names.model.rules.len());
    }
    for (input, rules) in inputs.iter().zip(rules) {
        names.premises(rules, &package(input));
    }
    names.model
}

fn package(input: &Input<'_>) -> Arc<str> {
    input
        .unit
        .package
        .as_ref()
        .map_or_else(|| "".into(), |package| (*package.name.text).into())
}

/// Returns what each package may name, from all of its files.
fn uses(inputs: &[Input<'_>], report: &mut Report) -> HashMap<Arc<str>, HashSet<Arc<str>>> {
    let mut uses: HashMap<Arc<str>, HashSet<Arc<str>>> = HashMap::new();
    for input in inputs {
        let package = package(input);
        for one in &input.unit.uses {
            if *one.name.text == *package {
                let found = Diagnostic::new(Code::SelfUse, one.span, format!("`{package}` is this package"));
                report.push(found.fix("leave it out", one.span, ""));
            }
            uses.entry(package.clone()).or_default().insert((*one.name.text).into());
        }
    }
    uses
}

struct Names<'r, 'u> {
    model: Model<'u>,
    uses: HashMap<Arc<str>, HashSet<Arc<str>>>,
    dialect: Dialect,
    report: &'r mut Report,
}

/// Returns a name within its package.
fn qualify(package: &str, name: &Word) -> Word {
    if package.is_empty() {
        name.clone()
    } else {
        format!("{package}.{name}").into()
    }
}

impl<'u> Names<'_, 'u> {
    fn declare(&mut self, decl: &Decl, input: &Input<'u>, package: &Arc<str>) {
        if self.is_builtin(&decl.atom.predicate) {
            return;
        }
        let declaration = declaration::read(decl, self.report);
        let name = qualify(package, &decl.atom.predicate.text);
        let arity = decl.atom.args.len();
        let span = decl.atom.predicate.span;
        if let Some(known) = self.model.find(&name, arity) {
            let found = Diagnostic::new(Code::DuplicateDeclaration, span, format!("`{name}` is declared twice"));
            let found = found
                .here("declared again here")
                .label(self.model.pred(known).span, "declared first here");
            return self.report.push(found.fix("leave this one out", decl.span, ""));
        }
        self.model.add(PredicateInfo {
            arity,
            package: package.clone(),
            temporal: declaration.temporal,
            deferred: declaration.deferred,
            level: input.level,
            declared_at: input.level,
            owned: span,
            span,
            declaration: Some(Box::new(declaration)),
            ..PredicateInfo::named(name)
        });
    }

    /// Returns whether the predicate is built in, and so cannot be defined by a program.
    fn is_builtin(&mut self, word: &Ident) -> bool {
        let builtin = word.text.starts_with(':');
        if builtin {
            let found = Diagnostic::new(Code::BuiltinDefined, word.span, format!("`{}` cannot be defined", word.text));
            self.report
                .push(found.help("names with a colon in front are built in: take another name"));
        }
        builtin
    }

    fn define(&mut self, clause: &'u Clause, input: &Input<'u>, package: &Arc<str>) {
        if self.is_builtin(&clause.head.predicate) {
            return;
        }
        let pred = self.head(clause, input, package);
        let level = input.level;
        let is_plain = clause.is_fact() && !clause.head.args.iter().any(|arg| has_call(&arg.kind));
        if is_plain {
            self.model.pred_mut(pred).facts += 1;
            self.model.facts.push(FactInfo { pred, clause, level });
            return;
        }
        let id = RuleId(self.model.rules.len() as u32);
        self.model.pred_mut(pred).rules.push(id);
        self.model.rules.push(RuleInfo {
            head: pred,
            clause,
            level,
            premises: SmallVec::new(),
            order: SmallVec::new(),
        });
    }

    /// Returns the predicate of a head, created if it is new.
    fn head(&mut self, clause: &Clause, input: &Input<'u>, package: &Arc<str>) -> PredId {
        let head = &clause.head;
        let name = qualify(package, &head.predicate.text);
        let timed = clause.time.as_ref().is_some_and(|time| !super::time::is_always(time));
        if let Some(known) = self.model.find(&name, head.args.len()) {
            let info = self.model.pred_mut(known);
            if info.declaration.is_none() {
                info.temporal |= timed;
            }
            if input.level > info.level {
                info.level = input.level;
                info.owned = head.predicate.span;
            }
            return known;
        }
        let other = self.model.named(&name).next();
        if let Some(other) = other {
            self.other_arity(head, &name, other);
        }
        self.model.add(PredicateInfo {
            arity: head.args.len(),
            package: package.clone(),
            temporal: timed,
            level: input.level,
            owned: head.predicate.span,
            span: head.predicate.span,
            ..PredicateInfo::named(name)
        })
    }

    /// Resolves the meanings of the premises of these rules.
    fn premises(&mut self, rules: Range<usize>, package: &Arc<str>) {
        for index in rules {
            let clause = self.model.rules[index].clause;
            if self.report.is_cancelled() {
                return;
            }
            let premises = clause.premises.iter().map(|premise| self.meaning(premise, package)).collect();
            self.model.rules[index].premises = premises;
        }
    }

    fn meaning(&mut self, premise: &Premise, package: &Arc<str>) -> Meaning {
        let (literal, negated) = match premise {
            Premise::Compare(comparison) => return self.operator(comparison.op),
            Premise::Atom(literal) => (literal, false),
            Premise::Negated(literal) => (literal, true),
        };
        if literal.atom.predicate.text.starts_with(':') {
            return self.built_in(&literal.atom, negated);
        }
        match self.find(&literal.atom, package) {
            Some(pred) if negated => Meaning::NoFact(pred),
            Some(pred) => Meaning::Fact(pred),
            None => Meaning::Broken,
        }
    }

    fn operator(&self, op: CompareOp) -> Meaning {
        let of = if self.dialect == Dialect::Strict {
            Operand::Number
        } else {
            Operand::Ordered
        };
        let op = match op {
            CompareOp::Equal => return Meaning::Equal,
            CompareOp::NotEqual => {
                return Meaning::Compare {
                    op: Comparison::NotEqual,
                    of: Operand::Ordered,
                };
            }
            CompareOp::Less => Comparison::Less,
            CompareOp::LessEqual => Comparison::LessOrEqual,
            CompareOp::Greater => Comparison::Greater,
            CompareOp::GreaterEqual => Comparison::GreaterOrEqual,
        };
        Meaning::Compare { op, of }
    }

    fn built_in(&mut self, atom: &Atom, negated: bool) -> Meaning {
        let name = &*atom.predicate.text;
        let relation = builtin::relation(name);
        let Some(relation) = relation else {
            let found = Diagnostic::new(
                Code::UnknownBuiltin,
                atom.predicate.span,
                format!("there is no built-in predicate `{name}`"),
            );
            let names: Vec<&'static str> = builtin::relations().map(|relation| relation.name).collect();
            let near = self.report.nearest(name, names);
            self.report.push(match near {
                Some(meant) => found.fix(format!("write `{meant}`"), atom.predicate.span, meant),
                None => found.help("only built-in predicates begin with a colon"),
            });
            return Meaning::Broken;
        };
        if !relation.params.accept(atom.args.len()) {
            let wanted = relation.params.types.len();
            let text = format!("`{name}` takes {}, not {}", count(wanted, "argument"), atom.args.len());
            let found = Diagnostic::new(Code::ArityMismatch, atom.span, text);
            self.report.push(found.help(relation.doc));
            return Meaning::Broken;
        }
        match COMPARISONS.iter().find(|row| row.0 == name) {
            Some(&(_, op, of)) if !negated => Meaning::Compare { op, of },
            _ => Meaning::Built { relation, negated },
        }
    }

    /// Returns the predicate that an atom in a body means.
    fn find(&mut self, atom: &Atom, package: &Arc<str>) -> Option<PredId> {
        let (text, arity) = (&atom.predicate.text, atom.args.len());
        let local = qualify(package, text);
        let own = |model: &Model<'_>, id: PredId| model.pred(id).package == *package;
        if let Some(id) = self.model.find(&local, arity).filter(|&id| own(&self.model, id)) {
            return Some(id);
        }
        let Some(found) = self.model.find(text, arity) else {
            self.not_found(atom, &local);
            return None;
        };
        self.may_use(atom, found, package);
        Some(found)
    }

    /// Checks that a predicate of another package is imported and public.
    fn may_use(&mut self, atom: &Atom, pred: PredId, package: &Arc<str>) {
        let info = self.model.pred(pred);
        let span = atom.predicate.span;
        if info.package.is_empty() || info.package == *package {
            return;
        }
        if !self.uses.get(package).is_some_and(|uses| uses.contains(&info.package)) {
            let text = format!("the package `{}` is not used here", info.package);
            let found = Diagnostic::new(Code::PackageNotUsed, span, text).label(info.span, "it defines this predicate");
            let found = found.help(format!("write `Use {}!` at the top of the file, after `Package`", info.package));
            return self.report.push(found);
        }
        if let Some(decl) = info.declaration.as_ref().filter(|decl| decl.private) {
            let text = format!("`{}` is private to the package `{}`", info.name, info.package);
            self.report
                .push(Diagnostic::new(Code::PrivatePredicate, span, text).label(decl.name_span, "declared private here"));
        }
    }

    fn not_found(&mut self, atom: &Atom, local: &str) {
        let text = &*atom.predicate.text;
        let other = self.model.named(local).chain(self.model.named(text)).next();
        if let Some(other) = other {
            return self.other_arity(atom, text, other);
        }
        let found = Diagnostic::new(Code::UndeclaredPredicate, atom.predicate.span, format!("nothing defines `{text}`"));
        let near = self.report.nearest(
            text,
            self.model
                .names()
                .map(|name| name.strip_prefix(local.trim_end_matches(text)).unwrap_or(name)),
        );
        let variables: Vec<String> = (0..atom.args.len()).map(|index| format!("X{}", index + 1)).collect();
        self.report.push(match near.map(str::to_owned) {
            Some(meant) => found.fix(format!("write `{meant}`"), atom.predicate.span, meant),
            None => found.help(format!(
                "define it, or, if its facts come from elsewhere, declare it: `Decl {text}({}) descr [extensional()].`",
                variables.join(", ")
            )),
        });
    }

    fn other_arity(&mut self, atom: &Atom, name: &str, known: PredId) {
        let info = self.model.pred(known);
        let text = format!("`{name}` has {}, not {}", count(info.arity, "argument"), atom.args.len());
        let what = if info.declaration.is_some() {
            "declared here"
        } else {
            "first defined here"
        };
        let found = Diagnostic::new(Code::ArityMismatch, atom.span, text).label(info.span, what);
        self.report.push(match info.arity.checked_sub(atom.args.len()) {
            Some(missing) if missing > 0 => found.help(format!("put `_` for an argument that does not matter; {missing} missing")),
            _ => found.help("predicates of one name have one number of arguments, unless each is declared"),
        });
    }
}

/// Returns whether a term contains a call of a function: such a fact is computed, so it is a rule.
fn has_call(term: &TermKind) -> bool {
    match term {
        TermKind::Call(_) => true,
        TermKind::List(items) => items.iter().any(|item| has_call(&item.kind)),
        TermKind::Map(entries) | TermKind::Struct(entries) => {
            entries.iter().any(|(key, value)| has_call(&key.kind) || has_call(&value.kind))
        }
        _ => false,
    }
}
