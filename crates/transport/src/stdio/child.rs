//! Runs a server as a child process that exchanges messages as lines.

use std::collections::BTreeMap;
use std::path::PathBuf;
use std::process::{ExitStatus, Stdio};
use std::sync::Arc;
use std::time::Duration;

use model::{Secret, ServerId};
use tokio::process::{Child, ChildStdin, ChildStdout, Command};
use tokio::sync::{mpsc, watch};
use tokio::time::timeout;
use tokio_util::sync::{CancellationToken, DropGuard};
use tokio_util::task::TaskTracker;
use upstream::link::{BoxFuture, Closed, Frame, Inbox, LinkError, Pipe, PipePeer};

use super::group::Group;
use super::read::{End, frames};
use super::stderr::{self, Tail};
use super::{environment, missing, write};
use crate::limits::ClientLimits;

/// How long the end of a child waits for the end of its stderr.
const LAST_WORDS: Duration = Duration::from_millis(250);
/// How long the end of stdout and the exit of the process wait for one another: they are two events.
const BOTH_ENDS: Duration = Duration::from_millis(300);
/// The bytes that a child may write before they are read. Pipes hold 64 KiB by default, which cuts larger answers into
/// more system calls; and all pipes of a user together have a limit, so that this is no more than twice that.
const STDOUT_ROOM: usize = 128 * 1024;

/// The program to start.
#[derive(Debug)]
pub(crate) struct Program<'a> {
    pub(crate) server: &'a ServerId,
    pub(crate) command: &'a str,
    pub(crate) args: &'a [String],
    pub(crate) env: &'a BTreeMap<String, Secret>,
    pub(crate) cwd: Option<&'a PathBuf>,
}

/// Starts a program and the tasks that serve its streams.
///
/// # Errors
/// When the program can't be started; the text says what to do.
pub(crate) fn spawn(program: &Program<'_>, limits: &ClientLimits, inbox: Arc<dyn Inbox>, tasks: &TaskTracker) -> Result<Pipe, LinkError> {
    let mut child = start(program)?;
    let (Some(stdin), Some(stdout), Some(stderr), Some(group)) =
        (child.stdin.take(), child.stdout.take(), child.stderr.take(), Group::of(&child))
    else {
        return Err(spawn_error(program.command, "its streams could not be opened".to_owned()));
    };
    // Refused where the user's share of pipe memory is used up; the default does as well.
    let _ = rustix::pipe::fcntl_setpipe_size(&stdout, STDOUT_ROOM);

    let (outgoing, queue) = mpsc::channel(limits.queue);
    let (status_out, status) = watch::channel(None);
    let (ending, gone, tail) = (CancellationToken::new(), CancellationToken::new(), Tail::default());
    let peer = ChildPeer {
        pid: child.id(),
        tail: tail.clone(),
        gone: gone.clone(),
        ending: ending.clone().drop_guard(),
    };
    let last_words = CancellationToken::new();
    let heard = last_words.clone().drop_guard();
    let log = stderr::read(stderr, program.server.clone(), tail);
    tasks.spawn(until(gone.clone(), async move {
        log.await;
        drop(heard);
    }));
    tasks.spawn(feed(stdin, queue, ending.clone()));
    tasks.spawn(deliver(
        stdout,
        limits.max_message,
        inbox,
        status,
        last_words,
        ending.clone(),
        gone.clone(),
    ));
    tasks.spawn(attend(child, group, limits.clone(), status_out, ending, gone));
    Ok(Pipe {
        outgoing,
        peer: Arc::new(peer),
    })
}

