//! A validator of the part of JSON Schema that the kernel tools' schemas use, for answers and accepted arguments.

use jsonrpc::{Raw, RawKind};

/// Returns why a value does not fit a schema; `None` if it does.
pub(crate) fn misfit(value: &Raw, schema: &Raw) -> Option<String> {
    if let Some(wanted) = schema.get("type") {
        let names: Vec<String> = match wanted.as_str() {
            Some(name) => vec![name.into_owned()],
            None => wanted.items().iter().filter_map(|name| Some(name.as_str()?.into_owned())).collect(),
        };
        if !names.iter().any(|name| is_a(value, name)) {
            return Some(format!("{} is no {}", value.text(), names.join(" or ")));
        }
    }
    if let Some(choices) = schema.get("enum")
        && !choices.items().contains(value)
    {
        return Some(format!("{} is none of {}", value.text(), choices.text()));
    }
    let required = schema.get("required").map(|names| names.items()).unwrap_or_default();
    for name in required {
        let name = name.as_str().expect("a name").into_owned();
        if value.get(&name).is_none() {
            return Some(format!("`{name}` is missing"));
        }
    }
    for item in value.elements() {
        if let Some(why) = schema.get("items").and_then(|schema| misfit(&item, &schema)) {
            return Some(why);
        }
    }
    let members = value.object().unwrap_or_default();
    for (name, member) in members.iter() {
        let declared = schema.at(&["properties", name]).or_else(|| schema.get("additionalProperties"));
        match declared {
            Some(schema) => {
                if let Some(why) = misfit(member, &schema) {
                    return Some(format!("`{name}`: {why}"));
                }
            }
            None if schema.get("properties").is_some() => return Some(format!("`{name}` is not in the schema")),
            None => {}
        }
    }
    None
}

fn is_a(value: &Raw, name: &str) -> bool {
    match name {
        "object" => value.kind() == RawKind::Object,
        "array" => value.kind() == RawKind::Array,
        "string" => value.kind() == RawKind::String,
        "boolean" => value.kind() == RawKind::Bool,
        "null" => value.kind() == RawKind::Null,
        "integer" => value.as_i64().is_some(),
        _ => panic!("`{name}` is no type that the schemas use"),
    }
}
