//! The transports against scripted peers: real sockets and processes, no fixed ports, no waiting but for events.

mod access;
mod child;
mod client;
mod front;
mod limits;
mod listen;
mod local;
mod pair;
mod raw;
mod sse;
mod tls;
mod upstream;

/// What tests wait for at most; hit only when something is broken.
const PATIENCE: std::time::Duration = std::time::Duration::from_secs(20);

/// Waits for an event.
async fn soon<T>(what: impl Future<Output = T>) -> T {
    tokio::time::timeout(PATIENCE, what).await.expect("the event never came")
}
