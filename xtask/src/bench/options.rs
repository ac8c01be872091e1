//! The options of `cargo xtask bench proxy`.

use std::path::PathBuf;
use std::str::FromStr;

use anyhow::{Context, bail};

use super::cells::{Cell, Lane};

/// What `--help` prints.
pub(crate) const HELP: &str = "\
Measures what the gateway costs beside its peers, in one interleaved run.

Usage: cargo xtask bench proxy [OPTIONS]
       cargo xtask bench proxy --against COMMIT [OPTIONS]      (other options, below)

  --quick               one concurrency, short and few rounds; to see that it works, not to publish
  --full                growth after 10^6 calls and 10^5 sessions instead of a tenth of them
  --cells LIST          http-legacy, http-modern, http-stdio, stdio-stdio, modern-legacy, legacy-modern
  --lanes LIST          direct, chancery, unguarded, synced, unbridged, hyper, nginx, mcp-gateway
  --figures LIST        start, list, memory, growth; `none` for the cells alone
  --concurrency LIST    requests in flight (1,16,64)
  --sizes LIST          bytes of a result's text: 200,100000
  --rounds N            how often each cell is measured (5)
  --seconds S           how long each time (3)
  --workers N           threads of each proxy (one for each processor)
  --peers               install the peers that are missing into the cache first (half an hour)
  --markdown            print Markdown, as in docs/develop/measurements/calls.md
  --json FILE           write every sample to FILE

LIST is separated by commas. A lane that a cell does not have is left out of it.

Examples:
  cargo xtask bench proxy --quick                                        # does it work? a few minutes
  cargo xtask bench proxy --full --markdown --json samples.json          # to publish
  cargo xtask bench proxy --cells http-stdio --lanes chancery,hyper --figures none --rounds 9";

/// Parsed options.
#[derive(Debug, Clone)]
pub(crate) struct Options {
    pub(crate) cells: Vec<Cell>,
    pub(crate) lanes: Vec<Lane>,
    pub(crate) figures: Vec<Figure>,
    pub(crate) concurrency: Vec<u32>,
    pub(crate) sizes: Vec<Size>,
    pub(crate) rounds: usize,
    pub(crate) seconds: f64,
    pub(crate) workers: usize,
    /// What the large numbers of the memory figures are divided by.
    pub(crate) scale: u64,
    pub(crate) peers: bool,
    pub(crate) markdown: bool,
    pub(crate) json: Option<PathBuf>,
}

impl Options {
    /// Options from the command line; `None` asks for help.
    pub(crate) fn parse(args: &[String]) -> anyhow::Result<Option<Self>> {
        let mut options = Self::standard();
        if args.iter().any(|arg| arg == "--quick") {
            options.make_quick();
        }
        let mut args = args.iter();
        while let Some(arg) = args.next() {
            let mut value = || args.next().with_context(|| format!("`{arg}` needs a value"));
            match arg.as_str() {
                "--help" | "-h" => return Ok(None),
                "--quick" => {}
                "--full" => options.scale = 1,
                "--peers" => options.peers = true,
                "--markdown" => options.markdown = true,
                "--cells" => options.cells = list(value()?)?,
                "--lanes" => options.lanes = list(value()?)?,
                "--figures" => options.figures = figures(value()?)?,
                "--concurrency" => options.concurrency = list(value()?)?,
                "--sizes" => options.sizes = list(value()?)?,
                "--rounds" => options.rounds = at_least_one(value()?)?,
                "--seconds" => options.seconds = seconds(value()?)?,
                "--workers" => options.workers = at_least_one(value()?)?,
                "--json" => options.json = Some(value()?.into()),
                _ => bail!("no option `{arg}`; `cargo xtask bench proxy --help` lists them"),
            }
        }
        Ok(Some(options))
    }

    fn standard() -> Self {
        Self {
            cells: Cell::ALL.to_vec(),
            lanes: Lane::ALL.to_vec(),
            figures: Figure::ALL.to_vec(),
            concurrency: vec![1, 16, 64],
            sizes: Size::ALL.to_vec(),
            rounds: 5,
            seconds: 3.0,
            workers: std::thread::available_parallelism().map_or(1, usize::from),
            scale: 10,
            peers: false,
            markdown: false,
            json: None,
        }
    }

    fn make_quick(&mut self) {
        self.concurrency = vec![16];
        self.rounds = 3;
        self.seconds = 1.0;
        self.scale = 100;
    }
}

/// A figure besides the cells.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) enum Figure {
    /// From the start of the process to the first `tools/list`
    Start,
    /// A warm `tools/list` of 1,000 tools
    List,
    /// Resident memory, idle and for each session
    Memory,
    /// Resident memory before and after many calls and sessions
    Growth,
}

impl Figure {
    const ALL: [Self; 4] = [Self::Start, Self::List, Self::Memory, Self::Growth];
}

