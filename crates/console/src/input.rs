//! Reads a request into the types that its handler takes.

use kernel::http_api::Request;
use percent_encoding::percent_decode_str;
use schemars::{JsonSchema, Schema, SchemaGenerator};
use serde::Deserialize;
use serde::de::DeserializeOwned;
use serde_json::Value;

use crate::fields;
use crate::invalid::Place;
use crate::problem::Problem;

/// The input of a handler, read from a request.
#[derive(Debug)]
pub(crate) struct Input<P = Nothing, Q = Nothing, B = NoBody> {
    /// The values of the names in braces of the path.
    pub(crate) path: P,
    /// The parameters of the query.
    pub(crate) query: Q,
    /// The body.
    pub(crate) body: B,
    /// The event after which a stream continues.
    pub(crate) last_event: Option<String>,
}

/// Parameters of a path or a query.
pub(crate) trait Parameters: DeserializeOwned + JsonSchema + Send + 'static {}

impl<T: DeserializeOwned + JsonSchema + Send + 'static> Parameters for T {}

/// No parameters.
#[derive(Debug, Deserialize, JsonSchema)]
pub(crate) struct Nothing {}

/// The type of a handler's body.
pub(crate) trait Body: Sized + Send + 'static {
    /// Reads a body.
    fn read(body: &[u8]) -> Result<Self, Problem>;

    /// Returns its schema, if there has to be a body.
    fn schema(schemas: &mut SchemaGenerator) -> Option<Schema>;
}

/// A JSON object.
impl<T: DeserializeOwned + JsonSchema + Send + 'static> Body for T {
    fn read(body: &[u8]) -> Result<Self, Problem> {
        let value = serde_json::from_slice(body).map_err(|error| Problem::invalid(format!("the body is no JSON: {error}")))?;
        let Value::Object(fields) = value else {
            return Err(Problem::invalid("the body must be a JSON object"));
        };
        fields::read(fields.into_iter().collect()).map_err(|invalid| invalid.into_problem(Place::Field))
    }

    fn schema(schemas: &mut SchemaGenerator) -> Option<Schema> {
        Some(schemas.subschema_for::<T>())
    }
}

/// No body: what is sent is ignored.
#[derive(Debug)]
pub(crate) struct NoBody;

impl Body for NoBody {
    fn read(_: &[u8]) -> Result<Self, Problem> {
        Ok(Self)
    }

    fn schema(_: &mut SchemaGenerator) -> Option<Schema> {
        None
    }
}

impl<P: Parameters, Q: Parameters, B: Body> Input<P, Q, B> {
    /// Reads a request; `segments` are the values of the names in braces of its path.
    pub(crate) fn read(request: &Request, segments: Vec<(String, String)>) -> Result<Self, Problem> {
        Ok(Self {
            path: parameters(segments)?,
            query: parameters(pairs(request.query.as_deref().unwrap_or_default())?)?,
            body: B::read(&request.body)?,
            last_event: request.last_event.clone(),
        })
    }
}

fn parameters<T: Parameters>(pairs: Vec<(String, String)>) -> Result<T, Problem> {
    let values = pairs.into_iter().map(|(name, text)| (name, Value::String(text)));
    fields::read(values.collect()).map_err(|invalid| invalid.into_problem(Place::Parameter))
}

/// Returns the names and values of a query.
fn pairs(query: &str) -> Result<Vec<(String, String)>, Problem> {
    let decoded = |text: &str| {
        let text = text.replace('+', " ");
        let decoded = percent_decode_str(&text).decode_utf8().map(std::borrow::Cow::into_owned);
        decoded.map_err(|_| Problem::invalid("the query is not UTF-8, percent-encoded"))
    };
    let pairs = query.split('&').filter(|pair| !pair.is_empty());
    pairs
        .map(|pair| {
            let (name, value) = pair.split_once('=').unwrap_or((pair, ""));
            Ok((decoded(name)?, decoded(value)?))
        })
        .collect()
}
