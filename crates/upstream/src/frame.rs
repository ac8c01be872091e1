//! One message to a server on a pipe, with the permit that it needs to be written.

use std::fmt;
use std::sync::Weak;

use bytes::Bytes;
use guard::{InFlight, SendPermit};
use model::Ticket;

/// The connection that a call was placed on.
pub(crate) trait Placed: Send + Sync {
    /// Tells the caller of a call that it was not written, because its permit was withdrawn.
    fn withdrawn(&self, call: Ticket);
}

/// A message on its way to a server on a pipe.
#[must_use]
pub struct Frame {
    bytes: Bytes,
    permit: Option<SendPermit>,
    call: Option<(Weak<dyn Placed>, Ticket)>,
}

impl Frame {
    /// Makes a frame that is written while its permit stands; without a permit it is what the gateway sends itself.
    pub(crate) fn new(bytes: Bytes, permit: Option<SendPermit>) -> Self {
        Self { bytes, permit, call: None }
    }

    /// Makes a frame whose caller is told when it is not written.
    pub(crate) fn of_call(bytes: Bytes, permit: SendPermit, placed: Weak<dyn Placed>, call: Ticket) -> Self {
        Self {
            bytes,
            permit: Some(permit),
            call: Some((placed, call)),
        }
    }

    /// Begins to write the frame. The writer calls it right before the first byte, and holds the [`InFlight`] until the last. None means that the
    /// permit was withdrawn: the frame must not be written.
    #[must_use]
    pub fn begin(self) -> Option<(Bytes, InFlight)> {
        let in_flight = match &self.permit {
            Some(permit) => permit.begin(),
            None => Some(InFlight::own()),
        };
        if in_flight.is_none()
            && let Some((placed, call)) = self.call
            && let Some(placed) = placed.upgrade()
        {
            placed.withdrawn(call);
        }
        in_flight.map(|in_flight| (self.bytes, in_flight))
    }
}

/// A frame that the gateway sends itself.
impl From<Bytes> for Frame {
    fn from(bytes: Bytes) -> Self {
        Self::new(bytes, None)
    }
}

impl fmt::Debug for Frame {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_struct("Frame")
            .field("bytes", &self.bytes.len())
            .field("permit", &self.permit)
            .finish_non_exhaustive()
    }
}
