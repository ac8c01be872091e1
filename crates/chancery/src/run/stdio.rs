//! `chancery stdio`: an stdio MCP server for a desktop client.

use std::os::unix::net::UnixStream;
use std::process::ExitCode;
use std::sync::Arc;

use tokio_util::sync::CancellationToken;
use transport::socket;

use super::interrupts::Interrupts;
use super::{Configured, Gateway, serve, settings};
use crate::cli;
use crate::config::Sources;

/// A gateway of the same user and configuration.
#[derive(Debug)]
pub struct Running(UnixStream);

impl Running {
    /// Finds it, if there is one.
    #[must_use]
    pub fn find(identity: &str, sources: &Sources) -> Option<Self> {
        let path = serve::socket_path(identity, sources)?;
        socket::attach(&path).ok().map(Self)
    }

    /// Passes on what the client on stdin and stdout says, until either ends. Blocks.
    ///
    /// # Errors
    /// When the connection breaks.
    pub fn join(self) -> anyhow::Result<ExitCode> {
        socket::pump(self.0, std::io::stdin(), &mut std::io::stdout())?;
        Ok(ExitCode::SUCCESS)
    }
}

/// `chancery stdio`
///
/// # Errors
/// When the standard streams can't be used.
pub async fn stdio(configured: Configured, args: cli::Stdio) -> anyhow::Result<ExitCode> {
    let Configured { sources, loaded } = configured;
    if let Some(running) = Running::find(&loaded.config.identity, &sources).filter(|_| !args.standalone) {
        tracing::debug!("joined the running gateway");
        return tokio::task::spawn_blocking(|| running.join()).await?;
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
