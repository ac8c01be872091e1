//! The gateway's own standard streams, in a process of their own: this test binary, started again.

use std::fs::File;
use std::os::fd::OwnedFd;
use std::os::unix::net::UnixStream;
use std::process::{Command, Stdio};
use std::sync::Arc;

use bytes::Bytes;
use kernel::front::{Answer, ClientPipe, Credential, Front, InPost, Listen};
use tokio::sync::mpsc;
use tokio_util::sync::CancellationToken;
use transport::stdio::PipeOptions;
use transport::{ClientLimits, Outbound};
use upstream::link::{BoxFuture, Closed, Connector, Link};

use crate::raw::Raw;
use crate::upstream::{Collector, stdio_spec};

const AS_SERVER: &str = "TRANSPORT_TEST_AS_SERVER";
/// Runs nothing but the test that is the server.
const ARGS: [&str; 3] = ["stdio::the_server", "--exact", "--nocapture"];

/// Sends each frame back.
struct Echo;

struct EchoPipe(mpsc::Sender<Bytes>);

impl Front for Echo {
    fn post(&self, _: InPost) -> BoxFuture<'_, Answer> {
        Box::pin(async { Answer::Empty { status: 404 } })
    }

    fn listen(&self, _: Listen) -> BoxFuture<'_, Answer> {
        Box::pin(async { Answer::Empty { status: 404 } })
    }

    fn delete(&self, _: &Credential, _: &str) -> BoxFuture<'_, Answer> {
        Box::pin(async { Answer::Empty { status: 404 } })
    }

    fn open(&self, _: Credential, outgoing: mpsc::Sender<Bytes>) -> Arc<dyn ClientPipe> {
        Arc::new(EchoPipe(outgoing))
    }

    fn ready(&self) -> Result<(), String> {
        Ok(())
    }

    fn metrics(&self) -> String {
        String::new()
    }
}

impl ClientPipe for EchoPipe {
    fn receive(&self, frame: Bytes) -> BoxFuture<'_, ()> {
        #[expect(clippy::print_stdout, reason = "a line that is printed by mistake must not reach the client")]
        {
            println!("by mistake");
        }
        Box::pin(async move { drop(self.0.send(frame).await) })
    }

    fn closed(&self) {}

    fn drained(&self) -> BoxFuture<'_, ()> {
        Box::pin(async {})
    }
}

#[test]
fn the_server() {
    if std::env::var_os(AS_SERVER).is_none() {
        return;
    }
    let runtime = tokio::runtime::Builder::new_current_thread()
        .enable_all()
        .build()
        .expect("a runtime");
    runtime
        .block_on(transport::stdio::serve(
            Arc::new(Echo),
            &PipeOptions::default(),
            CancellationToken::new(),
        ))
        .expect("standard streams");
    runtime.shutdown_background();
}

fn program() -> String {
    std::env::current_exe().expect("a path").display().to_string()
}

fn frames() -> impl Iterator<Item = String> {
    (0..200).map(|n| format!("{{\"n\":{n},\"pad\":\"{}\"}}", "x".repeat(n * 50)))
}

#[tokio::test]
async fn over_pipes() {
    let outbound = Outbound::new(ClientLimits::default(), None);
    let mut collector = Collector::default();
    let spec = stdio_spec(&program(), &ARGS, &[(AS_SERVER, "1")]);
    let Ok(Link::Pipe(pipe)) = outbound.connect(&spec, Arc::new(collector.clone())).await else {
        panic!("a pipe")
    };
    // What the test runner prints before the server begins.
    assert_eq!(collector.frame().await, "running 1 test");
    let sender = pipe.outgoing.clone();
    let feeding = tokio::spawn(async move {
        for frame in frames() {
            sender.send(bytes::Bytes::from(frame).into()).await.expect("a writer");
        }
    });
    for frame in frames() {
        assert_eq!(collector.frame().await, frame);
    }
    feeding.await.expect("all sent");
    drop(pipe);
    // It ends by itself once stdin is closed.
    assert!(matches!(collector.closed().await, Closed::Exited(status) if status == "exit status: 0"));
}

#[tokio::test]
async fn over_sockets_as_node_gives_them() {
    let (ours, theirs) = UnixStream::pair().expect("a pair");
    let server = || theirs.try_clone().map(OwnedFd::from).map(Stdio::from).expect("a descriptor");
    let mut child = Command::new(program())
        .args(ARGS)
        .env(AS_SERVER, "1")
        .stdin(server())
        .stdout(server())
        .stderr(Stdio::null())
        .spawn()
        .expect("ourselves");
    drop(theirs);
    ours.set_nonblocking(true).expect("a socket");
    let mut raw = Raw::over(tokio::net::UnixStream::from_std(ours).expect("a runtime"));
    raw.until("running 1 test\n").await;
    for frame in frames() {
        raw.write(frame.clone() + "\n").await;
        assert_eq!(raw.until("\n").await, frame + "\n");
    }
    drop(raw);
    assert!(child.wait().expect("a child").success());
}

#[test]
fn from_and_to_files() {
    let directory = tempfile::tempdir().expect("a directory");
    let (input, output) = (directory.path().join("in"), directory.path().join("out"));
    let all: String = frames().map(|frame| frame + "\n").collect();
    std::fs::write(&input, &all).expect("a directory");
    let status = Command::new(program())
        .args(ARGS)
        .env(AS_SERVER, "1")
        .stdin(File::open(&input).expect("a file"))
        .stdout(File::create(&output).expect("a file"))
        .stderr(Stdio::null())
        .status()
        .expect("ourselves");
    assert!(status.success());
    let written = std::fs::read_to_string(&output).expect("a file");
    assert_eq!(written.split_once("running 1 test\n").map(|(_, rest)| rest), Some(all.as_str()));
}
