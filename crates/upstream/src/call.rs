//! One call to a server, from the moment it is sent until it is answered, lost or cancelled.

use std::sync::{Arc, Weak};

use guard::SendPermit;
use mcp::exchange::Request;
use mcp::server::{CallError, ClientHello, Placed};
use model::{Ticket, Trace};
use tokio::sync::mpsc;

use crate::exchange::Exchange;
use crate::frame::{self, Frame};
use crate::lanes::LanePermit;
use crate::link::Link;
use crate::session::Session;
use crate::waiter::{CallEvent, EventSink};

/// A call that was placed. Dropping it cancels the call.
pub struct Call {
    /// The session on which the call was placed.
    pub session: Arc<Session>,
    ticket: Ticket,
    /// The lane of the call, which keeps other calls whose client can be asked off the line.
    pub lane: Option<Arc<LanePermit>>,
    source: Source,
    over: bool,
}

#[expect(clippy::large_enum_variant, reason = "lives as long as its call, which is on the heap")]
enum Source {
    Pipe {
        receiver: mpsc::Receiver<CallEvent>,
        unsent: Option<Frame>,
    },
    Http(Exchange),
}

impl Call {
    /// Places a request on a connection, under a permit.
    ///
    /// # Errors
    /// When the session's machine does not take it: the handshake is not complete, or too many calls are unanswered.
    pub fn place(session: &Arc<Session>, request: &Request, sink: EventSink<'_>, permit: &SendPermit) -> Result<Self, CallError> {
        let placed = session.place(request, sink)?;
        Ok(Self::new(session, placed, &request.trace, permit))
    }

    /// Places the handshake, under a permit.
    pub(crate) fn hello(session: &Arc<Session>, hello: &ClientHello, permit: &SendPermit) -> Result<Self, CallError> {
        let placed = session.place_hello(hello)?;
        Ok(Self::new(session, placed, &Trace::default(), permit))
    }

    fn new(
        session: &Arc<Session>,
        (placed, receiver): (Placed, Option<mpsc::Receiver<CallEvent>>),
        trace: &Trace,
        permit: &SendPermit,
    ) -> Self {
        let Placed { ticket, outgoing } = placed;
        let source = match receiver {
            Some(receiver) if !session.is_http() => Source::Pipe {
                receiver,
                unsent: Some(frame_of(session, outgoing.message.line(), permit, ticket)),
            },
            crossing => Source::Http(Exchange::new(outgoing, trace, permit, crossing)),
        };
        Self {
            session: session.clone(),
            ticket,
            lane: None,
            source,
            over: false,
        }
    }

    /// Waits for what happens next. After `Done`, `Lost`, `SessionGone` or `NotSent` there is nothing more.
    pub async fn next(&mut self) -> CallEvent {
        let event = match &mut self.source {
            Source::Pipe { receiver, unsent } => next_of_pipe(&self.session, receiver, unsent).await,
            Source::Http(exchange) => exchange.next(&self.session, self.ticket).await,
        };
        self.over = event.is_last();
        event
    }
}

impl Drop for Call {
    fn drop(&mut self) {
        if !self.over {
            self.session.give_up(self.ticket, Some("the client gave the request up"));
        } else {
            self.session.forget(self.ticket);
        }
    }
}

async fn next_of_pipe(session: &Session, receiver: &mut mpsc::Receiver<CallEvent>, unsent: &mut Option<Frame>) -> CallEvent {
    if let Some(frame) = unsent.take() {
        if session.is_over() {
            return CallEvent::NotSent(session.why_over());
        }
        let Some(Link::Pipe(pipe)) = session.link.get() else {
            return CallEvent::NotSent("there is no connection".to_owned());
        };
        if pipe.outgoing.send(frame).await.is_err() {
            return CallEvent::NotSent(session.why_over());
        }
    }
    receiver.recv().await.unwrap_or_else(|| CallEvent::Lost(session.why_over()))
}

/// Makes the frame of a call on a pipe.
fn frame_of(session: &Arc<Session>, line: bytes::Bytes, permit: &SendPermit, ticket: Ticket) -> Frame {
    let placed: Weak<dyn frame::Placed> = Arc::<Session>::downgrade(session);
    Frame::of_call(line, permit.clone(), placed, ticket)
}

impl std::fmt::Debug for Call {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        f.debug_struct("Call")
            .field("session", &self.session)
            .field("ticket", &self.ticket)
            .finish_non_exhaustive()
    }
}
