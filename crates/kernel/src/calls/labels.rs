//! How methods and outcomes count in the metrics.

use mcp::exchange::{Method, Outcome};

/// Returns how an outcome counts.
pub(crate) fn of_outcome(outcome: &Outcome) -> &'static str {
    match outcome {
        Outcome::Result(_) => "ok",
        Outcome::InputRequired(_) => "input_required",
        Outcome::Error(_) => "error",
    }
}

/// Returns how a method counts. Methods of extensions share one label: a peer must not be able to make labels up.
pub(crate) fn of_method(method: &Method) -> &'static str {
    match method {
        Method::Known(info) => info.name,
        Method::Extension(_) => "extension",
    }
}
