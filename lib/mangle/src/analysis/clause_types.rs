//! The types of one rule's variables, computed premise by premise. Where a premise has alternatives, each is followed.

use std::collections::{BTreeMap, HashMap};

use super::{
    fits::{Prefixes, apart, type_of_constant},
    functions::{self, Signature},
    model::{Meaning, Model, RuleInfo},
    types::{Commas, Field, Type, bind, join, meet, substitute},
    variables::Variables,
};
use crate::{
    builtin::Operand,
    diagnostic::{Code, Diagnostic, Severity},
    eval::Cancel,
    program::Comparison,
    syntax::{
        Span, Word,
        ast::{Annotation, Atom, BoundKind, Call, Premise, Term, TermKind, Transform},
    },
};

/// How many alternatives of a rule are followed at once; above that they are joined.
const MAX_STATES: usize = 16;
/// How many variable types all the alternatives of a rule may hold together: in rules with many variables, fewer
/// alternatives are followed.
const MAX_TYPES: usize = 1_024;

/// The result of a check, with the problem if there is one.
type Checked = Result<(), Box<Diagnostic>>;

/// The known type of each variable; nothing known is [`Type::Any`].
type State = Vec<Type>;

/// The result of checking a rule.
#[derive(Debug, Default)]
pub(crate) struct Judgement {
    /// The types of the head's arguments: alternatives.
    pub(crate) rows: Vec<Vec<Type>>,
    /// The problems found.
    pub(crate) problems: Vec<Diagnostic>,
}

/// The checker of one rule's types.
pub(crate) struct Checker<'c, 'u> {
    model: &'c Model<'u>,
    prefixes: &'c Prefixes,
    cancel: &'c Cancel,
    variables: Variables,
    problems: Vec<Diagnostic>,
    /// The arguments of functions, by their place.
    arguments: BTreeMap<Span, Argument>,
}

/// How often an argument of a function was checked, and how often it did not fit. It is wrong if it never fits.
#[derive(Default)]
struct Argument {
    looks: usize,
    misfits: usize,
    problem: Option<Diagnostic>,
}

impl<'c, 'u> Checker<'c, 'u> {
    pub(crate) fn new(model: &'c Model<'u>, prefixes: &'c Prefixes, cancel: &'c Cancel) -> Self {
        Self {
            model,
            prefixes,
            cancel,
            variables: Variables::default(),
            problems: Vec::new(),
            arguments: BTreeMap::new(),
        }
    }

    pub(crate) fn rule(mut self, rule: &RuleInfo<'_>) -> Judgement {
        let mut states = vec![State::new()];
        self.given(rule, &mut states[0]);
        for &index in &rule.order {
            let premise = &rule.clause.premises[index];
            states = self.premise(premise, rule.premises[index], states);
            // If the analysis was cancelled, findings about the rule are not needed.
            if states.is_empty() || self.cancel.is_cancelled() {
                return self.judge(Vec::new());
            }
        }
        for transform in &rule.clause.transforms {
            states.iter_mut().for_each(|state| self.transform(transform, state));
        }
        if let Some(time) = &rule.clause.time {
            states = self.head_time(time, states);
        }
        let args = &rule.clause.head.args;
        let rows = states
            .iter()
            .map(|state| args.iter().map(|arg| self.type_of(arg, state)).collect())
            .collect();
        self.judge(rows)
    }

    fn judge(self, rows: Vec<Vec<Type>>) -> Judgement {
        let mut problems = self.problems;
        let hopeless = self.arguments.into_values().filter(|one| one.looks == one.misfits);
        problems.extend(hopeless.filter_map(|one| one.problem));
        Judgement { rows, problems }
    }

    /// Gives the arguments that a caller provides their declared types.
    fn given(&mut self, rule: &RuleInfo<'_>, state: &mut State) {
        let info = self.model.pred(rule.head);
        if !info.deferred {
            return;
        }
        for (index, arg) in rule.clause.head.args.iter().enumerate() {
            let alternatives = info.types.iter().filter_map(|row| row.get(index));
            let ty = alternatives.fold(Type::never(), |union, ty| join(&union, &substitute(ty, &HashMap::new())));
            let modes = info.declaration.as_ref().map_or(&[][..], |decl| &decl.modes);
            if !ty.is_never() && modes.iter().all(|mode| mode.get(index) == Some(&crate::program::Mode::In)) {
                self.refine(state, arg, &ty);
            }
        }
    }

