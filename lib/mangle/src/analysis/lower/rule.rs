//! Lowers one rule: variables become slots, terms become expressions.

use super::{
    super::{
        functions,
        model::{Meaning, Model, RuleInfo},
        report::Report,
        time::is_always,
        variables::Variables,
    },
    value::{constant, is_constant},
};
use crate::{
    builtin::Function,
    program::{self, Aggregate, Atom, Expr, Head, HeadTime, PredId, Rule, Slot, Transform, When, Window},
    syntax::{
        Span, Word,
        ast::{Annotation, Bound, BoundKind, Call, Let, Literal, Operator, OperatorKind, Premise, Term, TermKind},
    },
    value::Interner,
};

/// Lowers a rule, with its premises in the order that the analysis found.
pub(super) fn lower(model: &Model<'_>, info: &RuleInfo<'_>, interner: &mut Interner, report: &mut Report) -> Rule {
    let mut lower = Lower {
        variables: Variables::default(),
        made: 0,
        premises: Vec::new(),
        interner,
        report,
    };
    for &index in &info.order {
        lower.premise(model, &info.clause.premises[index], info.premises[index]);
    }
    let body = lower.variables.all.len();
    let transforms = info
        .clause
        .transforms
        .iter()
        .map(|transform| lower.transform(transform, body))
        .collect();
    let temporal = model.pred(info.head).temporal;
    let head = Head {
        pred: info.head,
        args: info.clause.head.args.iter().map(|arg| lower.expr(arg)).collect(),
        time: temporal.then(|| lower.head_time(info.clause.time.as_deref())),
    };
    let mut names: Vec<Word> = lower.variables.all.iter().map(|(name, _)| visible(name)).collect();
    names.truncate(usize::from(Slot::MAX));
    Rule {
        head,
        premises: lower.premises,
        transforms,
        slots: names.len() as Slot,
        names,
        span: info.clause.span,
    }
}

/// Returns the name of a variable for display. Variables that the lowering creates begin with a space, which no program
/// can write.
fn visible(name: &Word) -> Word {
    if name.starts_with(' ') { "".into() } else { name.clone() }
}

/// Returns when a fact holds.
pub(super) fn fact_time(time: Option<&Annotation>) -> HeadTime {
    let bound = |bound: &Bound| match bound.kind {
        BoundKind::Time(nanos) => program::Bound::At(nanos),
        BoundKind::Duration(nanos) => program::Bound::Offset(nanos),
        BoundKind::Now => program::Bound::Now,
        BoundKind::Variable(_) | BoundKind::Unbounded => program::Bound::Open,
    };
    let open = program::Bound::Open;
    time.map_or(HeadTime { start: open, end: open }, |time| HeadTime {
        start: bound(&time.start),
        end: bound(time.end.as_ref().unwrap_or(&time.start)),
    })
}

struct Lower<'l> {
    variables: Variables,
    /// How many variables the lowering has created.
    made: usize,
    premises: Vec<program::Premise>,
    interner: &'l mut Interner,
    report: &'l mut Report,
}

