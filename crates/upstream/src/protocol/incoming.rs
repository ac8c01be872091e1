//! The verdict of a protocol on a server's message.

use crate::event::ServerEvent;

/// The verdict of a protocol on a server's message.
#[derive(Debug)]
pub(crate) enum Incoming {
    /// The message belongs to MCP, which handles it.
    Passed,
    /// The message was for the gateway; with the event to report, if any.
    Claimed(Option<ServerEvent>),
    /// Only clients may send the message: it is refused and reported.
    Refused(ServerEvent),
}
