//! Children: well behaved and not.

use std::sync::Arc;
use std::time::Duration;

use bytes::Bytes;
use transport::{ClientLimits, Outbound};
use upstream::link::{Closed, Connector, Link, LinkError, Pipe};
use upstream::spec::{Launch, ServerSpec};

use crate::soon;
use crate::upstream::{Collector, stdio_spec};

fn quick() -> ClientLimits {
    ClientLimits {
        close_grace: Duration::from_millis(50),
        term_grace: Duration::from_millis(50),
        ..ClientLimits::default()
    }
}

async fn spawn_spec(spec: &ServerSpec, limits: ClientLimits) -> Result<(Pipe, Collector, Outbound), LinkError> {
    let outbound = Outbound::new(limits, None);
    let collector = Collector::default();
    match outbound.connect(spec, Arc::new(collector.clone())).await? {
        Link::Pipe(pipe) => Ok((pipe, collector, outbound)),
        Link::Http(_) => panic!("a pipe"),
    }
}

async fn shell(script: &str, limits: ClientLimits) -> (Pipe, Collector, Outbound) {
    spawn_spec(&stdio_spec("sh", &["-c", script], &[]), limits).await.expect("a shell")
}

/// Returns whether a process runs (a zombie that its new parent has yet to reap doesn't).
fn runs(pid: &str) -> bool {
    let Ok(stat) = std::fs::read_to_string(format!("/proc/{pid}/stat")) else {
        return false;
    };
    let state = stat.rsplit(')').next().map(|rest| rest.trim_start().chars().next());
    state != Some(Some('Z'))
}

fn text(frame: &Bytes) -> String {
    String::from_utf8_lossy(frame).into_owned()
}

#[tokio::test]
async fn frames_go_both_ways_in_order() {
    let (pipe, mut collector, outbound) = shell("exec cat", ClientLimits::default()).await;
    let sender = pipe.outgoing.clone();
    let feeding = tokio::spawn(async move {
        for n in 0..5000 {
            sender
                .send(Bytes::from(format!("{{\"n\":{n},\"pad\":\"{}\"}}", "x".repeat(n % 700))).into())
                .await
                .expect("a writer");
        }
    });
    for n in 0..5000 {
        assert!(text(&collector.frame().await).starts_with(&format!("{{\"n\":{n},")), "in order");
    }
    feeding.await.expect("all sent");
    let large = format!("\"{}\"", "y".repeat(3_000_000));
    pipe.outgoing.send(Bytes::from(large.clone()).into()).await.expect("a writer");
    assert_eq!(collector.frame().await, large);
    // Closing stdin is enough for `cat`.
    drop(pipe);
    assert!(matches!(collector.closed().await, Closed::Exited(status) if status == "exit status: 0"));
    soon(outbound.finished()).await;
}

#[tokio::test]
async fn what_was_sent_before_the_end_arrives() {
    let (pipe, mut collector, _outbound) = shell("exec cat", ClientLimits::default()).await;
    for n in 0..50 {
        pipe.outgoing.send(Bytes::from(format!("{n}")).into()).await.expect("a writer");
    }
    drop(pipe);
    for n in 0..50 {
        assert_eq!(text(&collector.frame().await), n.to_string());
    }
    assert!(matches!(collector.closed().await, Closed::Exited(_)));
}

#[tokio::test]
async fn a_group_that_ignores_sigterm_is_killed_whole() {
    let script = r#"trap "" TERM; sleep 1000 & echo $!; (sleep 1000 & echo $!; wait) & wait; while :; do sleep 1000; done"#;
    let (pipe, mut collector, outbound) = shell(script, quick()).await;
    let grandchildren = [text(&collector.frame().await), text(&collector.frame().await)];
    let pid = pipe.peer.pid().expect("a pid").to_string();
    assert!(runs(&pid) && grandchildren.iter().all(|pid| runs(pid)));
    soon(pipe.peer.close()).await;
    assert!(!runs(&pid), "the leader is gone");
    assert!(!std::path::Path::new(&format!("/proc/{pid}")).exists(), "and reaped");
    for pid in &grandchildren {
        assert!(!runs(pid), "grandchild {pid} is gone");
    }
    assert!(matches!(collector.closed().await, Closed::Exited(status) if status.contains("signal: 9")));
    drop(pipe);
    soon(outbound.finished()).await;
}

