//! `cargo xtask bench mangle`: our rule engine beside ascent, datafrog and clingo, each measurement in a process of its own, all of
//! a round one after the other.

mod picture;
mod runs;

use std::{fs, path::PathBuf};

use anyhow::{Context, bail};

use super::{report::print, stats::Spread, table::Table};
use runs::{Engine, Peer};

/// What each case is, in the order of the report.
const CASES: [(&str, &str); 8] = [
    ("chain", "transitive closure of a chain of 1,000"),
    ("sparse", "transitive closure, 8,000 edges between 10,000 nodes"),
    ("large", "transitive closure, 100,000 edges between 120,000 nodes"),
    ("reach", "reachability, 100,000 edges"),
    ("generation", "same generation, a tree of 1,092 edges"),
    ("tools", "selection among 10,000 tools, 14 rules"),
    ("sum", "count and sum of 300,000 rows in 10,000 groups"),
    ("absent", "300,000 rows, half of them negated away"),
];

/// The cases whose growth is drawn, with the numbers of facts.
const GROWTH: [(&str, &[usize]); 3] = [
    ("large", &[1_000, 3_000, 10_000, 30_000, 100_000]),
    ("reach", &[1_000, 10_000, 100_000, 1_000_000]),
    ("tools", &[1_000, 3_000, 10_000, 30_000, 100_000]),
];

const HELP: &str = "Usage: cargo xtask bench mangle [--rounds N] [--markdown] [--svg FILE] [--clingo PYTHON]

  --rounds N       how often each is measured (3); the median counts
  --markdown       tables in Markdown
  --svg FILE       draws how time grows with facts and with rules
  --clingo PYTHON  a Python that has the package clingo; without it clingo is left out";

#[derive(Debug, Default)]
struct Options {
    rounds: usize,
    markdown: bool,
    svg: Option<PathBuf>,
    python: Option<PathBuf>,
}

impl Options {
    /// `None` if the help is wanted.
    fn parse(args: &[String]) -> anyhow::Result<Option<Self>> {
        let mut options = Self {
            rounds: 3,
            ..Self::default()
        };
        let mut args = args.iter();
        while let Some(arg) = args.next() {
            let mut value = || args.next().with_context(|| format!("`{arg}` needs a value"));
            match arg.as_str() {
                "--help" => return Ok(None),
                "--rounds" => options.rounds = value()?.parse().context("`--rounds` needs a number")?,
                "--markdown" => options.markdown = true,
                "--svg" => options.svg = Some(value()?.into()),
                "--clingo" => options.python = Some(value()?.into()),
                other => bail!("`{other}` is no option of `bench mangle`; `--help` lists them"),
            }
        }
        Ok(Some(options))
    }
}

/// Builds, measures, prints.
pub(crate) fn run(args: &[String]) -> anyhow::Result<()> {
    let Some(options) = Options::parse(args)? else { return print(HELP) };
    let peer = Peer::build(options.python.clone())?;
    let machine = super::machine::Machine::look();
    print(&format!("Measured on {}.\n", machine.describe()))?;
    print(&compared(&peer, &options)?.render(options.markdown))?;
    print(&alone(&peer, &options)?.render(options.markdown))?;
    if let Some(file) = &options.svg {
        let drawing = picture::draw(&growth(&peer, &options)?, &rules(&peer, &options)?);
        fs::write(file, drawing).with_context(|| format!("failed to write `{}`", file.display()))?;
    }
    Ok(())
}

