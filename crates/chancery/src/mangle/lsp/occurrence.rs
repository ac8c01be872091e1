//! The occurrences of names in a document: predicates, functions, variables.

use mangle::syntax::{
    Span, Word,
    ast::{Atom, Clause, Item, Premise, Term, TermKind, Unit},
};

/// One occurrence of a name.
#[derive(Clone, Debug)]
pub(super) struct Occurrence {
    pub(super) what: What,
    pub(super) span: Span,
    /// Whether it declares or defines the named thing.
    pub(super) defines: bool,
}

/// The thing that a name denotes. Equal values denote the same thing.
#[derive(Clone, Debug, PartialEq)]
pub(super) enum What {
    /// A predicate with its package, or a built-in.
    Predicate(Word, usize),
    /// A function or reducer.
    Function(Word),
    /// A variable of the clause that begins there.
    Variable(Word, u32),
}

/// Returns all names of a document in order.
pub(super) fn occurrences(unit: &Unit) -> Vec<Occurrence> {
    let package = unit.package.as_ref().map_or("", |package| &package.name.text);
    let mut all = Vec::new();
    for item in &unit.items {
        match item {
            Item::Decl(decl) => {
                all.push(predicate(&decl.atom, package, true));
                all.extend(decl.descr.iter().filter_map(|descr| merger(descr, package)));
            }
            Item::Clause(clause) => of_clause(clause, package, &mut all),
        }
    }
    all.sort_by_key(|one| one.span);
    all
}

fn of_clause(clause: &Clause, package: &str, all: &mut Vec<Occurrence>) {
    all.push(predicate(&clause.head, package, true));
    for premise in &clause.premises {
        if let Premise::Atom(literal) | Premise::Negated(literal) = premise {
            all.push(predicate(&literal.atom, package, false));
        }
    }
    clause.terms().for_each(|term| functions(term, all));
    for call in clause.transforms.iter().filter_map(|transform| transform.group.as_ref()) {
        all.push(function(&call.function.text, call.function.span));
    }
    clause.each_variable(&mut |name, span| {
        all.push(Occurrence {
            what: What::Variable(name.clone(), clause.span.start),
            span,
            defines: false,
        });
    });
}

fn predicate(atom: &Atom, package: &str, defines: bool) -> Occurrence {
    Occurrence {
        what: What::Predicate(whole(&atom.predicate.text, package), atom.args.len()),
        span: atom.predicate.span,
        defines,
    }
}

/// Returns a name with its package: a name without one belongs to the file's own.
fn whole(text: &Word, package: &str) -> Word {
    if package.is_empty() || text.starts_with(':') || text.contains('.') {
        return text.clone();
    }
    format!("{package}.{text}").into()
}

/// Returns the predicate that `merge([V], "name")` names, within its quotes.
fn merger(descr: &Atom, package: &str) -> Option<Occurrence> {
    const ARGUMENTS: usize = 3;
    let ("merge", [_, by]) = (&*descr.predicate.text, &descr.args[..]) else {
        return None;
    };
    let TermKind::String(name) = &by.kind else { return None };
    let span = Span::new(by.span.start + 1, by.span.end - 1);
    // With an escape in it, it is no name.
    let is_plain = (span.end - span.start) as usize == name.len();
    is_plain.then(|| Occurrence {
        what: What::Predicate(whole(&Word::from(&**name), package), ARGUMENTS),
        span,
        defines: false,
    })
}

fn functions(term: &Term, all: &mut Vec<Occurrence>) {
    match &term.kind {
        TermKind::Call(call) => {
            all.push(function(&call.function.text, call.function.span));
            call.args.iter().for_each(|arg| functions(arg, all));
        }
        TermKind::List(items) => items.iter().for_each(|item| functions(item, all)),
        TermKind::Map(entries) | TermKind::Struct(entries) => {
            for (key, value) in entries {
                functions(key, all);
                functions(value, all);
            }
        }
        _ => {}
    }
}

fn function(name: &Word, span: Span) -> Occurrence {
    Occurrence {
        what: What::Function(name.clone()),
        span,
        defines: false,
    }
}
