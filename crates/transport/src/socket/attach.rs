//! The client's end of a socket: connecting to it, and the byte pump between it and standard streams.

use std::fs;
use std::io::{self, Read, Write};
use std::net::Shutdown;
use std::os::unix::fs::MetadataExt;
use std::os::unix::net::UnixStream;
use std::path::Path;
use std::sync::Arc;
use std::sync::atomic::{AtomicBool, Ordering};

/// Which side ended a pump.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum PumpEnd {
    /// The client closed its input, and the gateway has answered what was outstanding.
    Client,
    /// The gateway closed the connection.
    Gateway,
}

/// Connects to a gateway's socket.
///
/// # Errors
/// When no gateway listens there, or the socket belongs to another user.
pub fn attach(path: &Path) -> io::Result<UnixStream> {
    if fs::metadata(path)?.uid() != rustix::process::geteuid().as_raw() {
        return Err(io::Error::new(
            io::ErrorKind::PermissionDenied,
            "the socket belongs to another user",
        ));
    }
    UnixStream::connect(path)
}

/// Copies bytes between a client's streams and a gateway, until the gateway has ended the connection. Blocks, and does
/// not parse the bytes. A thread may still be reading `input` when this returns.
///
/// # Errors
/// When `output` can't be written, or the connection breaks.
pub fn pump(stream: UnixStream, mut input: impl Read + Send + 'static, output: &mut impl Write) -> io::Result<PumpEnd> {
    let ended = Arc::new(AtomicBool::new(false));
    let (mut to_gateway, mut from_gateway, input_ended) = (stream.try_clone()?, stream, Arc::clone(&ended));
    std::thread::Builder::new().name("pump-input".to_owned()).spawn(move || {
        // An error on either side ends the input as its end does.
        drop(copy(&mut input, &mut to_gateway));
        input_ended.store(true, Ordering::Release);
        drop(to_gateway.shutdown(Shutdown::Write));
    })?;
    copy(&mut from_gateway, output)?;
    Ok(if ended.load(Ordering::Acquire) {
        PumpEnd::Client
    } else {
        PumpEnd::Gateway
    })
}

/// Copies to the end, and flushes what a line-buffered output would hold back.
fn copy(from: &mut impl Read, to: &mut impl Write) -> io::Result<()> {
    let mut buffer = vec![0; 64 * 1024];
    loop {
        match from.read(&mut buffer) {
            Ok(0) => return Ok(()),
            Ok(read) => {
                to.write_all(&buffer[..read])?;
                to.flush()?;
            }
            Err(error) if error.kind() == io::ErrorKind::Interrupted => {}
            Err(error) => return Err(error),
        }
    }
}