#[tokio::test]
async fn sigterm_is_tried_first() {
    let script = r#"trap 'echo "\"bye\""; exit 7' TERM; echo '"up"'; while :; do sleep 0.01; done"#;
    let limits = ClientLimits {
        term_grace: Duration::from_secs(10),
        ..quick()
    };
    let (pipe, mut collector, _outbound) = shell(script, limits).await;
    assert_eq!(text(&collector.frame().await), "\"up\"");
    soon(pipe.peer.close()).await;
    assert_eq!(text(&collector.frame().await), "\"bye\"");
    assert!(matches!(collector.closed().await, Closed::Exited(status) if status == "exit status: 7"));
}

#[tokio::test]
async fn what_a_dead_child_leaves_behind_ends_too() {
    let (pipe, mut collector, outbound) = shell("sleep 1000 & echo $!; exit 3", quick()).await;
    let left = text(&collector.frame().await);
    // The grandchild holds stdout open, and still the end is seen.
    assert!(matches!(collector.closed().await, Closed::Exited(status) if status == "exit status: 3"));
    soon(pipe.peer.close()).await;
    assert!(!runs(&left));
    drop(pipe);
    soon(outbound.finished()).await;
}

#[tokio::test]
async fn a_process_that_left_the_group_holds_nothing_up() {
    let (pipe, mut collector, outbound) = shell("setsid sleep 1000 & echo $!; exit 0", quick()).await;
    let escaped = text(&collector.frame().await);
    soon(pipe.peer.close()).await;
    assert!(matches!(collector.closed().await, Closed::Exited(_)));
    drop(pipe);
    soon(outbound.finished()).await;
    // It is not ours any more; the test cleans up.
    let pid = escaped.parse().ok().and_then(rustix::process::Pid::from_raw).expect("a pid");
    let _ = rustix::process::kill_process(pid, rustix::process::Signal::KILL);
}