/// Every case with every engine.
fn compared(peer: &Peer, options: &Options) -> anyhow::Result<Table> {
    let header = [
        "case",
        "derived",
        "mangle ms",
        "ascent ms",
        "datafrog ms",
        "clingo ms",
        "time / ascent",
        "mangle MiB",
        "ascent MiB",
    ];
    let mut table = Table::new("Median of wall time, and peak memory", &header, 1);
    let mut logarithms = Vec::new();
    for (case, what) in CASES {
        let mut times: [Vec<f64>; 4] = Default::default();
        let mut memory: [Vec<f64>; 4] = Default::default();
        let mut rows: Option<u64> = None;
        for _ in 0..options.rounds {
            for (at, engine) in Engine::ALL.into_iter().enumerate() {
                let Some(sample) = peer.measure(engine, case, None)? else {
                    continue;
                };
                if let (Some(rows), Some(counted)) = (rows, sample.rows)
                    && rows != counted
                {
                    bail!("`{case}`: {} derives {counted} rows, the others {rows}", engine.name());
                }
                rows = rows.or(sample.rows);
                times[at].push(sample.milliseconds);
                memory[at].push(sample.mebibytes);
            }
        }
        let median = |values: &[f64]| Spread::of(values.iter().copied()).map(|spread| spread.median);
        let shown = |value: Option<f64>| value.map_or_else(|| "–".to_owned(), super::stats::number);
        let ratio = median(&times[0]).zip(median(&times[1])).map(|(ours, theirs)| ours / theirs);
        logarithms.extend(ratio.map(f64::ln));
        table.row([
            what.to_owned(),
            rows.map_or_else(String::new, |rows| super::stats::number(rows as f64)),
            shown(median(&times[0])),
            shown(median(&times[1])),
            shown(median(&times[2])),
            shown(median(&times[3])),
            shown(ratio),
            shown(median(&memory[0])),
            shown(median(&memory[1])),
        ]);
    }
    let mean = (logarithms.iter().sum::<f64>() / logarithms.len().max(1) as f64).exp();
    let mut last = vec![String::new(); header.len()];
    "geometric mean".clone_into(&mut last[0]);
    last[6] = super::stats::number(mean);
    table.row(last);
    Ok(table)
}

/// Measures what no other engine does: a request over a snapshot, and reading text.
fn alone(peer: &Peer, options: &Options) -> anyhow::Result<Table> {
    let mut table = Table::new("Ours alone", &["what", "ms"], 1);
    let mut intents: [Vec<f64>; 4] = Default::default();
    let mut parsed = Vec::new();
    for _ in 0..options.rounds {
        let intent = peer.intent()?;
        for (values, value) in intents.iter_mut().zip(intent) {
            values.push(value);
        }
        parsed.push(peer.parse()?);
    }
    let shown = |values: Vec<f64>| Spread::of(values).map_or_else(String::new, Spread::show);
    let [p50, p99, calibration, snapshot] = intents;
    table.row(["an intent over 10,000 tools on a warm snapshot, p50".to_owned(), shown(p50)]);
    table.row(["the same, p99".to_owned(), shown(p99)]);
    table.row([
        "a calibration loop of 1,000,000 steps, between the intents".to_owned(),
        shown(calibration),
    ]);
    table.row(["making that snapshot".to_owned(), shown(snapshot)]);
    table.row(["1 MiB of facts: parsed, analysed, loaded".to_owned(), shown(parsed)]);
    Ok(table)
}

/// Time by number of facts.
fn growth(peer: &Peer, options: &Options) -> anyhow::Result<Vec<picture::Line>> {
    let mut lines = Vec::new();
    for (case, sizes) in GROWTH {
        for engine in [Engine::Mangle, Engine::Ascent] {
            let mut points = Vec::new();
            for &size in sizes {
                let mut times = Vec::new();
                for _ in 0..options.rounds {
                    times.extend(peer.measure(engine, case, Some(size))?.map(|sample| sample.milliseconds));
                }
                points.extend(Spread::of(times).map(|spread| (size as f64, spread.median)));
            }
            lines.push(picture::Line {
                name: format!("{case}, {}", engine.name()),
                points,
                dashed: engine != Engine::Mangle,
            });
        }
    }
    Ok(lines)
}

/// Time by number of rules.
fn rules(peer: &Peer, options: &Options) -> anyhow::Result<Vec<picture::Line>> {
    let mut points = Vec::new();
    for size in [100, 1_000, 10_000, 100_000] {
        let mut times = Vec::new();
        for _ in 0..options.rounds {
            times.extend(peer.measure(Engine::Mangle, "rules", Some(size))?.map(|sample| sample.milliseconds));
        }
        points.extend(Spread::of(times).map(|spread| (size as f64, spread.median)));
    }
    Ok(vec![picture::Line {
        name: "rules in a row, with parsing and analysis".to_owned(),
        points,
        dashed: false,
    }])
}
