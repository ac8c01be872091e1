//! The route that a request takes to its server.

use std::sync::Arc;

use upstream::{LanePermit, Line};

/// The line on which a request is sent.
#[derive(Default)]
pub(crate) struct Route {
    /// The line; if none is given, the caller's own line or a free lane is chosen.
    pub(crate) line: Option<Arc<Line>>,
    /// The lane of the line, which keeps other calls whose client can be asked off the line.
    pub(crate) lane: Option<Arc<LanePermit>>,
}

impl Route {
    /// Returns a route on a given line.
    pub(crate) fn on(line: Arc<Line>) -> Self {
        Self {
            line: Some(line),
            lane: None,
        }
    }
}
