//! The route that a request takes to its server.

use std::sync::Arc;

use upstream::{LanePermit, Line};

/// On which line a request goes.
#[derive(Default)]
pub(crate) struct Route {
    /// The line; where none is given, the caller's own or one that is free becomes it.
    pub(crate) line: Option<Arc<Line>>,
    /// Keeps other calls that could be asked back off the line.
    pub(crate) lane: Option<Arc<LanePermit>>,
}

impl Route {
    /// A route on a line that is given.
    pub(crate) fn on(line: Arc<Line>) -> Self {
        Self {
            line: Some(line),
            lane: None,
        }
    }
}
