//! The report of a comparison: one table on stdout, every value in a file.

use std::fs;

use anyhow::{Context, bail};
use serde_json::json;

use super::compare::{Comparison, Line, Verdict};
use super::options::Options;
use super::rounds::Measured;
use super::source::Commit;
use crate::bench::report::print;
use crate::bench::stats::{Spread, number};
use crate::bench::table::Table;

/// What stands where nothing is judged.
const NOTHING: &str = "–";

/// Prints the comparison, and writes the samples where they were asked for.
pub(crate) fn write(options: &Options, commit: &Commit, measured: &Measured) -> anyhow::Result<()> {
    print(&format!(
        "{}\n{}",
        preamble(options, commit, measured),
        table(options, measured).render(options.markdown)
    ))?;
    for failure in &measured.failures {
        print(&format!("failed: {failure}"))?;
    }
    let Some(file) = &options.json else { return Ok(()) };
    let report = json!({
        "machine": measured.machine.json(),
        "against": commit.short(),
        "seconds": options.seconds,
        "workers": options.workers,
        "bound": options.bound,
        "calibration_ms": measured.calibration,
        "lines": measured.lines.iter().map(Line::json).collect::<Vec<_>>(),
        "failures": measured.failures,
    });
    fs::write(file, format!("{report:#}\n")).with_context(|| format!("failed to write {}", file.display()))
}

/// An error if a line is over the bound.
pub(crate) fn verdict(options: &Options, measured: &Measured) -> anyhow::Result<()> {
    let over = |line: &&Line| judged(options, line) == Some(Verdict::Over);
    let over: Vec<&str> = measured.lines.iter().filter(over).map(|line| line.title.as_str()).collect();
    match (over.len(), options.bound) {
        (0, _) | (_, None) => Ok(()),
        (count, Some(bound)) => bail!(
            "{count} of {} lines are over {bound} times the commit: {}",
            measured.lines.len(),
            over.join("; ")
        ),
    }
}

fn judged(options: &Options, line: &Line) -> Option<Verdict> {
    Some(Comparison::of(&line.rounds)?.keeps(options.bound?, line.kind))
}

fn preamble(options: &Options, commit: &Commit, measured: &Measured) -> String {
    let calibration = Spread::of(measured.calibration.iter().copied()).map_or_else(|| NOTHING.to_owned(), Spread::show);
    format!(
        "Measured on {}, against commit {} ({}).\n\
         Up to {} rounds of {} s for each line and lane, {} worker threads in each gateway; medians. In brackets: where the median of the \
         ratios lies at 95 %, or all of them where there are fewer than six rounds. A2 / A1 and B2 / B1 compare a gateway with itself.\n\
         Calibration loop: {calibration} ms.\n",
        measured.machine.describe(),
        commit.short(),
        commit.subject,
        options.rounds,
        options.seconds,
        options.workers,
    )
}

fn table(options: &Options, measured: &Measured) -> Table {
    let header = [
        "figure",
        "rounds",
        "A: commit",
        "B: present",
        "",
        "B / A",
        "A2 / A1",
        "B2 / B1",
        "within",
    ];
    let title = match options.bound {
        Some(bound) => format!("Beside the commit, bound {bound}"),
        None => "Beside the commit".to_owned(),
    };
    let mut table = Table::new(title, &header, 1);
    for line in &measured.lines {
        let Some(found) = Comparison::of(&line.rounds) else {
            continue;
        };
        let holds = match judged(options, line) {
            None => NOTHING,
            Some(Verdict::Within) => "yes",
            Some(Verdict::Unclear) => "unclear",
            Some(Verdict::Over) => "no",
        };
        table.row([
            line.title.clone(),
            line.rounds.len().to_string(),
            number(found.commit),
            number(found.present),
            line.unit.to_owned(),
            format!("{:.3} ({:.3}–{:.3})", found.ratio, found.interval.0, found.interval.1),
            format!("{:.3}", found.noise.0),
            format!("{:.3}", found.noise.1),
            holds.to_owned(),
        ]);
    }
    table
}
