//! The labels of methods and outcomes in the metrics.

use mcp::exchange::{Method, Outcome};

/// Returns the label of an outcome.
pub(crate) fn of_outcome(outcome: &Outcome) -> &'static str {
    match outcome {
        Outcome::Result(_) => "ok",
        Outcome::InputRequired(_) => "input_required",
        Outcome::Error(_) => "error",
    }
}

/// Returns the label of a method. Methods of extensions share one label: a peer must not be able to create labels.
pub(crate) fn of_method(method: &Method) -> &'static str {
    match method {
        Method::Known(info) => info.name,
        Method::Extension(_) => "extension",
    }
}
