//! Checks functions in rules: whether they exist, their number of arguments, and their types.

use std::{collections::HashMap, sync::LazyLock};

use super::{
    declaration::count,
    model::Model,
    report::Report,
    types::{Type, read_text},
};
use crate::{
    builtin::{self, Function, Params, Reducer},
    diagnostic::{Code, Diagnostic, Severity},
    syntax::ast::{Call, Clause, Premise, Term, TermKind},
};

/// The parsed types of a built-in.
#[derive(Debug)]
pub(crate) struct Signature {
    params: Vec<Type>,
    pub(crate) result: Type,
}

impl Signature {
    fn new(params: Params, result: &str) -> Self {
        let read = |text: &&str| read_text(text).unwrap_or(Type::Any);
        Self {
            params: params.types.iter().map(read).collect(),
            result: read_text(result).unwrap_or(Type::Any),
        }
    }

    /// Returns the type of an argument; the last one repeats.
    pub(crate) fn param(&self, index: usize) -> &Type {
        let last = self.params.len().saturating_sub(1);
        self.params.get(index.min(last)).unwrap_or(&Type::Any)
    }
}

static FUNCTIONS: LazyLock<HashMap<&'static str, (Function, Signature)>> = LazyLock::new(|| {
    let row = |function: Function| (function.name, (function, Signature::new(function.params, function.result)));
    builtin::functions().map(row).collect()
});

static REDUCERS: LazyLock<HashMap<&'static str, (Reducer, Signature)>> = LazyLock::new(|| {
    let row = |reducer: Reducer| (reducer.name, (reducer, Signature::new(reducer.params, reducer.result)));
    builtin::reducers().map(row).collect()
});

static RELATIONS: LazyLock<HashMap<&'static str, Signature>> = LazyLock::new(|| {
    builtin::relations()
        .map(|relation| (relation.name, Signature::new(relation.params, "/any")))
        .collect()
});

/// Returns the function of this name.
pub(crate) fn function(name: &str) -> Option<&'static (Function, Signature)> {
    FUNCTIONS.get(name)
}

/// Returns the reducer of this name.
pub(crate) fn reducer(name: &str) -> Option<&'static (Reducer, Signature)> {
    REDUCERS.get(name)
}

/// Returns the types of a relation's arguments.
pub(crate) fn relation(name: &str) -> Option<&'static Signature> {
    RELATIONS.get(name)
}

/// Checks every function of every rule, and the values in facts.
pub(crate) fn check(model: &Model<'_>, report: &mut Report) {
    let mut check = Check { report };
    for fact in &model.facts {
        if check.report.is_cancelled() {
            return;
        }
        fact.clause.head.args.iter().for_each(|arg| check.term(arg));
    }
    for rule in &model.rules {
        if check.report.is_cancelled() {
            return;
        }
        check.clause(rule.clause);
    }
}

struct Check<'r> {
    report: &'r mut Report,
}

