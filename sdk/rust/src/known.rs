//! What a call has learned: the answers to its questions and the results of its steps.

use serde_json::{Map, Value};

/// The answers by question key and kept results by step key. In the modern era they are sent to the client, sealed, in
/// `requestState`.
#[derive(Clone, Debug, Default)]
pub(crate) struct Known {
    pub(crate) answers: Map<String, Value>,
    pub(crate) steps: Map<String, Value>,
}
