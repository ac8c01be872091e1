//! Exports tools to Python: a `TypedDict` for each object, and one `Protocol` of all tools.

use std::collections::BTreeSet;
use std::fmt::Write as _;

use serde_json::Value as Json;

use super::schema::{Declarations, Field, Record, Type, pascal};
use super::tool::Tool;
use crate::words::one_line;

const PRELUDE: &str = "\
\"\"\"Tools as typed signatures, written by `chancery tools export --lang python`.\"\"\"

from __future__ import annotations

from typing import Any, Generic, Literal, NotRequired, Protocol, TypedDict, TypeVar

T = TypeVar(\"T\")


class CallToolResult(TypedDict, Generic[T]):
    \"\"\"What a call answers.\"\"\"

    content: list[dict[str, Any]]
    structuredContent: NotRequired[T]
    isError: NotRequired[bool]
";

const KEYWORDS: [&str; 39] = [
    "False", "None", "True", "and", "as", "assert", "async", "await", "break", "class", "continue", "def", "del", "elif", "else", "except",
    "finally", "for", "from", "global", "if", "import", "in", "is", "lambda", "nonlocal", "not", "or", "pass", "raise", "return", "try",
    "while", "with", "yield", "match", "case", "type", "self",
];

pub(super) fn write(tools: &[Tool]) -> String {
    let mut declarations = Declarations::reserving(&[
        "CallToolResult",
        "Tools",
        "T",
        "Any",
        "Generic",
        "Literal",
        "NotRequired",
        "Protocol",
        "TypedDict",
        "TypeVar",
    ]);
    let mut methods = String::new();
    let mut names = BTreeSet::new();
    for tool in tools {
        let base = pascal(&tool.name);
        let input = declarations.read_input(&tool.input, &format!("{base}Input"));
        let output = tool
            .output
            .as_ref()
            .map(|schema| declarations.read(schema, &format!("{base}Output")));
        let result = output.map_or_else(|| "Any".to_owned(), |ty| draw(&ty));
        let default = if input.fields.iter().any(|field| field.required) {
            ""
        } else {
            " = {}"
        };
        let name = method(&tool.name, &mut names);
        let _ = writeln!(
            methods,
            "\n    async def {name}(self, args: {}{default}) -> CallToolResult[{result}]:",
            input.name
        );
        let described = tool.description.as_deref().map(one_line).unwrap_or_default();
        let called = if name == tool.name {
            String::new()
        } else {
            format!("Called `{}`.", tool.name)
        };
        let doc = [described, called]
            .into_iter()
            .filter(|part| !part.is_empty())
            .collect::<Vec<_>>()
            .join(" ");
        let _ = writeln!(
            methods,
            "        {}",
            if doc.is_empty() { "...".to_owned() } else { docstring(&doc) }
        );
        if !doc.is_empty() {
            methods.push_str("        ...\n");
        }
    }
    let mut out = PRELUDE.to_owned();
    for record in &declarations.records {
        out.push_str("\n\n");
        dictionary(&mut out, record);
    }
    let _ = write!(out, "\n\nclass Tools(Protocol):\n    \"\"\"Every tool.\"\"\"\n{methods}");
    out
}

fn dictionary(out: &mut String, record: &Record) {
    if record.fields.iter().all(|field| is_name(&field.name)) {
        let _ = writeln!(out, "class {}(TypedDict):", record.name);
        if !record.doc.is_empty() {
            let _ = writeln!(out, "    {}\n", docstring(&record.doc));
        }
        for field in &record.fields {
            let _ = writeln!(out, "    {}: {}", field.name, optional(field));
            if !field.doc.is_empty() {
                let _ = writeln!(out, "    {}", docstring(&field.doc));
            }
        }
        if record.fields.is_empty() && record.doc.is_empty() {
            out.push_str("    pass\n");
        }
        return;
    }
    // Keys that are no names need the functional form, whose types are strings: they may name what comes later.
    if !record.doc.is_empty() {
        let _ = writeln!(out, "# {}", record.doc);
    }
    let _ = writeln!(out, "{} = TypedDict(\n    {},\n    {{", record.name, string(&record.name));
    for field in &record.fields {
        if !field.doc.is_empty() {
            let _ = writeln!(out, "        # {}", field.doc);
        }
        let _ = writeln!(out, "        {}: {},", string(&field.name), string(&optional(field)));
    }
    out.push_str("    },\n)\n");
}

fn optional(field: &Field) -> String {
    let ty = draw(&field.ty);
    if field.required { ty } else { format!("NotRequired[{ty}]") }
}

/// Returns a docstring; what would end it, or start an escape, is escaped.
fn docstring(text: &str) -> String {
    let text = one_line(text).replace('\\', "\\\\").replace('"', "\\\"");
    format!("\"\"\"{}\"\"\"", text.replace('\0', ""))
}

/// Returns a string literal. JSON's strings are Python's, except for escaped surrogates, which serde never writes.
fn string(text: &str) -> String {
    Json::from(text).to_string()
}

/// Returns whether a key can stand in the class form: names with two leading underscores would be mangled there.
fn is_name(name: &str) -> bool {
    let first = |c: char| c.is_ascii_alphabetic() || c == '_';
    name.starts_with(first)
        && name.chars().all(|c| c.is_ascii_alphanumeric() || c == '_')
        && !name.starts_with("__")
        && !KEYWORDS[..35].contains(&name)
}

fn method(name: &str, taken: &mut BTreeSet<String>) -> String {
    let clean: String = name.chars().map(|c| if c.is_ascii_alphanumeric() { c } else { '_' }).collect();
    let starts = clean.starts_with(|c: char| c.is_ascii_alphabetic());
    let base = if starts && !KEYWORDS.contains(&clean.as_str()) {
        clean
    } else {
        format!("tool_{clean}")
    };
    let mut unique = base.clone();
    let mut number = 2;
    while !taken.insert(unique.clone()) {
        unique = format!("{base}_{number}");
        number += 1;
    }
    unique
}

fn draw(ty: &Type) -> String {
    match ty {
        Type::Any => "Any".to_owned(),
        Type::Null => "None".to_owned(),
        Type::Bool => "bool".to_owned(),
        Type::Integer => "int".to_owned(),
        Type::Number => "float".to_owned(),
        Type::Text => "str".to_owned(),
        Type::OneOf(values) => literals(values),
        Type::List(item) => format!("list[{}]", draw(item)),
        Type::Map(value) => format!("dict[str, {}]", draw(value)),
        Type::Record(name) => name.clone(),
        Type::Union(types) => types.iter().map(draw).collect::<Vec<_>>().join(" | "),
    }
}

/// Returns the type of a set of values. `Literal` takes strings, whole numbers, booleans and None; a fraction is a
/// `float`.
fn literals(values: &[Json]) -> String {
    let (mut literals, mut others) = (Vec::new(), Vec::new());
    for value in values {
        match value {
            Json::String(text) => literals.push(string(text)),
            Json::Bool(flag) => literals.push(if *flag { "True".to_owned() } else { "False".to_owned() }),
            Json::Null => literals.push("None".to_owned()),
            Json::Number(number) if number.is_i64() || number.is_u64() => literals.push(number.to_string()),
            Json::Number(_) => others.push("float"),
            Json::Array(_) | Json::Object(_) => others.push("Any"),
        }
    }
    others.dedup();
    if !literals.is_empty() {
        return std::iter::once(format!("Literal[{}]", literals.join(", ")))
            .chain(others.into_iter().map(str::to_owned))
            .collect::<Vec<_>>()
            .join(" | ");
    }
    if others.is_empty() { "Any".to_owned() } else { others.join(" | ") }
}