impl Lower<'_> {
    /// Returns the slot of a variable. The analysis refuses rules with more variables than slots.
    fn slot(&mut self, name: &Word, span: Span) -> Slot {
        Slot::try_from(self.variables.number(name, span)).unwrap_or(Slot::MAX)
    }

    fn fresh(&mut self, span: Span) -> Slot {
        self.made += 1;
        let name = Word::from(format!(" {}", self.made));
        self.slot(&name, span)
    }

    fn premise(&mut self, model: &Model<'_>, premise: &Premise, meaning: Meaning) {
        let lowered = match (premise, meaning) {
            (Premise::Atom(literal), Meaning::Fact(pred)) => program::Premise::Fact(self.atom(model, literal, pred)),
            (Premise::Negated(literal), Meaning::NoFact(pred)) => program::Premise::NoFact(self.atom(model, literal, pred)),
            (Premise::Atom(literal) | Premise::Negated(literal), Meaning::Built { relation, negated }) => {
                let args = literal.atom.args.iter().map(|arg| self.expr(arg)).collect();
                program::Premise::Built { relation, negated, args }
            }
            (Premise::Compare(comparison), Meaning::Equal) => {
                let (left, right) = (self.expr(&comparison.left), self.expr(&comparison.right));
                program::Premise::Equal(left, right)
            }
            (Premise::Compare(comparison), Meaning::Compare { op, of }) => {
                let (left, right) = (self.expr(&comparison.left), self.expr(&comparison.right));
                program::Premise::Compare { op, of, left, right }
            }
            (Premise::Atom(literal), Meaning::Compare { op, of }) => match &literal.atom.args[..] {
                [left, right] => {
                    let (left, right) = (self.expr(left), self.expr(right));
                    program::Premise::Compare { op, of, left, right }
                }
                _ => return,
            },
            // Broken premises were reported, so this program is not returned to the caller.
            _ => return,
        };
        self.premises.push(lowered);
    }

    fn atom(&mut self, model: &Model<'_>, literal: &Literal, pred: PredId) -> Atom {
        let args = literal.atom.args.iter().map(|arg| self.pattern(arg)).collect();
        let when = if model.pred(pred).temporal { self.when(literal) } else { None };
        Atom {
            pred,
            args,
            when,
            span: literal.span,
        }
    }

    /// Lowers an argument of an atom. A computed argument becomes a variable with an equation of its own.
    fn pattern(&mut self, term: &Term) -> program::Term {
        match &term.kind {
            TermKind::Variable(name) => program::Term::Slot(self.slot(name, term.span)),
            TermKind::Wildcard => program::Term::Any,
            _ if is_constant(term) => program::Term::Value(constant(term, self.interner, self.report)),
            _ => {
                let expr = self.expr(term);
                let slot = self.fresh(term.span);
                self.premises.push(program::Premise::Equal(Expr::Slot(slot), expr));
                program::Term::Slot(slot)
            }
        }
    }

    fn expr(&mut self, term: &Term) -> Expr {
        if is_constant(term) {
            return Expr::Value(constant(term, self.interner, self.report));
        }
        match &term.kind {
            TermKind::Variable(name) => Expr::Slot(self.slot(name, term.span)),
            TermKind::Call(call) => self.call(call),
            TermKind::List(items) => {
                let args = items.iter().map(|item| self.expr(item)).collect();
                built("fn:list", args)
            }
            TermKind::Map(entries) => built("fn:map", self.flat(entries)),
            TermKind::Struct(entries) => built("fn:struct", self.flat(entries)),
            _ => Expr::Any,
        }
    }

    /// Lowers entries to alternating keys and values.
    fn flat(&mut self, entries: &[(Term, Term)]) -> Vec<Expr> {
        entries.iter().flat_map(|(key, value)| [self.expr(key), self.expr(value)]).collect()
    }

    fn call(&mut self, call: &Call) -> Expr {
        let args = call.args.iter().map(|arg| self.expr(arg)).collect();
        built(&call.function.text, args)
    }

    fn transform(&mut self, transform: &crate::syntax::ast::Transform, body: usize) -> Transform {
        let Some(group) = &transform.group else {
            return Transform::Lets(transform.lets.iter().map(|one| self.plain(one)).collect());
        };
        let key = |this: &mut Self, term: &Term| match &term.kind {
            TermKind::Variable(name) => Some(this.slot(name, term.span)),
            _ => None,
        };
        Transform::Group {
            keys: group.args.iter().filter_map(|arg| key(self, arg)).collect(),
            lets: transform.lets.iter().map(|one| self.aggregate(one, body)).collect(),
        }
    }

    fn plain(&mut self, one: &Let) -> program::Let {
        let expr = self.expr(&one.value);
        let slot = self.defined(one);
        program::Let { slot, expr }
    }

    fn defined(&mut self, one: &Let) -> Slot {
        if &*one.variable.text == "_" {
            return self.fresh(one.variable.span);
        }
        self.slot(&one.variable.text, one.variable.span)
    }

    fn aggregate(&mut self, one: &Let, body: usize) -> Aggregate {
        let TermKind::Call(call) = &one.value.kind else {
            return Aggregate::Let(self.plain(one));
        };
        let Some((reducer, _)) = functions::reducer(&call.function.text) else {
            return Aggregate::Let(self.plain(one));
        };
        let mut args: Vec<Expr> = call.args.iter().map(|arg| self.expr(arg)).collect();
        // Without arguments it counts the distinct bindings of the body.
        if &*call.function.text == "fn:count_distinct" && args.is_empty() {
            let named = (0..body).filter(|&number| !self.variables.name(number).starts_with(' '));
            args = named.map(|number| Expr::Slot(number as Slot)).collect();
        }
        Aggregate::Reduce {
            slot: self.defined(one),
            reducer: *reducer,
            args,
        }
    }

    fn head_time(&mut self, time: Option<&Annotation>) -> HeadTime {
        let open = program::Bound::Open;
        time.map_or(HeadTime { start: open, end: open }, |time| self.interval(time))
    }

    fn interval(&mut self, time: &Annotation) -> HeadTime {
        let start = self.bound(&time.start);
        let end = time.end.as_ref().map_or(start, |end| self.bound(end));
        HeadTime { start, end }
    }

    fn bound(&mut self, bound: &Bound) -> program::Bound {
        match &bound.kind {
            BoundKind::Time(nanos) => program::Bound::At(*nanos),
            BoundKind::Duration(nanos) => program::Bound::Offset(*nanos),
            BoundKind::Variable(name) => program::Bound::Slot(self.slot(name, bound.span)),
            BoundKind::Unbounded => program::Bound::Open,
            BoundKind::Now => program::Bound::Now,
        }
    }

    fn when(&mut self, literal: &Literal) -> Option<When> {
        match (&literal.operator, &literal.time) {
            (Some(operator), time) => {
                let found = time.as_ref().filter(|time| !is_always(time)).map(|time| self.interval(time));
                Some(When::Window(self.window(operator, found)))
            }
            (None, Some(time)) => {
                let HeadTime { start, end } = self.interval(time);
                Some(When::During { start, end })
            }
            (None, None) => None,
        }
    }

    fn window(&mut self, operator: &Operator, found: Option<HeadTime>) -> Window {
        let first = self.bound(&operator.start);
        let (from, to) = match &operator.end {
            Some(end) => (first, self.bound(end)),
            None => (program::Bound::Offset(0), first),
        };
        let (from, to) = match (from, to) {
            // The far bound comes first: that was reported as a warning, and means the same.
            (program::Bound::Offset(far), program::Bound::Offset(near)) if far > near => (to, from),
            both => both,
        };
        let operator = match operator.kind {
            OperatorKind::DiamondMinus => program::Operator::OncePast,
            OperatorKind::BoxMinus => program::Operator::AlwaysPast,
            OperatorKind::DiamondPlus => program::Operator::OnceAhead,
            OperatorKind::BoxPlus => program::Operator::AlwaysAhead,
        };
        Window { operator, from, to, found }
    }
}

/// Returns a call of a function that is known to exist.
fn built(name: &str, args: Vec<Expr>) -> Expr {
    let known: Option<Function> = functions::function(name).map(|(function, _)| *function);
    known.map_or(Expr::Any, |function| Expr::Call(function, args))
}
