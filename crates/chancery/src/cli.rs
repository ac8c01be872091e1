//! The command line.

pub mod operate;
pub mod records;

use std::net::SocketAddr;
use std::path::PathBuf;

use clap::{Args, Parser, Subcommand, ValueEnum};

use crate::config;
use crate::config::schema::gateway::LISTEN;
use crate::export::Language;

/// One endpoint for every MCP server.
///
/// chancery stands between MCP clients and MCP servers: clients see one server, with the tools, resources and prompts of all.
#[derive(Clone, Debug, Parser)]
#[command(
    name = "chancery",
    version,
    max_term_width = 100,
    after_help = "\
Examples:
  chancery demo                         try it, without any configuration
  chancery import                       take over the servers of your other clients
  chancery connect claude-code          let a client use the gateway
  chancery serve                        run it
  chancery doctor                       see what works and what doesn't"
)]
pub struct Cli {
    /// The options of every command.
    #[command(flatten)]
    pub global: Global,
    /// The command to carry out.
    #[command(subcommand)]
    pub command: Command,
}

/// The options of every command.
#[derive(Args, Clone, Debug, Default)]
#[command(next_help_heading = "Options of the gateway and its log")]
pub struct Global {
    /// Read this configuration file and no other
    #[arg(long, global = true, value_name = "FILE")]
    pub config: Option<PathBuf>,
    /// Read servers from the `mcpServers` file of another client; may be given several times
    #[arg(long, global = true, value_name = "FILE")]
    pub mcp_json: Vec<PathBuf>,
    /// Of several gateways of one configuration, the one with this number: `chancery gateways` lists them
    #[arg(long, global = true, value_name = "NUMBER", value_parser = gateway_number)]
    pub gateway: Option<usize>,
    /// Use ./mgp.toml this once, although it is not confirmed
    #[arg(long, global = true)]
    pub trust: bool,
    /// How the log is written to stderr
    #[arg(long, global = true, value_name = "FORMAT")]
    pub log_format: Option<LogFormat>,
    /// What is logged: error, warn, info, debug, trace, or a list such as info,transport=debug
    #[arg(long, global = true, value_name = "LEVEL")]
    pub log_level: Option<String>,
}

/// The format of the log.
#[derive(Clone, Copy, Debug, PartialEq, Eq, ValueEnum)]
pub enum LogFormat {
    /// A line for people
    Text,
    /// A JSON object a line
    Json,
}

/// The commands.
#[derive(Clone, Debug, Subcommand)]
pub enum Command {
    /// Serve MCP over HTTP
    #[command(after_help = "\
Examples:
  chancery serve
  chancery serve --listen 127.0.0.1:0 --mcp-json .mcp.json
  chancery --config gateway.toml --log-format json serve")]
    Serve(Serve),
    /// Be an stdio MCP server: what a desktop client starts
    #[command(after_help = "\
Joins a running gateway of the same user and configuration if there is one, so that five clients don't start five copies of every server. \
A client that servers may ask something (sampling, elicitation, roots) has legacy servers of its own all the same, \
unless their tables say `share = \"all\"`.

Examples:
  chancery stdio
  chancery stdio --standalone --mcp-json .mcp.json")]
    Stdio(Stdio),
    /// Run a gateway in front of the example servers, and say how to connect
    #[command(after_help = "\
Examples:
  chancery demo
  chancery demo --listen 127.0.0.1:9000
  chancery demo --once                  end after the session")]
    Demo(Demo),
    /// Start every server and say what works, what doesn't, and how to mend it
    #[command(after_help = "\
Examples:
  chancery doctor
  chancery doctor files tickets
  chancery doctor --json")]
    Doctor(Doctor),
    /// Check the configuration, or see where it is read from
    #[command(
        subcommand,
        after_help = "\
Examples:
  chancery config check
  chancery config path
  chancery config trust"
    )]
    Config(ConfigCommand),
    /// List, call or export the tools of all servers
    #[command(
        subcommand,
        after_help = "\
Examples:
  chancery tools list
  chancery tools call files/read_file '{\"path\": \"notes.md\"}'
  chancery tools export --lang typescript > tools.ts"
    )]
    Tools(ToolsCommand),
    /// Take over the servers of other MCP clients
    #[command(after_help = "\
