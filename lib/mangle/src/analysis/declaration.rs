//! Declarations with their descriptors read and their types resolved.

use std::sync::Arc;

use super::{
    level::Level,
    report::Report,
    types::{Type, read_type},
};
use crate::{
    diagnostic::{Code, Diagnostic},
    program::Mode,
    syntax::{
        Span, Word,
        ast::{Atom, Decl, Term, TermKind},
    },
};

/// A declaration with its descriptors read.
#[derive(Clone, Debug, Default)]
pub struct Declaration {
    /// The place of the whole declaration.
    pub span: Span,
    /// The predicate's name.
    pub name_span: Span,
    /// The names of the arguments.
    pub args: Vec<Word>,
    /// The texts of `doc(..)`.
    pub doc: Vec<Box<str>>,
    /// The texts of `arg(X, ..)`, by position.
    pub arg_docs: Vec<Box<str>>,
    /// The types of `bound [..]`: the alternatives, each with a type for every argument. An empty list allows anything.
    pub bounds: Vec<Vec<Type>>,
    /// The modes of `mode(..)`: the ways to call it.
    pub modes: Vec<Vec<Mode>>,
    /// Whether its facts hold at intervals.
    pub temporal: bool,
    /// Whether it is `external()`: its rows come from outside, asked for when needed.
    pub external: bool,
    /// Whether it is `nondeterministic()`: a repeated question may have another answer.
    pub nondeterministic: bool,
    /// Whether it is `extensional()`: its facts are data, and no rule defines it.
    pub extensional: bool,
    /// Whether it is `session()`: a request may add facts of it, and so may every level.
    pub session: bool,
    /// Whether it is `deferred()`: it is computed where it is called.
    pub deferred: bool,
    /// Whether it is `private()`: other packages may not use it.
    pub private: bool,
    /// The level of `open(/domain)`: levels from this one on may define it too.
    pub open: Option<Level>,
    /// The functional dependencies of `fundep([keys], [values])`.
    pub fundeps: Vec<(Vec<usize>, Vec<usize>)>,
    /// The rule for merging of `merge([argument], 'by')`.
    pub merge: Option<MergeBy>,
}

/// How rows are merged: `merge([argument], 'by')`.
#[derive(Clone, Debug)]
pub struct MergeBy {
    /// The position of the merged argument.
    pub merged: usize,
    /// The predicate that merges two values.
    pub by: Arc<str>,
    /// The place of the descriptor.
    pub span: Span,
}

/// The descriptors that may stand in `descr [..]`.
const DESCRIPTORS: &[&str] = &[
    "arg",
    "deferred",
    "doc",
    "extensional",
    "external",
    "fundep",
    "merge",
    "mode",
    "name",
    "nondeterministic",
    "open",
    "private",
    "public",
    "reflects",
    "session",
    "synthetic",
    "temporal",
];

/// Reads a declaration; what is wrong with it is reported and left out.
pub(crate) fn read(decl: &Decl, report: &mut Report) -> Declaration {
    let mut out = Declaration {
        span: decl.span,
        name_span: decl.atom.predicate.span,
        temporal: decl.temporal.is_some(),
        ..Declaration::default()
    };
    for arg in &decl.atom.args {
        let name: Word = match &arg.kind {
            TermKind::Variable(name) => name.clone(),
            _ => "_".into(),
        };
        if !matches!(arg.kind, TermKind::Variable(_) | TermKind::Wildcard) {
            report.push(invalid(
                arg.span,
                "the arguments of a declaration are variables: they only name the columns",
            ));
        } else if out.args.contains(&name) {
            report.push(invalid(arg.span, &format!("two arguments are named `{name}`")));
        }
        out.args.push(name);
    }
    out.arg_docs = vec![Box::default(); out.args.len()];
    for bounds in &decl.bounds {
        if bounds.types.len() != out.args.len() {
            let (found, wanted) = (bounds.types.len(), out.args.len());
            let text = format!("{} for {}", count(found, "type"), count(wanted, "argument"));
            report.push(invalid(bounds.span, &text).label(decl.atom.span, "the arguments"));
            continue;
        }
        out.bounds.push(bounds.types.iter().map(|ty| read_bound(ty, report)).collect());
    }
    if let [first, .., last] | [first @ last] = &decl.inclusion[..] {
        let found = Diagnostic::new(
            Code::UncheckedConstraint,
            first.span.to(last.span),
            "nothing checks this constraint",
        );
        let args = out.args.join(", ");
        let (name, other) = (&decl.atom.predicate.text, &first.predicate.text);
        report.push(found.help(format!(
            "let a rule find what breaks it: `bad({args}) :- {name}({args}), !{other}(..).`"
        )));
    }
    for atom in &decl.descr {
        descriptor(atom, &mut out, report);
    }
    whole(decl, &out, report);
    out
}

