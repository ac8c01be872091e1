//! Writes to a pipe: a newline after each frame, and all queued frames in one system call.

use std::io::{self, IoSlice};

use bytes::Bytes;
use tokio::io::{AsyncWrite, AsyncWriteExt};
use tokio::sync::mpsc;
use tokio_util::sync::CancellationToken;
use upstream::link::{Frame, InFlight};

/// The most frames that one system call takes.
pub(super) const BATCH: usize = 32;

/// Writes frames until all senders are gone, or until `ending`: then queued frames are still written.
///
/// # Errors
/// When the peer doesn't read any more.
pub(crate) async fn frames<F: Writable, W: AsyncWrite + Unpin>(
    queue: &mut mpsc::Receiver<F>,
    writer: &mut W,
    ending: &CancellationToken,
) -> io::Result<()> {
    let mut batch = Vec::with_capacity(BATCH);
    let mut end = std::pin::pin!(ending.cancelled());
    loop {
        let last = tokio::select! {
            biased;
            taken = queue.recv_many(&mut batch, BATCH) => taken == 0,
            () = &mut end => {
                queue.close();
                while let Ok(frame) = queue.try_recv() {
                    batch.push(frame);
                }
                true
            }
        };
        let (frames, held): (Vec<Bytes>, Vec<F::Held>) = batch.drain(..).filter_map(F::start).unzip();
        for part in frames.chunks(BATCH) {
            one_batch(writer, part).await?;
        }
        writer.flush().await?;
        drop(held);
        if last {
            return Ok(());
        }
    }
}

/// A message that a pipe carries.
pub(crate) trait Writable {
    /// The value that is held while the message is written.
    type Held;

    /// Returns the message's bytes, if it may still be written.
    fn start(self) -> Option<(Bytes, Self::Held)>;
}

/// A message to a client, which cannot be withdrawn.
impl Writable for Bytes {
    type Held = ();

    fn start(self) -> Option<(Bytes, ())> {
        Some((self, ()))
    }
}

/// A message to a server.
impl Writable for Frame {
    type Held = InFlight;

    fn start(self) -> Option<(Bytes, InFlight)> {
        self.begin()
    }
}

async fn one_batch<W: AsyncWrite + Unpin>(writer: &mut W, batch: &[Bytes]) -> io::Result<()> {
    let mut slices = [IoSlice::new(&[]); 2 * BATCH];
    let mut left = slices_of(batch, &mut slices);
    while !left.is_empty() {
        let written = writer.write_vectored(left).await?;
        if written == 0 {
            return Err(io::ErrorKind::WriteZero.into());
        }
        IoSlice::advance_slices(&mut left, written);
    }
    Ok(())
}

/// Returns the frames of a batch, a newline after each.
pub(super) fn slices_of<'s, 'b>(batch: &'b [Bytes], slices: &'s mut [IoSlice<'b>; 2 * BATCH]) -> &'s mut [IoSlice<'b>] {
    for (pair, frame) in slices.chunks_exact_mut(2).zip(batch) {
        debug_assert!(!frame.contains(&b'\n'), "a frame is one line");
        pair[0] = IoSlice::new(frame);
        pair[1] = IoSlice::new(b"\n");
    }
    &mut slices[..2 * batch.len()]
}