Servers that are configured already stay as they are; nothing else in the file is touched.

Examples:
  chancery import                       from every client that is installed here
  chancery import cursor --dry-run      show what would be added
  chancery import .mcp.json")]
    Import(Import),
    /// Write the gateway into another client's configuration
    #[command(after_help = "\
The client's file is changed in one place only, and kept as it was beside it.

Examples:
  chancery connect --list
  chancery connect claude-desktop
  chancery connect vscode --project --http http://127.0.0.1:8717/mcp
  chancery connect claude-desktop --undo")]
    Connect(Connect),
    /// Find, export and verify what happened
    #[command(
        subcommand,
        after_help = "\
Examples:
  chancery audit query --since 1h
  chancery audit export --format csv > audit.csv
  chancery audit verify"
    )]
    Audit(records::AuditCommand),
    /// Make, list and revoke tokens
    #[command(
        subcommand,
        after_help = "\
Examples:
  chancery token create alice --expires 30d
  chancery token list
  chancery token revoke t-1f3a"
    )]
    Token(operate::TokenCommand),
    /// Decide about calls that wait for a person
    #[command(
        subcommand,
        after_help = "\
Examples:
  chancery approvals list --watch
  chancery approvals approve 6f1c…
  chancery approvals deny 6f1c…"
    )]
    Approvals(operate::ApprovalsCommand),
    /// Say who may use which server and tool
    #[command(
        subcommand,
        after_help = "\
Examples:
  chancery access grant alice files
  chancery access check alice files/write_file
  chancery access revoke alice files"
    )]
    Access(operate::AccessCommand),
    /// Decide what servers are permitted
    #[command(
        subcommand,
        after_help = "\
Examples:
  chancery permissions list --waiting
  chancery permissions decide tickets network.outbound approve"
    )]
    Permissions(operate::PermissionsCommand),
    /// List the gateways of this configuration, each with a store of its own
    #[command(after_help = "\
`chancery serve` is number 1, and every `chancery stdio` joins it. A `chancery stdio` that runs by itself beside another one has a number, and \
grants, approvals and an audit, of its own. Commands of operators go to the one that runs; where several do, to the first, unless \
`--gateway` names another.

Examples:
  chancery gateways
  chancery --gateway 2 approvals list
  chancery --gateway 2 audit query --since 1h")]
    Gateways(operate::Listed),
    /// Verify or copy what the gateway remembers
    #[command(
        subcommand,
        after_help = "\
Examples:
  chancery store verify
  chancery store backup /backups/monday"
    )]
    Store(records::StoreCommand),
    /// Ask a validator about a command, a statement, an address, a path or code
    #[command(after_help = "\
Ends with 0 when the text is allowed, with 1 when it is refused.

Examples:
  chancery check shell --profile pipeline -- 'ls | wc -l'
  chancery check path --root /srv/project -- notes/today.md
  chancery check python --profile readonly < script.py
  chancery check sql --json -- 'SELECT 1'")]
    Check(Check),
    /// Run an example server
    #[command(after_help = "\
Examples:
  chancery example everything
  chancery example minimal -- --http 127.0.0.1:9001")]
    Example(Example),
    /// Run, check and format Mangle programs
    #[command(
        subcommand,
        after_help = "\
Examples:
  chancery mangle run family.mg
  chancery mangle check rules.mg"
    )]
    Mangle(crate::mangle::Command),
    /// Write completions for a shell to stdout
    #[command(after_help = "\
Examples:
  chancery completions bash > ~/.local/share/bash-completion/completions/chancery
  chancery completions zsh > ~/.zfunc/_chancery")]
    Completions(Completions),
}

fn gateway_number(text: &str) -> Result<usize, String> {
    let most = crate::run::MOST_GATEWAYS;
    let number = text.parse().ok().filter(|number| (1..=most).contains(number));
    number.ok_or_else(|| format!("it is a number from 1 to {most}"))
}

