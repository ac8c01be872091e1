//! The report: tables on stdout, every sample in a file.

use std::fs;
use std::io::Write;
use std::path::Path;

use anyhow::Context;
use serde_json::{Value, json};

use super::cells::Lane;
use super::options::Options;
use super::peers::MCP_GATEWAY;
use super::probe::Sample;
use super::run::Measured;
use super::stats::{Spread, number};
use super::table::Table;
use super::targets;

/// What stands where nothing was measured.
const NOTHING: &str = "–";

/// Prints the report, and writes the samples where they were asked for.
pub(crate) fn write(options: &Options, measured: &Measured) -> anyhow::Result<()> {
    let mut text = preamble(options, measured);
    for table in [
        targets_table(measured),
        cells_table(measured),
        readings_table(measured),
        failures_table(measured),
    ] {
        if !table.is_empty() {
            text.push('\n');
            text += &table.render(options.markdown);
        }
    }
    print(&text)?;
    options.json.as_deref().map_or(Ok(()), |file| write_json(file, options, measured))
}

/// Prints text and a line end.
pub(crate) fn print(text: &str) -> anyhow::Result<()> {
    Ok(writeln!(std::io::stdout().lock(), "{}", text.trim_end())?)
}

fn preamble(options: &Options, measured: &Measured) -> String {
    let calibration = Spread::of(measured.calibration.iter().copied()).map_or_else(|| NOTHING.to_owned(), Spread::show);
    let rounds = options.rounds;
    let seconds = options.seconds;
    let workers = options.workers;
    let mut text = format!(
        "Measured on {}.\n{rounds} rounds of {seconds} s for each line, {workers} worker threads in each proxy; median (least–most) \
         of the rounds. A ratio is the median of the ratios within a round.\nCalibration loop: {calibration} ms.\n",
        measured.machine.describe()
    );
    if measured.samples.keys().any(|key| key.lane == Lane::McpGateway) {
        text += &format!("mcp-gateway is the crate of that name, {MCP_GATEWAY}.\n");
    }
    text
}

fn targets_table(measured: &Measured) -> Table {
    let mut table = Table::new("Targets", &["figure", "target", "measured", "holds"], 4);
    for target in targets::all(measured).iter().filter(|target| target.measured.is_some()) {
        let holds = if target.holds() == Some(true) { "yes" } else { "no" };
        let shown = target.measured.map_or_else(|| NOTHING.to_owned(), Spread::show);
        table.row([target.figure.clone(), target.limit(), shown, holds.to_owned()]);
    }
    table
}

fn cells_table(measured: &Measured) -> Table {
    let header = [
        "call",
        "c",
        "result",
        "through",
        "requests/s",
        "p50 µs",
        "p99 µs",
        "CPU µs/call",
        "children",
        "CPU × hyper",
        "p50 × hyper",
        "RSS MB",
    ];
    let mut table = Table::new("tools/call", &header, 4);
    for key in measured.samples.keys() {
        let show = |figure: fn(&Sample) -> f64| measured.spread(*key, figure).map_or_else(|| NOTHING.to_owned(), Spread::show);
        let ratio = |figure: fn(&Sample) -> f64| {
            let spread = measured.ratio(*key, Lane::Hyper, figure).filter(|_| key.lane != Lane::Hyper);
            spread.map_or_else(|| NOTHING.to_owned(), Spread::show)
        };
        let children = measured
            .spread(*key, |sample| sample.children_cpu_us)
            .filter(|spread| spread.max > 0.0);
        let children = children.map_or_else(|| NOTHING.to_owned(), |spread| number(spread.median));
        table.row([
            key.cell.title().to_owned(),
            key.concurrency.to_string(),
            key.size.name().to_owned(),
            key.lane.name().to_owned(),
            show(|sample| sample.rps),
            show(|sample| sample.p50_us),
            show(|sample| sample.p99_us),
            show(|sample| sample.cpu_us),
            children,
            ratio(|sample| sample.cpu_us),
            ratio(|sample| sample.p50_us),
            show(|sample| sample.rss_kb.1 / 1e3),
        ]);
    }
    table
}

fn readings_table(measured: &Measured) -> Table {
    let mut table = Table::new("Other figures", &["figure", "measured", "unit"], 3);
    for reading in &measured.readings {
        table.row([reading.title.clone(), reading.spread.show(), reading.unit.to_owned()]);
    }
    table
}

fn failures_table(measured: &Measured) -> Table {
    let mut table = Table::new("Failed", &["what", "why"], 2);
    for failure in &measured.failures {
        table.row([failure.what.clone(), failure.why.replace('\n', " ")]);
    }
    table
}

fn write_json(file: &Path, options: &Options, measured: &Measured) -> anyhow::Result<()> {
    let lines = measured.samples.iter().map(|(key, samples)| {
        json!({
            "cell": key.cell.name(),
            "concurrency": key.concurrency,
            "bytes": key.size.bytes(),
            "lane": key.lane.name(),
            "samples": samples.iter().map(|(round, sample)| sample.json(*round)).collect::<Vec<Value>>(),
        })
    });
    let failures = measured
        .failures
        .iter()
        .map(|failure| json!({"what": failure.what, "why": failure.why}));
    let report = json!({
        "machine": measured.machine.json(),
        "rounds": options.rounds,
        "seconds": options.seconds,
        "workers": options.workers,
        "calibration_ms": measured.calibration,
        "targets": targets::all(measured).iter().map(targets::Target::json).collect::<Vec<Value>>(),
        "lines": lines.collect::<Vec<Value>>(),
        "readings": measured.readings.iter().map(super::figures::Reading::json).collect::<Vec<Value>>(),
        "failures": failures.collect::<Vec<Value>>(),
    });
    fs::write(file, format!("{report:#}\n")).with_context(|| format!("failed to write {}", file.display()))
}
