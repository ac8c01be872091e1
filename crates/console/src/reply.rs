//! The replies of handlers: their wire form, and their schemas for the document.

use bytes::Bytes;
use kernel::http_api::Answer;
use schemars::{JsonSchema, Schema, SchemaGenerator};
use serde::Serialize;

/// The reply of a handler.
pub(crate) trait Reply {
    /// The HTTP status.
    const STATUS: u16 = 200;
    /// The media type.
    const MEDIA: &'static str = "application/json";

    /// Returns the answer as it is sent.
    fn into_answer(self) -> Answer;

    /// Returns the schema of its body.
    fn schema(schemas: &mut SchemaGenerator) -> Schema;
}

/// A shape as a reply: the resource was found or changed.
impl<T: Serialize + JsonSchema> Reply for T {
    fn into_answer(self) -> Answer {
        whole(Self::STATUS, <Self as Reply>::MEDIA, &self)
    }

    fn schema(schemas: &mut SchemaGenerator) -> Schema {
        schemas.subschema_for::<T>()
    }
}

/// A shape of a resource that was created.
#[derive(Debug)]
pub(crate) struct Created<T>(pub(crate) T);

impl<T: Serialize + JsonSchema> Reply for Created<T> {
    const STATUS: u16 = 201;

    fn into_answer(self) -> Answer {
        whole(Self::STATUS, Self::MEDIA, &self.0)
    }

    fn schema(schemas: &mut SchemaGenerator) -> Schema {
        schemas.subschema_for::<T>()
    }
}

/// Returns an answer with a shape as its body, in lines that people can read.
pub(crate) fn whole(status: u16, media: &'static str, shape: &impl Serialize) -> Answer {
    let text = serde_json::to_string_pretty(shape).expect("a shape has texts for keys, and nothing in it fails");
    Answer::Whole {
        status,
        media,
        body: Bytes::from(text + "\n"),
    }
}
