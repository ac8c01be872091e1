//! `cargo xtask bench views`: what one server's change of its tools costs a gateway, beside building the merged lists whole.

use anyhow::{Context, bail, ensure};
use serde_json::Value;

use super::build::{self, Binaries, Origin};
use super::fleet::Fleet;
use super::machine::Machine;
use super::options::at_least_one;
use super::probe;
use super::report::print;
use super::stats::Spread;
use super::table::Table;
use crate::workspace;

/// The servers, and the tools of each.
const SERVERS: usize = 100;
const TOOLS_EACH: usize = 100;
/// The server that changes, in the middle.
const CHANGING: usize = 50;

const HELP: &str = "\
Measures what it costs a gateway when one of 100 servers with 10,000 tools together changes its list, in processor time until the next
call and the next list are answered: beyond what the same change costs a gateway with that server alone (the call that causes it, the
reading of the new list and so on), and beside the same for a client whose like was never seen, for whom the view is built whole.

Usage: cargo xtask bench views [OPTIONS]

  --runs N       how often, each time with new processes (3)
  --rounds N     changes, and clients of a new kind, in each run (15)
  --workers N    threads of the gateway (one for each processor)
  --bound R      fail where a change costs more than R of building the view whole; nothing is judged without it
  --markdown     print Markdown

Examples:
  cargo xtask bench views                  # three minutes
  cargo xtask bench views --bound 0.05     # fails where a change costs more than 5 % of the whole
  cargo xtask bench views --runs 1 --rounds 5";

/// Parsed options.
#[derive(Debug, Clone)]
struct Options {
    runs: usize,
    rounds: usize,
    workers: usize,
    bound: Option<f64>,
    markdown: bool,
}

impl Options {
    /// Options from the command line; `None` asks for help.
    fn parse(args: &[String]) -> anyhow::Result<Option<Self>> {
        let mut options = Self {
            runs: 3,
            rounds: 15,
            workers: std::thread::available_parallelism().map_or(1, usize::from),
            bound: None,
            markdown: false,
        };
        let mut args = args.iter();
        while let Some(arg) = args.next() {
            let mut value = || args.next().with_context(|| format!("`{arg}` needs a value"));
            match arg.as_str() {
                "--help" | "-h" => return Ok(None),
                "--runs" => options.runs = at_least_one(value()?)?,
                "--rounds" => options.rounds = at_least_one(value()?)?,
                "--workers" => options.workers = at_least_one(value()?)?,
                "--bound" => options.bound = Some(value()?.parse().context("`--bound` needs a ratio, such as 0.05")?),
                "--markdown" => options.markdown = true,
                _ => bail!("no option `{arg}`; `cargo xtask bench views --help` lists them"),
            }
        }
        Ok(Some(options))
    }
}

/// Builds, measures, prints. It fails where a change is over the bound.
pub(crate) fn run(args: &[String]) -> anyhow::Result<()> {
    let Some(options) = Options::parse(args)? else { return print(HELP) };
    let root = workspace::root();
    let here = Origin {
        folder: &root,
        target: None,
        profile: None,
    };
    let gateway = build::executable(&here, "chancery", "chancery")?;
    let binaries = Binaries::of_gateway(gateway, build::executable(&here, "bench", "bench-peer")?);
    let machine = Machine::look();
    let mut runs = Vec::new();
    let mut calibration = Vec::new();
    for run in 1..=options.runs {
        let report = probe::peer(&binaries.bench_peer, &["calibrate"], &[])?;
        calibration.push(probe::number(&report, "/ms")?);
        let mut fleet = Fleet::new(options.workers, binaries.clone())?;
        eprintln!("run {run}/{}: {} changes among {SERVERS} servers", options.runs, options.rounds);
        let many = drive(&mut fleet, &options, SERVERS)?;
        eprintln!("run {run}/{}: the same with one server", options.runs);
        let alone = drive(&mut fleet, &options, 1)?;
        runs.push(Costs::of(&many, &alone)?);
    }
    print(&format!(
        "Measured on {}.\n{} runs with {} changes each; the median of the runs' medians (least–most of these), processor time of the gateway \
         unless said otherwise.\nCalibration loop: {} ms.\n\n{}",
        machine.describe(),
        options.runs,
        options.rounds,
        Spread::of(calibration).map_or_else(String::new, Spread::show),
        table(&runs).render(options.markdown)
    ))?;
    let ratio = spread(&runs, Costs::ratio)?.median;
    let bound = options.bound.unwrap_or(f64::INFINITY);
    ensure!(ratio <= bound, "a change costs {ratio:.3} of building the view whole, over {bound}");
    Ok(())
}

