//! The answers of the language server, one function for each request.

use std::collections::BTreeSet;
use std::fmt::Write as _;

use mangle::{
    analysis::PredicateInfo,
    builtin::{self, Params},
    diagnostic::{Diagnostic, Edit, Severity},
    syntax::{
        Parsed, Span,
        ast::{BoundKind, Item, Premise, TermKind},
        format,
    },
};
use serde_json::{Value, json};

use super::{
    document::Document,
    occurrence::{Occurrence, What},
};
use crate::words::plural;

/// Returns the findings that lie in the document itself.
pub(super) fn diagnostics(document: &Document) -> Value {
    own(document).map(|found| finding(document, found)).collect()
}

fn own(document: &Document) -> impl Iterator<Item = &Diagnostic> {
    let whole = document.source().map_or(Span::default(), |source| source.span());
    document
        .loaded
        .diagnostics
        .iter()
        .filter(move |found| whole.contains(found.primary.span))
}

fn finding(document: &Document, found: &Diagnostic) -> Value {
    let severity = match found.severity {
        Severity::Error => 1,
        Severity::Warning => 2,
        Severity::Note => 4,
    };
    let mut text = found.message.clone();
    for more in std::iter::once(&found.primary.text)
        .filter(|text| !text.is_empty())
        .chain(&found.notes)
        .chain(&found.help)
    {
        let _infallible = write!(text, "\n{more}");
    }
    let related = |label: &mangle::diagnostic::Label| json!({ "location": document.location(label.span), "message": label.text });
    json!({
        "range": document.range(found.primary.span),
        "severity": severity,
        "code": found.code.name(),
        "source": "mangle",
        "message": text,
        "relatedInformation": found.labels.iter().map(related).collect::<Value>(),
    })
}

/// Returns the description of a name: signature, types, stratum, documentation.
pub(super) fn hover(document: &Document, params: &Value) -> Value {
    let Some(at) = document.at(&params["position"]) else {
        return Value::Null;
    };
    let text = match &at.what {
        What::Predicate(name, arity) => match info(document, name, *arity) {
            Some(info) => described(info),
            None => builtin::relation(name).map_or_else(String::new, |entry| entry_text(entry.name, entry.params, "", entry.doc)),
        },
        What::Function(name) => match (builtin::function(name), builtin::reducer(name)) {
            (Some(entry), _) => entry_text(entry.name, entry.params, entry.result, entry.doc),
            (None, Some(entry)) => entry_text(entry.name, entry.params, entry.result, entry.doc),
            (None, None) => String::new(),
        },
        What::Variable(name, clause) => variable(document, name, *clause),
    };
    if text.is_empty() {
        return Value::Null;
    }
    json!({ "contents": { "kind": "markdown", "value": text }, "range": document.range(at.span) })
}

fn info<'d>(document: &'d Document, name: &str, arity: usize) -> Option<&'d PredicateInfo> {
    document
        .loaded
        .analysis
        .predicates
        .iter()
        .find(|info| &*info.name == name && info.arity == arity)
}

/// Returns a variable with its possible types, by the first premise that it is an argument of; a bound of an interval
/// is a time.
fn variable(document: &Document, name: &str, clause: u32) -> String {
    let clauses = document.loaded.units.iter().flat_map(|(_, parsed)| parsed.unit.clauses());
    let Some(clause) = clauses.into_iter().find(|other| other.span.start == clause) else {
        return String::new();
    };
    let premises = clause.premises.iter().filter_map(|premise| match premise {
        Premise::Atom(literal) => Some(&literal.atom),
        _ => None,
    });
    for atom in premises.chain([&clause.head]) {
        let at = atom
            .args
            .iter()
            .position(|arg| matches!(&arg.kind, TermKind::Variable(other) if **other == *name));
        // The predicate as its occurrence names it: with its package.
        let occurrence = document.occurrences.iter().find(|one| one.span == atom.predicate.span);
        if let (Some(at), Some(What::Predicate(pred, arity))) = (at, occurrence.map(|one| &one.what))
            && let Some(info) = info(document, pred, *arity)
        {
            let mut types: Vec<String> = info.types.iter().filter_map(|row| row.get(at)).map(ToString::to_string).collect();
            types.dedup();
            return match types[..] {
                [] => String::new(),
                _ => format!("```mangle\n{name} : {}\n```", types.join(" | ")),
            };
        }
    }
    let mut bounds = clause.bounds();
    match bounds.any(|bound| matches!(&bound.kind, BoundKind::Variable(other) if **other == *name)) {
        true => format!("```mangle\n{name} : /time\n```"),
        false => String::new(),
    }
}

