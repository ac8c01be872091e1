//! A validator of the part of JSON Schema that `docs/reference/openapi.json` uses, stricter in one point: a field that an object's schema does not
//! name is an error.

use std::collections::BTreeSet;

use serde_json::{Map, Value};

/// Returns the mismatches, each with its place; none if the value fits the schema.
///
/// # Panics
/// When the schema uses an unknown keyword, which the comparison would miss.
pub(crate) fn mismatches(document: &Value, schema: &Value, value: &Value) -> Vec<String> {
    let mut comparison = Comparison {
        document,
        found: Vec::new(),
    };
    comparison.whole(schema, value, "the value");
    comparison.found
}

struct Comparison<'a> {
    document: &'a Value,
    found: Vec<String>,
}

impl<'a> Comparison<'a> {
    /// Checks all keywords of a schema, and that an object has no field that the schema does not name.
    fn whole(&mut self, schema: &'a Value, value: &Value, at: &str) {
        self.keywords(schema, value, at);
        let mut named = BTreeSet::new();
        self.named(schema, &mut named);
        let is_open = schema.get("additionalProperties") == Some(&Value::Bool(true)) || schema.get("anyOf").is_some();
        let open = named.is_empty() && (is_open || schema["type"] == "object");
        for field in value.as_object().into_iter().flat_map(Map::keys) {
            if !open && !named.contains(field.as_str()) {
                self.found.push(format!("{at}: the schema has no field `{field}`"));
            }
        }
    }

    fn keywords(&mut self, schema: &'a Value, value: &Value, at: &str) {
        for (keyword, said) in schema.as_object().expect("a schema is an object") {
            let fits = match keyword.as_str() {
                "$ref" => {
                    self.keywords(self.referred(said), value, at);
                    true
                }
                "type" => types(said).any(|kind| is_of(value, kind)),
                "enum" => said.as_array().is_some_and(|words| words.contains(value)),
                "required" => texts(said).all(|field| value.get(field).is_some()),
                "format" => has_format(value, said.as_str().unwrap_or_default()),
                "minimum" => value.as_f64() >= said.as_f64(),
                "maximum" => value.as_f64() <= said.as_f64(),
                "minLength" => value
                    .as_str()
                    .is_none_or(|text| text.chars().count() as u64 >= said.as_u64().unwrap_or(0)),
                "anyOf" => list(said).iter().any(|schema| mismatches(self.document, schema, value).is_empty()),
                "properties" | "items" | "allOf" => {
                    self.parts(keyword, said, value, at);
                    true
                }
                // The absence of other fields is checked in any case.
                "additionalProperties" | "description" | "default" => true,
                other => panic!("no comparison knows the keyword `{other}`"),
            };
            if !fits {
                self.found.push(format!("{at}: {value} is not `{keyword}` {said}"));
            }
        }
    }

    fn parts(&mut self, keyword: &str, said: &'a Value, value: &Value, at: &str) {
        match keyword {
            "properties" => {
                for (field, schema) in said.as_object().into_iter().flatten() {
                    if let Some(value) = value.get(field) {
                        self.whole(schema, value, &format!("{at}.{field}"));
                    }
                }
            }
            "items" => {
                for (index, item) in value.as_array().into_iter().flatten().enumerate() {
                    self.whole(said, item, &format!("{at}[{index}]"));
                }
            }
            _ => list(said).iter().for_each(|schema| self.keywords(schema, value, at)),
        }
    }

    /// Collects the fields that a schema names, itself or by reference.
    fn named(&self, schema: &'a Value, into: &mut BTreeSet<&'a str>) {
        into.extend(schema["properties"].as_object().into_iter().flat_map(Map::keys).map(String::as_str));
        if let Some(name) = schema.get("$ref") {
            self.named(self.referred(name), into);
        }
        for part in ["allOf", "anyOf"].into_iter().filter_map(|keyword| schema.get(keyword)) {
            list(part).iter().for_each(|schema| self.named(schema, into));
        }
    }

    fn referred(&self, name: &Value) -> &'a Value {
        let pointer = name
            .as_str()
            .and_then(|name| name.strip_prefix('#'))
            .expect("a reference into the document");
        self.document.pointer(pointer).expect("a reference that leads somewhere")
    }
}

fn list(value: &Value) -> &[Value] {
    value.as_array().expect("a list of schemas")
}

fn texts(value: &Value) -> impl Iterator<Item = &str> {
    value.as_array().into_iter().flatten().filter_map(Value::as_str)
}

fn types(value: &Value) -> impl Iterator<Item = &str> {
    value.as_str().into_iter().chain(texts(value))
}

fn is_of(value: &Value, kind: &str) -> bool {
    match kind {
        "null" => value.is_null(),
        "boolean" => value.is_boolean(),
        "integer" => value.is_i64() || value.is_u64(),
        "string" => value.is_string(),
        "array" => value.is_array(),
        "object" => value.is_object(),
        other => panic!("no comparison knows the type `{other}`"),
    }
}

fn has_format(value: &Value, format: &str) -> bool {
    match format {
        "date-time" => value.as_str().is_none_or(|text| mgp::time::parse(text).is_some()),
        "uint" | "uint16" | "uint32" | "uint64" => value.is_u64(),
        other => panic!("no comparison knows the format `{other}`"),
    }
}