    fn get(&mut self, state: &State, name: &Word, span: Span) -> Type {
        let number = self.variables.number(name, span);
        state.get(number).cloned().unwrap_or(Type::Any)
    }

    /// Narrows a term to a type; returns whether any value is left. A term that is not a variable is only checked.
    fn refine(&mut self, state: &mut State, term: &Term, ty: &Type) -> bool {
        let known = self.type_of(term, state);
        let narrow = meet(&known, ty);
        // Nothing is known of the elements of an empty list.
        if narrow.is_never() && !known.is_never() && !ty.is_never() {
            return false;
        }
        if let TermKind::Variable(name) = &term.kind {
            let number = self.variables.number(name, term.span);
            if state.len() <= number {
                state.resize(number + 1, Type::Any);
            }
            state[number] = narrow;
        }
        true
    }

    fn premise(&mut self, premise: &Premise, meaning: Meaning, states: Vec<State>) -> Vec<State> {
        match (premise, meaning) {
            (Premise::Atom(literal), Meaning::Fact(pred)) => {
                let mut next = self.stored(&literal.atom, pred, &states, false);
                if let Some(time) = &literal.time {
                    next.iter_mut().for_each(|state| self.bounds(time, state));
                }
                next
            }
            (Premise::Negated(literal), Meaning::NoFact(pred)) => {
                let fits = self.stored(&literal.atom, pred, &states, true);
                let nothing_known = self.model.pred(pred).types.is_empty();
                if fits.is_empty() && !nothing_known { Vec::new() } else { states }
            }
            (Premise::Atom(literal), Meaning::Built { relation, .. }) => self.through(&states, premise.span(), |this, state| {
                this.relation(relation.name, &literal.atom, state)
            }),
            (Premise::Atom(literal), Meaning::Compare { op, of }) => match &literal.atom.args[..] {
                [left, right] => self.compare(left, right, op, of, premise.span(), states),
                _ => states,
            },
            (Premise::Compare(comparison), Meaning::Compare { op, of }) => {
                self.compare(&comparison.left, &comparison.right, op, of, comparison.span, states)
            }
            (Premise::Compare(comparison), Meaning::Equal) => self.equal(&comparison.left, &comparison.right, comparison.span, states),
            _ => states,
        }
    }

    /// Returns each state narrowed by each alternative of the predicate that fits it. After a mere warning, it is
    /// narrowed as far as it fits.
    fn stored(&mut self, atom: &Atom, pred: crate::program::PredId, states: &[State], test: bool) -> Vec<State> {
        let next = self.with_rows(atom, pred, states, true);
        let nothing_known = self.model.pred(pred).types.is_empty();
        if next.is_empty() && !nothing_known && self.never(atom, pred, states, test) != Severity::Error {
            return self.with_rows(atom, pred, states, false);
        }
        next
    }

    /// Returns each state narrowed by each alternative of the predicate; with `whole`, only by those that fit entirely.
    fn with_rows(&mut self, atom: &Atom, pred: crate::program::PredId, states: &[State], whole: bool) -> Vec<State> {
        let model = self.model;
        let mut next: Vec<State> = Vec::new();
        for state in states {
            for row in &model.pred(pred).types {
                let mut fresh = state.clone();
                let mut vars = HashMap::new();
                for (arg, ty) in atom.args.iter().zip(row) {
                    let actual = self.type_of(arg, state);
                    if !matches!(actual, Type::Any) {
                        bind(ty, &actual, &mut vars);
                    }
                }
                let mut narrow = |(arg, ty): (&Term, &Type)| self.refine(&mut fresh, arg, &substitute(ty, &vars)) || !whole;
                let fits = atom.args.iter().zip(row).all(&mut narrow);
                if fits && !next.contains(&fresh) {
                    next.push(fresh);
                }
                if next.len() >= 4 * MAX_STATES {
                    next = joined(next);
                }
            }
        }
        joined(next)
    }

