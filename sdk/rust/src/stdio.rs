//! The stdio transport: one client on standard input and output, or on any pair of byte streams.

use std::io::{Read, Write};
use std::sync::Arc;

use bytes::Bytes;
use jsonrpc::{Limits, decode};
use tokio::io::{AsyncRead, AsyncReadExt, AsyncWrite, AsyncWriteExt};
use tokio::sync::mpsc;
use tokio_util::sync::CancellationToken;

use crate::core::Core;
use crate::drive::{DRAIN, Driver, INBOX, Sink};
use crate::lines::{Line, Lines, MAX_LINE, write_lines};
use crate::machine::{ExchangeId, Input, Lane, Route, Verdict};

/// How many written lines may wait for the reader.
const OUTBOX: usize = 64;

struct LineSink(mpsc::Sender<Bytes>);

impl Sink for LineSink {
    async fn send(&mut self, _route: Route, bytes: Bytes, _verdict: Verdict, _last: bool) -> bool {
        self.0.send(bytes).await.is_ok()
    }

    async fn finish(&mut self, _exchange: ExchangeId) {}

    async fn detach(&mut self, _exchange: ExchangeId) {}
}

/// Serves one client on a pair of byte streams until it closes its side or `stop` is cancelled; then answers the
/// requests in progress.
///
/// # Errors
/// The output cannot be written.
pub(crate) async fn serve<R, W>(core: Arc<Core>, reader: R, writer: W, stop: CancellationToken) -> std::io::Result<()>
where
    R: AsyncRead + Unpin + Send + 'static,
    W: AsyncWrite + Unpin + Send + 'static,
{
    let (inbox, inputs) = mpsc::channel(INBOX);
    let (outbox, lines) = mpsc::channel(OUTBOX);
    let gone = stop.child_token();
    let driver = Driver::new(core, Lane::Stdio, LineSink(outbox), inbox.clone());
    let reading = tokio::spawn(read(reader, inbox, gone.clone()));
    let writing = tokio::spawn(write_lines(writer, lines));
    driver.run(inputs, gone, || DRAIN).await;
    reading.abort();
    writing.await.unwrap_or(Ok(()))
}

/// Passes lines to the machine until the client closes its side; what it has asked until then is still answered.
async fn read<R: AsyncRead + Unpin>(reader: R, inbox: mpsc::Sender<Input>, gone: CancellationToken) {
    let limits = Limits {
        max_bytes: MAX_LINE,
        ..Limits::default()
    };
    let mut lines = Lines::new(reader);
    let mut exchange: ExchangeId = 0;
    while let Ok(Some(line)) = lines.next().await {
        exchange += 1;
        let frame = match line {
            Line::Whole(bytes) => decode(bytes, &limits),
            // Its beginning was discarded, so this is an error with a parse error's code and no id.
            Line::TooLong => decode(Bytes::from_static(b"\"a line longer than 16 MiB"), &limits),
        };
        if inbox.send(Input::Frame(exchange, frame)).await.is_err() {
            return;
        }
    }
    gone.cancel();
}

/// Serves one client on this process's standard input and output.
///
/// Both are handled by blocking threads of their own: a runtime that waited for a blocked read could not end.
pub(crate) async fn serve_process(core: Arc<Core>, stop: CancellationToken) -> std::io::Result<()> {
    let (near_in, mut far_in) = tokio::io::duplex(256 * 1024);
    let (near_out, mut far_out) = tokio::io::duplex(256 * 1024);
    let (chunks, mut read) = mpsc::channel::<Bytes>(4);
    std::thread::Builder::new()
        .name("stdin".to_owned())
        .spawn(move || pump_stdin(&chunks))?;
    let feeding = tokio::spawn(async move {
        while let Some(chunk) = read.recv().await {
            if far_in.write_all(&chunk).await.is_err() {
                return;
            }
        }
        // Dropping the far end signals the end of input.
    });
    let (to_stdout, from_machine) = mpsc::channel::<Bytes>(4);
    let (done, written) = tokio::sync::oneshot::channel();
    std::thread::Builder::new()
        .name("stdout".to_owned())
        .spawn(move || drop(done.send(pump_stdout(from_machine))))?;
    let draining = tokio::spawn(async move {
        let mut buffer = bytes::BytesMut::with_capacity(64 * 1024);
        while far_out.read_buf(&mut buffer).await.is_ok_and(|count| count > 0) {
            if to_stdout.send(buffer.split().freeze()).await.is_err() {
                return;
            }
        }
    });
    let served = serve(core, near_in, near_out, stop).await;
    feeding.abort();
    let _ended = draining.await;
    served.and(written.await.unwrap_or(Ok(())))
}

fn pump_stdin(chunks: &mpsc::Sender<Bytes>) {
    let mut buffer = vec![0; 64 * 1024];
    let mut stdin = std::io::stdin().lock();
    while let Ok(count @ 1..) = stdin.read(&mut buffer) {
        if chunks.blocking_send(Bytes::copy_from_slice(&buffer[..count])).is_err() {
            return;
        }
    }
}

fn pump_stdout(mut chunks: mpsc::Receiver<Bytes>) -> std::io::Result<()> {
    let mut stdout = std::io::stdout().lock();
    while let Some(chunk) = chunks.blocking_recv() {
        stdout.write_all(&chunk)?;
        stdout.flush()?;
    }
    Ok(())
}
