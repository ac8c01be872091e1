//! The OpenAPI document of a table of routes.

use schemars::Schema;
use serde_json::{Map, Value, json};

use crate::problem::Problem;
use crate::route::{Description, ROOT, Route, Schemas};

/// Returns the document of these routes.
pub(crate) fn document(routes: &[Route]) -> Value {
    let mut schemas = Schemas::new("/components/schemas");
    let problem = schemas.of_answers.subschema_for::<Problem>();
    let mut paths = Map::new();
    for route in routes {
        let path = paths.entry(route.path).or_insert_with(|| json!({}));
        path[route.verb.as_str().to_ascii_lowercase()] = operation(route, (route.describe)(&mut schemas), &problem);
    }
    let mut components = schemas.of_answers.take_definitions(true);
    for (name, schema) in schemas.of_requests.take_definitions(true) {
        let other = components.insert(name, schema);
        debug_assert!(other.is_none(), "a request and an answer have types of the same name: {other:?}");
    }
    json!({
        "openapi": "3.1.0",
        "info": {
            "title": "Operator API of chancery",
            "version": "1",
            "description": "What operators do: decide about calls and permissions, grant and revoke, make tokens, read the audit. Only tokens of the role `operator` are let in, and the owner of the gateway over its local socket. Errors are problem objects (RFC 9457) whose `detail` says what to do.",
        },
        "servers": [{ "url": ROOT }],
        "security": [{ "bearer": [] }],
        "paths": paths,
        "components": {
            "securitySchemes": { "bearer": { "type": "http", "scheme": "bearer" } },
            "schemas": components,
        },
    })
}

fn operation(route: &Route, description: Description, problem: &Schema) -> Value {
    let mut given = parameters("path", &description.path);
    given.extend(parameters("query", &description.query));
    let mut operation = json!({
        "operationId": route.operation,
        "summary": route.summary,
        "parameters": given,
        "responses": {
            (description.status.to_string()): {
                "description": route.summary,
                "content": { (description.media): { "schema": description.answer } },
            },
            "default": {
                "description": "It was not done, and why",
                "content": { (Problem::MEDIA): { "schema": problem } },
            },
        },
    });
    if let Some(body) = description.body {
        operation["requestBody"] = json!({ "required": true, "content": { "application/json": { "schema": body } } });
    }
    operation
}

/// Returns the parameters of an object's fields.
fn parameters(place: &str, object: &Schema) -> Vec<Value> {
    let required: Vec<Value> = object.get("required").and_then(Value::as_array).cloned().unwrap_or_default();
    let fields = object.get("properties").and_then(Value::as_object).into_iter().flatten();
    let parameters = fields.map(|(name, schema)| {
        let mut schema = schema.as_object().cloned().unwrap_or_default();
        let description = schema.remove("description");
        // The text of a parameter is never null: an optional one is left out.
        if let Some(Value::Array(types)) = schema.get_mut("type")
            && let Some(kind) = types.iter().find(|kind| *kind != "null").cloned()
        {
            schema.insert("type".to_owned(), kind);
        }
        let is_required = required.iter().any(|one| one == name);
        json!({ "name": name, "in": place, "required": is_required, "description": description, "schema": schema })
    });
    parameters.collect()
}