impl FromStr for Figure {
    type Err = anyhow::Error;

    fn from_str(name: &str) -> anyhow::Result<Self> {
        Ok(match name {
            "start" => Self::Start,
            "list" => Self::List,
            "memory" => Self::Memory,
            "growth" => Self::Growth,
            _ => bail!("no figure `{name}`; there are start, list, memory and growth, or none"),
        })
    }
}

/// The length of a result's text.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord)]
pub(crate) enum Size {
    Small,
    Large,
}

impl Size {
    const ALL: [Self; 2] = [Self::Small, Self::Large];

    /// The tool of the canned upstream that answers so much.
    pub(crate) fn tool(self) -> &'static str {
        match self {
            Self::Small => "echo",
            Self::Large => "echo_large",
        }
    }

    /// Bytes of the text.
    pub(crate) fn bytes(self) -> usize {
        match self {
            Self::Small => 200,
            Self::Large => 100_000,
        }
    }

    /// The size in a table.
    pub(crate) fn name(self) -> &'static str {
        match self {
            Self::Small => "200 B",
            Self::Large => "100 kB",
        }
    }
}

impl FromStr for Size {
    type Err = anyhow::Error;

    fn from_str(bytes: &str) -> anyhow::Result<Self> {
        let size = Self::ALL.into_iter().find(|size| size.bytes().to_string() == bytes);
        size.with_context(|| format!("no size `{bytes}`; there are 200 and 100000"))
    }
}

/// Items with commas between them.
pub(crate) fn list<T: FromStr>(text: &str) -> anyhow::Result<Vec<T>>
where
    anyhow::Error: From<T::Err>,
{
    text.split(',').map(|item| Ok(item.trim().parse::<T>()?)).collect()
}

fn figures(text: &str) -> anyhow::Result<Vec<Figure>> {
    if text == "none" { Ok(Vec::new()) } else { list(text) }
}

/// A number above 0.
pub(crate) fn at_least_one(text: &str) -> anyhow::Result<usize> {
    let number = text.parse().with_context(|| format!("`{text}` is not a number"))?;
    if number == 0 {
        bail!("it takes at least one");
    }
    Ok(number)
}

/// A time that a measurement may take.
pub(crate) fn seconds(text: &str) -> anyhow::Result<f64> {
    let seconds: f64 = text.parse().with_context(|| format!("`{text}` is not a number"))?;
    if !(0.01..=3600.0).contains(&seconds) {
        bail!("`{text}` seconds are not between 0.01 and 3600");
    }
    Ok(seconds)
}

#[cfg(test)]
mod tests {
    use super::*;

    fn parse(line: &str) -> anyhow::Result<Option<Options>> {
        Options::parse(&line.split_whitespace().map(str::to_owned).collect::<Vec<_>>())
    }

    #[test]
    fn quick_is_only_a_beginning() {
        let options = parse("--rounds 7 --quick --sizes 100000 --cells http-stdio")
            .expect("valid")
            .expect("no help");
        assert_eq!((options.rounds, options.seconds), (7, 1.0));
        assert_eq!((options.sizes, options.cells), (vec![Size::Large], vec![Cell::HttpStdio]));
        assert_eq!(options.concurrency, [16]);
    }

    #[test]
    fn everything_in_the_help_is_understood() {
        let everything = "--quick --full --cells http-legacy,http-modern,http-stdio,stdio-stdio,modern-legacy,legacy-modern \
                          --lanes direct,chancery,unguarded,synced,unbridged,hyper,nginx,mcp-gateway --figures start,list,memory,growth \
                          --concurrency 1,16,64 --sizes 200,100000 --rounds 1 --seconds 0.5 --workers 2 --peers --markdown --json x";
        for word in everything
            .split_whitespace()
            .flat_map(|word| word.split(','))
            .filter(|word| word.starts_with("--"))
        {
            assert!(HELP.contains(word), "`{word}` is not in the help");
        }
        assert!(parse(everything).expect("valid").is_some());
        for example in HELP.lines().filter_map(|line| line.strip_prefix("  cargo xtask bench proxy ")) {
            let options = example.split('#').next().unwrap_or_default();
            assert!(parse(options).expect("valid").is_some(), "{example}");
        }
        assert!(parse("--rounds 1 --help").expect("valid").is_none());
        assert!(parse("--figures none").expect("valid").expect("no help").figures.is_empty());
    }

    #[test]
    fn wrong_options_are_named() {
        for (line, word) in [
            ("--nonsense", "--nonsense"),
            ("--cells http", "`http`"),
            ("--lanes envoy", "`envoy`"),
            ("--sizes 300", "`300`"),
            ("--rounds 0", "at least one"),
            ("--seconds -1", "`-1`"),
            ("--json", "needs a value"),
        ] {
            let error = parse(line).expect_err(line).to_string();
            assert!(error.contains(word), "`{line}`: {error}");
        }
    }
}
