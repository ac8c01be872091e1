//! Checks transforms: which variables exist after each, and what may be written in them.

use super::{
    model::RuleInfo,
    report::Report,
    variables::{Variables, wildcard},
};
use crate::{
    builtin,
    diagnostic::{Code, Diagnostic},
    syntax::{
        Dialect, Span,
        ast::{Call, Let, Term, TermKind, Transform},
    },
};

/// The variables that have one value for each row.
#[derive(Clone, Debug, Default)]
pub(crate) struct Scope {
    bound: Vec<bool>,
    /// Whether rows were grouped: then some variables of the body no longer exist.
    pub(crate) grouped: bool,
}

impl Scope {
    pub(crate) fn contains(&self, number: usize) -> bool {
        self.bound.get(number).copied().unwrap_or(false)
    }

    fn add(&mut self, number: usize) {
        if self.bound.len() <= number {
            self.bound.resize(number + 1, false);
        }
        self.bound[number] = true;
    }
}

/// Checks the transforms of a rule and returns what the head may use.
pub(crate) fn check(rule: &RuleInfo<'_>, bound: &[bool], variables: &mut Variables, dialect: Dialect, report: &mut Report) -> Scope {
    let transforms = &rule.clause.transforms;
    if let ([_, second, ..], Dialect::Strict) = (&transforms[..], dialect) {
        let found = Diagnostic::new(Code::Extension, second.span, "a second transform is an extension");
        report.push(found.help("the extended language (`--extended`) allows it; else derive a helper predicate first"));
    }
    let mut check = Check {
        scope: Scope {
            bound: bound.to_vec(),
            grouped: false,
        },
        variables,
        report,
    };
    transforms.iter().for_each(|transform| check.transform(transform));
    check.scope
}

struct Check<'c> {
    scope: Scope,
    variables: &'c mut Variables,
    report: &'c mut Report,
}

impl Check<'_> {
    fn transform(&mut self, transform: &Transform) {
        match &transform.group {
            Some(group) => self.group(group, &transform.lets),
            None => transform.lets.iter().for_each(|one| self.plain(one)),
        }
    }

    /// Checks `do fn:group_by(..), let ..`: keys and computed variables remain.
    fn group(&mut self, group: &Call, lets: &[Let]) {
        if &*group.function.text != "fn:group_by" {
            let text = format!("`{}` does not make groups", group.function.text);
            let found = Diagnostic::new(Code::InvalidTransform, group.function.span, text);
            self.report
                .push(found.help("`do` takes `fn:group_by(..)`; for a function of one row write `let` alone"));
        }
        let rows = std::mem::take(&mut self.scope);
        let mut after = Scope {
            bound: Vec::new(),
            grouped: true,
        };
        for key in &group.args {
            self.key(key, &rows, &mut after);
        }
        for one in lets {
            self.aggregate(one, &rows, &mut after);
        }
        self.scope = after;
    }

    fn key(&mut self, key: &Term, rows: &Scope, after: &mut Scope) {
        let TermKind::Variable(name) = &key.kind else {
            let found = Diagnostic::new(Code::InvalidTransform, key.span, "a key of a group is a variable");
            return self
                .report
                .push(found.help("give it a name among the premises: `K = ..`, then group by `K`"));
        };
        let number = self.variables.number(name, key.span);
        if after.contains(number) {
            let found = Diagnostic::new(Code::InvalidTransform, key.span, format!("`{name}` is a key already"));
            return self.report.push(found.help("leave it out here"));
        }
        if !rows.contains(number) {
            self.unknown(name, key.span);
        }
        after.add(number);
    }

    fn aggregate(&mut self, one: &Let, rows: &Scope, after: &mut Scope) {
        let reducer = matches!(&one.value.kind, TermKind::Call(call) if builtin::reducer(&call.function.text).is_some());
        let mut used = Vec::new();
        self.variables.of_term(&one.value, &mut used);
        for number in used {
            let name = self.variables.name(number).clone();
            if reducer && !rows.contains(number) {
                self.unknown(&name, one.value.span);
            } else if !reducer && !after.contains(number) {
                let text = format!("`{name}` has many values in a group");
                let found = Diagnostic::new(Code::NotInGroup, one.value.span, text);
                self.report
                    .push(found.help("reduce it with a `let` of its own first, or make it a key of the group"));
            }
        }
        if let Some(number) = self.define(one, |number| rows.contains(number) || after.contains(number)) {
            after.add(number);
        }
    }

    fn plain(&mut self, one: &Let) {
        let mut used = Vec::new();
        self.variables.of_term(&one.value, &mut used);
        for number in used {
            if !self.scope.contains(number) {
                let name = self.variables.name(number).clone();
                self.unknown(&name, one.value.span);
            }
        }
        let scope = std::mem::take(&mut self.scope);
        let defined = self.define(one, |number| scope.contains(number));
        self.scope = scope;
        defined.into_iter().for_each(|number| self.scope.add(number));
    }

    /// Returns the variable that a `let` defines, unless it is `_`. It must not have a value already.
    fn define(&mut self, one: &Let, taken: impl Fn(usize) -> bool) -> Option<usize> {
        if let Some(span) = wildcard(&one.value) {
            let found = Diagnostic::new(Code::UnboundVariable, span, "`_` has no value").here("a value is needed here");
            self.report.push(found.help("write a variable that a premise gives a value"));
        }
        if &*one.variable.text == "_" {
            return None;
        }
        let number = self.variables.number(&one.variable.text, one.variable.span);
        if taken(number) {
            let name = &one.variable.text;
            let found = Diagnostic::new(Code::RedefinedVariable, one.variable.span, format!("`{name}` has a value already"));
            let first = self.variables.all[number].1;
            let found = if first == one.variable.span {
                found
            } else {
                found.label(first, "it has it from here")
            };
            self.report.push(found.help("take another name: a variable has one value"));
        }
        Some(number)
    }

    fn unknown(&mut self, name: &str, span: Span) {
        let found = Diagnostic::new(Code::UnboundVariable, span, format!("`{name}` has no value")).here("needed here");
        self.report
            .push(found.help("a transform sees the variables of the premises and those of transforms before it"));
    }
}