impl Check<'_> {
    fn clause(&mut self, clause: &Clause) {
        clause.head.args.iter().for_each(|arg| self.term(arg));
        for premise in &clause.premises {
            match premise {
                Premise::Atom(literal) | Premise::Negated(literal) => literal.atom.args.iter().for_each(|arg| self.term(arg)),
                Premise::Compare(comparison) => {
                    self.term(&comparison.left);
                    self.term(&comparison.right);
                }
            }
        }
        for transform in &clause.transforms {
            for one in &transform.lets {
                match &one.value.kind {
                    TermKind::Call(call) if transform.group.is_some() && reducer(&call.function.text).is_some() => self.reducer(call),
                    _ => self.term(&one.value),
                }
            }
        }
    }

    fn term(&mut self, term: &Term) {
        match &term.kind {
            TermKind::Call(call) => self.call(call),
            TermKind::List(items) => items.iter().for_each(|item| self.term(item)),
            TermKind::Map(entries) => entries.iter().for_each(|(key, value)| {
                self.term(key);
                self.term(value);
            }),
            TermKind::Struct(entries) => entries.iter().for_each(|(key, value)| self.field(key, value)),
            TermKind::Type(_) => {
                let found = Diagnostic::new(Code::InvalidType, term.span, "a type stands for no value");
                self.report.push(found.help("types belong into `bound [..]` of a declaration"));
            }
            _ => {}
        }
    }

    fn field(&mut self, key: &Term, value: &Term) {
        if !matches!(key.kind, TermKind::Name(_) | TermKind::Variable(_)) {
            let mut found = Diagnostic::new(Code::InvalidStruct, key.span, "the field of a struct is no name");
            // The public engine accepts any key, and an error only shows when the field is looked up.
            found.severity = Severity::Warning;
            let as_name = match &key.kind {
                TermKind::String(text) if is_part(text) => Some(format!("/{text}")),
                _ => None,
            };
            self.report.push(match as_name {
                Some(name) => found.fix(format!("write `{name}`"), key.span, name),
                None => found.help("fields are names, `{/field : value}`; a map has keys of any kind, `[key : value]`"),
            });
        }
        self.term(value);
    }

    fn call(&mut self, call: &Call) {
        call.args.iter().for_each(|arg| self.term(arg));
        let name = &*call.function.text;
        let known = function(name).map(|(function, _)| (function.params, function.doc));
        match known {
            Some((params, doc)) => self.arity(call, params, doc),
            None if reducer(name).is_some() => self.outside_group(call, "reduces the rows of a group"),
            None if name == "fn:group_by" => self.outside_group(call, "makes the groups of a transform"),
            None => self.unknown(call),
        }
    }

    fn outside_group(&mut self, call: &Call, does: &str) {
        let text = format!("`{}` {does}", call.function.text);
        let found = Diagnostic::new(Code::ReducerOutsideGroup, call.span, text).here("there is no group here");
        let help = "behind the premises, put `|> do fn:group_by(..)`, and give each reducer a `let` of its own";
        self.report.push(found.help(help));
    }

    fn reducer(&mut self, call: &Call) {
        call.args.iter().for_each(|arg| self.term(arg));
        if let Some((reducer, _)) = reducer(&call.function.text) {
            self.arity(call, reducer.params, reducer.doc);
        }
    }

    fn arity(&mut self, call: &Call, params: Params, doc: &str) {
        let (name, found) = (&call.function.text, call.args.len());
        let even = !matches!(&**name, "fn:map" | "fn:struct") || found.is_multiple_of(2);
        if params.accept(found) && even {
            return;
        }
        let wanted = match (params.variadic, even) {
            (_, false) => "keys and values that alternate".to_owned(),
            (true, _) => format!("{} or more", count(params.types.len() - 1, "argument")),
            (false, _) => count(params.types.len(), "argument"),
        };
        let text = format!("`{name}` takes {wanted}, not {found}");
        let more = if params.variadic { ", .." } else { "" };
        let signature = format!("{name}({}{more})", params.types.join(", "));
        let mut doc = doc.to_owned();
        doc[..1].make_ascii_lowercase();
        let help = format!("`{signature}`: {}", doc.trim_end_matches('.'));
        self.report.push(Diagnostic::new(Code::FunctionArity, call.span, text).help(help));
    }

    fn unknown(&mut self, call: &Call) {
        let name = &*call.function.text;
        let found = Diagnostic::new(Code::UnknownFunction, call.function.span, format!("there is no function `{name}`"));
        let known = FUNCTIONS.keys().chain(REDUCERS.keys()).copied();
        let near = self.report.nearest(name, known);
        self.report.push(match near {
            Some(meant) => found.fix(format!("write `{meant}`"), call.function.span, meant),
            None => {
                found.help("`docs/use/mangle/builtins.md` lists all functions; there are no functions of one's own: define a predicate")
            }
        });
    }
}

/// Returns whether a text can be a part of a name: `/text`.
fn is_part(text: &str) -> bool {
    !text.is_empty() && text.bytes().all(|byte| byte.is_ascii_alphanumeric() || byte == b'_')
}
