//! Measures how long a start takes: of many servers in a bare loop, and of a gateway up to its first complete list.

use std::io::{BufRead, BufReader, Write};
use std::process::{Child, ChildStdout, Command, Stdio};
use std::time::{Duration, Instant};

use anyhow::Context;
use http::Uri;
use rustix::process::{Pid, Signal, kill_process};
use serde::Serialize;

use crate::driver::http::{Client, count_tools};
use crate::driver::message::{FIRST_ID, Template};
use crate::envelope::Era;
use crate::usage::{Sample, pss_kb};

/// How long a gateway may take until its list is complete.
const PATIENCE: Duration = Duration::from_secs(60);

/// Options of `bench-peer spawn`.
#[derive(Debug, clap::Args)]
pub(crate) struct LoopArgs {
    /// How often to start the command; `{n}` in it becomes the number of the start, from 000
    #[arg(long, default_value_t = 100)]
    count: usize,
    /// The stdio server to start
    #[arg(last = true, required = true)]
    command: Vec<String>,
}

/// How long the bare loop took.
#[derive(Debug, Serialize)]
pub(crate) struct LoopReport {
    count: usize,
    ms: f64,
}

/// Starts the servers, sends `server/discover` to each, and reads the first answer of each.
pub(crate) fn run_loop(args: &LoopArgs) -> anyhow::Result<LoopReport> {
    let start = Instant::now();
    let mut probe = Template::discover().render(FIRST_ID);
    probe.push(b'\n');
    let mut children = Vec::with_capacity(args.count);
    for n in 0..args.count {
        let command: Vec<String> = args.command.iter().map(|word| word.replace("{n}", &format!("{n:03}"))).collect();
        let mut child = start_piped(&command)?;
        child.stdin.as_mut().context("stdin is piped")?.write_all(&probe)?;
        children.push(child);
    }
    for child in &mut children {
        let mut line = String::new();
        output_of(child)?.read_line(&mut line)?;
        anyhow::ensure!(!line.is_empty(), "a server ended without an answer");
    }
    let ms = start.elapsed().as_secs_f64() * 1e3;
    for mut child in children {
        drop(child.stdin.take());
        child.wait()?;
    }
    Ok(LoopReport { count: args.count, ms })
}

/// Options of `bench-peer first-list`.
#[derive(Debug, clap::Args)]
pub(crate) struct FirstListArgs {
    /// The era to speak
    #[arg(long, value_enum, default_value = "legacy")]
    era: Era,
    /// The tools of a complete list
    #[arg(long)]
    tools: usize,
    /// The seconds that the gateway idles after the complete list, before its memory is read
    #[arg(long, default_value_t = 0.0)]
    rest: f64,
    /// The gateway to start; it prints its endpoint
    #[arg(last = true, required = true)]
    command: Vec<String>,
}

/// How long a gateway took to start.
#[derive(Debug, Serialize)]
pub(crate) struct FirstListReport {
    /// The time until it printed its endpoint.
    ready_ms: f64,
    /// The time until the first list was received, complete or not.
    first_ms: f64,
    /// The tools in the first list.
    first_tools: usize,
    /// The time until a list was complete.
    complete_ms: f64,
    /// The resident memory of the gateway itself after the complete list.
    rss_kb: u64,
    /// Its proportional share: what other processes have of the same pages counts in parts.
    pss_kb: u64,
}

/// Starts the gateway, lists until the list is complete, and ends it with SIGTERM, so that it can store its cache.
pub(crate) fn run_first_list(args: &FirstListArgs) -> anyhow::Result<FirstListReport> {
    let runtime = tokio::runtime::Builder::new_current_thread().enable_all().build()?;
    let start = Instant::now();
    with_gateway(&args.command, |url, pid| {
        let ready_ms = start.elapsed().as_secs_f64() * 1e3;
        runtime.block_on(list_until_complete(args, url, start, ready_ms, pid))
    })
}

/// Starts a gateway, hands its endpoint and its process id to `work`, and ends it with SIGTERM, however the work went.
pub(crate) fn with_gateway<T>(command: &[String], work: impl FnOnce(&Uri, u32) -> anyhow::Result<T>) -> anyhow::Result<T> {
    let mut child = start_piped(command)?;
    let result = endpoint_of(&mut child).and_then(|url| work(&url, child.id()));
    let pid = Pid::from_child(&child);
    kill_process(pid, Signal::TERM).context("failed to end the gateway")?;
    child.wait()?;
    result
}

async fn list_until_complete(args: &FirstListArgs, url: &Uri, start: Instant, ready_ms: f64, pid: u32) -> anyhow::Result<FirstListReport> {
    let mut client = Client::connect(url, args.era).await?;
    let first_tools = count_tools(&client.tool_pages().await?);
    let first_ms = start.elapsed().as_secs_f64() * 1e3;
    let mut tools = first_tools;
    while tools < args.tools {
        anyhow::ensure!(
            start.elapsed() < PATIENCE,
            "after {PATIENCE:?} only {tools} of {} tools are listed",
            args.tools
        );
        tokio::time::sleep(Duration::from_millis(1)).await;
        tools = count_tools(&client.tool_pages().await?);
    }
    anyhow::ensure!(tools == args.tools, "{tools} tools are listed instead of {}", args.tools);
    let complete_ms = if tools == first_tools {
        first_ms
    } else {
        start.elapsed().as_secs_f64() * 1e3
    };
    tokio::time::sleep(Duration::from_secs_f64(args.rest)).await;
    Ok(FirstListReport {
        ready_ms,
        first_ms,
        first_tools,
        complete_ms,
        rss_kb: Sample::of(pid)?.rss_kb(),
        pss_kb: pss_kb(pid)?,
    })
}

fn start_piped(command: &[String]) -> anyhow::Result<Child> {
    let (program, arguments) = command.split_first().context("no command to start")?;
    Command::new(program)
        .args(arguments)
        .stdin(Stdio::piped())
        .stdout(Stdio::piped())
        .spawn()
        .with_context(|| format!("failed to start `{program}`"))
}

fn output_of(child: &mut Child) -> anyhow::Result<BufReader<&mut ChildStdout>> {
    Ok(BufReader::new(child.stdout.as_mut().context("stdout is piped")?))
}

/// Returns the endpoint that a gateway prints once it is ready.
fn endpoint_of(child: &mut Child) -> anyhow::Result<Uri> {
    for line in output_of(child)?.lines() {
        let line = line?;
        if let Some(url) = line.split_whitespace().find(|word| word.starts_with("http://")) {
            return url.parse().with_context(|| format!("`{url}` is not an endpoint"));
        }
    }
    anyhow::bail!("the gateway ended before it printed its endpoint")
}
