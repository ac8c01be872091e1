//! `chancery stdio`: runs an stdio MCP server for a desktop client.

use std::process::ExitCode;
use std::sync::Arc;

use tokio_util::sync::CancellationToken;
use transport::http::ListenLimits;
use transport::socket;

use super::configured::Configured;
use super::gateway::Gateway;
use super::interrupts::Interrupts;
use super::sockets::{owner_socket, socket_path};
use super::{remember, settings};
use crate::cli;
use crate::config::Sources;

/// Joins a running gateway of the same user and configuration, if there is one. Returns a function that passes on the
/// messages of the client on stdin and stdout, until either ends; it blocks.
pub fn join(identity: &str, sources: &Sources) -> Option<impl FnOnce() -> anyhow::Result<ExitCode> + Send + 'static> {
    let stream = socket::attach(&socket_path(identity, sources)?).ok()?;
    tracing::debug!("joined the running gateway");
    Some(move || {
        socket::pump(stream, std::io::stdin(), &mut std::io::stdout())?;
        Ok(ExitCode::SUCCESS)
    })
}

/// Runs `chancery stdio`.
///
/// # Errors
/// When the standard streams can't be used.
pub async fn stdio(configured: Configured, args: cli::Stdio) -> anyhow::Result<ExitCode> {
    let Configured { sources, loaded, .. } = configured;
    if !args.standalone
        && let Some(pass_on) = join(&loaded.config.identity, &sources)
    {
        return tokio::task::spawn_blocking(pass_on).await?;
    }
    let mut interrupts = Interrupts::listen()?;
    let (records, number) = remember::any(&loaded.config, &sources).await?;
    let gateway = Gateway::start(settings::secured(&loaded.config, None), Some(records), &loaded.config, &sources);
    let shutdown = CancellationToken::new();
    let front: Arc<dyn kernel::front::Front> = Arc::new(gateway.kernel.clone());
    if let Some(owner) = owner_socket(&loaded.config, number, &sources) {
        let api = gateway.api();
        tokio::spawn(owner.serve(front.clone(), api, ListenLimits::default(), shutdown.clone()));
    }
    let options = settings::pipe(&loaded.config);
    let mut serving = std::pin::pin!(transport::stdio::serve(front, &options, shutdown.clone()));
    let ended = tokio::select! {
        served = &mut serving => Some(served),
        () = interrupts.next() => None,
    };
    match ended {
        Some(served) => {
            gateway.stop().await;
            served?;
        }
        None => {
            shutdown.cancel();
            // The kernel ends what calls wait for, so that they are answered and the pipe can drain.
            let (served, ()) = tokio::join!(serving, gateway.stop());
            served?;
        }
    }
    Ok(ExitCode::SUCCESS)
}
