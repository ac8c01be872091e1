//! One server of a gateway changes its tools again and again: what that costs the gateway until the next call and the next list are
//! answered, beside what the merged lists cost a client whose like was never seen, for whom they are built whole.
//!
//! Costs are processor time of the gateway. Each is read after a rest, so that what the gateway does behind its answers (it writes
//! its record) is in it.

use std::time::{Duration, Instant};

use anyhow::ensure;
use http::Uri;
use serde::Serialize;
use serde_json::{Value, json};

use crate::canned::{CHANGE, CHANGED, SMALL};
use crate::driver::check::{Check, Expect};
use crate::driver::http::{Client, Events, count_tools};
use crate::driver::message::{FIRST_ID, Template};
use crate::envelope::Era;
use crate::usage::Sample;

/// How long the gateway may go on after an answer: longer than it gathers what it writes.
const REST: Duration = Duration::from_millis(150);
/// How long the gateway may take until all its servers are listed, and until it has told of a change.
const PATIENCE: Duration = Duration::from_secs(60);
/// What the descriptions of a changed list have and those of the other have not.
const OTHER_WORDS: &str = "in other words than before";

/// Options of `bench-peer views`.
#[derive(Debug, clap::Args)]
pub(crate) struct Args {
    /// The endpoint of the gateway
    #[arg(long)]
    url: Uri,
    /// The process of the gateway
    #[arg(long)]
    pid: u32,
    /// The prefix of the server that changes, an `upstream --changing`
    #[arg(long)]
    changing: String,
    /// The prefix of the server that is called
    #[arg(long)]
    called: String,
    /// The tools of the whole list
    #[arg(long)]
    tools: usize,
    /// The changes, and the clients of a new kind
    #[arg(long, default_value_t = 15)]
    rounds: u32,
}

/// Each list has one entry a round; times are in µs.
#[derive(Debug, Default, Serialize)]
pub(crate) struct Report {
    /// A call, when nothing has changed.
    warm_call: Vec<Cost>,
    /// A list, when nothing has changed.
    warm_list: Vec<Cost>,
    /// A change, and the call after it.
    change: Vec<Cost>,
    /// The list after that.
    changed_list: Vec<Cost>,
    /// The greeting and the first call of a client as there is one already.
    known_call: Vec<Cost>,
    /// The greeting and the first call of a client whose like was never seen: either needs its view.
    first_call: Vec<Cost>,
    /// The first list of such a client, after that call.
    first_list: Vec<Cost>,
}

/// What something cost.
#[derive(Debug, Clone, Copy, Serialize)]
struct Cost {
    /// Processor time of the gateway.
    cpu_us: f64,
    /// How long the client waited for its last answer.
    wait_us: f64,
}

/// Measures the changes first: views that are there for clients of other kinds would have to follow each of them.
pub(crate) fn run(args: &Args) -> anyhow::Result<Report> {
    let runtime = tokio::runtime::Builder::new_current_thread().enable_all().build()?;
    runtime.block_on(async {
        let mut report = Report::default();
        let mut probe = Probe::connect(args).await?;
        for round in 1..=args.rounds {
            probe.change(&mut report, round % 2 == 1).await?;
        }
        for round in 1..=args.rounds {
            let (known, _) = probe.newcomer(&json!({})).await?;
            report.known_call.push(known);
            let kind = json!({"experimental": {"bench/kind": {"number": round}}});
            let (call, list) = probe.newcomer(&kind).await?;
            report.first_call.push(call);
            report.first_list.push(list);
        }
        Ok(report)
    })
}

/// A client of the gateway that knows its process.
#[derive(Debug)]
struct Probe<'a> {
    args: &'a Args,
    client: Client,
    events: Events,
}

