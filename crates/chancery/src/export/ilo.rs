//! Exports tools to ilo: `type` and `tool` declarations.
//!
//! A call answers `R ok t`: the structured result where the tool declares one, its text otherwise; a failed call is its error text.

use std::collections::{BTreeMap, BTreeSet};
use std::fmt::Write as _;

use serde_json::Value as Json;

use super::schema::{Declarations, Record, Type, pascal};
use super::tool::Tool;
use crate::words::one_line;

/// The reserved words of the language.
const RESERVED: [&str; 16] = [
    "type", "tool", "use", "with", "timeout", "retry", "if", "return", "let", "fn", "def", "var", "const", "true", "false", "nil",
];

pub(super) fn write(tools: &[Tool]) -> String {
    let mut declarations = Declarations::default();
    let mut lines = String::new();
    let mut names = BTreeSet::new();
    let mut inputs = BTreeSet::new();
    let mut signatures = Vec::new();
    for tool in tools {
        let base = pascal(&tool.name);
        let input = declarations.read_input(&tool.input, &format!("{base}Input"));
        let output = tool
            .output
            .as_ref()
            .map(|schema| declarations.read(schema, &format!("{base}Output")));
        inputs.insert(input.name.clone());
        signatures.push((tool, input, output));
    }
    // Arguments stand in the signature itself, unless something else refers to them.
    let used: BTreeSet<String> = declarations
        .records
        .iter()
        .flat_map(|record| &record.fields)
        .flat_map(|field| records(&field.ty))
        .collect();
    let declared: Vec<&Record> = declarations
        .records
        .iter()
        .filter(|record| !inputs.contains(&record.name) || used.contains(&record.name))
        .filter(|record| !record.fields.is_empty())
        .collect();
    let types: BTreeMap<String, String> = declared
        .iter()
        .map(|record| (record.name.clone(), unique(&record.name, &mut names)))
        .collect();
    for record in &declared {
        record_line(&mut lines, record, &types);
    }
    for (tool, input, output) in &signatures {
        let name = unique(&tool.name, &mut names);
        let mut taken = BTreeSet::new();
        let mut renamed = Vec::new();
        if name != tool.name {
            renamed.push(format!("{name} = {}", one_line(&tool.name)));
        }
        let mut params = String::new();
        // Required arguments first: a call gives them by position.
        let (required, optional): (Vec<_>, Vec<_>) = input.fields.iter().partition(|field| field.required);
        for field in required.into_iter().chain(optional) {
            let param = unique(&field.name, &mut taken);
            if param != field.name {
                renamed.push(format!("{param} = {}", one_line(&field.name)));
            }
            let _ = write!(params, " {param}:{}", optional_type(&field.ty, field.required, &types));
        }
        if !renamed.is_empty() {
            let _ = writeln!(lines, "-- sent as: {}", renamed.join(", "));
        }
        let result = output.as_ref().map_or_else(|| "t".to_owned(), |ty| draw(ty, &types));
        // A sum type takes every word that follows for one of its own; here the type of the error follows.
        let result = if result.split(' ').any(|word| word == "S") {
            format!("({result})")
        } else {
            result
        };
        let description = text(tool.description.as_deref().unwrap_or(&tool.name));
        let _ = writeln!(lines, "tool {name}{description}{params}>R {result} t");
    }
    format!("-- Tools as typed signatures, written by `chancery tools export --lang ilo`.\n{lines}")
}

fn record_line(out: &mut String, record: &Record, types: &BTreeMap<String, String>) {
    let mut taken = BTreeSet::new();
    let mut renamed = Vec::new();
    let mut fields = Vec::new();
    for field in &record.fields {
        let name = unique(&field.name, &mut taken);
        if name != field.name {
            renamed.push(format!("{name} = {}", one_line(&field.name)));
        }
        fields.push(format!("{name}:{}", optional_type(&field.ty, field.required, types)));
    }
    if !renamed.is_empty() {
        let _ = writeln!(out, "-- sent as: {}", renamed.join(", "));
    }
    let name = types.get(&record.name).map(String::as_str).unwrap_or_default();
    let _ = writeln!(out, "type {name}{{{}}}", fields.join(";"));
}

