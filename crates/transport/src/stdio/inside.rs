//! A server inside this process that exchanges messages as lines, like a child: through two streams in memory.

use std::fmt;
use std::sync::Arc;

use tokio::io::DuplexStream;
use tokio::sync::mpsc;
use tokio_util::sync::{CancellationToken, DropGuard};
use tokio_util::task::TaskTracker;
use upstream::link::{BoxFuture, Closed, Frame, Inbox, Pipe, PipePeer};
use upstream::spec::Builtin;

use super::read::{End, frames};
use super::write;
use crate::limits::ClientLimits;

/// The bytes that either side may write before they are read.
const ROOM: usize = 64 * 1024;

/// Runs the built-in servers of the gateway. The binary implements it.
pub trait Inside: fmt::Debug + Send + Sync + 'static {
    /// Serves one connection: reads a message a line from `input` and answers on `output`, until `input` ends.
    fn run(&self, server: Builtin, input: DuplexStream, output: DuplexStream) -> BoxFuture<'static, ()>;
}

/// Starts a server and the tasks that serve its streams.
pub(crate) fn start(server: Builtin, inside: &dyn Inside, limits: &ClientLimits, inbox: Arc<dyn Inbox>, tasks: &TaskTracker) -> Pipe {
    let (stdin, input) = tokio::io::duplex(ROOM);
    let (output, stdout) = tokio::io::duplex(ROOM);
    let (outgoing, queue) = mpsc::channel(limits.queue);
    let (ending, gone) = (CancellationToken::new(), CancellationToken::new());
    tasks.spawn(feed(stdin, queue, ending.clone()));
    // A task of its own: should it panic, its streams end, and only this connection with them.
    tasks.spawn(inside.run(server, input, output));
    tasks.spawn(deliver(stdout, limits.max_message, inbox, ending.clone(), gone.clone()));
    let peer = InsidePeer {
        gone,
        ending: ending.drop_guard(),
    };
    Pipe {
        outgoing,
        peer: Arc::new(peer),
    }
}

/// Writes until all senders are gone; the end of its input begins the end of the server.
async fn feed(mut stdin: DuplexStream, mut queue: mpsc::Receiver<Frame>, ending: CancellationToken) {
    // An error means that the server has ended; the end of its output tells.
    drop(write::frames(&mut queue, &mut stdin, &ending).await);
}

async fn deliver(mut stdout: DuplexStream, max_message: usize, inbox: Arc<dyn Inbox>, ending: CancellationToken, gone: CancellationToken) {
    let why = match frames(&mut stdout, max_message, &*inbox).await {
        End::TooLarge => Closed::FrameTooLarge,
        End::Closed(how) => Closed::Ended(how),
    };
    ending.cancel();
    inbox.closed(why);
    gone.cancel();
}

/// The handle of the other end. Dropping it begins the orderly end.
#[derive(Debug)]
struct InsidePeer {
    gone: CancellationToken,
    ending: DropGuard,
}

impl PipePeer for InsidePeer {
    fn stderr_tail(&self) -> Vec<String> {
        Vec::new()
    }

    fn pid(&self) -> Option<u32> {
        None
    }

    fn close(&self) -> BoxFuture<'_, ()> {
        self.ending.token().cancel();
        Box::pin(self.gone.cancelled())
    }
}
