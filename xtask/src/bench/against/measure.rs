//! What is measured of one gateway at a time, with processes of its own and nothing of another gateway beside it.

use std::fs;
use std::path::Path;

use anyhow::Context;

use super::callgrind;
use super::compare::Kind;
use super::options::Options;
use crate::bench::build::Binaries;
use crate::bench::cells::{Cell, Era, Lane};
use crate::bench::figures::until_complete;
use crate::bench::fleet::Fleet;
use crate::bench::probe::{self, Length, Load, What};
use crate::bench::servers::Server;

/// The upstreams of the long list, and the tools of each.
const SERVERS: usize = 100;
const TOOLS_EACH: usize = 100;
/// The tools of the long list.
const TOOLS: usize = SERVERS * TOOLS_EACH;
/// How long a gateway has been idle when its memory is read, in seconds.
const IDLE: &str = "1";
/// How long a list is asked for, to see whether it is complete.
const GLANCE: f64 = 0.1;

/// One thing to measure; what it needs is started for it and ended with it.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) enum Task {
    /// Calls in a closed loop.
    Calls { cell: Cell, concurrency: u32 },
    /// An idle gateway that knew its servers when it started.
    Memory { servers: Servers },
    /// A warm list of many tools of many servers.
    Lists,
    /// The instructions of a call.
    Instructions { cell: Cell },
}

/// What an idle gateway stands before.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) enum Servers {
    /// One HTTP server with two tools.
    One,
    /// A hundred stdio servers with a hundred tools each.
    Hundred,
}

