//! Serves one connection: its bytes are watched, its requests handled one after the other.

use std::future::{Future, poll_fn};
use std::io::{self, IoSlice};
use std::pin::{Pin, pin};
use std::sync::Arc;
use std::task::{Context, Poll};

use hyper::server::conn::http1;
use hyper::service::service_fn;
use hyper_util::rt::TokioIo;
use tokio::io::{AsyncRead, AsyncWrite, ReadBuf};
use tokio::sync::OwnedSemaphorePermit;
use tokio_util::task::TaskTracker;

use super::route;
use super::shared::{Served, Shared};
use super::watch::{Order, Watch, Watched};
use crate::http::stream::Stream;
use crate::http::wake_filter::WakeFilter;

/// Serves a connection in a task of its own, which holds the connection's slot.
pub(crate) fn spawn(shared: &Arc<Shared>, tasks: &TaskTracker, stream: Stream, place: OwnedSemaphorePermit) {
    let (shared, watched) = (Arc::clone(shared), shared.watches.add());
    tasks.spawn(async move {
        serve(shared, stream, watched).await;
        drop(place);
    });
}

/// Serves a connection to its end.
pub(crate) async fn serve(shared: Arc<Shared>, stream: Stream, watched: Watched) {
    let watch = Arc::clone(&watched.watch);
    let io = TokioIo::new(Io {
        stream,
        watch: Arc::clone(&watch),
    });
    let mut http = http1::Builder::new();
    // The watch enforces deadlines. hyper limits the size of a head, and answers 431.
    http.header_read_timeout(None).max_header_size(shared.limits.max_head);
    let context = Arc::new(Served {
        shared,
        watch: Arc::clone(&watch),
    });
    let service = service_fn(move |request| route::respond(Arc::clone(&context), request));
    let mut conn = pin!(http.serve_connection(io, service));
    let (filter, mut finishing) = (WakeFilter::new(), false);
    let served = poll_fn(|cx| {
        watch.register(cx.waker());
        match watch.order() {
            Order::Serve | Order::RefuseBody => {}
            Order::Finish if finishing => {}
            Order::Finish => {
                finishing = true;
                conn.as_mut().graceful_shutdown();
            }
            Order::Close => return Poll::Ready(Ok(())),
        }
        filter.poll(cx, |cx| conn.as_mut().poll(cx))
    });
    if let Err(error) = served.await {
        tracing::debug!(%error, "a client's connection broke");
    }
}

/// A stream that reports its reads and writes to its watch.
struct Io {
    stream: Stream,
    watch: Arc<Watch>,
}

impl AsyncRead for Io {
    fn poll_read(mut self: Pin<&mut Self>, cx: &mut Context<'_>, buf: &mut ReadBuf<'_>) -> Poll<io::Result<()>> {
        let before = buf.filled().len();
        let read = Pin::new(&mut self.stream).poll_read(cx, buf);
        if buf.filled().len() > before {
            self.watch.received();
        }
        read
    }
}

impl Io {
    fn note<T>(&self, written: Poll<T>) -> Poll<T> {
        self.watch.wrote(written.is_ready());
        written
    }
}

impl AsyncWrite for Io {
    fn poll_write(mut self: Pin<&mut Self>, cx: &mut Context<'_>, buf: &[u8]) -> Poll<io::Result<usize>> {
        let written = Pin::new(&mut self.stream).poll_write(cx, buf);
        self.note(written)
    }

    fn poll_write_vectored(mut self: Pin<&mut Self>, cx: &mut Context<'_>, bufs: &[IoSlice<'_>]) -> Poll<io::Result<usize>> {
        let written = Pin::new(&mut self.stream).poll_write_vectored(cx, bufs);
        self.note(written)
    }

    fn is_write_vectored(&self) -> bool {
        self.stream.is_write_vectored()
    }

    fn poll_flush(mut self: Pin<&mut Self>, cx: &mut Context<'_>) -> Poll<io::Result<()>> {
        let flushed = Pin::new(&mut self.stream).poll_flush(cx);
        self.note(flushed)
    }

    fn poll_shutdown(mut self: Pin<&mut Self>, cx: &mut Context<'_>) -> Poll<io::Result<()>> {
        let ended = Pin::new(&mut self.stream).poll_shutdown(cx);
        self.note(ended)
    }
}
