//! Values that several shapes have.

use std::borrow::Cow;

use model::Timestamp;
use schemars::{JsonSchema, Schema, SchemaGenerator, json_schema};
use serde::de::{Error as _, Unexpected};
use serde::{Deserialize, Deserializer, Serialize, Serializer};

/// An instant, as RFC 3339 writes it.
#[derive(Clone, Copy, Debug)]
pub(crate) struct Instant(pub(crate) Timestamp);

impl Serialize for Instant {
    fn serialize<S: Serializer>(&self, serializer: S) -> Result<S::Ok, S::Error> {
        serializer.serialize_str(&mgp::time::format(self.0))
    }
}

impl<'de> Deserialize<'de> for Instant {
    fn deserialize<D: Deserializer<'de>>(deserializer: D) -> Result<Self, D::Error> {
        let text = String::deserialize(deserializer)?;
        let wrong = || {
            D::Error::invalid_value(
                Unexpected::Str(&text),
                &"write date, time and offset, such as `2099-12-31T23:59:59Z`",
            )
        };
        mgp::time::parse(&text).map(Self).ok_or_else(wrong)
    }
}

impl JsonSchema for Instant {
    fn inline_schema() -> bool {
        true
    }

    fn schema_name() -> Cow<'static, str> {
        "Instant".into()
    }

    fn json_schema(_: &mut SchemaGenerator) -> Schema {
        json_schema!({ "type": "string", "format": "date-time" })
    }
}

/// A text that is not empty: one that is counts as missing.
#[derive(Clone, Debug)]
pub(crate) struct Text(String);

impl Text {
    pub(crate) fn as_str(&self) -> &str {
        &self.0
    }
}

impl<'de> Deserialize<'de> for Text {
    fn deserialize<D: Deserializer<'de>>(deserializer: D) -> Result<Self, D::Error> {
        let text = String::deserialize(deserializer)?;
        match text.is_empty() {
            true => Err(D::Error::invalid_length(0, &"a text")),
            false => Ok(Self(text)),
        }
    }
}

impl JsonSchema for Text {
    fn inline_schema() -> bool {
        true
    }

    fn schema_name() -> Cow<'static, str> {
        "Text".into()
    }

    fn json_schema(_: &mut SchemaGenerator) -> Schema {
        json_schema!({ "type": "string", "minLength": 1 })
    }
}

/// How much harm can be done
#[derive(Clone, Copy, Debug, Serialize, JsonSchema)]
#[serde(rename_all = "lowercase")]
#[schemars(inline)]
pub(crate) enum Risk {
    Safe,
    Moderate,
    Dangerous,
}

impl From<model::Risk> for Risk {
    fn from(risk: model::Risk) -> Self {
        match risk {
            model::Risk::Safe => Self::Safe,
            model::Risk::Moderate => Self::Moderate,
            model::Risk::Dangerous => Self::Dangerous,
        }
    }
}