    /// Reports that no alternative of the predicate fits, and returns the severity. It is an error if the types of
    /// variables show it; a constant may be a key that later facts have.
    fn never(&mut self, atom: &Atom, pred: crate::program::PredId, states: &[State], test: bool) -> Severity {
        let info = self.model.pred(pred);
        let text = if test {
            "can never be there, so this says nothing"
        } else {
            "can never hold"
        };
        let mut found = Diagnostic::new(Code::PremiseType, atom.span, format!("this `{}` {text}", info.name));
        let hopeless = states
            .iter()
            .all(|state| info.types.iter().all(|row| self.variables_apart(atom, row, state)));
        if !hopeless {
            found.severity = Severity::Warning;
        }
        if let ([row], [state, ..]) = (&info.types[..], states) {
            for (arg, ty) in atom.args.iter().zip(row) {
                let actual = self.type_of(arg, state);
                if meet(&actual, ty).is_never() {
                    found.primary.span = arg.span;
                    found = found.here(format!("this is {actual}, and the argument {ty}"));
                    break;
                }
            }
        } else {
            let row = |row: &Vec<Type>| format!("[{}]", Commas(row));
            let rows: Vec<String> = info.types.iter().map(row).collect();
            found = found.note(format!("`{}` has the types {}", info.name, rows.join(", ")));
        }
        let what = if info.declaration.is_some() {
            "declared here"
        } else {
            "its types come from its facts and rules"
        };
        let severity = found.severity;
        self.problems.push(found.label(info.span, what));
        severity
    }

    /// Returns whether a variable of the atom has no value that the row accepts in its place.
    fn variables_apart(&mut self, atom: &Atom, row: &[Type], state: &State) -> bool {
        atom.args.iter().zip(row).any(|(arg, ty)| {
            let is_variable = matches!(arg.kind, TermKind::Variable(_));
            let known = self.type_of(arg, state);
            is_variable && apart(&self.prefixes.widen(known), ty)
        })
    }

    /// Applies `one` to each state and returns those that fit. If none does, the first of the most severe problems is
    /// reported; after a mere warning the states stay as they were.
    fn through(&mut self, states: &[State], span: Span, mut one: impl FnMut(&mut Self, &mut State) -> Checked) -> Vec<State> {
        let mut problem = None;
        let mut next = Vec::new();
        for state in states {
            let mut fresh = state.clone();
            match one(self, &mut fresh) {
                Ok(()) => next.push(fresh),
                Err(found) => match &problem {
                    Some(Diagnostic {
                        severity: Severity::Error, ..
                    }) if found.severity != Severity::Error => problem = Some(*found),
                    Some(_) => {}
                    None => problem = Some(*found),
                },
            }
        }
        if next.is_empty() {
            let problem = problem.unwrap_or_else(|| Diagnostic::new(Code::PremiseType, span, "this can never hold"));
            if problem.severity != Severity::Error {
                next = states.to_vec();
            }
            self.problems.push(problem);
        }
        joined(next)
    }

    fn relation(&mut self, name: &str, atom: &Atom, state: &mut State) -> Checked {
        match (name, &atom.args[..]) {
            (":match_prefix", [term, prefix]) => {
                let ty = match &prefix.kind {
                    TermKind::Name(name) => Type::Under((**name).into()),
                    _ => Type::Name,
                };
                self.narrow(state, term, &ty)
            }
            (":filter", [value]) => self.narrow(state, value, &Type::truth()),
            (":match_field", [scrutinee, field, value]) => {
                let ty = self.type_of(scrutinee, state);
                let name = match &field.kind {
                    TermKind::Name(name) => name,
                    TermKind::Variable(_) => return Ok(()),
                    _ => {
                        let found = Diagnostic::new(Code::PremiseType, field.span, "a field is called by a name constant");
                        return Err(Box::new(found.here("this can never match")));
                    }
                };
                let Some(of) = ty.field(name) else {
                    let text = format!("{ty} has no field `{name}`");
                    return Err(Box::new(
                        Diagnostic::new(Code::PremiseType, field.span, text).here("this can never match"),
                    ));
                };
                self.narrow(state, value, &of)
            }
            (":match_entry", [map, key, value]) => match self.type_of(map, state) {
                Type::Map(both) => {
                    // A name that is missing is a matter of data: the map may have other keys later.
                    if !(both.0.is_name() && matches!(key.kind, TermKind::Name(_))) {
                        self.narrow(state, key, &both.0)?;
                    }
                    self.narrow(state, value, &both.1)
                }
                other => self.narrow(state, map, &Type::map(Type::Any, Type::Any)).map(|()| drop(other)),
            },
            _ => match functions::relation(name) {
                Some(signature) => self.arguments(signature, &atom.args, state),
                None => Ok(()),
            },
        }
    }

