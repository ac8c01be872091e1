//! `chancery stdio`: an stdio MCP server for a desktop client.

use std::process::ExitCode;
use std::sync::Arc;

use tokio_util::sync::CancellationToken;
use transport::socket;

use super::interrupts::Interrupts;
use super::{Configured, Gateway, serve, settings};
use crate::cli;

/// `chancery stdio`
///
/// # Errors
/// When the standard streams can't be used.
pub async fn stdio(configured: Configured, args: cli::Stdio) -> anyhow::Result<ExitCode> {
    let Configured { sources, loaded } = configured;
    let running = serve::socket_path(&loaded.config, &sources).filter(|_| !args.standalone);
    if let Some(stream) = running.and_then(|path| socket::attach(&path).ok()) {
        tracing::debug!("joined the running gateway");
        let pumping = tokio::task::spawn_blocking(move || socket::pump(stream, std::io::stdin(), &mut std::io::stdout()));
        pumping.await??;
        return Ok(ExitCode::SUCCESS);
    }
    let mut interrupts = Interrupts::listen()?;
    let gateway = Gateway::start(&loaded.config, &sources, None);
    let shutdown = CancellationToken::new();
    let front: Arc<dyn kernel::front::Front> = Arc::new(gateway.kernel.clone());
    let stop = shutdown.clone();
    tokio::spawn(async move {
        interrupts.next().await;
        stop.cancel();
    });
    let served = transport::stdio::serve(front, &settings::pipe(&loaded.config), shutdown).await;
    gateway.stop().await;
    served?;
    Ok(ExitCode::SUCCESS)
}