fn start(program: &Program<'_>) -> Result<Child, LinkError> {
    let mut command = Command::new(program.command);
    command.args(program.args).env_clear().envs(environment::inherited());
    command.envs(program.env.iter().map(|(name, value)| (name, value.expose())));
    if let Some(cwd) = program.cwd {
        command.current_dir(cwd);
    }
    command.stdin(Stdio::piped()).stdout(Stdio::piped()).stderr(Stdio::piped());
    // A group of its own: the processes that it starts end with it, and a Ctrl-C in the gateway's terminal does not
    // reach it.
    command.process_group(0).kill_on_drop(true);
    command.spawn().map_err(|error| {
        let configured = program.env.get("PATH").map(|path| path.expose().to_owned());
        let path = configured.or_else(|| std::env::var("PATH").ok()).unwrap_or_default();
        let why = missing::explain(&error, program.command, program.cwd.map(PathBuf::as_path), &path);
        spawn_error(program.command, why)
    })
}

fn spawn_error(command: &str, why: String) -> LinkError {
    LinkError::Spawn {
        command: command.to_owned(),
        why,
    }
}

/// Writes to stdin until all senders are gone; closing stdin begins the orderly end.
async fn feed(mut stdin: ChildStdin, mut queue: mpsc::Receiver<Frame>, ending: CancellationToken) {
    // An error means that the child doesn't read any more; its stdout or its exit tells the rest.
    drop(write::frames(&mut queue, &mut stdin, &ending).await);
    drop(stdin);
    ending.cancel();
}

/// Passes each line of stdout to the inbox, then the reason why there are no more.
async fn deliver(
    mut stdout: ChildStdout,
    max_message: usize,
    inbox: Arc<dyn Inbox>,
    mut status: watch::Receiver<Option<ExitStatus>>,
    last_words: CancellationToken,
    ending: CancellationToken,
    gone: CancellationToken,
) {
    let end = {
        let mut reading = std::pin::pin!(frames(&mut stdout, max_message, &*inbox));
        tokio::select! {
            biased;
            end = &mut reading => end,
            // A process that left the group may hold stdout open. What is in the pipe is still read.
            () = gone.cancelled() => timeout(BOTH_ENDS, reading).await.unwrap_or(End::Closed("its stdout was kept open by another process".to_owned())),
        }
    };
    let why = match end {
        End::TooLarge => Closed::FrameTooLarge,
        End::Closed(how) => match timeout(BOTH_ENDS, status.wait_for(Option::is_some)).await {
            Ok(Ok(status)) => Closed::Exited(status.map(|status| status.to_string()).unwrap_or_default()),
            _ => Closed::Ended(how),
        },
    };
    ending.cancel();
    // The receiver of the end will want to know what the child wrote last.
    drop(timeout(LAST_WORDS, last_words.cancelled()).await);
    inbox.closed(why);
}

/// Waits for the exit, or brings it about, and ends all processes of the group.
async fn attend(
    mut child: Child,
    group: Group,
    limits: ClientLimits,
    status: watch::Sender<Option<ExitStatus>>,
    ending: CancellationToken,
    gone: CancellationToken,
) {
    let _gone = gone.drop_guard();
    tokio::select! {
        _ = child.wait() => {}
        () = ending.cancelled() => group.end_leader(&mut child, limits.close_grace, limits.term_grace).await,
    }
    if let Ok(Some(exit)) = child.try_wait() {
        status.send_replace(Some(exit));
    }
    group.end_rest(limits.term_grace).await;
    ending.cancel();
}

async fn until(end: CancellationToken, work: impl Future<Output = ()>) {
    end.run_until_cancelled_owned(work).await;
}

/// The handle of a child beside its messages. Dropping it begins the orderly end.
#[derive(Debug)]
struct ChildPeer {
    pid: Option<u32>,
    tail: Tail,
    gone: CancellationToken,
    ending: DropGuard,
}

impl PipePeer for ChildPeer {
    fn stderr_tail(&self) -> Vec<String> {
        self.tail.lines()
    }

    fn pid(&self) -> Option<u32> {
        self.pid
    }

    fn close(&self) -> BoxFuture<'_, ()> {
        self.ending.token().cancel();
        Box::pin(self.gone.cancelled())
    }
}
