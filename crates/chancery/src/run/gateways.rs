//! `chancery gateways`: lists the gateways of one configuration, and finds the one that a command is for.
//!
//! `chancery serve` is number 1. A `chancery stdio` that can't join it, and finds its store taken, has the next free
//! number.

use std::path::PathBuf;
use std::process::ExitCode;

use serde_json::{Value, json};
use transport::socket;

use super::configured::Configured;
use super::output::{note, say};
use super::remember;
use super::sockets::owner_path;
use crate::cli::operate::Listed;
use crate::cli::records::Format;

/// One gateway.
struct Known {
    number: usize,
    /// The folder of its store.
    folder: PathBuf,
    /// The process that had the store last.
    process: Option<u32>,
    is_running: bool,
}

/// Runs `chancery gateways`.
///
/// # Errors
/// When nothing says where the gateways keep their stores.
pub fn gateways(configured: &Configured, args: &Listed) -> anyhow::Result<ExitCode> {
    let known = known(configured)?;
    match args.format {
        Format::Json => {
            let all: Vec<Value> = known.iter().map(as_json).collect();
            say(&serde_json::to_string_pretty(&all)?);
        }
        Format::Text if known.is_empty() => note("no gateway of this configuration has run yet"),
        Format::Text => known.iter().for_each(|gateway| say(&line(gateway))),
    }
    Ok(ExitCode::SUCCESS)
}

/// Returns the gateways that run, and those that have run and left a store.
fn known(configured: &Configured) -> anyhow::Result<Vec<Known>> {
    let first = remember::folder(&configured.loaded.config, &configured.sources)?;
    let all = (1..=remember::MOST).map(|number| {
        let folder = remember::numbered(&first, number);
        Known {
            number,
            process: store::holder(&folder),
            is_running: socket(configured, number).is_some(),
            folder,
        }
    });
    Ok(all.filter(|known| known.is_running || known.folder.is_dir()).collect())
}

fn line(known: &Known) -> String {
    let state = match (known.is_running, known.process) {
        (true, Some(process)) => format!("runs, process {process}"),
        (true, None) => "runs".to_owned(),
        (false, _) => "does not run".to_owned(),
    };
    format!("{:>2}  {state:22}  {}", known.number, known.folder.display())
}

fn as_json(known: &Known) -> Value {
    json!({
        "number": known.number,
        "running": known.is_running,
        "process": known.process.filter(|_| known.is_running),
        "store": known.folder.display().to_string(),
    })
}

/// Returns the number of the gateway that a command is for: the one that is named, else the first that runs, and number
/// 1 where none does. Where several run and none is named, the user is told.
pub(super) fn chosen(configured: &Configured) -> usize {
    if let Some(number) = configured.gateway {
        return number;
    }
    let running: Vec<usize> = (1..=remember::MOST)
        .filter(|number| socket(configured, *number).is_some())
        .collect();
    if let [first, others @ ..] = &running[..]
        && !others.is_empty()
    {
        let others: Vec<String> = others.iter().map(|number| format!("`--gateway {number}`")).collect();
        note(&format!(
            "{} gateways of this configuration run; this is about number {first}, {} is about another (`chancery gateways` lists them)",
            running.len(),
            others.join(" or ")
        ));
    }
    running.first().copied().unwrap_or(1)
}

/// Returns the path of the operators' socket of a gateway, if it runs.
pub(super) fn socket(configured: &Configured, number: usize) -> Option<PathBuf> {
    let path = owner_path(&configured.loaded.config.identity, number, &configured.sources)?;
    socket::attach(&path).is_ok().then_some(path)
}

/// Returns the store of the gateway that a command is for.
///
/// # Errors
/// When nothing says where it is.
pub fn store_of(configured: &Configured) -> anyhow::Result<PathBuf> {
    let first = remember::folder(&configured.loaded.config, &configured.sources)?;
    Ok(remember::numbered(&first, chosen(configured)))
}