    /// Matches arguments with the types of a built-in, type variables included.
    fn arguments(&mut self, signature: &Signature, args: &[Term], state: &mut State) -> Checked {
        let mut vars = HashMap::new();
        for (index, arg) in args.iter().enumerate() {
            let actual = self.type_of(arg, state);
            if !matches!(actual, Type::Any) {
                bind(signature.param(index), &actual, &mut vars);
            }
        }
        for (index, arg) in args.iter().enumerate() {
            self.narrow(state, arg, &substitute(signature.param(index), &vars))?;
        }
        Ok(())
    }

    /// Narrows a term to a type, or says why it cannot.
    fn narrow(&mut self, state: &mut State, term: &Term, ty: &Type) -> Checked {
        let known = self.type_of(term, state);
        if self.refine(state, term, ty) {
            return Ok(());
        }
        let mut found = Diagnostic::new(Code::PremiseType, term.span, format!("expected {ty}, and this is {known}"));
        found.severity = self.severity(&known, ty);
        Err(Box::new(found.here("this can never match")))
    }

    /// Returns how severe it is that a term of the type `known` never has the type `wanted`. A name constant counts as
    /// what declarations call it.
    fn severity(&self, known: &Type, wanted: &Type) -> Severity {
        if apart(&self.prefixes.widen(known.clone()), wanted) {
            Severity::Error
        } else {
            Severity::Warning
        }
    }

    fn equal(&mut self, left: &Term, right: &Term, span: Span, states: Vec<State>) -> Vec<State> {
        self.through(&states, span, |this, state| {
            let (one, other) = (this.type_of(left, state), this.type_of(right, state));
            if this.refine(state, left, &other) && this.refine(state, right, &one) {
                return Ok(());
            }
            let mut found = Diagnostic::new(Code::PremiseType, span, format!("{one} never equals {other}"));
            found.severity = this.severity(&one, &this.prefixes.widen(other));
            Err(Box::new(found.here("this can never hold")))
        })
    }

    fn compare(&mut self, left: &Term, right: &Term, op: Comparison, of: Operand, span: Span, states: Vec<State>) -> Vec<State> {
        let wanted = match of {
            Operand::Number => Type::Number,
            Operand::Time => Type::Time,
            Operand::Duration => Type::Duration,
            Operand::Ordered if op == Comparison::NotEqual => return self.unequal(left, right, span, states),
            Operand::Ordered => return self.ordered(left, right, span, states),
        };
        self.through(&states, span, |this, state| {
            for term in [left, right] {
                let known = this.type_of(term, state);
                if !this.refine(state, term, &wanted) {
                    let found = compared(term, &known, &wanted, Severity::Error);
                    return Err(Box::new(by_relation(found, op, [left, right], &known, span)));
                }
            }
            Ok(())
        })
    }

    /// Reports `!=` between different types, which always holds, if that is so in all alternatives.
    fn unequal(&mut self, left: &Term, right: &Term, span: Span, states: Vec<State>) -> Vec<State> {
        let differ = |this: &mut Self, state: &mut State| {
            let (one, other) = (this.type_of(left, state), this.type_of(right, state));
            let names = one.is_name() && other.is_name();
            if names || !meet(&one, &other).is_never() {
                return Ok(());
            }
            let mut found = Diagnostic::new(Code::PremiseType, span, format!("{one} never equals {other}"));
            found.severity = this.severity(&one, &this.prefixes.widen(other));
            Err(Box::new(found.here("this always holds, so it says nothing")))
        };
        if self.through(&states, span, differ).is_empty() {
            Vec::new()
        } else {
            states
        }
    }

