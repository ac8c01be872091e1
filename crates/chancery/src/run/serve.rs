//! `chancery serve`: runs the gateway over HTTP, and over a local socket for `chancery stdio`.

use std::net::SocketAddr;
use std::process::ExitCode;
use std::sync::Arc;

use tokio::signal::unix::{SignalKind, signal};
use tokio_util::sync::CancellationToken;
use transport::http::{ListenError, ListenLimits, Listener};

use super::configured::{Configured, no_servers};
use super::gateway::Gateway;
use super::interrupts::Interrupts;
use super::output::{failed, say};
use super::sockets::{local_socket, owner_socket};
use super::{reload, remember, settings};
use crate::cli;
use crate::config;

/// Runs `chancery serve`.
///
/// # Errors
/// When the address can't be listened on, or the store can't be used.
pub async fn serve(configured: Configured, args: cli::Serve) -> anyhow::Result<ExitCode> {
    serve_as(configured, args, Guarded::Fully).await
}

/// Runs `chancery serve` without policy, validators and record.
///
/// # Errors
/// When the address can't be listened on.
pub async fn serve_unguarded(configured: Configured, args: cli::Serve) -> anyhow::Result<ExitCode> {
    serve_as(configured, args, Guarded::Not).await
}

#[derive(Clone, Copy, PartialEq, Eq)]
enum Guarded {
    Fully,
    Not,
}

async fn serve_as(configured: Configured, args: cli::Serve, guarded: Guarded) -> anyhow::Result<ExitCode> {
    let Configured { sources, loaded, .. } = configured;
    raise_file_limit();
    let mut interrupts = Interrupts::listen()?;
    // Handled before another process can know of this gateway and send it; the signal would end the process otherwise.
    let hangups = signal(SignalKind::hangup())?;
    let listener = Listener::bind(settings::listen(&loaded.config, args.listen))
        .await
        .map_err(|error| not_listening(&error, &loaded.config.gateway, args.listen))?;
    let own = listener.local_addr();
    let (settings, records) = match guarded {
        Guarded::Fully => {
            let records = remember::sole(&loaded.config, &sources, 1).await?;
            (settings::secured(&loaded.config, Some(own)), Some(records))
        }
        Guarded::Not => (settings::open(&loaded.config, Some(own)), None),
    };
    let gateway = Gateway::start(settings, records, &loaded.config, &sources);
    let shutdown = CancellationToken::new();
    let socket = local_socket(&loaded.config, &sources);
    let owner = owner_socket(&loaded.config, 1, &sources);
    // A client whose user reads this line may connect, over HTTP or the socket.
    say(&listener.url());
    tracing::info!(url = listener.url(), servers = loaded.config.servers.len(), "listening");
    if loaded.config.servers.is_empty() {
        tracing::warn!("{}", no_servers(&loaded.untrusted));
    }
    let front: Arc<dyn kernel::front::Front> = Arc::new(gateway.kernel.clone());
    let mut serving = tokio::task::JoinSet::new();
    let api = gateway.api();
    serving.spawn(listener.mounting(api.clone()).serve(front.clone(), shutdown.clone()));
    if let Some(owner) = owner {
        serving.spawn(owner.serve(front.clone(), api, ListenLimits::default(), shutdown.clone()));
    }
    if let Some(socket) = socket {
        serving.spawn(socket.serve(front, settings::pipe(&loaded.config), shutdown.clone()));
    }
    tokio::select! {
        () = interrupts.next() => {}
        () = reload::forever(&gateway, &sources, loaded, own, hangups) => {}
    }
    tracing::info!("shutting down");
    shutdown.cancel();
    // Streams end first, so that the listeners can drain.
    gateway.stop().await;
    while serving.join_next().await.is_some() {}
    Ok(ExitCode::SUCCESS)
}

/// Raises the limit of open files as far as the system allows, because connections, streams and pipes are files.
fn raise_file_limit() {
    use rustix::process::{Resource, Rlimit, getrlimit, setrlimit};
    let Rlimit { current, maximum } = getrlimit(Resource::Nofile);
    if current != maximum && setrlimit(Resource::Nofile, Rlimit { current: maximum, maximum }).is_err() {
        tracing::warn!(?current, "the limit on open files could not be raised");
    }
}

/// Returns why there is no listener, with the place of the setting that is the cause.
fn not_listening(error: &ListenError, gateway: &config::Gateway, given: Option<SocketAddr>) -> anyhow::Error {
    let places = &gateway.places;
    let at = match error {
        ListenError::Insecure(_) | ListenError::Bind { .. } => places.listen.as_ref().filter(|_| given.is_none()),
        ListenError::Tls(error) => match &gateway.tls {
            Some(tls) if tls.key == error.path => places.key.as_ref(),
            _ => places.cert.as_ref(),
        },
    };
    match at {
        Some(at) => anyhow::anyhow!("{at}: failed to {error}"),
        None => failed(error),
    }
}
