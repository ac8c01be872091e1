//! Reads JSON schemas as types, as far as languages have them: everything else becomes `Any`, never an error.

use std::collections::{BTreeMap, BTreeSet};

use serde_json::{Map, Value as Json};

use crate::words::one_line;

/// The depth below which every type is `Any`.
const DEPTH: usize = 24;

/// A type.
#[derive(Clone, Debug, PartialEq)]
pub(super) enum Type {
    /// Anything.
    Any,
    /// `null`.
    Null,
    /// A boolean.
    Bool,
    /// A whole number.
    Integer,
    /// A number.
    Number,
    /// A string.
    Text,
    /// One of these values.
    OneOf(Vec<Json>),
    /// A list.
    List(Box<Self>),
    /// An object with any keys.
    Map(Box<Self>),
    /// An object with known keys, by the name of its declaration.
    Record(String),
    /// One of these types.
    Union(Vec<Self>),
}

/// An object with known keys.
#[derive(Clone, Debug, PartialEq)]
pub(super) struct Record {
    /// Its name, in PascalCase, unique in the export.
    pub name: String,
    /// What it is.
    pub doc: String,
    /// Its keys, in the order of the schema.
    pub fields: Vec<Field>,
}

/// A key.
#[derive(Clone, Debug, PartialEq)]
pub(super) struct Field {
    /// The key as it is sent.
    pub name: String,
    /// Its type.
    pub ty: Type,
    /// Whether it must be there.
    pub required: bool,
    /// What it means.
    pub doc: String,
}

/// All declarations of an export, in the order in which they were needed.
#[derive(Debug, Default)]
pub(super) struct Declarations {
    /// Objects, each after those that it needs where it doesn't need itself.
    pub records: Vec<Record>,
    names: BTreeSet<String>,
}

impl Declarations {
    /// Reserves names that the language's own text uses.
    pub(super) fn reserving(names: &[&str]) -> Self {
        Self {
            records: Vec::new(),
            names: names.iter().map(|name| (*name).to_owned()).collect(),
        }
    }

    /// Returns a name that is not taken.
    pub(super) fn unique(&mut self, wanted: &str) -> String {
        let mut name = wanted.to_owned();
        let mut number = 2;
        while !self.names.insert(name.clone()) {
            name = format!("{wanted}{number}");
            number += 1;
        }
        name
    }

    /// Returns the type that a schema describes; objects are declared under `name`.
    pub(super) fn read(&mut self, schema: &Json, name: &str) -> Type {
        let mut reader = Reader {
            declarations: self,
            root: schema,
            references: BTreeMap::new(),
        };
        reader.ty(schema, name, 0)
    }

    /// Returns the arguments of a tool: always an object, even if the schema says nothing.
    pub(super) fn read_input(&mut self, schema: &Json, name: &str) -> Record {
        if let Type::Record(name) = self.read(schema, name)
            && let Some(record) = self.records.iter().find(|record| record.name == name)
        {
            return record.clone();
        }
        let record = Record {
            name: self.unique(name),
            doc: String::new(),
            fields: Vec::new(),
        };
        self.records.push(record.clone());
        record
    }
}

struct Reader<'a> {
    declarations: &'a mut Declarations,
    root: &'a Json,
    /// References that were met, with their types: a type may refer to itself.
    references: BTreeMap<String, Type>,
}