    /// Warns of names and strings in comparisons. They are not errors, because the extended order is defined for all
    /// values.
    fn ordered(&mut self, left: &Term, right: &Term, span: Span, states: Vec<State>) -> Vec<State> {
        if let Some(state) = states.first() {
            let (one, other) = (self.type_of(left, state), self.type_of(right, state));
            if [&one, &other].iter().any(|ty| ty.is_name() || matches!(ty, Type::String)) {
                let term = if one.is_name() || matches!(one, Type::String) {
                    left
                } else {
                    right
                };
                let found = compared(
                    term,
                    if std::ptr::eq(term, left) { &one } else { &other },
                    &Type::Number,
                    Severity::Warning,
                );
                if !self.problems.contains(&found) {
                    self.problems.push(found);
                }
            }
        }
        let _ = span;
        states
    }

    fn bounds(&mut self, time: &Annotation, state: &mut State) {
        for bound in std::iter::once(&time.start).chain(&time.end) {
            if let BoundKind::Variable(name) = &bound.kind {
                let term = Term {
                    kind: TermKind::Variable(name.clone()),
                    span: bound.span,
                };
                self.refine(state, &term, &Type::Time);
            }
        }
    }

    fn head_time(&mut self, time: &Annotation, states: Vec<State>) -> Vec<State> {
        let bounds = std::iter::once(&time.start).chain(&time.end);
        let terms: Vec<Term> = bounds
            .filter_map(|bound| match &bound.kind {
                BoundKind::Variable(name) => Some(Term {
                    kind: TermKind::Variable(name.clone()),
                    span: bound.span,
                }),
                _ => None,
            })
            .collect();
        self.through(&states, time.span, |this, state| {
            terms.iter().try_for_each(|term| this.narrow(state, term, &Type::Time))
        })
    }

    fn transform(&mut self, transform: &Transform, state: &mut State) {
        for one in &transform.lets {
            let ty = match &one.value.kind {
                TermKind::Call(call) if transform.group.is_some() => match functions::reducer(&call.function.text) {
                    Some((_, signature)) => self.applied(call, signature, state),
                    None => self.type_of(&one.value, state),
                },
                _ => self.type_of(&one.value, state),
            };
            let number = self.variables.number(&one.variable.text, one.variable.span);
            if state.len() <= number {
                state.resize(number + 1, Type::Any);
            }
            state[number] = ty;
        }
    }

    /// Returns the type of a term.
    fn type_of(&mut self, term: &Term, state: &State) -> Type {
        match &term.kind {
            TermKind::Variable(name) => self.get(state, name, term.span),
            TermKind::Name(name) => Type::Only((**name).into()),
            TermKind::List(items) => {
                let types = items.iter().map(|item| self.type_of(item, state));
                Type::list(types.fold(Type::never(), |union, ty| join(&union, &ty)))
            }
            TermKind::Map(entries) => {
                let (mut keys, mut values) = (Type::never(), Type::never());
                for (key, value) in entries {
                    keys = join(&keys, &self.type_of(key, state));
                    values = join(&values, &self.type_of(value, state));
                }
                Type::map(keys, values)
            }
            TermKind::Struct(entries) => structure(entries, |value| self.type_of(value, state)),
            TermKind::Call(call) => self.call(call, state),
            _ => type_of_constant(term, self.prefixes),
        }
    }

    fn call(&mut self, call: &Call, state: &State) -> Type {
        let of = |this: &mut Self, index: usize| call.args.get(index).map_or(Type::Any, |arg| this.type_of(arg, state));
        match &*call.function.text {
            "fn:list" => {
                let types = call.args.iter().map(|arg| self.type_of(arg, state));
                Type::list(types.fold(Type::never(), |union, ty| join(&union, &ty)))
            }
            "fn:tuple" => Type::tuple(call.args.iter().map(|arg| self.type_of(arg, state)).collect()).unwrap_or(Type::Any),
            "fn:struct" => {
                let entries: Vec<(Term, Term)> = call.args.chunks_exact(2).map(|both| (both[0].clone(), both[1].clone())).collect();
                structure(&entries, |value| self.type_of(value, state))
            }
            "fn:map" => {
                let (mut keys, mut values) = (Type::never(), Type::never());
                for both in call.args.chunks_exact(2) {
                    keys = join(&keys, &self.type_of(&both[0], state));
                    values = join(&values, &self.type_of(&both[1], state));
                }
                Type::map(keys, values)
            }
            "fn:struct:get" => match (of(self, 0), call.args.get(1).map(|arg| &arg.kind)) {
                (ty, Some(TermKind::Name(name))) => ty.field(name).unwrap_or(Type::Any),
                _ => Type::Any,
            },
            name => match functions::function(name) {
                Some((_, signature)) => self.applied(call, signature, state),
                None => Type::Any,
            },
        }
    }