fn listen(text: &str) -> Result<SocketAddr, String> {
    config::address(text).map_err(|why| format!("{why}, such as `127.0.0.1:8717`"))
}

fn url(text: &str) -> Result<String, String> {
    config::check_url(text).map_err(|why| format!("it {why}"))?;
    Ok(text.to_owned())
}

/// `serve`
#[derive(Args, Clone, Debug, Default)]
pub struct Serve {
    /// Listen here instead of where the configuration says; port 0 takes a free one
    #[arg(long, value_name = "ADDRESS", value_parser = listen)]
    pub listen: Option<SocketAddr>,
}

/// `stdio`
#[derive(Args, Clone, Debug, Default)]
pub struct Stdio {
    /// Don't look for a running gateway
    #[arg(long)]
    pub standalone: bool,
}

/// `demo`
#[derive(Args, Clone, Debug)]
pub struct Demo {
    /// Listen here
    #[arg(long, value_name = "ADDRESS", value_parser = listen, default_value_t = LISTEN.by_default())]
    pub listen: SocketAddr,
    /// End after the session instead of serving on
    #[arg(long)]
    pub once: bool,
}

/// `doctor`
#[derive(Args, Clone, Debug, Default)]
pub struct Doctor {
    /// Only these servers
    #[arg(value_name = "SERVER")]
    pub servers: Vec<String>,
    /// Write JSON
    #[arg(long)]
    pub json: bool,
}

/// `config …`
#[derive(Clone, Debug, Subcommand)]
pub enum ConfigCommand {
    /// Say everything that is wrong with the configuration
    #[command(after_help = "\
Examples:
  chancery config check
  chancery --config gateway.toml config check")]
    Check,
    /// Say which files are read, in which order
    #[command(after_help = "\
Example:
  chancery config path")]
    Path,
    /// Confirm the project's file as it is now
    #[command(after_help = "\
Examples:
  chancery config trust
  chancery config trust --yes")]
    Trust(ConfigTrust),
    /// Write the reference of all keys
    #[command(hide = true)]
    Reference(Reference),
}

/// `config trust`
#[derive(Args, Clone, Debug, Default)]
pub struct ConfigTrust {
    /// The file; ./mgp.toml if none is named
    #[arg(value_name = "FILE")]
    pub file: Option<PathBuf>,
    /// Don't ask
    #[arg(long, short)]
    pub yes: bool,
}

/// `config reference`
#[derive(Args, Clone, Debug, Default)]
pub struct Reference {
    /// Write a JSON schema instead of Markdown
    #[arg(long)]
    pub json_schema: bool,
    /// Write the OpenAPI document of the operator API instead
    #[arg(long, conflicts_with = "json_schema")]
    pub openapi: bool,
}

/// `tools …`
#[derive(Clone, Debug, Subcommand)]
pub enum ToolsCommand {
    /// List the tools of all servers, or of some
    #[command(after_help = "\
Examples:
  chancery tools list
  chancery tools list files
  chancery tools list --json")]
    List(ToolsList),
    /// Call a tool
    #[command(after_help = "\
Examples:
  chancery tools call time/get_current_time '{\"timezone\": \"Europe/Zurich\"}'
  chancery tools call echo --arg message=hello")]
    Call(ToolsCall),
    /// Write typed signatures of the tools
    #[command(after_help = "\
Examples:
  chancery tools export --lang typescript > tools.ts
  chancery tools export --lang python files")]
    Export(ToolsExport),
}

/// `tools list`
#[derive(Args, Clone, Debug, Default)]
pub struct ToolsList {
    /// Only these servers
    #[arg(value_name = "SERVER")]
    pub servers: Vec<String>,
    /// Write JSON
    #[arg(long)]
    pub json: bool,
}

/// `tools call`
#[derive(Args, Clone, Debug)]
pub struct ToolsCall {
    /// The tool, as `server/tool`, or by its bare name where that is unique
    pub tool: String,
    /// The arguments, a JSON object; `-` reads them from stdin
    pub arguments: Option<String>,
    /// One argument: the value is JSON if it looks like it, else a string; may be given several times
    #[arg(long = "arg", value_name = "NAME=VALUE", conflicts_with = "arguments")]
    pub args: Vec<String>,
    /// Write the whole result as JSON
    #[arg(long)]
    pub json: bool,
}