fn described(info: &PredicateInfo) -> String {
    let args = info.declaration.as_ref().map_or_else(
        || vec!["_".to_owned(); info.arity],
        |decl| decl.args.iter().map(|arg| arg.to_string()).collect(),
    );
    let temporal = if info.temporal { " temporal" } else { "" };
    let mut text = format!("```mangle\n{}({}){temporal}\n", info.name, args.join(", "));
    for row in &info.types {
        let types: Vec<String> = row.iter().map(ToString::to_string).collect();
        let _infallible = writeln!(text, "  bound [{}]", types.join(", "));
    }
    text.push_str("```\n");
    if let Some(decl) = &info.declaration {
        decl.doc.iter().for_each(|doc| {
            let _infallible = writeln!(text, "\n{doc}");
        });
    }
    let stratum = info.stratum.map_or_else(String::new, |stratum| format!(", stratum {stratum}"));
    let (facts, rules) = (plural(info.facts, "fact"), plural(info.rules.len(), "rule"));
    let _infallible = write!(text, "\n{facts}, {rules}{stratum}");
    text
}

fn entry_text(name: &str, params: Params, result: &str, doc: &str) -> String {
    let more = if params.variadic { ", .." } else { "" };
    let arrow = if result.is_empty() { String::new() } else { format!(" = {result}") };
    format!("```mangle\n{name}({}{more}){arrow}\n```\n{doc}", params.types.join(", "))
}

/// Returns every occurrence of the same thing.
fn same<'d>(document: &'d Document, params: &Value) -> Vec<&'d Occurrence> {
    let Some(at) = document.at(&params["position"]) else {
        return Vec::new();
    };
    document.occurrences.iter().filter(|one| one.what == at.what).collect()
}

/// Returns the declaration, or else every definition.
pub(super) fn definition(document: &Document, params: &Value) -> Value {
    let all = same(document, params);
    if let Some(What::Predicate(name, arity)) = all.first().map(|one| &one.what)
        && let Some(info) = info(document, name, *arity).filter(|info| info.declaration.is_some())
    {
        return json!([document.location(info.span)]);
    }
    let variable = all.first().filter(|one| matches!(one.what, What::Variable(..)));
    let found = all.iter().copied().filter(|one| one.defines).chain(variable.copied());
    found.map(|one| document.location(one.span)).collect()
}

/// Returns every occurrence; those that define only if they are asked for.
pub(super) fn references(document: &Document, params: &Value) -> Value {
    let with = params["context"]["includeDeclaration"].as_bool().unwrap_or(true);
    let places = same(document, params).into_iter().filter(|one| with || !one.defines);
    places.map(|one| document.location(one.span)).collect()
}

/// Returns the place of the name that would be renamed.
pub(super) fn renamed(document: &Document, params: &Value) -> Result<Value, String> {
    match document.at(&params["position"]) {
        None => Err("there is nothing to rename here".to_owned()),
        Some(Occurrence { what, .. }) if is_built_in(what) => Err("what is built in keeps its name".to_owned()),
        // Of a qualified name the part behind its package.
        Some(one) => {
            let kept = document.loaded.sources.text(one.span).rfind('.').map_or(0, |dot| dot as u32 + 1);
            Ok(document.range(Span::new(one.span.start + kept, one.span.end)))
        }
    }
}

