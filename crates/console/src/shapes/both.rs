//! Two shapes in one object.

use std::borrow::Cow;

use schemars::{JsonSchema, Schema, SchemaGenerator, json_schema};
use serde::ser::Error as _;
use serde::{Serialize, Serializer};
use serde_json::{Map, Value};

/// An object with the fields of two: the schema is `allOf` of theirs.
#[derive(Debug)]
pub(crate) struct Both<A, B>(pub(crate) A, pub(crate) B);

impl<A: Serialize, B: Serialize> Serialize for Both<A, B> {
    fn serialize<S: Serializer>(&self, serializer: S) -> Result<S::Ok, S::Error> {
        let mut fields = Map::new();
        for part in [serde_json::to_value(&self.0), serde_json::to_value(&self.1)] {
            match part.map_err(S::Error::custom)? {
                Value::Object(part) => fields.extend(part),
                other => return Err(S::Error::custom(format!("{other} has no fields"))),
            }
        }
        fields.serialize(serializer)
    }
}

impl<A: JsonSchema, B: JsonSchema> JsonSchema for Both<A, B> {
    fn inline_schema() -> bool {
        true
    }

    fn schema_name() -> Cow<'static, str> {
        format!("{}And{}", A::schema_name(), B::schema_name()).into()
    }

    fn json_schema(generator: &mut SchemaGenerator) -> Schema {
        json_schema!({ "allOf": [generator.subschema_for::<A>(), generator.subschema_for::<B>()] })
    }
}
