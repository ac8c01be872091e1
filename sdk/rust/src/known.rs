//! What a call has learned so far: the answers to its questions and the results of its steps.

use serde_json::{Map, Value};

/// Answers by question key and kept results by step key. In the modern era it travels, sealed, in `requestState`.
#[derive(Clone, Debug, Default)]
pub(crate) struct Known {
    pub(crate) answers: Map<String, Value>,
    pub(crate) steps: Map<String, Value>,
}
