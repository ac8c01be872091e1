//! The configuration of a command that needs the run-time.

use std::path::PathBuf;

use anyhow::bail;

use crate::config::{Config, Loaded, Sources};

/// A configuration with the sources that it can be read from again.
#[derive(Clone, Debug)]
pub struct Configured {
    /// The sources.
    pub sources: Sources,
    /// The result of loading them.
    pub loaded: Loaded,
    /// The number of the gateway that is meant, if the user gave one.
    pub gateway: Option<usize>,
}

/// Refuses a name that no enabled server has.
pub(super) fn check_names(config: &Config, names: &[String]) -> anyhow::Result<()> {
    let known: Vec<&str> = config.servers.iter().map(|server| server.id.as_str()).collect();
    let Some(unknown) = names.iter().find(|name| !known.contains(&name.as_str())) else {
        return Ok(());
    };
    if config.disabled.iter().any(|id| id.as_str() == unknown) {
        bail!("`{unknown}` is not in use: its table says `enabled = false`");
    }
    bail!("no server is called `{unknown}`; there are: {}", known.join(", "));
}

/// Returns the advice where there are no servers at all.
pub(super) fn no_servers(untrusted: &[PathBuf]) -> String {
    match untrusted {
        [] => "no servers are configured: `chancery import` takes them over from your other clients, `chancery config path` says where to write them"
            .to_owned(),
        [path, ..] => format!(
            "no servers are configured but those of `{}`, which is not trusted: look at it, then run `chancery config trust`",
            path.display()
        ),
    }
}
