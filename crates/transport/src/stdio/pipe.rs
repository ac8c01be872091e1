//! Serves a client on a pair of byte streams: its lines go to the front, the front's messages go out line by line.

use std::sync::Arc;
use std::time::Duration;

use bytes::Bytes;
use kernel::front::{ClientPipe, Front};
use model::Principal;
use tokio::io::{AsyncRead, AsyncReadExt, AsyncWrite};
use tokio::sync::mpsc;
use tokio::time::timeout;
use tokio_util::sync::CancellationToken;

use super::write;
use crate::frame::lines::{Line, Lines};
use crate::refusal;

/// Limits of a client's pipe.
#[derive(Clone, Debug)]
pub struct PipeOptions {
    /// The largest message from the client, in bytes.
    pub max_message: usize,
    /// How many messages wait for a slow client before the gateway has to wait.
    pub queue: usize,
    /// How long to wait for outstanding answers once the client has closed its end, or at shutdown.
    pub drain: Duration,
}

impl Default for PipeOptions {
    fn default() -> Self {
        Self {
            max_message: 16 * 1024 * 1024,
            queue: 256,
            drain: Duration::from_secs(10),
        }
    }
}

/// Serves one client until either side ends it, or `shutdown`.
pub(crate) async fn serve<R, W>(
    front: &Arc<dyn Front>,
    principal: Principal,
    mut input: R,
    mut output: W,
    options: &PipeOptions,
    shutdown: CancellationToken,
) where
    R: AsyncRead + Unpin,
    W: AsyncWrite + Unpin,
{
    let (outgoing, mut queue) = mpsc::channel(options.queue);
    let refusals = outgoing.downgrade();
    let pipe = front.open(principal.into(), outgoing);
    let finish = CancellationToken::new();
    {
        let mut writing = std::pin::pin!(write::frames(&mut queue, &mut output, &finish));
        let orderly = async {
            tokio::select! {
                () = read_lines(&mut input, &*pipe, &refusals, options.max_message) => {}
                () = shutdown.cancelled() => {}
            }
            // Past the deadline the answers are abandoned.
            drop(timeout(options.drain, pipe.drained()).await);
        };
        let client_reads = tokio::select! {
            biased;
            // The client doesn't read any more, or the gateway has ended the session.
            _ = &mut writing => false,
            () = orderly => true,
        };
        pipe.closed();
        finish.cancel();
        if client_reads {
            drop(timeout(options.drain, writing).await);
        }
    }
}

async fn read_lines<R: AsyncRead + Unpin>(input: &mut R, pipe: &dyn ClientPipe, refusals: &mpsc::WeakSender<Bytes>, max_message: usize) {
    let mut lines = Lines::new(max_message);
    // An error ends the input as its end does: nothing more will come.
    while matches!(input.read_buf(lines.space()).await, Ok(read) if read > 0) {
        while let Some(line) = lines.next_line() {
            match line {
                Line::Frame(frame) => pipe.receive(frame).await,
                Line::TooLong => refuse(refusals, max_message).await,
            }
        }
    }
    if let Some(rest) = lines.rest() {
        pipe.receive(rest).await;
    }
}

async fn refuse(refusals: &mpsc::WeakSender<Bytes>, max_message: usize) {
    if let Some(outgoing) = refusals.upgrade() {
        let text = format!("the message is larger than {max_message} bytes");
        // An error means that the session has ended.
        drop(outgoing.send(refusal::body(refusal::INVALID_REQUEST, &text)).await);
    }
}
