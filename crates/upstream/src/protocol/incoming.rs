//! What a protocol makes of a server's message.

use crate::event::ServerEvent;

/// What a protocol makes of a server's message.
#[derive(Debug)]
pub(crate) enum Incoming {
    /// It is MCP's: it goes its usual way.
    Passed,
    /// It was for the gateway; what is to be told of it, if anything.
    Claimed(Option<ServerEvent>),
    /// Only clients may send it: it is refused, and told of.
    Refused(ServerEvent),
}