fn read_bound(term: &Term, report: &mut Report) -> Type {
    read_type(term).unwrap_or_else(|bad| {
        report.push(Diagnostic::new(Code::InvalidType, bad.span, "this is not a type").here(bad.why));
        Type::Any
    })
}

fn descriptor(atom: &Atom, out: &mut Declaration, report: &mut Report) {
    match &*atom.predicate.text {
        "doc" if !out.doc.is_empty() => report.push(invalid(atom.span, "a declaration has one `doc(..)`, of any number of strings")),
        "doc" if atom.args.is_empty() => report.push(invalid(atom.span, "`doc(..)` says nothing")),
        "doc" => out.doc = strings(&atom.args, report),
        "arg" => argument(atom, out, report),
        "mode" => out.modes.extend(mode(atom, out.args.len(), report)),
        "external" => out.external = true,
        "nondeterministic" => out.nondeterministic = true,
        "extensional" => out.extensional = true,
        "session" => out.session = true,
        "deferred" => out.deferred = true,
        "private" => out.private = true,
        "temporal" => out.temporal = true,
        "open" => out.open = open(atom, report),
        "fundep" => match &atom.args[..] {
            [keys, values] => {
                let positions = (positions(keys, out, report), positions(values, out, report));
                out.fundeps.push(positions);
            }
            _ => report.push(invalid(atom.span, "`fundep([X], [Y])` takes two lists of arguments")),
        },
        "merge" => out.merge = merge(atom, out, report),
        name if DESCRIPTORS.contains(&name) => {}
        name => {
            let found = Diagnostic::new(Code::UnknownDescriptor, atom.span, format!("`{name}` means nothing here"));
            let near = report.nearest(name, DESCRIPTORS.iter().copied());
            report.push(match near {
                Some(meant) => found.fix(format!("write `{meant}`"), atom.predicate.span, meant),
                None => found.help("it is ignored"),
            });
        }
    }
}

fn strings(terms: &[Term], report: &mut Report) -> Vec<Box<str>> {
    let mut out = Vec::new();
    for term in terms {
        match &term.kind {
            TermKind::String(text) => out.push(text.clone()),
            _ => report.push(invalid(term.span, "expected a string")),
        }
    }
    out
}

fn argument(atom: &Atom, out: &mut Declaration, report: &mut Report) {
    let Some((first, texts)) = atom.args.split_first().filter(|(_, texts)| !texts.is_empty()) else {
        return report.push(invalid(atom.span, "`arg(X, \"..\")` takes an argument and what it means"));
    };
    let Some(position) = position(first, out, report) else { return };
    let text = strings(texts, report).join(" ");
    if let Some(slot) = out.arg_docs.get_mut(position) {
        *slot = text.into();
    }
}

