//! What is measured of one gateway at a time, with processes of its own and nothing of another gateway beside it.

use std::fs;

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
/// The state of the gateways with the long list.
const LISTED: &str = "listed";
/// The long list in titles.
const LIST: &str = "warm tools/list of 10,000 tools of 100 servers";
/// The lists of one run that is counted.
const LISTS: usize = 20;
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
    /// The instructions of such a list.
    ListInstructions,
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
                vec![(format!("CPU, {LIST}"), "µs"), (format!("p50, {LIST}"), "µs")]
            }
            Self::ListInstructions => vec![(format!("instructions, {LIST}"), "")],
            Self::Instructions { cell } => vec![(format!("instructions per call, {}", cell.title()), "")],
        }
    }

    /// Whether the machine's other work changes its figures.
    pub(crate) fn kind(self) -> Kind {
        match self {
            Self::Calls { .. } | Self::Memory { .. } | Self::Lists => Kind::Noisy,
            Self::Instructions { .. } | Self::ListInstructions => Kind::Steady,
        }
    }

    /// Measures one gateway; the values of the figures.
    pub(crate) fn measure(self, options: &Options, binaries: Binaries) -> anyhow::Result<Vec<f64>> {
        match self {
            Self::Calls { cell, concurrency } => calls(options, binaries, cell, concurrency),
            Self::Memory { servers } => memory(options, binaries, servers),
            Self::Lists => lists(options, binaries),
            Self::Instructions { cell } => instructions(options, binaries, cell),
            Self::ListInstructions => list_instructions(binaries),
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
    let servers = listed_servers(&fleet)?;
    let target = fleet.chancery_apart(LISTED, &servers)?;
    let peer = &fleet.binaries.bench_peer;
    let load = |seconds| Load {
        era: Era::Legacy,
        concurrency: 1,
        what: What::List(TOOLS),
        length: Length::Seconds(seconds),
    };
    until_complete(|| probe::drive(peer, &target, &load(GLANCE), false))?;
    let sample = probe::drive(peer, &target, &load(options.seconds), false)?;
    Ok(vec![sample.cpu_us, sample.p50_us])
}

/// The servers of the long list, which the gateways with the state [`LISTED`] know. They are started only when they are called: while
/// lists are read, none of them takes part.
fn listed_servers(fleet: &Fleet) -> anyhow::Result<Vec<Server>> {
    let servers: Vec<Server> = fleet
        .numbered_servers(SERVERS, TOOLS_EACH)
        .into_iter()
        .map(Server::on_use)
        .collect();
    let config = fleet.write_config(LISTED, &servers)?;
    let command = fleet.chancery_command(LISTED, &config, "serve")?;
    probe::peer(&fleet.binaries.bench_peer, &["first-list", "--tools", &TOOLS.to_string()], &command)?;
    Ok(servers)
}

fn instructions(options: &Options, binaries: Binaries, cell: Cell) -> anyhow::Result<Vec<f64>> {
    // One thread: how others wake and wait is not the call's doing.
    let mut fleet = Fleet::new(1, binaries)?;
    acquaint(&mut fleet, cell)?;
    let (subcommand, http) = if cell == Cell::StdioStdio {
        ("stdio", None)
    } else {
        ("serve", Some("--http"))
    };
    let args: Vec<&str> = ["--era", cell.client().name()].into_iter().chain(http).collect();
    counted(&mut fleet, options.calls, &args, |fleet| fleet.gateway_command(cell, subcommand))
}

fn list_instructions(binaries: Binaries) -> anyhow::Result<Vec<f64>> {
    let mut fleet = Fleet::new(1, binaries)?;
    let servers = listed_servers(&fleet)?;
    let tools = TOOLS.to_string();
    counted(&mut fleet, LISTS, &["--http", "--list", &tools], |fleet| {
        let config = fleet.write_config(LISTED, &servers)?;
        fleet.chancery_command(LISTED, &config, "serve")
    })
}

/// The instructions of one of `calls` calls, from one run with so many and one with twice as many.
fn counted(
    fleet: &mut Fleet,
    calls: usize,
    args: &[&str],
    command: impl Fn(&mut Fleet) -> anyhow::Result<Vec<String>>,
) -> anyhow::Result<Vec<f64>> {
    let out = fleet.file("callgrind.out");
    fleet.run_under(callgrind::command(&callgrind::find()?, &out));
    let command = command(fleet)?;
    let of = |calls: usize| -> anyhow::Result<u64> {
        let count = calls.to_string();
        let args = [&["calls", "--count", &count], args].concat();
        probe::peer(&fleet.binaries.bench_peer, &args, &command)?;
        let written = fs::read_to_string(&out).context("callgrind wrote no file: the gateway did not end by itself")?;
        // The next run writes its own, or none.
        fs::remove_file(&out)?;
        callgrind::instructions(&written)
    };
    Ok(vec![callgrind::per_call(of(calls)?, of(2 * calls)?, calls)])
}
