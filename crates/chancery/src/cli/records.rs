//! The command line about what the gateway remembers: `store …` and `audit …`.

use std::path::PathBuf;
use std::time::{SystemTime, UNIX_EPOCH};

use clap::{Args, Subcommand, ValueEnum};
use model::Timestamp;
use store::AuditResult;

use crate::config;

/// `store …`
#[derive(Clone, Debug, Subcommand)]
pub enum StoreCommand {
    /// Check that the store holds what was written: the chain of the audit, and control.db
    #[command(after_help = "\
Works while a gateway runs. Ends with 0 when everything is sound, with 1 when something is not.

Examples:
  chancery store verify
  chancery store verify --store /backups/monday
  chancery store verify --format json")]
    Verify(Verify),
    /// Copy the store as it is at one instant into a new folder
    #[command(after_help = "\
The copy can be used as a store: name it as `folder` in `[store]`. While a gateway runs, the store is its own: stop it first.

Examples:
  chancery store backup /backups/monday
  chancery store verify --store /backups/monday")]
    Backup(Backup),
}

/// `audit …`
#[derive(Clone, Debug, Subcommand)]
pub enum AuditCommand {
    /// What is in a store.
    #[command(flatten)]
    Kept(KeptAudit),
    /// Follow the events of a running gateway as they come
    #[command(after_help = "\
Examples:
  chancery audit tail
  chancery audit tail --format json | jq .event_type")]
    Tail(Tail),
}

/// `audit query|export|verify`: what is in a store, whether or not a gateway runs.
#[derive(Clone, Debug, Subcommand)]
pub enum KeptAudit {
    /// Find events, the last ones first
    #[command(after_help = "\
Works while a gateway runs.

Examples:
  chancery audit query --limit 20
  chancery audit query --since 2h --result blocked
  chancery audit query --actor alice --server files --tool write_file
  chancery audit query --trace 4bf92f3577b34da6a3ce929d0e0e4736 --format json")]
    Query(Query),
    /// Write events to stdout, the first ones first
    #[command(after_help = "\
Works while a gateway runs. In CSV, a cell that a spreadsheet would take for a formula begins with an apostrophe.

Examples:
  chancery audit export --format jsonl > audit.jsonl
  chancery audit export --format csv --since 2026-01-01T00:00:00Z --until 2026-02-01T00:00:00Z > january.csv")]
    Export(Export),
    /// Check that no event was changed, removed or exchanged since it was written
    #[command(after_help = "\
Works while a gateway runs. Ends with 0 when the chain is whole, with 1 when it is not. Two copies with the same last number and head
hold the same events.

Examples:
  chancery audit verify
  chancery audit verify --store /backups/monday --format json")]
    Verify(Verify),
}

impl StoreCommand {
    /// Returns the store that the command is about.
    #[must_use]
    pub fn which(&self) -> &Which {
        match self {
            Self::Verify(args) => &args.which,
            Self::Backup(args) => &args.which,
        }
    }
}

impl KeptAudit {
    /// Returns the store that the command is about.
    #[must_use]
    pub fn which(&self) -> &Which {
        match self {
            Self::Query(args) => &args.which,
            Self::Export(args) => &args.which,
            Self::Verify(args) => &args.which,
        }
    }
}

/// The store that a command is about.
#[derive(Args, Clone, Debug, Default)]
pub struct Which {
    /// The store in this folder, instead of the one of the configuration
    #[arg(long, value_name = "DIR")]
    pub store: Option<PathBuf>,
}

/// The format of a result.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, ValueEnum)]
pub enum Format {
    /// For people
    #[default]
    Text,
    /// For programs
    Json,
}

/// `store verify`, `audit verify`
#[derive(Args, Clone, Debug, Default)]
pub struct Verify {
    /// Which store
    #[command(flatten)]
    pub which: Which,
    /// How the result is written
    #[arg(long, value_name = "FORMAT", default_value = "text")]
    pub format: Format,
}

/// `store backup`
#[derive(Args, Clone, Debug)]
pub struct Backup {
    /// The folder to make
    pub to: PathBuf,
    /// Which store
    #[command(flatten)]
    pub which: Which,
}