/// Has the changing server change among so many.
fn drive(fleet: &mut Fleet, options: &Options, count: usize) -> anyhow::Result<Value> {
    let first = if count == 1 { CHANGING } else { 0 };
    let server = |n| {
        let more: &[&str] = if n == CHANGING { &["--changing"] } else { &[] };
        fleet.numbered_server(n, TOOLS_EACH, more).shared()
    };
    let servers: Vec<_> = (first..first + count).map(server).collect();
    let name = format!("views-{count}");
    let target = fleet.chancery_apart(&name, &servers)?;
    let (pid, tools, rounds) = (target.pid()?.to_string(), count * TOOLS_EACH, options.rounds.to_string());
    let (changing, called) = (format!("u{CHANGING:03}_"), format!("u{first:03}_"));
    let args = [
        "views",
        "--url",
        target.url()?,
        "--pid",
        &pid,
        "--changing",
        &changing,
        "--called",
        &called,
    ];
    let more = ["--tools", &tools.to_string(), "--rounds", &rounds];
    let report = probe::peer(&fleet.binaries.bench_peer, &[&args[..], &more].concat(), &[]);
    fleet.end(&name);
    report
}

/// The medians of one run, in µs.
#[derive(Debug, Clone, Copy)]
struct Costs {
    warm_call: f64,
    warm_list: f64,
    /// A change and the next call, among many servers and alone.
    change: f64,
    change_alone: f64,
    /// What the next list takes more than a warm one.
    relisted: f64,
    relisted_alone: f64,
    /// What the greeting and the first call of a client of a new kind take more than those of another client of a known one, and its
    /// first list more than a warm one.
    whole: f64,
    listed_whole: f64,
    /// How long clients wait for a warm call, and for the one after a change.
    waits: [f64; 2],
}

impl Costs {
    fn of(many: &Value, alone: &Value) -> anyhow::Result<Self> {
        let cpu = |report, name| median(report, name, "cpu_us");
        let wait = |name| median(many, name, "wait_us");
        let beyond = |report, name, warm| Ok::<f64, anyhow::Error>(cpu(report, name)? - cpu(report, warm)?);
        Ok(Self {
            warm_call: cpu(many, "warm_call")?,
            warm_list: cpu(many, "warm_list")?,
            change: cpu(many, "change")?,
            change_alone: cpu(alone, "change")?,
            relisted: beyond(many, "changed_list", "warm_list")?,
            relisted_alone: beyond(alone, "changed_list", "warm_list")?,
            whole: beyond(many, "first_call", "known_call")?,
            listed_whole: beyond(many, "first_list", "warm_list")?,
            waits: [wait("warm_call")?, wait("change")?],
        })
    }

    /// What the change costs because there are other servers.
    fn change_of_view(self) -> f64 {
        self.change - self.change_alone
    }

    fn ratio(self) -> f64 {
        self.change_of_view() / self.whole
    }

    /// By a view built whole with its first list, a change with the list after it: pages are written anew in both.
    fn list_ratio(self) -> f64 {
        (self.change_of_view() + self.relisted - self.relisted_alone) / (self.whole + self.listed_whole)
    }
}

/// The median of what the driver measured in each round.
fn median(report: &Value, name: &str, figure: &str) -> anyhow::Result<f64> {
    let rounds = report[name].as_array().with_context(|| format!("no list `{name}` in the report"))?;
    let values = rounds.iter().filter_map(|round| round[figure].as_f64());
    let spread = Spread::of(values).with_context(|| format!("`{name}` was never measured"))?;
    Ok(spread.median)
}