impl<'a> Probe<'a> {
    /// A client that has listed and called everything once.
    async fn connect(args: &'a Args) -> anyhow::Result<Self> {
        let mut client = Client::connect(&args.url, Era::Legacy).await?;
        let start = Instant::now();
        while count_tools(&client.tool_pages().await?) != args.tools {
            ensure!(start.elapsed() < PATIENCE, "the list is not complete after {PATIENCE:?}");
            tokio::time::sleep(Duration::from_millis(100)).await;
        }
        let events = client.events(&args.url).await?;
        let mut probe = Self { args, client, events };
        probe.call(&args.called, SMALL.0).await?;
        tokio::time::sleep(REST).await;
        Ok(probe)
    }

    /// One change with the call and the list after it, and both again when all is known. The list is the `other` afterwards.
    async fn change(&mut self, report: &mut Report, other: bool) -> anyhow::Result<()> {
        let args = self.args;
        let before = Sample::of(args.pid)?;
        self.call(&args.changing, CHANGE).await?;
        tokio::time::timeout(PATIENCE, self.events.wait_for(CHANGED)).await??;
        tokio::time::sleep(REST).await;
        let wait = self.call(&args.called, SMALL.0).await?;
        report.change.push(self.cost_since(&before, wait).await?);
        let list = self.list(Some(other)).await?;
        report.changed_list.push(list);
        let call = self.measured_call().await?;
        report.warm_call.push(call);
        let list = self.list(Some(other)).await?;
        report.warm_list.push(list);
        Ok(())
    }

    /// The greeting with the first call, and the first list, of a client that can do `capabilities`.
    async fn newcomer(&mut self, capabilities: &Value) -> anyhow::Result<(Cost, Cost)> {
        let before = Sample::of(self.args.pid)?;
        let client = Client::connect_with(&self.args.url, Era::Legacy, capabilities).await?;
        let known = std::mem::replace(&mut self.client, client);
        let wait = self.call(&self.args.called, SMALL.0).await?;
        let call = self.cost_since(&before, wait).await?;
        let list = self.list(None).await?;
        std::mem::replace(&mut self.client, known).close_session().await?;
        tokio::time::sleep(REST).await;
        Ok((call, list))
    }

    async fn measured_call(&mut self) -> anyhow::Result<Cost> {
        let before = Sample::of(self.args.pid)?;
        let wait = self.call(&self.args.called, SMALL.0).await?;
        self.cost_since(&before, wait).await
    }

    /// Reads the whole list, which has to be complete, and the one that is expected.
    async fn list(&mut self, other: Option<bool>) -> anyhow::Result<Cost> {
        let before = Sample::of(self.args.pid)?;
        let start = Instant::now();
        let pages = self.client.tool_pages().await?;
        let wait = start.elapsed();
        let cost = self.cost_since(&before, wait).await?;
        let tools = count_tools(&pages);
        ensure!(tools == self.args.tools, "{tools} tools are listed instead of {}", self.args.tools);
        let is_other = pages.iter().any(|page| page.to_string().contains(OTHER_WORDS));
        ensure!(
            other.is_none_or(|other| other == is_other),
            "the list is not the one that the server has after its change"
        );
        Ok(cost)
    }

    /// Calls a tool of the server with this prefix; how long that took.
    async fn call(&mut self, prefix: &str, tool: &str) -> anyhow::Result<Duration> {
        let call = Template::call(Era::Legacy, &format!("{prefix}{tool}"));
        let start = Instant::now();
        let answer = self.client.request(&call, FIRST_ID).await?;
        let wait = start.elapsed();
        let checked = Check::new(Expect::Text(SMALL.1))
            .page(0, FIRST_ID, answer.message(FIRST_ID))
            .map(|_| ());
        ensure!(checked.is_ok(), "a call of `{prefix}{tool}`: {checked:?}");
        Ok(wait)
    }

    async fn cost_since(&self, before: &Sample, wait: Duration) -> anyhow::Result<Cost> {
        tokio::time::sleep(REST).await;
        let usage = Sample::of(self.args.pid)?.since(before);
        Ok(Cost {
            cpu_us: usage.cpu_ns as f64 / 1e3,
            wait_us: wait.as_secs_f64() * 1e6,
        })
    }
}
