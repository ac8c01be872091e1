//! Tool parameters that HTTP clients mirror into `Mcp-Param-*` headers (2026-07-28 basic/transports/streamable-http).

use serde_json::Value;

/// How deep `properties` may nest before the search stops; deeper schemas are the author's own and never seen in
/// practice.
const MAX_DEPTH: usize = 16;

/// One annotated parameter.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(crate) struct ParamHeader {
    /// The `x-mcp-header` value: the part after `Mcp-Param-`.
    pub(crate) name: String,
    /// The chain of `properties` keys to the value in the arguments.
    pub(crate) path: Vec<String>,
}

/// Returns all parameters of `schema` that carry `x-mcp-header`, reached through `properties` only.
pub(crate) fn of_schema(schema: &Value) -> Vec<ParamHeader> {
    let mut found = Vec::new();
    collect(schema, &mut Vec::new(), &mut found);
    found
}

fn collect(schema: &Value, path: &mut Vec<String>, found: &mut Vec<ParamHeader>) {
    let Some(properties) = schema["properties"].as_object() else {
        return;
    };
    if path.len() >= MAX_DEPTH {
        return;
    }
    for (key, property) in properties {
        path.push(key.clone());
        if let Some(name) = property["x-mcp-header"].as_str() {
            found.push(ParamHeader {
                name: name.to_owned(),
                path: path.clone(),
            });
        }
        collect(property, path, found);
        path.pop();
    }
}
