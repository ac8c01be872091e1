//! The command line of `chancery mangle`.

use std::path::PathBuf;
use std::time::Duration;

use anyhow::Context as _;
use clap::{Args, Subcommand, ValueEnum};
use mangle::{analysis::Level, diagnostic::Code};

/// `mangle …`
#[derive(Clone, Debug, Subcommand)]
pub enum Command {
    /// Evaluate a program and write all its facts
    #[command(after_help = "\
Ends with 0; with 1 if the program is rejected; with 2 if a file cannot be read; with 3 if a budget or the deadline
stopped it.

Examples:
  chancery mangle run family.mg
  chancery mangle run rules.mg facts.mg --eval-time 2024-06-01T00:00:00Z --format json
  chancery mangle run rules.mg --external price=prices.json --only total
  chancery mangle run - < rules.mg")]
    Run(Run),
    /// Say everything that is wrong with a program
    #[command(after_help = "\
Ends with 0 if the program would run, with 1 if it is rejected, with 2 if a file cannot be read, with 3 if it is too
large or the deadline came.

Examples:
  chancery mangle check rules.mg
  chancery mangle check rules.mg --format sarif > findings.sarif
  chancery mangle check --explain M0401")]
    Check(Check),
    /// Write programs in the one style
    #[command(after_help = "\
A file that is no program stays as it is, and makes the command end with 1.

Examples:
  chancery mangle fmt rules.mg
  chancery mangle fmt --check rules/*.mg
  chancery mangle fmt - < rules.mg")]
    Fmt(Fmt),
    /// Say why a fact holds: the rules and facts that it rests on
    #[command(after_help = "\
Ends with 0 if the fact holds, with 1 if it does not, with 2 if it is no fact.

Examples:
  chancery mangle why family.mg --fact 'ancestor(/ann, /cid)'
  chancery mangle why stays.mg --fact 'stay(/ann)@[2024-06-01]' --eval-time 2024-06-02")]
    Why(Why),
    /// Say why a fact does not hold: the premise that fails in each rule, and what comes nearest
    #[command(after_help = "\
Ends with 0 if the fact does not hold, with 1 if it does, with 2 if it is no fact.

Examples:
  chancery mangle why-not family.mg --fact 'ancestor(/cid, /ann)'
  chancery mangle why-not stays.mg --fact 'stay(/ann)@[2024-07-01]' --eval-time 2024-06-02")]
    WhyNot(Why),
    /// Run tests of rules
    #[command(after_help = "\
A test file is a Mangle file of facts with lines that begin with `#:` between them:

  #: rules family.mg
  #: case grandparents are ancestors
  #: now 2024-06-01T00:00:00Z
  parent(/ann, /bob). parent(/bob, /cid).
  #: expect
  ancestor(/ann, /cid).
  #: absent
  ancestor(/cid, _).

or the same in YAML:

  rules: family.mg
  cases:
    - name: grandparents are ancestors
      now: 2024-06-01T00:00:00Z
      given: |
        parent(/ann, /bob). parent(/bob, /cid).
      expect:
        - ancestor(/ann, /cid)
      absent:
        - ancestor(/cid, _)

`exactly` lists all facts of its predicates; `answers` what external predicates answer; `error M0401` expects a
rejection. What stands before the first case belongs to every case. Without `rules`, X_test.mg and X_test.yaml test X.mg.

Ends with 0 if every case passes, else with 1.

Examples:
  chancery mangle test
  chancery mangle test rules/ --coverage --mutate
  chancery mangle test rules/family_test.yaml --watch
  chancery mangle test --format junit > results.xml")]
    Test(Test),
    /// Try things out, line by line
    #[command(after_help = "\
Say facts and rules, ask questions with `?`; `:help` lists the commands. Tab completes, Ctrl-C ends an evaluation,
Ctrl-D the session. What was typed is kept in $XDG_STATE_HOME/chancery/mangle_history (or below ~/.local/state).

Examples:
  chancery mangle repl
  chancery mangle repl family.mg")]
    Repl(Repl),
    /// Serve an editor over stdio: findings, hover, definitions, references, renaming, completion, formatting
    #[command(after_help = "\
An editor starts this; it speaks the Language Server Protocol on stdin and stdout. For example in Neovim:

  vim.lsp.config('mangle', { cmd = { 'chancery', 'mangle', 'lsp' }, filetypes = { 'mangle' } })
  vim.lsp.enable('mangle')")]
    Lsp(Lsp),
    /// Show what depends on what, for Graphviz or Mermaid
    #[command(after_help = "\
A box is a stratum; an edge leads from what is read to what reads it, dashed where all of it has to be known first.

Examples:
  chancery mangle graph rules.mg | dot -Tsvg > rules.svg
  chancery mangle graph rules.mg --format mermaid")]
    Graph(Graph),
    /// Time parsing, analysis and evaluation
    #[command(after_help = "\
Example:
  chancery mangle bench rules.mg --runs 20")]
    Bench(Bench),
}

/// The files of a program.
#[derive(Args, Clone, Debug)]
pub struct Program {
    /// The program; several files are one program
    #[arg(value_name = "FILE")]
    pub files: Vec<PathBuf>,
    /// A file of another level of trust: client, domain, policy or schema; may be given several times
    #[arg(long, value_name = "LEVEL=FILE", value_parser = level)]
    pub at: Vec<(Level, PathBuf)>,
    /// Allow what the Go implementation does not: single-bound operators, times as terms, premises in any order, an order of everything
    #[arg(long)]
    pub extended: bool,
}

/// The limits of every command that analyses a program.
#[derive(Args, Clone, Copy, Debug, Default)]
pub struct Reading {
    /// How many bytes may be used: by the text once it is read, by its analysis, and by what is evaluated; each
    #[arg(long, value_name = "N", value_parser = number, allow_negative_numbers = true)]
    pub max_bytes: Option<u64>,
    /// How long it may take, such as 500ms or 10s
    #[arg(long, value_name = "DURATION", value_parser = duration, allow_hyphen_values = true)]
    pub deadline: Option<Duration>,
}

/// The time, the limits and the external predicates of an evaluation.
#[derive(Args, Clone, Debug)]
pub struct Limits {
    /// What `now` means: a time in RFC 3339, or a date; the clock if it is left out
    #[arg(long, value_name = "TIME", value_parser = time)]
    pub eval_time: Option<i64>,
    /// How many facts may be derived
    #[arg(long, value_name = "N", value_parser = number, allow_negative_numbers = true)]
    pub max_facts: Option<u64>,
    /// How many steps may be taken
    #[arg(long, value_name = "N", value_parser = number, allow_negative_numbers = true)]
    pub max_steps: Option<u64>,
    /// How many disjoint intervals a fact may hold at
    #[arg(long, value_name = "N", value_parser = number, allow_negative_numbers = true)]
    pub max_intervals: Option<u64>,
    #[command(flatten)]
    pub reading: Reading,
    /// The rows of an external predicate: a file of facts (.mg) or of rows (.json); may be given several times
    #[arg(long, value_name = "NAME=FILE", value_parser = external)]
    pub external: Vec<(String, PathBuf)>,
}

/// `mangle run`
#[derive(Args, Clone, Debug)]
pub struct Run {
    #[command(flatten)]
    pub program: Program,
    #[command(flatten)]
    pub limits: Limits,
    /// How facts and findings are written
    #[arg(long, value_enum, default_value_t = Output::Human)]
    pub format: Output,
    /// Only facts of this predicate; may be given several times
    #[arg(long, value_name = "NAME")]
    pub only: Vec<String>,
}

/// The format of facts.
#[derive(Clone, Copy, Debug, PartialEq, Eq, ValueEnum)]
pub enum Output {
    /// As they stand in a program
    Human,
    /// One JSON object: predicates with their rows
    Json,
}

/// `mangle check`
#[derive(Args, Clone, Debug)]
pub struct Check {
    #[command(flatten)]
    pub program: Program,
    /// How findings are written
    #[arg(long, value_enum, default_value_t = Findings::Human)]
    pub format: Findings,
    /// Warnings reject the program too
    #[arg(long)]
    pub deny_warnings: bool,
    /// Show notes too: what is often a slip, such as a variable that stands once
    #[arg(long)]
    pub notes: bool,
    #[command(flatten)]
    pub reading: Reading,
    /// Say what a code means
    #[arg(long, value_name = "CODE", conflicts_with_all = ["files", "at"])]
    pub explain: Option<String>,
}

/// The format of findings.
#[derive(Clone, Copy, Debug, PartialEq, Eq, ValueEnum)]
pub enum Findings {
    /// For people
    Human,
    /// A JSON array
    Json,
    /// SARIF 2.1.0
    Sarif,
}

/// `mangle fmt`
#[derive(Args, Clone, Debug)]
pub struct Fmt {
    /// The files; `-` reads stdin and writes stdout
    #[arg(value_name = "FILE", required = true)]
    pub files: Vec<PathBuf>,
    /// Change nothing, name the files that would change, and end with 1 if there are any
    #[arg(long)]
    pub check: bool,
}

/// `mangle why`, `mangle why-not`
#[derive(Args, Clone, Debug)]
pub struct Why {
    #[command(flatten)]
    pub program: Program,
    /// The fact, as it would stand in a program
    #[arg(long, value_name = "FACT")]
    pub fact: String,
    #[command(flatten)]
    pub limits: Limits,
}

/// `mangle test`
#[derive(Args, Clone, Debug)]
pub struct Test {
    /// Test files, or folders of files whose names end in _test.mg, _test.yaml or _test.yml; the current folder if left out
    #[arg(value_name = "FILE")]
    pub files: Vec<PathBuf>,
    /// Only cases whose names contain this
    #[arg(long, value_name = "TEXT")]
    pub filter: Option<String>,
    /// How results are written
    #[arg(long, value_enum, default_value_t = TestFormat::Human)]
    pub format: TestFormat,
    /// Name the rules that never fired, with what they lacked
    #[arg(long)]
    pub coverage: bool,
    /// Change the rules, in one place at a time, and name the changes that no case notices
    #[arg(long)]
    pub mutate: bool,
    /// Run again when a file changes
    #[arg(long)]
    pub watch: bool,
    /// Allow what the Go implementation does not
    #[arg(long)]
    pub extended: bool,
    /// The rows of an external predicate for every case: a file of facts (.mg) or of rows (.json); may be given several times
    #[arg(long, value_name = "NAME=FILE", value_parser = external)]
    pub external: Vec<(String, PathBuf)>,
}

/// The format of test results.
#[derive(Clone, Copy, Debug, PartialEq, Eq, ValueEnum)]
pub enum TestFormat {
    /// For people
    Human,
    /// One JSON object
    Json,
    /// The XML of JUnit
    Junit,
}

/// `mangle repl`
#[derive(Args, Clone, Debug)]
pub struct Repl {
    #[command(flatten)]
    pub program: Program,
    #[command(flatten)]
    pub limits: Limits,
}

/// `mangle lsp`
#[derive(Args, Clone, Debug)]
pub struct Lsp {
    /// Allow what the Go implementation does not
    #[arg(long)]
    pub extended: bool,
}

/// `mangle graph`
#[derive(Args, Clone, Debug)]
pub struct Graph {
    #[command(flatten)]
    pub program: Program,
    /// In which language
    #[arg(long, value_enum, default_value_t = Drawing::Dot)]
    pub format: Drawing,
    #[command(flatten)]
    pub reading: Reading,
}

/// The language of a graph.
#[derive(Clone, Copy, Debug, PartialEq, Eq, ValueEnum)]
pub enum Drawing {
    /// For Graphviz
    Dot,
    /// For Mermaid, which many sites and editors draw in Markdown
    Mermaid,
}

/// `mangle bench`
#[derive(Args, Clone, Debug)]
pub struct Bench {
    #[command(flatten)]
    pub program: Program,
    #[command(flatten)]
    pub limits: Limits,
    /// How many times each part is timed
    #[arg(long, value_name = "N", default_value_t = 10, value_parser = clap::value_parser!(u32).range(1..))]
    pub runs: u32,
}

fn level(text: &str) -> Result<(Level, PathBuf), String> {
    let (level, file) = text
        .split_once('=')
        .ok_or("write a level, `=` and a file, such as `domain=rules.mg`")?;
    let level = Level::by_name(level).ok_or_else(|| format!("there is no level `{level}`: take client, domain, policy or schema"))?;
    Ok((level, file.into()))
}

fn external(text: &str) -> Result<(String, PathBuf), String> {
    let parts = text.split_once('=').filter(|(name, file)| !name.is_empty() && !file.is_empty());
    let (name, file) = parts.ok_or("write a predicate, `=` and a file, such as `price=prices.json`")?;
    Ok((name.to_owned(), file.into()))
}

/// Returns a time of the evaluation, in nanoseconds since 1970.
pub(super) fn time(text: &str) -> Result<i64, String> {
    // A date is the midnight that begins it, as in programs.
    let midnight = || mangle::value::parse_rfc3339(&format!("{text}T00:00:00Z"));
    mangle::value::parse_rfc3339(text)
        .or_else(midnight)
        .ok_or_else(|| "write a time such as `2024-06-01T00:00:00Z`, or a date".to_owned())
}

/// Returns the code of a finding by its name.
pub(super) fn code(name: &str) -> anyhow::Result<Code> {
    let code = Code::by_name(&name.to_ascii_uppercase());
    code.with_context(|| {
        format!(
            "there is no code `{name}`: codes are `M` and four digits, such as `{}`",
            Code::ALL[0].name()
        )
    })
}

fn number(text: &str) -> Result<u64, String> {
    text.parse()
        .map_err(|_| "write a whole number of digits only, such as `1000000`".to_owned())
}

fn duration(text: &str) -> Result<Duration, String> {
    let nanos = mangle::value::parse_duration(text).and_then(|nanos| u64::try_from(nanos).ok());
    nanos
        .map(Duration::from_nanos)
        .ok_or_else(|| "write a duration such as `500ms` or `10s`".to_owned())
}
