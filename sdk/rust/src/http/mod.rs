//! The Streamable HTTP transport: one endpoint for both eras (2025-11-25 basic/transports; 2026-07-28 basic/transports/streamable-http).

mod body;
mod endpoint;
mod guard;
mod legacy;
mod mirrors;
mod modern;
mod sessions;
mod streams;

use std::net::SocketAddr;
use std::sync::Arc;
use std::time::Duration;

use hyper::server::conn::http1;
use hyper::service::service_fn;
use hyper_util::rt::{TokioIo, TokioTimer};
use tokio::net::TcpListener;
use tokio::sync::Semaphore;
use tokio_util::sync::CancellationToken;
use tokio_util::task::TaskTracker;

use crate::core::Core;
use endpoint::Endpoint;

/// The path of the endpoint.
pub(crate) const PATH: &str = "/mcp";
/// How many connections may be open at once.
const MAX_CONNECTIONS: usize = 1024;
/// How long a client may take to send the head of a request.
const HEAD_TIMEOUT: Duration = Duration::from_secs(30);
/// How long open connections may take to end when the server stops.
const SHUTDOWN: Duration = Duration::from_secs(5);

/// Serves clients that connect to `listener` until `stop` is cancelled.
pub(crate) async fn serve(core: Arc<Core>, listener: TcpListener, stop: CancellationToken) -> std::io::Result<()> {
    let endpoint = Arc::new(Endpoint::new(core, listener.local_addr()?, stop.clone()));
    let tasks = TaskTracker::new();
    let places = Arc::new(Semaphore::new(MAX_CONNECTIONS));
    loop {
        let place = tokio::select! {
            () = stop.cancelled() => break,
            place = Arc::clone(&places).acquire_owned() => place,
        };
        let (socket, _peer) = tokio::select! {
            () = stop.cancelled() => break,
            accepted = listener.accept() => match accepted {
                Ok(accepted) => accepted,
                // Out of file descriptors, or the client has already disconnected: wait a little and go on.
                Err(_transient) => {
                    tokio::time::sleep(Duration::from_millis(20)).await;
                    continue;
                }
            },
        };
        let (endpoint, stop) = (Arc::clone(&endpoint), stop.clone());
        tasks.spawn(async move {
            let _place = place;
            connection(endpoint, socket, stop).await;
        });
    }
    tasks.close();
    let _late = tokio::time::timeout(SHUTDOWN, tasks.wait()).await;
    Ok(())
}

async fn connection(endpoint: Arc<Endpoint>, socket: tokio::net::TcpStream, stop: CancellationToken) {
    // Answers are written whole; waiting for more to send would only delay them.
    let _unsupported = socket.set_nodelay(true);
    let service = service_fn(move |request| {
        let endpoint = Arc::clone(&endpoint);
        async move { Ok::<_, std::convert::Infallible>(endpoint.answer(request).await) }
    });
    let mut builder = http1::Builder::new();
    builder.timer(TokioTimer::new()).header_read_timeout(HEAD_TIMEOUT);
    let serving = builder.serve_connection(TokioIo::new(socket), service);
    tokio::pin!(serving);
    tokio::select! {
        _ended = serving.as_mut() => return,
        () = stop.cancelled() => serving.as_mut().graceful_shutdown(),
    }
    let _ended = serving.await;
}

/// Returns the URL of the endpoint at `address`.
pub(crate) fn url(address: SocketAddr) -> String {
    format!("http://{address}{PATH}")
}
