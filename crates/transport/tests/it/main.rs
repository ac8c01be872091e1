//! The transports against scripted peers: real sockets and processes, no fixed ports, no waiting but for events.

mod access;
mod child;
mod client;
mod front;
mod laws;
mod limits;
mod listen;
mod local;
mod operate;
mod pair;
mod raw;
mod sse;
mod stdio;
mod tls;
mod upstream;

/// The longest time that tests wait; reached only when something is broken.
const PATIENCE: std::time::Duration = std::time::Duration::from_secs(20);

/// Waits for an event.
async fn soon<T>(what: impl Future<Output = T>) -> T {
    tokio::time::timeout(PATIENCE, what).await.expect("the event never came")
}

/// Returns whether this test has the process to itself. Where it hasn't, it is run in one of its own, which must succeed.
fn alone(test: &str) -> bool {
    const ALONE: &str = "TRANSPORT_TEST_ALONE";
    if std::env::var_os(ALONE).is_some() {
        return true;
    }
    let program = std::env::current_exe().expect("a path");
    let ran = std::process::Command::new(program)
        .args([test, "--exact", "--nocapture"])
        .env(ALONE, "1")
        .output();
    let ran = ran.expect("ourselves");
    assert!(ran.status.success(), "{}", String::from_utf8_lossy(&ran.stderr));
    assert!(String::from_utf8_lossy(&ran.stdout).contains("1 passed"), "it is called otherwise");
    false
}