/// What a figure is called, and its unit.
pub(crate) type Figure = (String, &'static str);

impl Task {
    /// The figures that come of it.
    pub(crate) fn figures(self) -> Vec<Figure> {
        match self {
            Self::Calls { cell, concurrency } => {
                let call = format!("{}, c = {concurrency}", cell.title());
                vec![(format!("CPU per call, {call}"), "µs"), (format!("p50, {call}"), "µs")]
            }
            Self::Memory { servers } => {
                let servers = match servers {
                    Servers::One => "one server known",
                    Servers::Hundred => "100 servers with 10,000 tools known",
                };
                vec![(format!("idle, {servers}, RSS"), "MB"), (format!("idle, {servers}, PSS"), "MB")]
            }
            Self::Lists => {
                let list = "warm tools/list of 10,000 tools of 100 servers";
                vec![(format!("CPU, {list}"), "µs"), (format!("p50, {list}"), "µs")]
            }
            Self::Instructions { cell } => vec![(format!("instructions per call, {}", cell.title()), "")],
        }
    }

    /// Whether the machine's other work changes its figures.
    pub(crate) fn kind(self) -> Kind {
        match self {
            Self::Calls { .. } | Self::Memory { .. } | Self::Lists => Kind::Noisy,
            Self::Instructions { .. } => Kind::Steady,
        }
    }

    /// Measures one gateway; the values of the figures.
    pub(crate) fn measure(self, options: &Options, binaries: Binaries) -> anyhow::Result<Vec<f64>> {
        match self {
            Self::Calls { cell, concurrency } => calls(options, binaries, cell, concurrency),
            Self::Memory { servers } => memory(options, binaries, servers),
            Self::Lists => lists(options, binaries),
            Self::Instructions { cell } => instructions(options, binaries, cell),
        }
    }
}

fn calls(options: &Options, binaries: Binaries, cell: Cell, concurrency: u32) -> anyhow::Result<Vec<f64>> {
    let mut fleet = Fleet::new(options.workers, binaries)?;
    acquaint(&mut fleet, cell)?;
    let target = fleet.target(cell, Lane::Chancery)?.context("our own lane is always there")?;
    let load = Load {
        era: cell.client(),
        concurrency,
        what: What::Call {
            tool: "echo".to_owned(),
            bytes: 200,
        },
        length: Length::Seconds(options.seconds),
    };
    let sample = probe::drive(&fleet.binaries.bench_peer, &target, &load, false)?;
    Ok(vec![sample.cpu_us, sample.p50_us])
}

/// Has the gateway of one kind of call learn what its server offers: one that starts without knowing refuses the first calls.
fn acquaint(fleet: &mut Fleet, cell: Cell) -> anyhow::Result<()> {
    let command = fleet.gateway_command(cell, "serve")?;
    probe::peer(&fleet.binaries.bench_peer, &["first-list", "--tools", "2"], &command)?;
    Ok(())
}

fn memory(options: &Options, binaries: Binaries, servers: Servers) -> anyhow::Result<Vec<f64>> {
    let mut fleet = Fleet::new(options.workers, binaries)?;
    let (servers, tools) = match servers {
        Servers::One => (vec![Server::url("up", fleet.upstream(Era::Legacy)?.url()?)], "2".to_owned()),
        Servers::Hundred => (fleet.numbered_servers(SERVERS, TOOLS_EACH), TOOLS.to_string()),
    };
    let config = fleet.write_config("memory", &servers)?;
    let command = fleet.chancery_command("memory", &config, "serve")?;
    let first_list = |rest| {
        let args = ["first-list", "--tools", &tools, "--rest", rest];
        probe::peer(&fleet.binaries.bench_peer, &args, &command)
    };
    // The first gateway learns what the second one knows when it starts.
    first_list("0")?;
    let report = first_list(IDLE)?;
    let megabytes = |path| Ok(probe::number(&report, path)? / 1e3);
    ["/rss_kb", "/pss_kb"].into_iter().map(megabytes).collect()
}

fn lists(options: &Options, binaries: Binaries) -> anyhow::Result<Vec<f64>> {
    let mut fleet = Fleet::new(options.workers, binaries)?;
    // Known and started only when they are called: while lists are read, none of them takes part.
    let servers: Vec<Server> = fleet
        .numbered_servers(SERVERS, TOOLS_EACH)
        .into_iter()
        .map(Server::on_use)
        .collect();
    let config = fleet.write_config("lists", &servers)?;
    let command = fleet.chancery_command("lists", &config, "serve")?;
    let peer = fleet.binaries.bench_peer.clone();
    probe::peer(&peer, &["first-list", "--tools", &TOOLS.to_string()], &command)?;
    let target = fleet.chancery_apart("lists", &servers)?;
    let load = |seconds| Load {
        era: Era::Legacy,
        concurrency: 1,
        what: What::List(TOOLS),
        length: Length::Seconds(seconds),
    };
    until_complete(|| probe::drive(&peer, &target, &load(GLANCE), false))?;
    let sample = probe::drive(&peer, &target, &load(options.seconds), false)?;
    Ok(vec![sample.cpu_us, sample.p50_us])
}

fn instructions(options: &Options, binaries: Binaries, cell: Cell) -> anyhow::Result<Vec<f64>> {
    let valgrind = callgrind::find()?;
    // One thread: how others wake and wait is not the call's doing.
    let mut fleet = Fleet::new(1, binaries)?;
    acquaint(&mut fleet, cell)?;
    let out = fleet.file("callgrind.out");
    fleet.run_under(callgrind::command(&valgrind, &out));
    let mut of = |calls: usize| -> anyhow::Result<u64> {
        let (subcommand, http) = if cell == Cell::StdioStdio {
            ("stdio", None)
        } else {
            ("serve", Some("--http"))
        };
        let command = fleet.gateway_command(cell, subcommand)?;
        let count = calls.to_string();
        let mut args = vec!["calls", "--count", &count, "--era", cell.client().name()];
        args.extend(http);
        probe::peer(&fleet.binaries.bench_peer, &args, &command)?;
        counted(&out)
    };
    let (once, twice) = (of(options.calls)?, of(2 * options.calls)?);
    Ok(vec![callgrind::per_call(once, twice, options.calls)])
}

/// The instructions in a file of callgrind, which is removed: the next run writes its own, or none.
fn counted(out: &Path) -> anyhow::Result<u64> {
    let written = fs::read_to_string(out).context("callgrind wrote no file: the gateway did not end by itself")?;
    fs::remove_file(out)?;
    callgrind::instructions(&written)
}
