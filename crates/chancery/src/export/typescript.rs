//! Exports tools to TypeScript: an interface for each object, and one of all tools.

use std::fmt::Write as _;

use serde_json::Value as Json;

use super::schema::{Declarations, Record, Type, pascal};
use super::tool::Tool;
use crate::words::one_line;

const PRELUDE: &str = "\
// Tools as typed signatures, written by `chancery tools export --lang typescript`.

/** What a call answers. */
export interface CallToolResult<T = unknown> {
  content: { type: string; [key: string]: unknown }[];
  structuredContent?: T;
  isError?: boolean;
}
";

pub(super) fn write(tools: &[Tool]) -> String {
    let mut declarations = Declarations::reserving(&["CallToolResult", "Tools", "Promise", "Record", "Array", "Object"]);
    let mut methods = String::new();
    for tool in tools {
        let name = pascal(&tool.name);
        let input = declarations.read_input(&tool.input, &format!("{name}Input"));
        let output = tool
            .output
            .as_ref()
            .map(|schema| declarations.read(schema, &format!("{name}Output")));
        comment(&mut methods, tool.description.as_deref().unwrap_or_default(), "  ");
        let optional = if input.fields.iter().any(|field| field.required) { "" } else { "?" };
        let result = output.map_or_else(String::new, |ty| format!("<{}>", draw(&ty)));
        let _ = writeln!(
            methods,
            "  {}(args{optional}: {}): Promise<CallToolResult{result}>;",
            key(&tool.name),
            input.name
        );
    }
    let mut out = PRELUDE.to_owned();
    for record in &declarations.records {
        out.push('\n');
        interface(&mut out, record);
    }
    let _ = write!(
        out,
        "\n/** Every tool, by the name it is called with. */\nexport interface Tools {{\n{methods}}}\n"
    );
    out
}

fn interface(out: &mut String, record: &Record) {
    comment(out, &record.doc, "");
    if record.fields.is_empty() {
        let _ = writeln!(out, "export type {} = Record<string, unknown>;", record.name);
        return;
    }
    let _ = writeln!(out, "export interface {} {{", record.name);
    for field in &record.fields {
        comment(out, &field.doc, "  ");
        let optional = if field.required { "" } else { "?" };
        let _ = writeln!(out, "  {}{optional}: {};", key(&field.name), draw(&field.ty));
    }
    out.push_str("}\n");
}

fn comment(out: &mut String, text: &str, indent: &str) {
    let text = one_line(text).replace("*/", "*\\/");
    if !text.is_empty() {
        let _ = writeln!(out, "{indent}/** {text} */");
    }
}

/// Returns a key, in quotes where it is no identifier.
fn key(name: &str) -> String {
    let first = |c: char| c.is_ascii_alphabetic() || matches!(c, '_' | '$');
    // `constructor` and the accessors mean something else there.
    let plain =
        name.starts_with(first) && name.chars().all(|c| first(c) || c.is_ascii_digit()) && !matches!(name, "constructor" | "get" | "set");
    if plain { name.to_owned() } else { Json::from(name).to_string() }
}

fn draw(ty: &Type) -> String {
    match ty {
        Type::Any => "unknown".to_owned(),
        Type::Null => "null".to_owned(),
        Type::Bool => "boolean".to_owned(),
        Type::Integer | Type::Number => "number".to_owned(),
        Type::Text => "string".to_owned(),
        Type::OneOf(values) => literals(values),
        Type::List(item) => match **item {
            Type::Union(_) | Type::OneOf(_) => format!("({})[]", draw(item)),
            _ => format!("{}[]", draw(item)),
        },
        Type::Map(value) => format!("Record<string, {}>", draw(value)),
        Type::Record(name) => name.clone(),
        Type::Union(types) => types.iter().map(draw).collect::<Vec<_>>().join(" | "),
    }
}

fn literals(values: &[Json]) -> String {
    if values.is_empty() {
        return "never".to_owned();
    }
    let literal = |value: &Json| match value {
        Json::Array(_) | Json::Object(_) => "unknown".to_owned(),
        // JSON's line separators are no line ends in strings of today's TypeScript.
        value => value.to_string(),
    };
    values.iter().map(literal).collect::<Vec<_>>().join(" | ")
}