fn optional_type(ty: &Type, required: bool, types: &BTreeMap<String, String>) -> String {
    let drawn = draw(ty, types);
    // `_` takes anything, nil included.
    if required || drawn.starts_with("O ") || drawn == "_" {
        drawn
    } else {
        format!("O {drawn}")
    }
}

fn draw(ty: &Type, types: &BTreeMap<String, String>) -> String {
    match ty {
        Type::Any | Type::Null => "_".to_owned(),
        Type::Bool => "b".to_owned(),
        Type::Integer | Type::Number => "n".to_owned(),
        Type::Text => "t".to_owned(),
        Type::OneOf(values) => literals(values),
        Type::List(item) => format!("L {}", draw(item, types)),
        Type::Map(value) => format!("M t {}", draw(value, types)),
        Type::Record(name) => types.get(name).cloned().unwrap_or_else(|| "M t _".to_owned()),
        Type::Union(options) => {
            // One type or nil is optional; there are no other unions.
            let others: Vec<_> = options
                .iter()
                .filter(|option| **option != Type::Null)
                .map(|option| draw(option, types))
                .collect();
            match others.as_slice() {
                [one] if options.len() > 1 && one != "_" => format!("O {one}"),
                [one, rest @ ..] if rest.iter().all(|other| other == one) => one.clone(),
                _ => "_".to_owned(),
            }
        }
    }
}

/// Returns the type of a set of words: a sum type if ilo can spell all of them.
fn literals(values: &[Json]) -> String {
    let words: Option<Vec<&str>> = values.iter().map(Json::as_str).collect();
    match words {
        Some(words) if !words.is_empty() && words.len() > 1 && words.iter().all(|word| is_name(word)) => format!("S {}", words.join(" ")),
        Some(words) if !words.is_empty() => "t".to_owned(),
        _ if !values.is_empty() && values.iter().all(Json::is_number) => "n".to_owned(),
        _ if !values.is_empty() && values.iter().all(Json::is_boolean) => "b".to_owned(),
        _ => "_".to_owned(),
    }
}

fn records(ty: &Type) -> Vec<String> {
    match ty {
        Type::Record(name) => vec![name.clone()],
        Type::List(inner) | Type::Map(inner) => records(inner),
        Type::Union(types) => types.iter().flat_map(records).collect(),
        _ => Vec::new(),
    }
}

/// Returns a string literal.
fn text(text: &str) -> String {
    format!("\"{}\"", one_line(text).replace('\\', "\\\\").replace('"', "\\\""))
}

/// Returns whether a name consists of lowercase words with hyphens between them.
fn is_name(name: &str) -> bool {
    let part = |part: &str| !part.is_empty() && part.bytes().all(|byte| byte.is_ascii_lowercase() || byte.is_ascii_digit());
    name.starts_with(|c: char| c.is_ascii_lowercase()) && name.split('-').all(part) && !RESERVED.contains(&name)
}

/// Returns a free name: `getWeather` and `get_weather` become `get-weather`.
fn unique(name: &str, taken: &mut BTreeSet<String>) -> String {
    let mut clean = String::new();
    let mut lower = false;
    for c in name.chars() {
        let boundary = c.is_ascii_uppercase() && lower;
        if (boundary || !c.is_ascii_alphanumeric()) && !clean.is_empty() && !clean.ends_with('-') {
            clean.push('-');
        }
        if c.is_ascii_alphanumeric() {
            clean.push(c.to_ascii_lowercase());
        }
        lower = c.is_ascii_lowercase() || c.is_ascii_digit();
    }
    let mut base = clean.trim_matches('-').to_owned();
    if !base.starts_with(|c: char| c.is_ascii_lowercase()) || RESERVED.contains(&base.as_str()) {
        base = format!("x-{base}").trim_end_matches('-').to_owned();
    }
    let mut unique = base.clone();
    let mut number = 2;
    while !taken.insert(unique.clone()) {
        unique = format!("{base}-{number}");
        number += 1;
    }
    unique
}
