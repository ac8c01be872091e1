//! Adapts tool definitions for legacy clients: 2026-07-28 admits any JSON Schema where the revisions before admit
//! objects only (SEP-2106).

use jsonrpc::{ObjectBuilder, Raw, RawKind};

use crate::revision::Revision;

/// The member of an object in which a result that is no object, and its schema, are wrapped for a legacy client.
pub(super) const WRAPPED: &str = "result";

/// Keywords that would mean something else one level deeper.
const ROOTED: [&str; 6] = ["$ref", "$dynamicRef", "$recursiveRef", "$id", "$anchor", "$dynamicAnchor"];

/// Adapts a tool's definition from the server's revision to the client's. Returns the same bytes where nothing has to
/// change.
#[must_use]
pub fn tool(tool: &Raw, from: Revision, to: Revision) -> Raw {
    changed(tool, from, to).unwrap_or_else(|| tool.clone())
}

/// Adapts a tool's definition. Returns `None` where nothing changes.
pub(super) fn changed(tool: &Raw, from: Revision, to: Revision) -> Option<Raw> {
    if !from.is_modern() || to.is_modern() {
        return None;
    }
    let input = tool.get("inputSchema").and_then(|schema| object_properties(&schema));
    let output = tool.get("outputSchema").and_then(|schema| output_schema(&schema));
    if input.is_none() && output.is_none() {
        return None;
    }
    let mut edit = tool.edit();
    if let Some(schema) = input {
        edit = edit.set(&["inputSchema"], &schema);
    }
    edit = match output {
        Some(Output::Changed(schema)) => edit.set(&["outputSchema"], &schema),
        Some(Output::Dropped) => edit.remove(&["outputSchema"]),
        None => edit,
    };
    Some(edit.finish())
}

enum Output {
    Changed(Raw),
    Dropped,
}

/// Adapts an output schema: up to 2025-11-25, its root has the type `object`. A schema of another type never describes
/// an object, so its values are wrapped one by one in [`super::result`], and the schema with them. A schema that leaves
/// the type open is removed, because it can't say whether a value will be wrapped: without a schema a client takes
/// either.
fn output_schema(schema: &Raw) -> Option<Output> {
    let kind = schema.get("type");
    match kind.as_ref().and_then(Raw::as_str).as_deref() {
        Some("object") => object_properties(schema).map(Output::Changed),
        Some(_) if !mentions(schema, &ROOTED) => Some(Output::Changed(wrapped(schema))),
        _ => Some(Output::Dropped),
    }
}

fn mentions(schema: &Raw, keywords: &[&str]) -> bool {
    let text = schema.text();
    text.contains("\\u") || keywords.iter().any(|keyword| text.contains(&format!("\"{keyword}\"")))
}

fn wrapped(schema: &Raw) -> Raw {
    let inner = schema.edit().remove(&["$schema"]).finish();
    ObjectBuilder::new()
        .text("type", "object")
        .object("properties", |properties| properties.raw(WRAPPED, &inner))
        .texts("required", [WRAPPED])
        .maybe("$schema", schema.get("$schema").as_ref())
        .finish()
}

/// Replaces properties' schemas that are `true` or `false`: up to 2025-11-25, each is an object.
fn object_properties(schema: &Raw) -> Option<Raw> {
    let properties = schema.get("properties")?.object().ok()?;
    if properties.iter().all(|(_, property)| property.kind() != RawKind::Bool) {
        return None;
    }
    let anything = Raw::object_empty();
    let nothing = ObjectBuilder::new().raw("not", &anything).finish();
    let objects = properties.iter().map(|(name, property)| match property.as_bool() {
        Some(true) => (name, &anything),
        Some(false) => (name, &nothing),
        None => (name, property),
    });
    Some(
        schema
            .edit()
            .set(&["properties"], &ObjectBuilder::new().members(objects).finish())
            .finish(),
    )
}
