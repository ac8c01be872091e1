//! The figures that aren't a rate of calls: starts, long lists, memory.

use std::time::{Duration, Instant};

use anyhow::Context;
use serde_json::{Value, json};

use super::cells::{Era, Upstream};
use super::fleet::Fleet;
use super::options::{Figure, Options};
use super::probe::{self, Length, Load, Sample, Target, What};
use super::servers::Server;
use super::stats::{Spread, number};

/// The upstreams of the long list, and the tools of each.
const SERVERS: usize = 100;
const TOOLS_EACH: usize = 10;
/// The tools of the long list.
const TOOLS: usize = SERVERS * TOOLS_EACH;
/// How often a short start is repeated.
const STARTS: usize = 10;
/// How long all servers may take until they are listed.
const PATIENCE: Duration = Duration::from_secs(60);

/// A figure with its name for programs and its title for people.
#[derive(Debug, Clone)]
pub(crate) struct Reading {
    pub(crate) name: &'static str,
    pub(crate) title: String,
    pub(crate) unit: &'static str,
    pub(crate) spread: Spread,
}

impl Reading {
    fn of(name: &'static str, title: impl Into<String>, unit: &'static str, values: &[f64]) -> anyhow::Result<Self> {
        let spread = Spread::of(values.iter().copied()).with_context(|| format!("{name} was never measured"))?;
        Ok(Self {
            name,
            title: title.into(),
            unit,
            spread,
        })
    }

    /// The reading as JSON.
    pub(crate) fn json(&self) -> Value {
        json!({"name": self.name, "title": self.title, "unit": self.unit, "spread": self.spread.json()})
    }
}

/// Measures one figure of the gateway.
pub(crate) fn measure(figure: Figure, options: &Options, fleet: &mut Fleet) -> anyhow::Result<Vec<Reading>> {
    eprintln!("figure {figure:?}");
    match figure {
        Figure::Start => start(options, fleet),
        Figure::List => list(options, fleet),
        Figure::Memory => memory(options, fleet),
        Figure::Growth => growth(options, fleet),
    }
}

/// From the start of the process to the first `tools/list`: with one known upstream, with a hundred known ones, and with
/// a hundred that were never seen, beside a bare loop that starts the same hundred.
fn start(options: &Options, fleet: &mut Fleet) -> anyhow::Result<Vec<Reading>> {
    let upstream = fleet.upstream(Era::Legacy)?;
    let one = fleet.write_config("start-one", &[Server::url("up", upstream.url()?)])?;
    let one = fleet.chancery_command("start-one", &one, "serve")?;
    first_list(fleet, &one, 2)?;
    let known: Vec<Value> = (0..STARTS).map(|_| first_list(fleet, &one, 2)).collect::<anyhow::Result<_>>()?;

    let hundred = fleet.write_config("start-hundred", &fleet.numbered_servers(SERVERS, TOOLS_EACH))?;
    let (mut bare, mut unknown, mut known_hundred) = (Vec::new(), Vec::new(), Vec::new());
    for _ in 0..options.rounds {
        bare.push(bare_loop(fleet)?);
        let command = fleet.chancery_command("start-hundred", &hundred, "serve")?;
        unknown.push(first_list(fleet, &command, TOOLS)?);
        known_hundred.push(first_list(fleet, &command, TOOLS)?);
        fleet.forget("start-hundred")?;
    }
    let unknown = column(&unknown, "/complete_ms")?;
    let ratio: Vec<f64> = unknown.iter().zip(&bare).map(|(gateway, bare)| gateway / bare).collect();
    Ok(vec![
        Reading::of(
            "start.known",
            "spawn to first list, cached catalogue, one upstream",
            "ms",
            &column(&known, "/first_ms")?,
        )?,
        Reading::of(
            "start.known-hundred",
            "the same, a hundred stdio upstreams",
            "ms",
            &column(&known_hundred, "/first_ms")?,
        )?,
        Reading::of(
            "start.known-hundred-tools",
            "tools in that first list, of a thousand",
            "",
            &column(&known_hundred, "/first_tools")?,
        )?,
        Reading::of(
            "start.unknown",
            "spawn to complete list, a hundred unknown stdio upstreams",
            "ms",
            &unknown,
        )?,
        Reading::of("start.loop", "a bare loop that spawns the same hundred", "ms", &bare)?,
        Reading::of("start.ratio", "the gateway to the bare loop", "×", &ratio)?,
    ])
}

/// A warm list of a thousand tools beside a call, in alternation.
fn list(options: &Options, fleet: &mut Fleet) -> anyhow::Result<Vec<Reading>> {
    let servers = fleet.numbered_servers(SERVERS, TOOLS_EACH);
    let target = fleet.chancery_apart("list", &servers)?;
    let load = |what| Load {
        era: Era::Legacy,
        concurrency: 1,
        what,
        length: Length::Seconds(options.seconds),
    };
    let peer = fleet.binaries.bench_peer.clone();
    let drive = |what| probe::drive(&peer, &target, &load(what), false);
    until_complete(|| {
        let one = Load {
            length: Length::Requests(1),
            ..load(What::List(TOOLS))
        };
        probe::drive(&peer, &target, &one, false)
    })?;
    let (mut lists, mut calls) = (Vec::new(), Vec::new());
    for _ in 0..options.rounds {
        lists.push(drive(What::List(TOOLS))?);
        calls.push(drive(What::Call {
            tool: "u000_echo".to_owned(),
            bytes: 200,
        })?);
    }
    fleet.end("list");
    let ratio: Vec<f64> = lists.iter().zip(&calls).map(|(list, call)| list.p50_us / call.p50_us).collect();
    let figure = |samples: &[Sample], figure: fn(&Sample) -> f64| samples.iter().map(figure).collect::<Vec<_>>();
    Ok(vec![
        Reading::of(
            "list.p50",
            "warm tools/list of 1,000 tools of 100 upstreams, p50",
            "µs",
            &figure(&lists, |list| list.p50_us),
        )?,
        Reading::of("list.p99", "the same, p99", "µs", &figure(&lists, |list| list.p99_us))?,
        Reading::of(
            "list.cpu",
            "the same, CPU of the gateway",
            "µs",
            &figure(&lists, |list| list.cpu_us),
        )?,
        Reading::of(
            "list.call",
            "a tools/call through the same gateway, p50",
            "µs",
            &figure(&calls, |call| call.p50_us),
        )?,
        Reading::of("list.ratio", "the list to the call, p50", "×", &ratio)?,
    ])
}

