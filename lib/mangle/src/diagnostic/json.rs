//! Formats findings for programs: as our own JSON, and as SARIF 2.1.0.

use serde_json::{Value, json};

use super::{Code, Diagnostic, Edit, Fix, Label, Severity};
use crate::syntax::{Sources, Span};

/// Returns all findings as a JSON array.
pub fn json(found: &[Diagnostic], sources: &Sources) -> Value {
    found.iter().map(|one| finding(one, sources)).collect()
}

fn finding(found: &Diagnostic, sources: &Sources) -> Value {
    json!({
        "code": found.code.name(),
        "severity": found.severity.name(),
        "title": found.code.title(),
        "message": found.message,
        "at": label(&found.primary, sources),
        "labels": found.labels.iter().map(|one| label(one, sources)).collect::<Value>(),
        "notes": found.notes,
        "help": found.help,
        "fixes": found.fixes.iter().map(|one| fix(one, sources)).collect::<Value>(),
    })
}

fn label(label: &Label, sources: &Sources) -> Value {
    let mut place = place(label.span, sources);
    place["text"] = label.text.clone().into();
    place
}

fn fix(fix: &Fix, sources: &Sources) -> Value {
    let edit = |edit: &Edit| {
        let mut place = place(edit.span, sources);
        place["replacement"] = edit.text.clone().into();
        place
    };
    json!({ "title": fix.title, "edits": fix.edits.iter().map(edit).collect::<Value>() })
}

/// Returns file, lines and columns from one, and bytes from zero.
fn place(span: Span, sources: &Sources) -> Value {
    let Some(source) = sources.find(span) else { return json!({}) };
    let (start, end) = (source.position(span.start), source.position(span.end));
    let bytes = source.range(span);
    json!({
        "file": source.name(),
        "start": { "line": start.line, "column": start.column, "byte": bytes.start },
        "end": { "line": end.line, "column": end.column, "byte": bytes.end },
    })
}

/// Returns all findings as one SARIF log.
pub fn sarif(found: &[Diagnostic], sources: &Sources, version: &str) -> Value {
    let mut codes: Vec<Code> = found.iter().map(|one| one.code).collect();
    codes.sort();
    codes.dedup();
    let rule = |code: &Code| {
        json!({
            "id": code.name(),
            "shortDescription": { "text": code.title() },
            "fullDescription": { "text": code.explanation() },
            "defaultConfiguration": { "level": code.severity().name() },
        })
    };
    json!({
        "$schema": "https://json.schemastore.org/sarif-2.1.0.json",
        "version": "2.1.0",
        "runs": [{
            "tool": { "driver": {
                "name": "chancery mangle",
                "version": version,
                "rules": codes.iter().map(rule).collect::<Value>(),
            }},
            "columnKind": "unicodeCodePoints",
            "results": found.iter().map(|one| sarif_result(one, sources)).collect::<Value>(),
        }],
    })
}

fn sarif_result(found: &Diagnostic, sources: &Sources) -> Value {
    let level = match found.severity {
        Severity::Error => "error",
        Severity::Warning => "warning",
        Severity::Note => "note",
    };
    let mut text = found.message.clone();
    for more in std::iter::once(&found.primary.text)
        .filter(|text| !text.is_empty())
        .chain(&found.notes)
        .chain(&found.help)
    {
        text += "\n";
        text += more;
    }
    let related = |label: &Label| {
        let mut at = location(label.span, sources);
        at["message"] = json!({ "text": label.text });
        at
    };
    json!({
        "ruleId": found.code.name(),
        "level": level,
        "message": { "text": text },
        "locations": [location(found.primary.span, sources)],
        "relatedLocations": found.labels.iter().map(related).collect::<Value>(),
        "fixes": found.fixes.iter().map(|fix| sarif_fix(fix, sources)).collect::<Value>(),
    })
}

fn sarif_fix(fix: &Fix, sources: &Sources) -> Value {
    let change = |edit: &Edit| {
        json!({
            "artifactLocation": { "uri": name(edit.span, sources) },
            "replacements": [{ "deletedRegion": region(edit.span, sources), "insertedContent": { "text": edit.text } }],
        })
    };
    json!({
        "description": { "text": fix.title },
        "artifactChanges": fix.edits.iter().map(change).collect::<Value>(),
    })
}

fn location(span: Span, sources: &Sources) -> Value {
    json!({ "physicalLocation": {
        "artifactLocation": { "uri": name(span, sources) },
        "region": region(span, sources),
    }})
}

fn name(span: Span, sources: &Sources) -> String {
    sources.find(span).map_or_else(String::new, |source| uri(source.name()))
}

/// Returns the name of a source as a URI: of the file, if it is an absolute path, else relative to where the command
/// ran.
fn uri(name: &str) -> String {
    use std::fmt::Write as _;
    let mut uri = if name.starts_with('/') { "file://" } else { "" }.to_owned();
    for byte in name.bytes() {
        match byte {
            b'-' | b'.' | b'_' | b'~' | b'/' => uri.push(byte.into()),
            byte if byte.is_ascii_alphanumeric() => uri.push(byte.into()),
            // Writing to a string does not fail.
            byte => drop(write!(uri, "%{byte:02X}")),
        }
    }
    uri
}

fn region(span: Span, sources: &Sources) -> Value {
    let Some(source) = sources.find(span) else { return json!({}) };
    let (start, end) = (source.position(span.start), source.position(span.end));
    json!({
        "startLine": start.line,
        "startColumn": start.column,
        "endLine": end.line,
        "endColumn": end.column,
    })
}