/// Returns the edits that rename every occurrence; built-in names stay.
pub(super) fn rename(document: &Document, params: &Value) -> Result<Value, String> {
    let new = params["newName"].as_str().unwrap_or_default();
    let mut changes = serde_json::Map::new();
    for one in same(document, params) {
        allowed(document, &one.what, new)?;
        let location = document.location(one.span);
        let uri = location["uri"].as_str().unwrap_or_default().to_owned();
        // Before the last full stop of a qualified name stands its package, which stays.
        let text = document.loaded.sources.text(one.span);
        let kept = text.rfind('.').map_or("", |dot| &text[..=dot]);
        let edit = json!({ "range": location["range"], "newText": format!("{kept}{new}") });
        if let Some(edits) = changes.entry(uri).or_insert_with(|| json!([])).as_array_mut() {
            edits.push(edit);
        }
    }
    if changes.is_empty() {
        return Err("there is nothing to rename here".to_owned());
    }
    Ok(json!({ "changes": changes }))
}

fn is_built_in(what: &What) -> bool {
    match what {
        What::Predicate(name, _) => name.starts_with(':'),
        What::Function(_) => true,
        What::Variable(..) => false,
    }
}

/// Checks that a thing may have this name, and no other thing has it.
fn allowed(document: &Document, what: &What, new: &str) -> Result<(), String> {
    well_formed(what, new)?;
    let is_taken = |other: &What| match (what, other) {
        (What::Predicate(old, _), What::Predicate(name, _)) => {
            let package = old.rfind('.').map_or("", |dot| &old[..=dot]);
            name != old && **name == *format!("{package}{new}")
        }
        (What::Variable(old, clause), What::Variable(name, other)) => clause == other && name != old && **name == *new,
        _ => false,
    };
    match document.occurrences.iter().any(|one| is_taken(&one.what)) {
        true => Err(format!("`{new}` is taken: it would become the same thing")),
        false => Ok(()),
    }
}

fn well_formed(what: &What, new: &str) -> Result<(), String> {
    let begins = |fits: fn(&char) -> bool| new.chars().next().is_some_and(|first| fits(&first));
    let goes_on = new.chars().all(|c| c.is_ascii_alphanumeric() || c == '_');
    match what {
        What::Predicate(name, _) | What::Function(name) if is_built_in(what) => Err(format!("`{name}` is built in")),
        What::Predicate(..) if goes_on && begins(char::is_ascii_lowercase) => Ok(()),
        What::Variable(..) if goes_on && begins(char::is_ascii_uppercase) => Ok(()),
        What::Predicate(..) | What::Function(_) => Err(format!("`{new}` is no name of a predicate: those begin with a small letter")),
        What::Variable(..) => Err(format!("`{new}` is no name of a variable: those begin with a capital")),
    }
}

/// Returns the possible completions: the variables of the clause, predicates of the program, and everything built in.
pub(super) fn completion(document: &Document, params: &Value) -> Value {
    // The replaced range is stated: editors differ in whether `fn:` belongs to a word.
    let start = document.word_start(&params["position"]);
    let item = |label: &str, kind: u8, detail: &str| {
        let mut item = json!({ "label": label, "kind": kind, "detail": detail });
        if let Some(start) = &start {
            let range = json!({ "start": start, "end": params["position"] });
            item["textEdit"] = json!({ "range": range, "newText": label });
        }
        item
    };
    let predicates = document
        .loaded
        .analysis
        .predicates
        .iter()
        .map(|info| item(&info.name, 8, &info.label()));
    let functions = builtin::functions().map(|entry| item(entry.name, 3, entry.doc));
    let reducers = builtin::reducers().map(|entry| item(entry.name, 3, entry.doc));
    let relations = builtin::relations().map(|entry| item(entry.name, 8, entry.doc));
    let variables = variables_at(document, &params["position"]);
    let variables = variables.iter().map(|name| item(name, 6, "variable"));
    variables
        .chain(predicates)
        .chain(functions)
        .chain(reducers)
        .chain(relations)
        .collect()
}