/// `tools export`
#[derive(Args, Clone, Debug)]
pub struct ToolsExport {
    /// The language
    #[arg(long, short)]
    pub lang: Language,
    /// Only these servers
    #[arg(value_name = "SERVER")]
    pub servers: Vec<String>,
}

/// `import`
#[derive(Args, Clone, Debug, Default)]
pub struct Import {
    /// A file, or a client: claude-desktop, claude-code, cursor, vscode, windsurf, zed, gemini-cli, cline, lm-studio, codex
    #[arg(value_name = "PATH|CLIENT")]
    pub from: Option<String>,
    /// Show what would be added, and change nothing
    #[arg(long)]
    pub dry_run: bool,
}

/// `connect`
#[derive(Args, Clone, Debug, Default)]
pub struct Connect {
    /// The client: claude-desktop, claude-code, cursor, vscode, windsurf, zed, gemini-cli, cline, lm-studio, codex
    #[arg(required_unless_present = "list")]
    pub client: Option<String>,
    /// Show every client with its file
    #[arg(long, conflicts_with_all = ["client", "undo", "http", "stdio"])]
    pub list: bool,
    /// Show what would be written, and change nothing
    #[arg(long)]
    pub dry_run: bool,
    /// Let the client connect to a running gateway at this address
    #[arg(long, value_name = "URL", value_parser = url, conflicts_with = "stdio")]
    pub http: Option<String>,
    /// Let the client start `chancery stdio` (the default)
    #[arg(long)]
    pub stdio: bool,
    /// Write the project's file instead of the user's
    #[arg(long)]
    pub project: bool,
    /// Take it back
    #[arg(long, conflicts_with_all = ["http", "stdio"])]
    pub undo: bool,
}

/// `check`
#[derive(Args, Clone, Debug)]
pub struct Check {
    /// What the text is
    pub kind: CheckKind,
    /// shell: strict, default, pipeline, readonly, literal; sql: readonly, literal; code: a level of MGP, strict by default
    #[arg(long, value_name = "PROFILE")]
    pub profile: Option<String>,
    /// Where paths may lead; may be given several times, the working folder by default
    #[arg(long, value_name = "DIR")]
    pub root: Vec<PathBuf>,
    /// A command that is allowed besides those that are known; may be given several times
    #[arg(long, value_name = "COMMAND")]
    pub allow: Vec<String>,
    /// The dialect of SQL; without it, the statement has to be harmless in all
    #[arg(long, value_name = "DIALECT")]
    pub dialect: Option<String>,
    /// Print a JSON object
    #[arg(long)]
    pub json: bool,
    /// The text; stdin without it
    #[arg(last = true)]
    pub text: Vec<String>,
}

/// What can be checked.
#[derive(Clone, Copy, Debug, PartialEq, Eq, ValueEnum)]
pub enum CheckKind {
    /// A command line, or with `--profile literal` a value that is put into one
    Shell,
    /// A statement that should only read, or with `--profile literal` a value that is put into one
    Sql,
    /// An address, or a host
    Url,
    /// A path of a file or folder
    Path,
    /// Python code
    Python,
    /// JavaScript code
    Javascript,
    /// TypeScript code
    Typescript,
}

/// `example`
#[derive(Args, Clone, Debug)]
pub struct Example {
    /// Which one
    pub name: ExampleName,
    /// What is passed on to it
    #[arg(trailing_var_arg = true, allow_hyphen_values = true)]
    pub args: Vec<String>,
}

/// The example servers.
#[derive(Clone, Copy, Debug, PartialEq, Eq, ValueEnum)]
pub enum ExampleName {
    /// The least that a server needs
    Minimal,
    /// Every feature of MCP
    Everything,
}

/// `completions`
#[derive(Args, Clone, Debug)]
pub struct Completions {
    /// The shell
    pub shell: clap_complete::Shell,
}
