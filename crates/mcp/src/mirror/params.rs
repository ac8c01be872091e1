//! Reads `x-mcp-header` annotations: which arguments of a tool are mirrored in headers, and which annotations must not
//! be accepted.

use std::collections::HashSet;

use jsonrpc::{Object, Raw, RawKind};

const ANNOTATION: &str = "x-mcp-header";

/// The arguments of one tool that headers mirror, read once for a tool and used for each call.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct ParamHeaders {
    headers: Vec<ParamHeader>,
}

/// One mirrored argument.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(super) struct ParamHeader {
    /// The header's name without `Mcp-Param-`.
    pub(super) name: String,
    /// The keys that lead to the value in the arguments.
    pub(super) path: Vec<String>,
    /// Whether numbers are compared as numbers.
    pub(super) integer: bool,
}

impl ParamHeaders {
    /// Reads the annotations of a tool's `inputSchema`.
    ///
    /// # Errors
    /// With the reason why clients that use HTTP must drop the tool (2026-07-28 streamable HTTP, constraints on
    /// `x-mcp-header`).
    pub fn read(input_schema: &Raw) -> Result<Self, String> {
        let mut found = Self::default();
        if mentions_annotation(input_schema) {
            let mut walk = Walk {
                found: &mut found,
                names: HashSet::new(),
                path: Vec::new(),
            };
            walk.schema(input_schema, Place::Root)?;
        }
        Ok(found)
    }

    /// Returns whether no argument is mirrored.
    #[must_use]
    pub fn is_empty(&self) -> bool {
        self.headers.is_empty()
    }

    pub(super) fn iter(&self) -> impl Iterator<Item = &ParamHeader> {
        self.headers.iter()
    }
}

/// Returns why a client that uses HTTP must drop this tool from the list; `None` for a valid one.
#[must_use]
pub fn invalid_tool(tool: &Raw) -> Option<String> {
    ParamHeaders::read(&tool.get("inputSchema")?).err()
}

/// Returns whether a schema can contain annotations at all: most have none, and need no parsing.
fn mentions_annotation(schema: &Raw) -> bool {
    let text = schema.text();
    text.contains(ANNOTATION) || text.contains("\\u")
}

/// The place of a schema within the tool's input schema.
#[derive(Clone, Copy, PartialEq, Eq)]
enum Place {
    Root,
    /// A property that is reached through `properties` only.
    Reachable,
    /// Any other place: no annotation is allowed.
    Elsewhere,
}

/// Keywords whose value is a schema, or an array of schemas.
const SCHEMAS: [&str; 16] = [
    "items",
    "additionalItems",
    "prefixItems",
    "contains",
    "unevaluatedItems",
    "additionalProperties",
    "unevaluatedProperties",
    "propertyNames",
    "not",
    "if",
    "then",
    "else",
    "allOf",
    "anyOf",
    "oneOf",
    "contentSchema",
];
/// Keywords whose value maps names to schemas.
const MAPS: [&str; 5] = ["patternProperties", "$defs", "definitions", "dependentSchemas", "dependencies"];

struct Walk<'a> {
    found: &'a mut ParamHeaders,
    /// The header names found so far, in lower case.
    names: HashSet<String>,
    path: Vec<String>,
}

impl Walk<'_> {
    /// Reads one schema and those inside it. The recursion is as deep as values nest, which the parser bounds.
    fn schema(&mut self, schema: &Raw, place: Place) -> Result<(), String> {
        if schema.kind() != RawKind::Object {
            return Ok(());
        }
        let object = schema.object().map_err(|e| format!("the schema of {}: {e}", self.here()))?;
        if let Some(annotation) = object.get(ANNOTATION) {
            self.annotation(annotation, &object, place)?;
        }
        for (keyword, value) in object.iter() {
            if keyword == "properties" {
                let below = if place == Place::Elsewhere {
                    Place::Elsewhere
                } else {
                    Place::Reachable
                };
                self.map(value, below)?;
            } else if MAPS.contains(&keyword) {
                self.map(value, Place::Elsewhere)?;
            } else if SCHEMAS.contains(&keyword) {
                self.schema(value, Place::Elsewhere)?;
                value.items().iter().try_for_each(|item| self.schema(item, Place::Elsewhere))?;
            }
        }
        Ok(())
    }

    fn map(&mut self, map: &Raw, place: Place) -> Result<(), String> {
        if map.kind() != RawKind::Object {
            return Ok(());
        }
        let properties = map.object().map_err(|e| format!("the properties of {}: {e}", self.here()))?;
        for (name, schema) in properties.iter() {
            self.path.push(name.to_owned());
            self.schema(schema, place)?;
            self.path.pop();
        }
        Ok(())
    }

    fn annotation(&mut self, annotation: &Raw, schema: &Object, place: Place) -> Result<(), String> {
        let here = self.here();
        if place != Place::Reachable {
            return Err(format!(
                "`{ANNOTATION}` at {here}, which is not reached from the root through `properties` only"
            ));
        }
        let Some(name) = annotation.as_str() else {
            return Err(format!("`{ANNOTATION}` at {here} is not a string"));
        };
        if name.is_empty() || !name.bytes().all(is_tchar) {
            return Err(format!(
                "`{ANNOTATION}` at {here} is `{}`, which is no name of a header",
                name.escape_debug()
            ));
        }
        let Some(integer) = primitive(schema.get("type")) else {
            return Err(format!(
                "`{ANNOTATION}` at {here}, whose type is none of string, integer and boolean"
            ));
        };
        if !self.names.insert(name.to_ascii_lowercase()) {
            return Err(format!("`{ANNOTATION}` at {here} repeats the name `{name}`"));
        }
        self.found.headers.push(ParamHeader {
            name: name.into_owned(),
            path: self.path.clone(),
            integer,
        });
        Ok(())
    }

    fn here(&self) -> String {
        if self.path.is_empty() {
            "the root".to_owned()
        } else {
            format!("`{}`", self.path.join("."))
        }
    }
}

/// Returns whether the type is `integer`; `None` where it is not one of the three that can be mirrored. A type that
/// also admits `null` can be, because the specification says how a `null` is mirrored.
fn primitive(kind: Option<&Raw>) -> Option<bool> {
    let kind = kind?;
    let mut names = if kind.kind() == RawKind::Array {
        kind.items()
    } else {
        vec![kind.clone()]
    };
    if names.len() > 1 {
        names.retain(|name| name.as_str().as_deref() != Some("null"));
    }
    match names.as_slice() {
        [name] => match name.as_str().as_deref() {
            Some("integer") => Some(true),
            Some("string" | "boolean") => Some(false),
            _ => None,
        },
        _ => None,
    }
}

/// Returns whether a byte may stand in a header's name (RFC 9110 section 5.6.2).
fn is_tchar(b: u8) -> bool {
    b.is_ascii_alphanumeric() || b"!#$%&'*+-.^_`|~".contains(&b)
}
