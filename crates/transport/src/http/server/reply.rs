//! The bodies of responses.

use std::collections::VecDeque;
use std::convert::Infallible;
use std::future::Future;
use std::pin::Pin;
use std::sync::Arc;
use std::task::{Context, Poll};
use std::time::Duration;

use bytes::Bytes;
use http_body::{Body, Frame, SizeHint};
use kernel::front;
use tokio::sync::OwnedSemaphorePermit;
use tokio::time::{Instant, Sleep, sleep};

use super::sse::Outgoing;
use super::watch::{Order, Phase, Watch};
use crate::frame::sse;

/// The body of a response. Where it is bound to a connection, the connection is idle again once it is dropped.
#[derive(Debug)]
pub(crate) struct Reply {
    content: Content,
    watch: Option<Arc<Watch>>,
}

#[derive(Debug)]
enum Content {
    Whole(Bytes),
    Stream(Box<Stream>),
}

/// The source of a body's events.
#[derive(Debug)]
pub(crate) enum Source {
    /// The answer to a POST, which ends by itself.
    Answer(front::Events),
    /// A GET, which is ended by a drain.
    Listening(front::Events),
    /// HTTP+SSE.
    Pipe(Outgoing),
}

#[derive(Debug)]
struct Stream {
    source: Source,
    pieces: VecDeque<Bytes>,
    quiet: Pin<Box<Sleep>>,
    keep_alive: Duration,
    _permit: OwnedSemaphorePermit,
}

impl Reply {
    pub(crate) fn whole(bytes: Bytes) -> Self {
        Self {
            content: Content::Whole(bytes),
            watch: None,
        }
    }

    pub(crate) fn stream(source: Source, keep_alive: Duration, permit: OwnedSemaphorePermit) -> Self {
        let stream = Stream {
            source,
            pieces: VecDeque::new(),
            quiet: Box::pin(sleep(keep_alive)),
            keep_alive,
            _permit: permit,
        };
        Self {
            content: Content::Stream(Box::new(stream)),
            watch: None,
        }
    }

    /// Binds the body to its connection.
    pub(crate) fn of(&mut self, watch: Arc<Watch>) {
        self.watch = Some(watch);
    }
}

impl Drop for Reply {
    fn drop(&mut self) {
        if let Some(watch) = &self.watch {
            watch.enter(Phase::Idle);
        }
    }
}

impl Body for Reply {
    type Data = Bytes;
    type Error = Infallible;

    fn poll_frame(mut self: Pin<&mut Self>, cx: &mut Context<'_>) -> Poll<Option<Result<Frame<Bytes>, Infallible>>> {
        let this = &mut *self;
        let piece = match &mut this.content {
            Content::Whole(bytes) => Poll::Ready((!bytes.is_empty()).then(|| std::mem::take(bytes))),
            Content::Stream(stream) => {
                let draining = this.watch.as_ref().is_some_and(|watch| watch.order() >= Order::Finish);
                stream.poll_piece(cx, draining)
            }
        };
        piece.map(|piece| piece.map(|piece| Ok(Frame::data(piece))))
    }

    fn is_end_stream(&self) -> bool {
        matches!(&self.content, Content::Whole(bytes) if bytes.is_empty())
    }

    fn size_hint(&self) -> SizeHint {
        match &self.content {
            Content::Whole(bytes) => SizeHint::with_exact(bytes.len() as u64),
            Content::Stream(_) => SizeHint::default(),
        }
    }
}

impl Stream {
    fn poll_piece(&mut self, cx: &mut Context<'_>, draining: bool) -> Poll<Option<Bytes>> {
        if let Some(piece) = self.pieces.pop_front() {
            return Poll::Ready(Some(piece));
        }
        match self.source.poll_written(cx) {
            Poll::Ready(Some(written)) => {
                if let Some((data, end)) = written.tail {
                    self.pieces.extend([data, end]);
                }
                return Poll::Ready(Some(written.head));
            }
            Poll::Ready(None) => return Poll::Ready(None),
            Poll::Pending => {}
        }
        if draining && !matches!(self.source, Source::Answer(_)) {
            return Poll::Ready(None);
        }
        if self.quiet.as_mut().poll(cx).is_pending() {
            return Poll::Pending;
        }
        self.quiet.as_mut().reset(Instant::now() + self.keep_alive);
        // A piece was returned, so the stream is polled again, and the timer learns which task to wake.
        Poll::Ready(Some(Bytes::from_static(b":\n\n")))
    }
}

impl Source {
    fn poll_written(&mut self, cx: &mut Context<'_>) -> Poll<Option<sse::Written>> {
        match self {
            Self::Answer(events) | Self::Listening(events) => {
                events.poll_next(cx).map(|event| event.map(|event| sse::write("message", &event)))
            }
            Self::Pipe(outgoing) => outgoing.poll_written(cx),
        }
    }
}
