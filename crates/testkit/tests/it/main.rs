//! The gateway as a whole, between scripted peers: what must hold of it, each a behaviour that can fail.

mod adding_a_protocol;
mod bad_clients;
mod bad_servers;
mod bounds;
mod bridges;
mod callers;
mod capabilities;
mod completion;
mod extensions;
mod guard;
mod headers;
mod isolation;
mod leaks;
mod listening;
mod notifications;
mod pages;
mod policy;
mod probes;
mod resources;
mod sealed;
mod shutdown;
mod transcripts;

use std::fmt::Display;
use std::future::Future;
use std::time::Duration;

use serde_json::{Value, json};
use testkit::{Builder, Era, Gateway, Script, Step, Wire};

/// Every combination of era and transport, of a client or of a server.
const WAYS: [(Era, Wire); 4] = [
    (Era::Legacy, Wire::Pipe),
    (Era::Legacy, Wire::Http),
    (Era::Modern, Wire::Pipe),
    (Era::Modern, Wire::Http),
];

const ERAS: [Era; 2] = [Era::Legacy, Era::Modern];
const WIRES: [Wire; 2] = [Wire::Pipe, Wire::Http];

/// Returns every combination of a value of the first list with one of the second.
fn pairs<A: Copy, B: Copy, const N: usize, const M: usize>(first: [A; N], second: [B; M]) -> impl Iterator<Item = (A, B)> {
    first.into_iter().flat_map(move |one| second.map(|other| (one, other)))
}

/// Returns a server of that kind with one tool that says what it was given.
fn echo(era: Era, wire: Wire) -> Script {
    Script::of(era).over_http(wire == Wire::Http).tool("say", [Step::answer(ECHO)])
}

/// A result whose structured content are the arguments.
const ECHO: &str = r#"{"resultType":"complete","content":[],"structuredContent":$arguments}"#;

fn said(result: &Value) -> &Value {
    &result["structuredContent"]
}

/// Checks that a value has these members, and those of the objects inside of it.
#[track_caller]
fn assert_has(value: &Value, expected: &Value) {
    for (name, member) in expected.as_object().expect("the members that are expected") {
        match member {
            Value::Object(_) => assert_has(&value[name], member),
            _ => assert_eq!(&value[name], member, "`{name}` of {value}"),
        }
    }
}

/// Checks that no more time than this has passed since an instant.
#[track_caller]
fn assert_within(limit: Duration, since: tokio::time::Instant, context: impl Display) {
    assert!(since.elapsed() < limit, "{context}: {:?}", since.elapsed());
}

fn form() -> Value {
    json!({"elicitation": {"form": {}}, "sampling": {}, "roots": {"listChanged": true}})
}

/// Gives a gateway a store that no other gateway opens.
trait StartWithStore {
    /// Starts the gateway with a store in a temporary folder, which ends with it.
    async fn start_with_store(self) -> Gateway;
}

impl StartWithStore for Builder {
    async fn start_with_store(self) -> Gateway {
        let folder = tempfile::tempdir().expect("a folder");
        self.remembering_in(folder).await.start()
    }
}

/// Runs a test of that name in a process of its own: what it counts (descriptors, children, memory) is the whole process's.
fn alone(name: &str, body: impl Future<Output = ()>) {
    const MARK: &str = "TESTKIT_ALONE";
    if std::env::var(MARK).is_ok_and(|alone| alone == name) {
        let runtime = tokio::runtime::Builder::new_multi_thread().worker_threads(2).enable_all().build();
        return runtime.expect("a runtime").block_on(body);
    }
    let program = std::env::current_exe().expect("this binary has a path");
    let mut again = std::process::Command::new(program);
    again.args([name, "--exact", "--include-ignored", "--nocapture"]).env(MARK, name);
    let output = again.output().expect("this binary can be started");
    let shown = String::from_utf8_lossy(&output.stdout) + String::from_utf8_lossy(&output.stderr);
    assert!(
        output.status.success() && shown.contains("1 passed"),
        "{name} failed in its own process:\n{shown}"
    );
}
