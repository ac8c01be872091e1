//! The local socket, and the pump that attaches a stdio client to it.

use std::io::{Read, Write};
use std::os::unix::fs::PermissionsExt;
use std::os::unix::net::UnixStream as StdUnixStream;
use std::path::PathBuf;
use std::sync::Arc;
use std::time::Duration;

use bytes::Bytes;
use kernel::front::Front;
use model::Principal;
use tokio::io::AsyncWriteExt;
use tokio::net::UnixStream;
use tokio::task::JoinHandle;
use tokio_util::sync::CancellationToken;
use transport::socket::{PumpEnd, SocketError, SocketListener, attach, pump};
use transport::stdio::PipeOptions;

use crate::front::{Script, Seen};
use crate::raw::Raw;
use crate::soon;

struct Local {
    _directory: tempfile::TempDir,
    path: PathBuf,
    script: Arc<Script>,
    seen: tokio::sync::mpsc::Receiver<Seen>,
    shutdown: CancellationToken,
    serving: JoinHandle<()>,
}

impl Local {
    fn start(options: PipeOptions) -> Self {
        let directory = tempfile::tempdir().expect("a directory");
        let path = directory.path().join("run/gateway.sock");
        let (script, seen) = Script::new(|_| None);
        let shutdown = CancellationToken::new();
        let listener = SocketListener::bind(&path).expect("a socket");
        let serving = tokio::spawn(listener.serve(Arc::clone(&script) as Arc<dyn Front>, options, shutdown.clone()));
        Self {
            _directory: directory,
            path,
            script,
            seen,
            shutdown,
            serving,
        }
    }

    async fn connect(&self) -> Raw<UnixStream> {
        Raw::over(UnixStream::connect(&self.path).await.expect("the socket"))
    }

    async fn next(&mut self) -> Seen {
        soon(self.seen.recv()).await.expect("the front lives")
    }

    async fn frame(&mut self) -> Bytes {
        match self.next().await {
            Seen::Frame(frame) => frame,
            other => panic!("a frame, not {other:?}"),
        }
    }

    fn outgoing(&self) -> tokio::sync::mpsc::Sender<Bytes> {
        self.script.outgoing.lock().expect("no panic").take().expect("a pipe")
    }
}

#[tokio::test]
async fn a_client_on_the_socket_talks_in_lines() {
    let mut local = Local::start(PipeOptions::default());
    let mut client = local.connect().await;
    client.write("{\"id\":1}\r\n\n{\"id\"").await;
    assert!(matches!(local.next().await, Seen::Opened(principal) if principal == Principal::local()));
    assert_eq!(local.frame().await, "{\"id\":1}");
    client.write(":2}\n").await;
    assert_eq!(local.frame().await, "{\"id\":2}");
    let outgoing = local.outgoing();
    for n in 0..100 {
        outgoing.send(format!("{{\"n\":{n}}}").into()).await.expect("a client");
    }
    for n in 0..100 {
        assert_eq!(client.until("\n").await, format!("{{\"n\":{n}}}\n"));
    }
    drop(client);
    local.script.drained.notify_one();
    assert!(matches!(local.next().await, Seen::Closed));
    drop(outgoing);
    local.shutdown.cancel();
    soon(&mut local.serving).await.expect("it ends");
    assert!(!local.path.exists());
}

#[tokio::test]
async fn a_client_that_stops_sending_still_gets_its_answers() {
    let mut local = Local::start(PipeOptions::default());
    let mut client = local.connect().await;
    client.write("{\"id\":1}\n{\"id\":2}").await;
    client.stream.shutdown().await.expect("half closed");
    assert!(matches!(local.next().await, Seen::Opened(_)));
    assert_eq!(local.frame().await, "{\"id\":1}");
    assert_eq!(local.frame().await, "{\"id\":2}");
    let outgoing = local.outgoing();
    outgoing.send(Bytes::from_static(b"{\"late\":1}")).await.expect("a client");
    assert_eq!(client.until("\n").await, "{\"late\":1}\n");
    local.script.drained.notify_one();
    assert!(matches!(local.next().await, Seen::Closed));
    assert_eq!(client.rest().await, "");
}