/// The conditions for events.
#[derive(Args, Clone, Debug, Default)]
pub struct Filter {
    /// From this instant on: RFC 3339, or so long ago, such as 90s, 2h, 7d
    #[arg(long, value_name = "WHEN", value_parser = when)]
    pub since: Option<Timestamp>,
    /// Before this instant
    #[arg(long, value_name = "WHEN", value_parser = when)]
    pub until: Option<Timestamp>,
    /// Of this type, such as TOOL_EXECUTED; may be given several times
    #[arg(long = "type", value_name = "TYPE")]
    pub kinds: Vec<String>,
    /// By this principal, server or operator
    #[arg(long, value_name = "ID")]
    pub actor: Option<String>,
    /// About this server
    #[arg(long, value_name = "SERVER")]
    pub server: Option<String>,
    /// About this tool, by its own name
    #[arg(long, value_name = "TOOL")]
    pub tool: Option<String>,
    /// With this result
    #[arg(long, value_name = "RESULT")]
    pub result: Option<Outcome>,
    /// Of this trace
    #[arg(long, value_name = "TRACE")]
    pub trace: Option<String>,
}

/// A result that events report.
#[derive(Clone, Copy, Debug, PartialEq, Eq, ValueEnum)]
pub enum Outcome {
    /// It was done
    Success,
    /// It was tried
    Failure,
    /// It was not allowed
    Blocked,
    /// The action waits for a decision
    Pending,
}

impl From<Outcome> for AuditResult {
    fn from(outcome: Outcome) -> Self {
        match outcome {
            Outcome::Success => Self::Success,
            Outcome::Failure => Self::Failure,
            Outcome::Blocked => Self::Blocked,
            Outcome::Pending => Self::Pending,
        }
    }
}

/// `audit query`
#[derive(Args, Clone, Debug)]
pub struct Query {
    /// Which events
    #[command(flatten)]
    pub filter: Filter,
    /// How many at most
    #[arg(long, value_name = "COUNT", default_value_t = 100, value_parser = clap::value_parser!(u32).range(1..=100_000))]
    pub limit: u32,
    /// How they are written
    #[arg(long, value_name = "FORMAT", default_value = "text")]
    pub format: Format,
    /// Which store
    #[command(flatten)]
    pub which: Which,
}

/// `audit tail`
#[derive(Args, Clone, Debug, Default)]
pub struct Tail {
    /// How they are written
    #[arg(long, value_name = "FORMAT", default_value = "text")]
    pub format: Format,
}

/// The format of an export.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, ValueEnum)]
pub enum ExportFormat {
    /// A JSON object a line
    #[default]
    Jsonl,
    /// Comma-separated values, with a header
    Csv,
}

/// `audit export`
#[derive(Args, Clone, Debug, Default)]
pub struct Export {
    /// Which events
    #[command(flatten)]
    pub filter: Filter,
    /// How they are written
    #[arg(long, value_name = "FORMAT", default_value = "jsonl")]
    pub format: ExportFormat,
    /// Which store
    #[command(flatten)]
    pub which: Which,
}

/// Returns an instant, or the one a duration ago.
fn when(text: &str) -> Result<Timestamp, String> {
    instant(text, -1)
}

/// Returns an instant, or the one at a distance from now; `sign` is the direction.
pub(super) fn instant(text: &str, sign: i64) -> Result<Timestamp, String> {
    if let Some(instant) = mgp::time::parse(text) {
        return Ok(instant);
    }
    let far = config::age(text).map_err(|why| {
        let example = if sign < 0 {
            "a time ago such as `2h`"
        } else {
            "a time such as `30d`"
        };
        format!("write an instant such as `2026-01-31T12:00:00Z`, or {example} ({why})")
    })?;
    let millis = |span: std::time::Duration| i64::try_from(span.as_millis()).unwrap_or(i64::MAX);
    let now = SystemTime::now().duration_since(UNIX_EPOCH).map(millis).unwrap_or_default();
    Ok(Timestamp(now.saturating_add(millis(far).saturating_mul(sign))))
}