    /// Returns the type of a function's result for these arguments; an argument that cannot fit is reported.
    fn applied(&mut self, call: &Call, signature: &Signature, state: &State) -> Type {
        let mut vars = HashMap::new();
        for (index, arg) in call.args.iter().enumerate() {
            let (actual, param) = (self.type_of(arg, state), signature.param(index));
            let wanted = substitute(param, &HashMap::new());
            let look = self.arguments.entry(arg.span).or_default();
            look.looks += 1;
            if meet(&actual, &wanted).is_never() && !actual.is_never() {
                let text = format!("`{}` takes {wanted} here", call.function.text);
                let mut found = Diagnostic::new(Code::ArgumentType, arg.span, text).here(format!("this is {actual}"));
                if functions::reducer(&call.function.text).is_some() {
                    found = found.help("for the rows of a group, put it behind the premises: `|> do fn:group_by(..), let ..`");
                }
                look.misfits += 1;
                look.problem.get_or_insert(found);
            }
            if !matches!(actual, Type::Any) {
                bind(param, &actual, &mut vars);
            }
        }
        substitute(&signature.result, &vars)
    }
}

fn compared(term: &Term, known: &Type, wanted: &Type, severity: Severity) -> Diagnostic {
    let text = format!("an order is asked of {known}");
    let mut found = Diagnostic::new(Code::Comparison, term.span, text).here(format!("this is {known}"));
    found.severity = severity;
    found.help(match (severity, wanted, known) {
        (Severity::Error, Type::Time, _) => "`:time:lt` and its like compare values of /time; numbers have `<`",
        (Severity::Error, Type::Duration, _) => "`:duration:lt` and its like compare values of /duration; numbers have `<`",
        (Severity::Error, _, Type::Time) => "`<` and its like compare numbers; times have `:time:lt` and its like",
        (Severity::Error, _, Type::Duration) => "`<` and its like compare numbers; durations have `:duration:lt` and its like",
        (Severity::Error, ..) => "`<` and its like compare numbers; with `--extended` everything has an order",
        _ => "names and strings are ordered by their bytes: is that meant?",
    })
}

/// Adds a fix to the finding: the comparison of two variables that are times or durations, written as the relation for
/// them.
fn by_relation(found: Diagnostic, op: Comparison, sides: [&Term; 2], known: &Type, span: Span) -> Diagnostic {
    let kind = match known {
        Type::Time => "time",
        Type::Duration => "duration",
        _ => return found,
    };
    let order = match op {
        Comparison::Less => "lt",
        Comparison::LessOrEqual => "le",
        Comparison::Greater => "gt",
        Comparison::GreaterOrEqual => "ge",
        Comparison::NotEqual => return found,
    };
    let [TermKind::Variable(left), TermKind::Variable(right)] = sides.map(|side| &side.kind) else {
        return found;
    };
    let written = format!(":{kind}:{order}({left}, {right})");
    found.fix(format!("write `{written}`"), span, written)
}

/// Returns the type of a struct with these fields.
pub(super) fn structure(entries: &[(Term, Term)], mut of: impl FnMut(&Term) -> Type) -> Type {
    let mut fields: Vec<Field> = Vec::new();
    for (key, value) in entries {
        let TermKind::Name(name) = &key.kind else { return Type::Any };
        let ty = of(value);
        fields.push(Field {
            name: (**name).into(),
            ty,
            optional: false,
        });
    }
    fields.sort_by(|one, other| one.name.cmp(&other.name));
    Type::Struct(fields.into())
}

/// Limits the number of states: too many are joined into one that allows what any of them allows.
fn joined(states: Vec<State>) -> Vec<State> {
    let width = states.iter().map(Vec::len).min().unwrap_or(0);
    if states.len() <= (MAX_TYPES / width.max(1)).clamp(1, MAX_STATES) {
        return states;
    }
    let one = |mut one: State, other: State| {
        one.truncate(width);
        one.iter_mut().zip(&other).for_each(|(ty, other)| *ty = join(ty, other));
        one
    };
    states.into_iter().reduce(one).into_iter().collect()
}