/// Resident memory: of a gateway that listed once, and of each session that made a call and idles.
fn memory(options: &Options, fleet: &mut Fleet) -> anyhow::Result<Vec<Reading>> {
    let upstream = fleet.upstream(Era::Legacy)?;
    let config = fleet.write_config("memory", &[Server::url("up", upstream.url()?)])?;
    let command = fleet.chancery_command("memory", &config, "serve")?;
    let idle: Vec<Value> = (0..STARTS).map(|_| first_list(fleet, &command, 2)).collect::<anyhow::Result<_>>()?;
    let idle: Vec<f64> = column(&idle, "/rss_kb")?.iter().map(|kb| kb / 1e3).collect();

    let count = 10_000 / options.scale.min(10);
    let target = fleet.chancery_apart("memory-sessions", &[Server::url("up", upstream.url()?)])?;
    let report = sessions(fleet, &target, &["--count", &count.to_string()])?;
    fleet.end("memory-sessions");
    Ok(vec![
        Reading::of("memory.idle", "resident memory, idle", "MB", &idle)?,
        Reading::of(
            "memory.session",
            format!("resident memory of each of {} idle sessions", number(count as f64)),
            "kB",
            &[probe::number(&report, "/watched/target/kb_per_session")?],
        )?,
    ])
}

/// Resident memory before and after many calls, and before and after many sessions that came and went.
fn growth(options: &Options, fleet: &mut Fleet) -> anyhow::Result<Vec<Reading>> {
    let target = fleet.chancery(Upstream::Http(Era::Legacy))?;
    let calls = 1_000_000 / options.scale;
    let load = Load {
        era: Era::Legacy,
        concurrency: 16,
        what: What::Call {
            tool: "echo".to_owned(),
            bytes: 200,
        },
        length: Length::Requests(calls),
    };
    let sample = probe::drive(&fleet.binaries.bench_peer, &target, &load, false)?;
    let (before, after) = sample.rss_kb;

    let count = 100_000 / options.scale;
    let warmup = (count / 10).to_string();
    let report = sessions(fleet, &target, &["--delete", "--count", &count.to_string(), "--warmup", &warmup])?;
    let memory = |field: &str| probe::number(&report, &format!("/watched/target/{field}"));
    let sessions_kb = memory("rss_kb")? - memory("rss_before_kb")?;
    Ok(vec![
        Reading::of(
            "growth.calls",
            format!("growth over {} calls", number(calls as f64)),
            "MB",
            &[(after - before) / 1e3],
        )?,
        Reading::of(
            "growth.sessions",
            format!("growth over {} sessions that ended", number(count as f64)),
            "MB",
            &[sessions_kb / 1e3],
        )?,
        Reading::of("growth.rss", "resident memory after both", "MB", &[memory("rss_kb")? / 1e3])?,
    ])
}

/// Milliseconds of the loop that starts the same hundred servers and reads their first answers.
fn bare_loop(fleet: &Fleet) -> anyhow::Result<f64> {
    let command = fleet.stdio_upstream(&["--tools", &TOOLS_EACH.to_string(), "--prefix", "u{n}_"]);
    let report = probe::peer(&fleet.binaries.bench_peer, &["spawn", "--count", &SERVERS.to_string()], &command)?;
    probe::number(&report, "/ms")
}

fn first_list(fleet: &Fleet, command: &[String], tools: usize) -> anyhow::Result<Value> {
    probe::peer(&fleet.binaries.bench_peer, &["first-list", "--tools", &tools.to_string()], command)
}

fn sessions(fleet: &Fleet, target: &Target, options: &[&str]) -> anyhow::Result<Value> {
    let watch = format!("target={}", target.pid()?);
    let arguments = ["sessions", "--url", target.url()?, "--watch", &watch];
    probe::peer(&fleet.binaries.bench_peer, &[&arguments[..], options].concat(), &[])
}

fn column(reports: &[Value], path: &str) -> anyhow::Result<Vec<f64>> {
    reports.iter().map(|report| probe::number(report, path)).collect()
}

/// Repeats `attempt` until it succeeds; the servers are listed as they come up.
pub(crate) fn until_complete(attempt: impl Fn() -> anyhow::Result<Sample>) -> anyhow::Result<()> {
    let start = Instant::now();
    loop {
        match attempt() {
            Ok(_) => return Ok(()),
            Err(error) if start.elapsed() > PATIENCE => return Err(error.context("the list is not complete")),
            Err(_) => std::thread::sleep(Duration::from_millis(100)),
        }
    }
}