fn spread(runs: &[Costs], of: fn(Costs) -> f64) -> anyhow::Result<Spread> {
    Spread::of(runs.iter().map(|run| of(*run))).context("nothing was measured")
}

/// What a row says, its unit, and where it comes from.
type Row = (&'static str, &'static str, fn(Costs) -> f64);

fn table(runs: &[Costs]) -> Table {
    let mut table = Table::new("Views of 100 servers with 10,000 tools", &["what", "measured", "unit"], 1);
    let rows: [Row; 13] = [
        ("a warm tools/call", "µs", |run| run.warm_call),
        ("a warm tools/list, whole", "µs", |run| run.warm_list),
        ("one server's change, until the next tools/call is answered", "µs", |run| {
            run.change
        }),
        ("the same in a gateway with that server alone", "µs", |run| run.change_alone),
        ("a change: the difference of the two", "µs", Costs::change_of_view),
        ("the view built whole, for a client of a new kind", "µs", |run| run.whole),
        ("a change, by the view built whole", "×", Costs::ratio),
        ("the tools/list after a change, beyond a warm one", "µs", |run| run.relisted),
        ("the same in a gateway with that server alone", "µs", |run| run.relisted_alone),
        ("the first tools/list of a view, beyond a warm one", "µs", |run| run.listed_whole),
        (
            "a change with the list after it, by both for a view built whole",
            "×",
            Costs::list_ratio,
        ),
        ("wait for a warm tools/call", "µs", |run| run.waits[0]),
        ("wait for the tools/call after a change", "µs", |run| run.waits[1]),
    ];
    for (what, unit, of) in rows {
        let shown = spread(runs, of).map_or_else(|_| String::new(), Spread::show);
        table.row([what.to_owned(), shown, unit.to_owned()]);
    }
    table
}

#[cfg(test)]
mod tests {
    use serde_json::json;

    use super::*;

    fn report(cpu: [f64; 7]) -> Value {
        let names = [
            "warm_call",
            "warm_list",
            "change",
            "changed_list",
            "known_call",
            "first_call",
            "first_list",
        ];
        let lists = names.into_iter().zip(cpu).map(|(name, cpu)| {
            // The median is what counts: the last round had the machine to share.
            let round = |cpu: f64| json!({"cpu_us": cpu, "wait_us": 7.0});
            (name.to_owned(), json!([round(cpu), round(cpu), round(cpu * 9.0)]))
        });
        Value::Object(lists.collect())
    }

    #[test]
    fn what_one_server_costs_falls_out() {
        let many = report([50.0, 1_000.0, 800.0, 1_500.0, 70.0, 10_070.0, 6_000.0]);
        let alone = report([50.0, 10.0, 300.0, 15.0, 70.0, 80.0, 20.0]);
        let costs = Costs::of(&many, &alone).expect("complete");
        assert_eq!((costs.change_of_view(), costs.whole), (500.0, 10_000.0));
        assert_eq!(costs.ratio(), 0.05);
        assert_eq!(costs.list_ratio(), (500.0 + 500.0 - 5.0) / (10_000.0 + 5_000.0));
        assert_eq!(costs.waits, [7.0; 2]);
    }

    #[test]
    fn what_is_missing_is_named() {
        let error = Costs::of(&json!({}), &json!({})).expect_err("nothing").to_string();
        assert!(error.contains("`warm_call`"), "{error}");
    }

    #[test]
    fn options_are_those_of_the_help() {
        let parse = |line: &str| Options::parse(&line.split_whitespace().map(str::to_owned).collect::<Vec<_>>());
        for example in HELP.lines().filter_map(|line| line.strip_prefix("  cargo xtask bench views")) {
            let options = example.split('#').next().unwrap_or_default();
            assert!(parse(options).expect("valid").is_some(), "{example}");
        }
        let options = parse("--runs 2 --rounds 4 --workers 1 --bound 0.05 --markdown")
            .expect("valid")
            .expect("no help");
        assert_eq!((options.runs, options.rounds, options.bound), (2, 4, Some(0.05)));
        assert!(parse("--help").expect("valid").is_none());
        assert!(parse("--runs 0").is_err() && parse("--fast").is_err());
    }
}