#[tokio::test]
async fn an_exit_in_the_middle_of_a_message() {
    let (_pipe, mut collector, _outbound) = shell(r#"printf '{"a":1}\n{"b'; exit 3"#, quick()).await;
    assert_eq!(text(&collector.frame().await), r#"{"a":1}"#);
    assert_eq!(text(&collector.frame().await), r#"{"b"#);
    assert!(matches!(collector.closed().await, Closed::Exited(status) if status == "exit status: 3"));
}

#[tokio::test]
async fn an_endless_line_ends_the_child() {
    let limits = ClientLimits {
        max_message: 1024 * 1024,
        ..quick()
    };
    let (pipe, mut collector, outbound) = shell("exec tr '\\0' x </dev/zero", limits).await;
    assert!(matches!(collector.closed().await, Closed::FrameTooLarge));
    soon(pipe.peer.close()).await;
    drop(pipe);
    soon(outbound.finished()).await;
}

#[tokio::test]
async fn a_child_that_closes_its_streams_is_ended() {
    // stdin: the next write fails.
    let (pipe, mut collector, _outbound) = shell("exec 0<&-; echo '\"closed\"'; exec sleep 1000", quick()).await;
    assert_eq!(text(&collector.frame().await), "\"closed\"");
    pipe.outgoing.send(Bytes::from_static(b"{}").into()).await.expect("a writer");
    assert!(matches!(collector.closed().await, Closed::Exited(status) if status.contains("signal: 15")));
    // stdout: nothing more can come.
    let (pipe, mut collector, _outbound) = shell("exec 1>&-; exec sleep 1000", quick()).await;
    assert!(matches!(collector.closed().await, Closed::Ended(why) if why.contains("stdout")));
    soon(pipe.outgoing.closed()).await;
}

#[tokio::test]
async fn a_child_that_reads_nothing_slows_the_sender_only() {
    let limits = ClientLimits { queue: 4, ..quick() };
    let (pipe, mut collector, outbound) = shell("exec sleep 1000", limits).await;
    let frame = Bytes::from(vec![b'x'; 100_000]);
    let mut taken = 0;
    while pipe.outgoing.try_send(frame.clone().into()).is_ok() {
        taken += 1;
        tokio::task::yield_now().await;
        assert!(taken < 1000, "the queue is bounded");
    }
    soon(pipe.peer.close()).await;
    assert!(matches!(collector.closed().await, Closed::Exited(_)));
    drop(pipe);
    soon(outbound.finished()).await;
}

#[tokio::test]
async fn the_environment_is_what_was_configured_and_little_more() {
    assert!(
        std::env::var_os("CARGO_MANIFEST_DIR").is_some(),
        "there is something not to inherit"
    );
    let spec = stdio_spec("env", &[], &[("API_KEY", "configured"), ("HOME", "/elsewhere")]);
    let (_pipe, mut collector, _outbound) = spawn_spec(&spec, quick()).await.expect("env");
    let mut lines = Vec::new();
    loop {
        let line = text(&collector.frame().await);
        let last = line.starts_with("HOME=");
        lines.push(line);
        if last && lines.iter().any(|line| line.starts_with("API_KEY=")) {
            break;
        }
    }
    collector.closed().await;
    assert!(
        lines.contains(&"API_KEY=configured".to_owned()) && lines.contains(&"HOME=/elsewhere".to_owned()),
        "{lines:?}"
    );
    assert!(!lines.iter().any(|line| line.starts_with("CARGO")), "{lines:?}");
}

#[tokio::test]
async fn stderr_is_kept() {
    let (pipe, mut collector, _outbound) = shell(
        "echo 'starting up' >&2; echo 'missing API key' >&2; echo '{}'; exec sleep 1000",
        quick(),
    )
    .await;
    collector.frame().await;
    soon(async {
        while pipe.peer.stderr_tail().len() < 2 {
            tokio::task::yield_now().await;
        }
    })
    .await;
    assert_eq!(pipe.peer.stderr_tail(), ["starting up", "missing API key"]);
}

#[tokio::test]
async fn a_missing_program_says_what_to_do() {
    let mut spec = stdio_spec("no-such-program-anywhere", &[], &[("PATH", "/opt/none:/usr/none")]);
    let error = spawn_spec(&spec, quick()).await.map(drop).expect_err("nothing").to_string();
    assert!(
        error.contains("`no-such-program-anywhere`") && error.contains("/opt/none:/usr/none"),
        "{error}"
    );
    spec = stdio_spec("npx", &["-y", "x"], &[("PATH", "/opt/none")]);
    let error = spawn_spec(&spec, quick()).await.map(drop).expect_err("nothing").to_string();
    assert!(error.contains("Node.js"), "{error}");
    if let Ok(Launch::Stdio { command, cwd, .. }) = &mut spec.launch {
        "sh".clone_into(command);
        *cwd = Some("/no/such/directory".into());
    }
    let error = spawn_spec(&spec, quick()).await.map(drop).expect_err("nothing").to_string();
    assert!(error.contains("`/no/such/directory` does not exist"), "{error}");
    spec = stdio_spec("/etc/passwd", &[], &[]);
    let error = spawn_spec(&spec, quick()).await.map(drop).expect_err("nothing").to_string();
    assert!(error.contains("not executable"), "{error}");
}

#[tokio::test]
async fn a_hundred_children_leave_nothing_behind() {
    if !crate::alone("child::a_hundred_children_leave_nothing_behind") {
        return;
    }
    let outbound = Outbound::new(quick(), None);
    let open = || std::fs::read_dir("/proc/self/fd").expect("Linux").count();
    let before = open();
    for n in 0..100 {
        let collector = Collector::default();
        let script = ["exit 1", "exec cat", "exec sleep 1000"][n % 3];
        let Ok(Link::Pipe(pipe)) = outbound
            .connect(&stdio_spec("sh", &["-c", script], &[]), Arc::new(collector.clone()))
            .await
        else {
            panic!("a pipe")
        };
        drop(pipe);
    }
    soon(outbound.finished()).await;
    assert!(open() <= before + 2, "{} descriptors after {before}", open());
}
