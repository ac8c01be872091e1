//! The OpenAPI document, out of the table of routes.

use serde_json::{Map, Value, json};

use crate::page::{LIMIT, MAX_LIMIT};
use crate::routes::{Gives, ROUTES, Route};

/// The document. It says nothing of a particular gateway.
#[must_use]
pub fn document() -> Value {
    let mut paths = Map::new();
    for route in ROUTES {
        let path = paths.entry(route.path).or_insert_with(|| json!({}));
        path[route.verb.as_str().to_ascii_lowercase()] = operation(route);
    }
    let schemas: Value = serde_json::from_str(include_str!("schemas.json")).expect("a test reads the schemas");
    json!({
        "openapi": "3.1.0",
        "info": {
            "title": "Operator API of chancery",
            "version": "1",
            "description": "What operators do: decide about calls and permissions, grant and revoke, make tokens, read the audit. Only tokens of the role `operator` are let in, and the owner of the gateway over its local socket. Errors are problem objects (RFC 9457) whose `detail` says what to do.",
        },
        "servers": [{ "url": kernel::desk::ROOT }],
        "security": [{ "bearer": [] }],
        "paths": paths,
        "components": {
            "securitySchemes": { "bearer": { "type": "http", "scheme": "bearer" } },
            "schemas": schemas,
        },
    })
}

fn operation(route: &Route) -> Value {
    let mut parameters: Vec<Value> = route
        .query
        .iter()
        .map(|parameter| {
            json!({
                "name": parameter.name, "in": "query", "required": parameter.required,
                "description": parameter.doc, "schema": { "type": "string" },
            })
        })
        .collect();
    if let Some(name) = route
        .path
        .split('/')
        .find_map(|segment| segment.strip_prefix('{')?.strip_suffix('}'))
    {
        parameters.push(json!({ "name": name, "in": "path", "required": true, "schema": { "type": "string" } }));
    }
    if let Gives::Page(_) = route.gives {
        parameters.push(json!({
            "name": "limit", "in": "query", "required": false, "description": "How many at most",
            "schema": { "type": "integer", "minimum": 1, "maximum": MAX_LIMIT, "default": LIMIT },
        }));
        parameters.push(json!({
            "name": "cursor", "in": "query", "required": false, "description": "`next` of the page before", "schema": { "type": "string" },
        }));
    }
    let made = route.gives == Gives::One("CreatedToken");
    let mut operation = json!({
        "operationId": format!("{:?}", route.operation),
        "summary": route.summary,
        "parameters": parameters,
        "responses": {
            (if made { "201" } else { "200" }): { "description": route.summary, "content": content(route.gives) },
            "default": {
                "description": "It was not done, and why",
                "content": { "application/problem+json": { "schema": schema("Problem") } },
            },
        },
    });
    if let Some(body) = route.body {
        operation["requestBody"] = json!({ "required": true, "content": { "application/json": { "schema": schema(body) } } });
    }
    operation
}

fn content(gives: Gives) -> Value {
    match gives {
        Gives::Document => json!({ "application/json": { "schema": { "type": "object" } } }),
        Gives::One(name) => json!({ "application/json": { "schema": schema(name) } }),
        Gives::Page(name) => json!({ "application/json": { "schema": {
            "type": "object",
            "required": ["items", "next"],
            "properties": {
                "items": { "type": "array", "items": schema(name) },
                "next": { "type": ["string", "null"], "description": "Where to go on; null where there is no more" },
            },
        } } }),
        // Each event's data is one such object.
        Gives::Events(name) => json!({ "text/event-stream": { "schema": schema(name) } }),
    }
}

fn schema(name: &str) -> Value {
    json!({ "$ref": format!("#/components/schemas/{name}") })
}

#[cfg(test)]
mod tests {
    use super::*;

    /// Every schema that is named is there, and every one that is there is named.
    #[test]
    fn every_reference_leads_somewhere() {
        let document = document();
        let text = document.to_string();
        let schemas = document["components"]["schemas"].as_object().expect("schemas");
        for name in schemas.keys() {
            assert!(text.contains(&format!("\"#/components/schemas/{name}\"")), "{name} is not used");
        }
        for part in text.split("\"#/components/schemas/").skip(1) {
            let name = part.split('"').next().expect("a name");
            assert!(schemas.contains_key(name), "{name} is not there");
        }
    }
}