impl Reader<'_> {
    fn ty(&mut self, schema: &Json, name: &str, depth: usize) -> Type {
        let Some(schema) = schema.as_object().filter(|_| depth < DEPTH) else {
            return Type::Any;
        };
        if let Some(reference) = schema.get("$ref").and_then(Json::as_str) {
            return self.reference(reference, name, depth);
        }
        if let Some(value) = schema.get("const") {
            return Type::OneOf(vec![value.clone()]);
        }
        if let Some(values) = schema.get("enum").and_then(Json::as_array) {
            return Type::OneOf(values.clone());
        }
        for key in ["oneOf", "anyOf"] {
            if let Some(options) = schema.get(key).and_then(Json::as_array)
                && !schema.contains_key("properties")
            {
                return self.union(options, name, depth);
            }
        }
        if let Some(parts) = schema.get("allOf").and_then(Json::as_array) {
            return self.merged(schema, parts, name, depth);
        }
        match schema.get("type") {
            Some(Json::Array(kinds)) => {
                let types = kinds
                    .iter()
                    .filter_map(Json::as_str)
                    .map(|kind| self.of_kind(kind, schema, name, depth))
                    .collect();
                union(types)
            }
            Some(Json::String(kind)) => self.of_kind(kind, schema, name, depth),
            _ if schema.contains_key("properties") => self.object(schema, name, depth),
            _ if schema.contains_key("items") => self.of_kind("array", schema, name, depth),
            _ => Type::Any,
        }
    }

    fn of_kind(&mut self, kind: &str, schema: &Map<String, Json>, name: &str, depth: usize) -> Type {
        match kind {
            "null" => Type::Null,
            "boolean" => Type::Bool,
            "integer" => Type::Integer,
            "number" => Type::Number,
            "string" => Type::Text,
            "array" => {
                let item = schema
                    .get("items")
                    .map_or(Type::Any, |items| self.ty(items, &format!("{name}Item"), depth + 1));
                Type::List(Box::new(item))
            }
            "object" => self.object(schema, name, depth),
            _ => Type::Any,
        }
    }

    fn object(&mut self, schema: &Map<String, Json>, name: &str, depth: usize) -> Type {
        let properties = schema.get("properties").and_then(Json::as_object);
        let Some(properties) = properties.filter(|properties| !properties.is_empty() || depth == 0) else {
            if depth == 0 {
                return Type::Record(self.declare(name, schema, Vec::new()));
            }
            let value = schema
                .get("additionalProperties")
                .map_or(Type::Any, |value| self.ty(value, &format!("{name}Value"), depth + 1));
            return Type::Map(Box::new(value));
        };
        let required: BTreeSet<&str> = schema
            .get("required")
            .and_then(Json::as_array)
            .into_iter()
            .flatten()
            .filter_map(Json::as_str)
            .collect();
        let mut fields = Vec::new();
        for (key, property) in properties {
            fields.push(Field {
                name: key.clone(),
                ty: self.ty(property, &format!("{name}{}", pascal(key)), depth + 1),
                required: required.contains(key.as_str()),
                doc: description(property.as_object()),
            });
        }
        Type::Record(self.declare(name, schema, fields))
    }

    fn declare(&mut self, name: &str, schema: &Map<String, Json>, fields: Vec<Field>) -> String {
        let name = self.declarations.unique(name);
        self.declarations.records.push(Record {
            name: name.clone(),
            doc: description(Some(schema)),
            fields,
        });
        name
    }

    fn union(&mut self, options: &[Json], name: &str, depth: usize) -> Type {
        let many = options.len() > 1;
        let option = |(at, option): (usize, &Json)| {
            let name = if many { format!("{name}{}", at + 1) } else { name.to_owned() };
            self.ty(option, &name, depth + 1)
        };
        union(options.iter().enumerate().map(option).collect())
    }

    /// Merges all parts: their properties in one object, where they are objects.
    fn merged(&mut self, schema: &Map<String, Json>, parts: &[Json], name: &str, depth: usize) -> Type {
        let (mut properties, mut required) = (Map::new(), Vec::new());
        let parts: Vec<Json> = parts.iter().map(|part| self.resolved(part)).collect();
        for part in parts.iter().filter_map(Json::as_object).chain(std::iter::once(schema)) {
            properties.extend(part.get("properties").and_then(Json::as_object).cloned().unwrap_or_default());
            required.extend(part.get("required").and_then(Json::as_array).cloned().unwrap_or_default());
        }
        if properties.is_empty() {
            return parts.first().map_or(Type::Any, |part| self.ty(part, name, depth + 1));
        }
        let mut whole = schema.clone();
        whole.remove("allOf");
        whole.insert("properties".to_owned(), Json::Object(properties));
        whole.insert("required".to_owned(), Json::Array(required));
        self.object(&whole, name, depth)
    }

    fn resolved(&self, schema: &Json) -> Json {
        let target = schema
            .get("$ref")
            .and_then(Json::as_str)
            .and_then(|reference| self.root.pointer(reference.strip_prefix('#')?));
        target.unwrap_or(schema).clone()
    }

    /// Returns the type of a reference within the schema. A reference to another document is never followed.
    fn reference(&mut self, reference: &str, name: &str, depth: usize) -> Type {
        if let Some(known) = self.references.get(reference) {
            return known.clone();
        }
        let Some(target) = reference.strip_prefix('#').and_then(|pointer| self.root.pointer(pointer)) else {
            return Type::Any;
        };
        if target.get("properties").is_none() {
            // Not an object: a type that contains itself through it has no name to be called by.
            self.references.insert(reference.to_owned(), Type::Any);
            let ty = self.ty(&target.clone(), name, depth + 1);
            self.references.insert(reference.to_owned(), ty.clone());
            return ty;
        }
        let last = pascal(reference.rsplit('/').next().unwrap_or_default());
        let base: String = name.strip_suffix(&last).unwrap_or(name).to_owned() + &last;
        let reserved = self.declarations.unique(&base);
        self.references.insert(reference.to_owned(), Type::Record(reserved.clone()));
        // The name was reserved here: release it for the declaration.
        self.declarations.names.remove(&reserved);
        self.ty(&target.clone(), &reserved, depth + 1)
    }
}

/// Returns one of several types, flat and without repetition.
fn union(types: Vec<Type>) -> Type {
    let mut flat: Vec<Type> = Vec::new();
    for ty in types {
        let parts = match ty {
            Type::Union(parts) => parts,
            ty => vec![ty],
        };
        for part in parts {
            if !flat.contains(&part) {
                flat.push(part);
            }
        }
    }
    if flat.contains(&Type::Any) || flat.is_empty() {
        return Type::Any;
    }
    if flat.len() == 1 { flat.remove(0) } else { Type::Union(flat) }
}

fn description(schema: Option<&Map<String, Json>>) -> String {
    let text = schema
        .and_then(|schema| schema.get("description").or_else(|| schema.get("title")))
        .and_then(Json::as_str);
    one_line(text.unwrap_or_default())
}

/// Returns the name in PascalCase: `get_weather`, `get-weather` and `getWeather` become `GetWeather`.
pub(super) fn pascal(name: &str) -> String {
    let mut out = String::new();
    let mut up = true;
    for c in name.chars() {
        if !c.is_ascii_alphanumeric() {
            up = true;
        } else if up {
            out.push(c.to_ascii_uppercase());
            up = false;
        } else {
            out.push(c);
        }
    }
    if out.is_empty() || out.starts_with(|c: char| c.is_ascii_digit()) {
        out.insert(0, 'T');
    }
    out
}
