//! The arguments of a call, with getters whose errors the caller can act on.

use std::ops::Deref;

use serde::de::DeserializeOwned;
use serde_json::{Map, Value};

use crate::error::{Error, Result};

/// The arguments of a tool, a prompt, a resource template or an extension's method: a JSON object.
#[derive(Clone, Debug, Default, PartialEq)]
pub struct Args(Value);

impl Args {
    pub(crate) fn new(object: Map<String, Value>) -> Self {
        Self(Value::Object(object))
    }

    /// Returns a string argument.
    ///
    /// # Errors
    /// Invalid params when it is absent or not a string.
    pub fn str(&self, key: &str) -> Result<&str> {
        self.0.get(key).and_then(Value::as_str).ok_or_else(|| wrong(key, "a string"))
    }

    /// Returns an integer argument.
    ///
    /// # Errors
    /// Invalid params when it is absent or not an integer.
    pub fn int(&self, key: &str) -> Result<i64> {
        self.0.get(key).and_then(Value::as_i64).ok_or_else(|| wrong(key, "an integer"))
    }

    /// Returns a number argument.
    ///
    /// # Errors
    /// Invalid params when it is absent or not a number.
    pub fn number(&self, key: &str) -> Result<f64> {
        self.0.get(key).and_then(Value::as_f64).ok_or_else(|| wrong(key, "a number"))
    }

    /// Returns a boolean argument; an absent one counts as false.
    #[must_use]
    pub fn flag(&self, key: &str) -> bool {
        self.0.get(key).and_then(Value::as_bool).unwrap_or(false)
    }

    /// Deserialises all arguments into a type of the author.
    ///
    /// # Errors
    /// Invalid params, with serde's reason.
    pub fn to<T: DeserializeOwned>(&self) -> Result<T> {
        serde_json::from_value(self.0.clone()).map_err(|why| Error::invalid_params(why.to_string()))
    }
}

impl Deref for Args {
    type Target = Value;
    fn deref(&self) -> &Value {
        &self.0
    }
}

fn wrong(key: &str, expected: &str) -> Error {
    Error::invalid_params(format!("argument `{key}` must be {expected}"))
}