#[tokio::test]
async fn an_endless_line_of_a_client_is_refused_and_the_pipe_lives_on() {
    let mut local = Local::start(PipeOptions {
        max_message: 10_000,
        ..PipeOptions::default()
    });
    let mut client = local.connect().await;
    for _ in 0..1000 {
        client.write([b'x'; 10_000]).await;
    }
    client.write("\n{}\n").await;
    assert!(matches!(local.next().await, Seen::Opened(_)));
    assert_eq!(local.frame().await, "{}");
    let refusal = client.until("\n").await;
    assert!(
        refusal.contains("-32600") && refusal.contains("larger than 10000 bytes"),
        "{refusal}"
    );
}

#[tokio::test]
async fn shutdown_waits_for_answers_up_to_its_deadline() {
    let mut local = Local::start(PipeOptions {
        drain: Duration::from_millis(40),
        ..PipeOptions::default()
    });
    let mut client = local.connect().await;
    client.write("{}\n").await;
    assert!(matches!(local.next().await, Seen::Opened(_)));
    local.frame().await;
    local.shutdown.cancel();
    // Never drained.
    assert!(matches!(local.next().await, Seen::Closed));
    assert_eq!(client.rest().await, "");
    soon(&mut local.serving).await.expect("it ends");
}

#[tokio::test]
async fn the_socket_is_for_its_user_and_one_gateway() {
    let local = Local::start(PipeOptions::default());
    let mode = |path: &std::path::Path| std::fs::metadata(path).expect("it is there").permissions().mode() & 0o777;
    assert_eq!(mode(&local.path), 0o600);
    assert_eq!(mode(local.path.parent().expect("a directory")), 0o700);
    assert!(matches!(SocketListener::bind(&local.path), Err(SocketError::InUse(_))));
    // A directory that others may enter.
    let directory = tempfile::tempdir().expect("a directory");
    std::fs::set_permissions(directory.path(), std::fs::Permissions::from_mode(0o755)).expect("ours");
    let error = SocketListener::bind(&directory.path().join("x.sock")).expect_err("exposed");
    assert!(
        matches!(error, SocketError::Exposed(_)) && error.to_string().contains("chmod 700"),
        "{error}"
    );
    // A socket that a dead gateway left.
    let directory = tempfile::tempdir().expect("a directory");
    std::fs::set_permissions(directory.path(), std::fs::Permissions::from_mode(0o700)).expect("ours");
    let path = directory.path().join("x.sock");
    drop(std::os::unix::net::UnixListener::bind(&path).expect("a socket"));
    assert!(path.exists());
    SocketListener::bind(&path).expect("replaced");
}

#[tokio::test]
async fn the_pump_carries_bytes_both_ways() {
    let mut local = Local::start(PipeOptions::default());
    let gateway = attach(&local.path).expect("the gateway");
    let (client, input) = StdUnixStream::pair().expect("a pair");
    let (output, client_output) = StdUnixStream::pair().expect("a pair");
    let pumping = tokio::task::spawn_blocking(move || pump(gateway, input, &mut { output }));
    (&client).write_all(b"{\"id\":1}\n").expect("an open pair");
    assert!(matches!(local.next().await, Seen::Opened(_)));
    assert_eq!(local.frame().await, "{\"id\":1}");
    let outgoing = local.outgoing();
    outgoing.send(Bytes::from_static(b"{\"result\":1}")).await.expect("a client");
    // The client closes its input: what is outstanding still comes.
    drop(client);
    local.script.drained.notify_one();
    assert_eq!(soon(pumping).await.expect("no panic").expect("no error"), PumpEnd::Client);
    let mut all = String::new();
    (&client_output).read_to_string(&mut all).expect("an open pair");
    assert_eq!(all, "{\"result\":1}\n");
}

#[tokio::test]
async fn the_pump_notices_the_gateways_end() {
    let mut local = Local::start(PipeOptions {
        drain: Duration::from_millis(10),
        ..PipeOptions::default()
    });
    let gateway = attach(&local.path).expect("the gateway");
    let (_client, input) = StdUnixStream::pair().expect("a pair");
    let pumping = tokio::task::spawn_blocking(move || pump(gateway, input, &mut std::io::sink()));
    assert!(matches!(local.next().await, Seen::Opened(_)));
    local.shutdown.cancel();
    assert_eq!(soon(pumping).await.expect("no panic").expect("no error"), PumpEnd::Gateway);
    assert!(attach(&local.path).is_err(), "nobody is there any more");
}
