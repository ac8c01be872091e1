//! The options of `cargo xtask bench proxy --against COMMIT`.

use std::path::PathBuf;
use std::str::FromStr;

use anyhow::{Context, bail, ensure};

use crate::bench::cells::Cell;
use crate::bench::options::{at_least_one, list, seconds};

/// What `--help` prints of it, behind the help of `bench proxy`.
pub(crate) const HELP: &str = "\
Against a commit: measures the gateway of the present tree beside that of a commit, built with the same profile. Each has two lanes,
A1 and A2 (the commit), B1 and B2 (the present tree), which take turns: how much A2 differs from A1 and B2 from B1 is noise. Every
measurement has processes of its own.

Usage: cargo xtask bench proxy --against COMMIT [OPTIONS]

  --measure LIST        calls (CPU and p50), memory, lists, instructions; all
  --cells LIST          the calls that are measured; all of those above
  --concurrency LIST    requests in flight (1)
  --rounds N            how often each lane is measured (15); instructions, which hardly vary, at most 3 times
  --seconds S           how long each time (1)
  --workers N           threads of the gateway (one for each processor); 1 when instructions are counted
  --calls N             instructions of 2 N calls less those of N, by N (300)
  --bound R             fail where the present tree surely costs more than R times the commit; nothing is judged without it
  --markdown            print Markdown
  --json FILE           write every sample to FILE

Instructions are counted by valgrind. The commit is checked out and built below the target directory, in against/COMMIT, and kept.

Examples:
  cargo xtask bench proxy --against 55df0ee                              # everything, about an hour
  cargo xtask bench proxy --against main --bound 1.02                    # fails where something got worse
  cargo xtask bench proxy --against HEAD~1 --measure calls --cells stdio-stdio,http-stdio --rounds 31
  cargo xtask bench proxy --against HEAD --measure instructions          # what a change that is not committed costs";

/// Parsed options.
#[derive(Debug, Clone)]
pub(crate) struct Options {
    pub(crate) commit: String,
    pub(crate) parts: Vec<Part>,
    pub(crate) cells: Vec<Cell>,
    pub(crate) concurrency: Vec<u32>,
    pub(crate) rounds: usize,
    pub(crate) seconds: f64,
    pub(crate) workers: usize,
    pub(crate) calls: usize,
    pub(crate) bound: Option<f64>,
    pub(crate) markdown: bool,
    pub(crate) json: Option<PathBuf>,
}

/// What can be measured.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) enum Part {
    /// Processor time and latency of calls
    Calls,
    /// Memory of a gateway that idles
    Memory,
    /// Long lists
    Lists,
    /// Instructions of a call, and of a long list
    Instructions,
}

impl Part {
    const ALL: [Self; 4] = [Self::Calls, Self::Memory, Self::Lists, Self::Instructions];
}

impl FromStr for Part {
    type Err = anyhow::Error;

    fn from_str(name: &str) -> anyhow::Result<Self> {
        Ok(match name {
            "calls" => Self::Calls,
            "memory" => Self::Memory,
            "lists" => Self::Lists,
            "instructions" => Self::Instructions,
            _ => bail!("nothing to measure is called `{name}`; there are calls, memory, lists and instructions"),
        })
    }
}

/// Whether these options of `bench proxy` compare with a commit.
pub(crate) fn are_against(args: &[String]) -> bool {
    args.iter().any(|arg| arg == "--against")
}

impl Options {
    /// Options from the command line; `None` asks for help.
    pub(crate) fn parse(args: &[String]) -> anyhow::Result<Option<Self>> {
        let mut options = Self::standard();
        let mut args = args.iter();
        while let Some(arg) = args.next() {
            let mut value = || args.next().with_context(|| format!("`{arg}` needs a value"));
            match arg.as_str() {
                "--help" | "-h" => return Ok(None),
                "--against" => value()?.clone_into(&mut options.commit),
                "--measure" => options.parts = list(value()?)?,
                "--cells" => options.cells = list(value()?)?,
                "--concurrency" => options.concurrency = list(value()?)?,
                "--rounds" => options.rounds = at_least_one(value()?)?,
                "--seconds" => options.seconds = seconds(value()?)?,
                "--workers" => options.workers = at_least_one(value()?)?,
                "--calls" => options.calls = at_least_one(value()?)?,
                "--bound" => options.bound = Some(bound(value()?)?),
                "--markdown" => options.markdown = true,
                "--json" => options.json = Some(value()?.into()),
                _ => bail!("no option `{arg}` beside `--against`; `cargo xtask bench proxy --help` lists them"),
            }
        }
        Ok(Some(options))
    }

    fn standard() -> Self {
        Self {
            commit: String::new(),
            parts: Part::ALL.to_vec(),
            cells: Cell::ALL.to_vec(),
            concurrency: vec![1],
            rounds: 15,
            seconds: 1.0,
            workers: std::thread::available_parallelism().map_or(1, usize::from),
            calls: 300,
            bound: None,
            markdown: false,
            json: None,
        }
    }
}

/// How many times as much something may cost.
fn bound(text: &str) -> anyhow::Result<f64> {
    let bound: f64 = text.parse().with_context(|| format!("`{text}` is not a number"))?;
    ensure!(bound > 0.0 && bound.is_finite(), "a bound is a ratio above 0, such as 1.02");
    Ok(bound)
}

#[cfg(test)]
mod tests {
    use super::*;

    fn parse(line: &str) -> anyhow::Result<Option<Options>> {
        Options::parse(&line.split_whitespace().map(str::to_owned).collect::<Vec<_>>())
    }

    #[test]
    fn what_is_left_out_is_everything() {
        let options = parse("--against HEAD~1").expect("valid").expect("no help");
        assert_eq!((options.commit.as_str(), options.rounds, options.bound), ("HEAD~1", 15, None));
        assert_eq!((options.parts, options.cells), (Part::ALL.to_vec(), Cell::ALL.to_vec()));
        assert_eq!(options.concurrency, [1]);
    }

    #[test]
    fn everything_in_the_help_is_understood() {
        let everything = "--against main --measure calls,memory,lists,instructions --cells http-stdio,stdio-stdio --concurrency 1,16 --rounds 3 \
                          --seconds 0.5 --workers 2 --calls 50 --bound 1.02 --markdown --json x";
        for word in everything.split_whitespace().filter(|word| word.starts_with("--")) {
            assert!(HELP.contains(word), "`{word}` is not in the help");
        }
        let options = parse(everything).expect("valid").expect("no help");
        assert_eq!((options.bound, options.calls, options.workers), (Some(1.02), 50, 2));
        assert!(parse("--against main --help").expect("valid").is_none());
        for example in HELP.lines().filter_map(|line| line.trim().strip_prefix("cargo xtask bench proxy ")) {
            let options = example.split('#').next().unwrap_or_default();
            assert!(parse(options).expect("valid").is_some(), "{example}");
        }
    }

    #[test]
    fn wrong_options_are_named() {
        for (line, word) in [
            ("--against", "needs a value"),
            ("--against main --quick", "--quick"),
            ("--measure speed", "`speed`"),
            ("--bound 0", "above 0"),
            ("--bound NaN", "above 0"),
            ("--bound two", "`two`"),
            ("--calls 0", "at least one"),
        ] {
            let error = parse(line).expect_err(line).to_string();
            assert!(error.contains(word), "`{line}`: {error}");
        }
    }
}
