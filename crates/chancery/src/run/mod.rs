//! The commands that need the run-time: configuration becomes a kernel, a listener and what a person sees of them.

mod arguments;
mod cache;
mod check;
mod demo;
mod doctor;
mod example;
mod gateways;
mod insider;
mod interrupts;
mod look;
mod operate;
mod operator;
mod records;
mod reload;
mod remember;
mod risks;
mod serve;
mod settings;
mod stdio;
mod tools;

pub use check::{Checked, check};
pub use demo::demo;
pub use doctor::doctor;
pub use example::example;
pub use gateways::{gateways, store_of};
pub use operator::{Operate, operate, tail};
pub use records::{audit, existing, store};
pub use remember::MOST as MOST_GATEWAYS;
pub use serve::{serve, serve_unguarded};
pub use stdio::{join, stdio};
pub use tools::tools;

use std::path::PathBuf;
use std::sync::Arc;
use std::time::Duration;

use anyhow::bail;
use kernel::{Kernel, Outside, Records};
use transport::{Outbound, SystemResolver};

use crate::builtin::Builtins;
use crate::config::{self, Config, Loaded, Sources};

/// How long the end of everything may take.
const SHUTDOWN: Duration = Duration::from_secs(10);

/// A configuration with the sources that it can be read from again.
#[derive(Clone, Debug)]
pub struct Configured {
    /// Where it came from.
    pub sources: Sources,
    /// What came of it.
    pub loaded: Loaded,
    /// Which of its gateways is meant, where somebody says.
    pub gateway: Option<usize>,
}

/// A kernel and the connections it reaches servers over.
struct Gateway {
    kernel: Kernel,
    outbound: Arc<Outbound>,
}

impl Gateway {
    /// Starts a kernel with settings out of a configuration; without records it remembers nothing.
    fn start(settings: kernel::Settings, records: Option<Records>, config: &Config, sources: &Sources) -> Self {
        let store = records.as_ref().map(|records| records.store.clone());
        let builtins = Builtins::new(store, config.store.retention);
        let outbound = Arc::new(Outbound::new(settings::client_limits(config), None).inside(Arc::new(builtins)));
        let cache: Arc<dyn kernel::OfferCache> = match config::state_dir(&sources.env) {
            Some(state) => Arc::new(cache::Files::new(state.join("catalogue"))),
            None => Arc::new(kernel::NoCache),
        };
        let mut outside = Outside::new(outbound.clone(), cache).resolver(Arc::new(SystemResolver));
        if let Some(records) = records {
            outside = outside.records(records);
        }
        let kernel = Kernel::start(settings, outside);
        Self { kernel, outbound }
    }

    /// Ends the kernel, and waits until no child is left.
    async fn stop(self) {
        self.kernel.shutdown(SHUTDOWN).await;
        drop(tokio::time::timeout(SHUTDOWN, self.outbound.finished()).await);
    }
}

/// Refuses a name that no server has that is in use.
fn check_names(config: &Config, names: &[String]) -> anyhow::Result<()> {
    let known: Vec<&str> = config.servers.iter().map(|server| server.id.as_str()).collect();
    let Some(unknown) = names.iter().find(|name| !known.contains(&name.as_str())) else {
        return Ok(());
    };
    if config.disabled.iter().any(|id| id.as_str() == unknown) {
        bail!("`{unknown}` is not in use: its table says `enabled = false`");
    }
    bail!("no server is called `{unknown}`; there are: {}", known.join(", "));
}

/// What to do where there are no servers at all.
fn no_servers(untrusted: &[PathBuf]) -> String {
    match untrusted {
        [] => "no servers are configured: `chancery import` takes them over from your other clients, `chancery config path` says where to write them"
            .to_owned(),
        [path, ..] => format!(
            "no servers are configured but those of `{}`, which is not trusted: look at it, then run `chancery config trust`",
            path.display()
        ),
    }
}

/// An error whose text completes "failed to …".
fn failed(error: impl std::fmt::Display) -> anyhow::Error {
    anyhow::anyhow!("failed to {error}")
}

/// Says something beside the result, to whoever watches.
fn note(line: &str) {
    use std::io::Write as _;
    writeln!(std::io::stderr().lock(), "{line}").ok();
}

/// Prints a line of a result. A reader that has gone away is no error of ours.
fn say(line: &str) {
    use std::io::Write as _;
    let mut out = std::io::stdout().lock();
    writeln!(out, "{line}").and_then(|()| out.flush()).ok();
}