/// Returns the variables of the clause at a position; of a clause that cannot be parsed yet, the words before the
/// position that may be some.
fn variables_at(document: &Document, position: &Value) -> BTreeSet<String> {
    let (Some(at), Some((_, parsed))) = (document.offset(position), document.loaded.units.first()) else {
        return BTreeSet::new();
    };
    let mut names = BTreeSet::new();
    for clause in parsed
        .unit
        .clauses()
        .filter(|clause| clause.span.start <= at && at <= clause.span.end)
    {
        clause.each_variable(&mut |name, _| {
            names.insert(name.to_string());
        });
    }
    if names.is_empty() {
        names.extend(words_before(document, parsed, at).into_iter().filter(|word| is_variable(word)));
    }
    names
}

/// Returns the words between the last item that could be parsed and a position, without the one that is being typed.
fn words_before(document: &Document, parsed: &Parsed, at: u32) -> Vec<String> {
    let base = document.source().map_or(0, |source| source.span().start);
    let ends = parsed.unit.items.iter().map(|item| item.span().end);
    let start = ends.filter(|end| *end <= at).max().unwrap_or(base);
    let is_between = |c: char| !c.is_ascii_alphanumeric();
    let text = document.text().get((start - base) as usize..(at - base) as usize);
    let (before, _typed) = text.and_then(|text| text.rsplit_once(is_between)).unwrap_or_default();
    before.split(is_between).map(str::to_owned).collect()
}

fn is_variable(word: &str) -> bool {
    word.starts_with(|c: char| c.is_ascii_uppercase()) && !matches!(word, "Decl" | "Package" | "Use")
}

/// Returns the edits that format the document; none if it cannot be parsed.
pub(super) fn formatting(document: &Document) -> Value {
    let (Some(source), Some((_, parsed))) = (document.source(), document.loaded.units.first()) else {
        return Value::Null;
    };
    if !parsed.is_ok() {
        return Value::Null;
    }
    let text = format(&parsed.unit, source);
    json!([{ "range": document.range(source.span()), "newText": text }])
}

/// Returns declarations and the first clause of each predicate.
pub(super) fn symbols(document: &Document) -> Value {
    let Some((_, parsed)) = document.loaded.units.first() else {
        return Value::Null;
    };
    let mut seen: Vec<(&str, usize)> = Vec::new();
    let mut out = Vec::new();
    for item in &parsed.unit.items {
        let atom = match item {
            Item::Decl(decl) => &decl.atom,
            Item::Clause(clause) => &clause.head,
        };
        let key = (&*atom.predicate.text, atom.args.len());
        if !seen.contains(&key) {
            seen.push(key);
            out.push(json!({
                "name": format!("{}/{}", key.0, key.1),
                "kind": 12,
                "range": document.range(item.span()),
                "selectionRange": document.range(atom.predicate.span),
            }));
        }
    }
    out.into()
}

/// Returns the fixes of findings that touch the range.
pub(super) fn actions(document: &Document, params: &Value) -> Value {
    let offset = |key: &str| document.offset(&params["range"][key]);
    let (Some(start), Some(end)) = (offset("start"), offset("end")) else {
        return Value::Null;
    };
    let touches = |found: &&Diagnostic| found.primary.span.start <= end && start <= found.primary.span.end;
    let edit = |edit: &Edit| json!({ "range": document.range(edit.span), "newText": edit.text });
    let action = |found: &Diagnostic| {
        let one = |fix: &mangle::diagnostic::Fix| {
            let edits: Value = fix.edits.iter().map(edit).collect();
            json!({
                "title": fix.title,
                "kind": "quickfix",
                "diagnostics": [finding(document, found)],
                "edit": { "changes": { document.uri.as_str(): edits } },
            })
        };
        found.fixes.iter().map(one).collect::<Vec<Value>>()
    };
    own(document).filter(touches).flat_map(action).collect()
}
