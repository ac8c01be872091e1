//! The conformance upstream: an MCP server on rmcp, of one era or both, over HTTP or stdio.

#![expect(deprecated, reason = "a server of both eras needs what 2026-07-28 deprecates")]

mod era;
mod fixtures;
mod inquiry;
mod server;
mod shared;
mod tasks;
mod tools;

use std::sync::Arc;

use era::Era;
use rmcp::ServiceExt;
use rmcp::transport::streamable_http_server::session::local::LocalSessionManager;
use rmcp::transport::{StreamableHttpServerConfig, StreamableHttpService};
use server::Upstream;
use shared::Shared;

type Error = Box<dyn std::error::Error + Send + Sync>;

const USAGE: &str = "usage: conformance-upstream (--port PORT | --stdio) [--era both|legacy|modern]";

enum Listen {
    Port(u16),
    Stdio,
}

fn main() -> Result<(), Error> {
    let (listen, era) = arguments(std::env::args().skip(1))?;
    let runtime = tokio::runtime::Builder::new_multi_thread().worker_threads(2).enable_all().build()?;
    runtime.block_on(async {
        match listen {
            Listen::Port(port) => serve_http(port, era).await,
            Listen::Stdio => serve_stdio(era).await,
        }
    })
}

fn arguments(mut arguments: impl Iterator<Item = String>) -> Result<(Listen, Era), Error> {
    let (mut listen, mut era) = (None, Era::Both);
    while let Some(name) = arguments.next() {
        match name.as_str() {
            "--port" => listen = Some(Listen::Port(arguments.next().ok_or(USAGE)?.parse()?)),
            "--stdio" => listen = Some(Listen::Stdio),
            "--era" => era = arguments.next().ok_or(USAGE)?.parse()?,
            _ => return Err(USAGE.into()),
        }
    }
    Ok((listen.ok_or(USAGE)?, era))
}

/// Prints the URL on the first line of stdout once connections are accepted.
async fn serve_http(port: u16, era: Era) -> Result<(), Error> {
    let shared = Arc::new(Shared::new(era));
    let service = StreamableHttpService::new(
        move || Ok(Upstream::new(Arc::clone(&shared))),
        LocalSessionManager::default().into(),
        StreamableHttpServerConfig::default(),
    );
    let router = axum::Router::new()
        .nest_service("/mcp", service)
        .layer(axum::middleware::from_fn_with_state(era, era::guard));
    let listener = tokio::net::TcpListener::bind(("127.0.0.1", port)).await?;
    println!("http://{}/mcp", listener.local_addr()?);
    axum::serve(listener, router).await?;
    Ok(())
}

async fn serve_stdio(era: Era) -> Result<(), Error> {
    let upstream = Upstream::new(Arc::new(Shared::new(era)));
    upstream.serve(rmcp::transport::stdio()).await?.waiting().await?;
    Ok(())
}
