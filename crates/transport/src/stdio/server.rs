//! Serves a client on the gateway's own standard streams.

use std::io;
use std::os::fd::{AsFd, BorrowedFd, OwnedFd};
use std::os::unix::net::UnixStream as StdUnixStream;
use std::sync::Arc;

use kernel::front::Front;
use model::Principal;
use rustix::fs::FileType;
use tokio::io::{AsyncRead, AsyncWrite};
use tokio::net::UnixStream;
use tokio::net::unix::pipe;
use tokio_util::sync::CancellationToken;

use super::PipeOptions;

/// Serves the client on the process's stdin and stdout until it closes stdin, or `shutdown`. Afterwards no code of the
/// process can write to stdout: text that is printed by mistake goes to stderr, also while the client is served.
///
/// Where stdin is neither a pipe nor a socket, a thread may still be reading it when this returns: end the runtime with `shutdown_background`.
///
/// # Errors
/// When the standard streams can't be taken over.
pub async fn serve(front: Arc<dyn Front>, options: &PipeOptions, shutdown: CancellationToken) -> io::Result<()> {
    let input = reader(io::stdin().as_fd())?;
    let output = writer(io::stdout().as_fd())?;
    rustix::stdio::dup2_stdout(io::stderr())?;
    super::pipe::serve(&front, Principal::local(), input, output, options, shutdown).await;
    Ok(())
}

enum Kind {
    Pipe,
    Socket,
    Other,
}

/// Duplicates the descriptor of a stream, and returns it with its kind.
fn own(fd: BorrowedFd<'_>) -> io::Result<(OwnedFd, Kind)> {
    let kind = match FileType::from_raw_mode(rustix::fs::fstat(fd)?.st_mode) {
        FileType::Fifo => Kind::Pipe,
        FileType::Socket => Kind::Socket,
        _ => Kind::Other,
    };
    Ok((fd.try_clone_to_owned()?, kind))
}

fn socket(fd: OwnedFd) -> io::Result<UnixStream> {
    let socket = StdUnixStream::from(fd);
    socket.set_nonblocking(true)?;
    UnixStream::from_std(socket)
}

fn reader(fd: BorrowedFd<'_>) -> io::Result<Box<dyn AsyncRead + Send + Unpin>> {
    Ok(match own(fd)? {
        (fd, Kind::Pipe) => Box::new(pipe::Receiver::from_owned_fd(fd)?),
        // Node gives its children sockets.
        (fd, Kind::Socket) => Box::new(socket(fd)?),
        (_, Kind::Other) => Box::new(tokio::io::stdin()),
    })
}

fn writer(fd: BorrowedFd<'_>) -> io::Result<Box<dyn AsyncWrite + Send + Unpin>> {
    Ok(match own(fd)? {
        (fd, Kind::Pipe) => Box::new(pipe::Sender::from_owned_fd(fd)?),
        (fd, Kind::Socket) => Box::new(socket(fd)?),
        (fd, Kind::Other) => Box::new(tokio::fs::File::from_std(fd.into())),
    })
}
