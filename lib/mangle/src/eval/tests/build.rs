//! Short builders of programs for tests.

use crate::{
    builtin,
    program::{Aggregate, Atom, Expr, Head, PredId, Predicate, Premise, Program, Rule, RuleId, Slot, Stratum, Term, Transform},
    syntax::Span,
};

/// An argument: a variable or anything.
#[derive(Clone, Copy)]
pub(super) enum Arg {
    V(Slot),
    Any,
}

pub(super) fn v(slot: Slot) -> Arg {
    Arg::V(slot)
}

pub(super) fn any() -> Arg {
    Arg::Any
}

pub(super) type Written = (PredId, Vec<Arg>, bool);

pub(super) fn head<const N: usize>(pred: PredId, args: [Arg; N]) -> Written {
    (pred, args.to_vec(), true)
}

pub(super) fn fact<const N: usize>(pred: PredId, args: [Arg; N]) -> Written {
    (pred, args.to_vec(), true)
}

pub(super) fn no<const N: usize>(pred: PredId, args: [Arg; N]) -> Written {
    (pred, args.to_vec(), false)
}

#[derive(Default)]
pub(super) struct Builder(Program);

impl Builder {
    pub(super) fn pred(&mut self, name: &str, arity: usize) -> PredId {
        self.0.predicates.push(Predicate {
            name: name.into(),
            arity,
            ..Predicate::default()
        });
        PredId(self.0.predicates.len() as u32 - 1)
    }

    /// Adds a predicate whose facts requests give.
    pub(super) fn session(&mut self, name: &str, arity: usize) -> PredId {
        let pred = self.pred(name, arity);
        self.0.predicates[pred.index()].session = true;
        pred
    }

    pub(super) fn give(&mut self, pred: PredId, row: &[i64]) {
        let row: Vec<_> = row.iter().map(|&number| self.0.interner.number(number)).collect();
        self.0.facts.push(pred, &row, None);
    }

    fn term(arg: Arg) -> Term {
        match arg {
            Arg::V(slot) => Term::Slot(slot),
            Arg::Any => Term::Any,
        }
    }

    fn add(&mut self, head: Written, body: Vec<Written>, extra: Vec<Premise>, transforms: Vec<Transform>) {
        let mut premises: Vec<Premise> = Vec::new();
        for (pred, args, positive) in body {
            let atom = Atom {
                pred,
                args: args.into_iter().map(Self::term).collect(),
                when: None,
                span: Span::default(),
            };
            premises.push(if positive { Premise::Fact(atom) } else { Premise::NoFact(atom) });
        }
        premises.extend(extra);
        let args = head
            .1
            .into_iter()
            .map(|arg| match Self::term(arg) {
                Term::Slot(slot) => Expr::Slot(slot),
                Term::Value(value) => Expr::Value(value),
                Term::Any => Expr::Any,
            })
            .collect();
        self.0.rules.push(Rule {
            head: Head {
                pred: head.0,
                args,
                time: None,
            },
            premises,
            transforms,
            slots: 8,
            names: Vec::new(),
            span: Span::default(),
        });
    }

    pub(super) fn rule<const N: usize>(&mut self, head: Written, body: [Written; N]) {
        self.add(head, body.to_vec(), Vec::new(), Vec::new());
    }

    /// Adds the rule `head :- body |> do fn:group_by(keys..), let slot = reducer(args..).`
    pub(super) fn group<const N: usize>(
        &mut self,
        head: Written,
        body: [Written; N],
        keys: &[Slot],
        slot: Slot,
        reducer: &str,
        args: &[Slot],
    ) {
        let reduce = Aggregate::Reduce {
            slot,
            reducer: builtin::reducer(reducer).expect("a reducer of the table"),
            args: args.iter().map(|&slot| Expr::Slot(slot)).collect(),
        };
        let group = Transform::Group {
            keys: keys.to_vec(),
            lets: vec![reduce],
        };
        self.add(head, body.to_vec(), Vec::new(), vec![group]);
    }

    /// Adds the rule `p(Y) :- p(X), Y = fn:plus(X, 1).`
    pub(super) fn successor(&mut self, pred: PredId) {
        let one = self.0.interner.number(1);
        let plus = builtin::function("fn:plus").expect("a function of the table");
        let next = Premise::Equal(Expr::Slot(1), Expr::Call(plus, vec![Expr::Slot(0), Expr::Value(one)]));
        self.add(head(pred, [v(1)]), vec![fact(pred, [v(0)])], vec![next], Vec::new());
    }

    pub(super) fn stratum(&mut self, predicates: &[PredId], recursive: bool) {
        let rules = (0..self.0.rules.len() as u32).map(RuleId);
        let rules = rules.filter(|rule| predicates.contains(&self.0.rule(*rule).head.pred)).collect();
        self.0.strata.push(Stratum {
            predicates: predicates.to_vec(),
            rules,
            recursive,
        });
    }

    pub(super) fn program(self) -> Program {
        self.0
    }
}