fn mode(atom: &Atom, arity: usize, report: &mut Report) -> Option<Vec<Mode>> {
    if atom.args.len() != arity {
        report.push(invalid(
            atom.span,
            &format!("{} for {}", count(atom.args.len(), "mode"), count(arity, "argument")),
        ));
        return None;
    }
    let one = |term: &Term| match &term.kind {
        TermKind::String(text) => match &**text {
            "+" => Some(Mode::In),
            "-" => Some(Mode::Out),
            "?" => Some(Mode::Any),
            _ => None,
        },
        _ => None,
    };
    let modes: Option<Vec<Mode>> = atom.args.iter().map(one).collect();
    if modes.is_none() {
        report.push(invalid(atom.span, "a mode is `'+'` (given), `'-'` (computed) or `'?'` (either)"));
    }
    modes
}

fn open(atom: &Atom, report: &mut Report) -> Option<Level> {
    let level = match &atom.args[..] {
        [] => Some(Level::Client),
        [term] => match &term.kind {
            TermKind::Name(name) => Level::by_name(name.trim_start_matches('/')),
            _ => None,
        },
        _ => None,
    };
    if level.is_none() {
        report.push(invalid(atom.span, "`open(..)` takes a level: /client, /domain, /policy or /schema"));
    }
    level
}

/// Returns the positions of a list of arguments.
fn positions(term: &Term, out: &Declaration, report: &mut Report) -> Vec<usize> {
    match &term.kind {
        TermKind::List(items) => items.iter().filter_map(|item| position(item, out, report)).collect(),
        _ => {
            report.push(invalid(term.span, "expected a list of arguments: `[X, Y]`"));
            Vec::new()
        }
    }
}

fn position(term: &Term, out: &Declaration, report: &mut Report) -> Option<usize> {
    let found = match &term.kind {
        TermKind::Variable(name) => out.args.iter().position(|arg| arg == name),
        _ => None,
    };
    if found.is_none() {
        report.push(invalid(term.span, "this is not one of the arguments").label(out.name_span, "declared here"));
    }
    found
}

fn merge(atom: &Atom, out: &Declaration, report: &mut Report) -> Option<MergeBy> {
    let [list, by] = &atom.args[..] else {
        report.push(invalid(
            atom.span,
            "`merge([X], 'by')` takes an argument and the name of a predicate",
        ));
        return None;
    };
    let merged = positions(list, out, report);
    let (TermKind::String(name), [merged]) = (&by.kind, &merged[..]) else {
        report.push(invalid(
            atom.span,
            "`merge([X], 'by')` takes one argument and the name of a predicate in quotes",
        ));
        return None;
    };
    Some(MergeBy {
        merged: *merged,
        by: (**name).into(),
        span: by.span,
    })
}

/// Checks what one descriptor requires of the others.
fn whole(decl: &Decl, out: &Declaration, report: &mut Report) {
    if out.external && out.modes.len() != 1 {
        let found = invalid(out.name_span, "an external predicate has exactly one mode");
        report.push(found.help("say which arguments are given and which are answered: `descr [external(), mode('+', '-')]`"));
    }
    let described = decl.descr.iter().filter(|atom| &*atom.predicate.text == "arg").count();
    if described > 0 && described < out.args.len() {
        report.push(invalid(
            decl.atom.span,
            "`arg(..)` is there for some arguments and missing for others",
        ));
    }
    if let Some(merge) = &out.merge {
        let keyed = out.fundeps.iter().any(|(_, values)| values.contains(&merge.merged));
        if !keyed {
            let found = invalid(merge.span, "nothing says which arguments name the row whose value is merged");
            report.push(found.help("add `fundep([Key], [Value])`"));
        }
    }
}

fn invalid(span: Span, text: &str) -> Diagnostic {
    Diagnostic::new(Code::InvalidDeclaration, span, text)
}

/// Returns a number with its noun: `1 type`, `2 types`.
pub(super) fn count(number: usize, noun: &str) -> String {
    format!("{number} {noun}{}", if number == 1 { "" } else { "s" })
}
