//! Dispatches the command line to the commands; the only place that prints.

use std::fmt::Write as _;
use std::io::{IsTerminal as _, Write as _};
use std::path::{Path, PathBuf};
use std::process::ExitCode;
use std::time::SystemTime;

use clap::CommandFactory as _;

use crate::cli::records::{AuditCommand, Which};
use crate::cli::{Cli, Command, ConfigCommand, ConfigTrust, Global, LogFormat, Reference};
use crate::clients::{Machine, Os};
use crate::config::{self, Config, Env, Loaded, Problem, Problems, Question, Source, Sources, Trust, Trusted};
use crate::connect::{self, Endpoint};
use crate::run::{self, Configured, Operate};
use crate::words::plural;
use crate::{cli, import, telemetry};

/// The exit code for a configuration or a command line that can't be used.
const USAGE: u8 = 2;

/// Runs a command and returns its exit code: 0 for success, 1 for failure, 2 for an error in the configuration or the
/// command line.
#[must_use]
pub fn main(cli: Cli) -> ExitCode {
    ended(dispatch(cli))
}

fn ended(how: Result<ExitCode, Failure>) -> ExitCode {
    match how {
        Ok(code) => code,
        Err(Failure::Problems(problems)) => {
            show(&problems);
            ExitCode::from(USAGE)
        }
        Err(Failure::Other(error)) => {
            err(&format!("error: {error:#}\n"));
            ExitCode::FAILURE
        }
    }
}

/// Runs `chancery serve` without its guard: no policy, no validators, no record. It shows what these cost (`cargo xtask
/// bench proxy`); no command of the gateway calls it.
#[must_use]
pub fn unguarded(global: &Global, args: cli::Serve) -> ExitCode {
    let served = sources(global).and_then(|sources| running(global, sources, None, |configured| run::serve_unguarded(configured, args)));
    ended(served)
}

enum Failure {
    Problems(Problems),
    Other(anyhow::Error),
}

impl From<Problems> for Failure {
    fn from(problems: Problems) -> Self {
        Self::Problems(problems)
    }
}

impl From<Problem> for Failure {
    fn from(problem: Problem) -> Self {
        Self::Problems(problem.into())
    }
}

impl From<anyhow::Error> for Failure {
    fn from(error: anyhow::Error) -> Self {
        Self::Other(error)
    }
}

impl From<std::io::Error> for Failure {
    fn from(error: std::io::Error) -> Self {
        Self::Other(error.into())
    }
}

fn dispatch(cli: Cli) -> Result<ExitCode, Failure> {
    let Cli { global, command } = cli;
    let sources = sources(&global)?;
    match command {
        Command::Serve(args) => running(&global, sources, None, |configured| run::serve(configured, args)),
        Command::Stdio(args) => stdio(&global, sources, args),
        Command::Doctor(args) => running(&global, sources, Some("error"), |configured| run::doctor(configured, args)),
        Command::Tools(args) => running(&global, sources, Some("error"), |configured| run::tools(configured, args)),
        Command::Demo(args) => {
            start_log(&global, "warn", config::LogFormat::Text)?;
            Ok(runtime()?.block_on(run::demo(args))?)
        }
        Command::Check(args) => {
            let checked = run::check(&args, &sources.cwd)?;
            out(&checked.render(args.json));
            Ok(ExitCode::from(u8::from(!checked.is_allowed())))
        }
        Command::Audit(AuditCommand::Tail(args)) => running(&global, sources, Some("error"), |configured| run::tail(configured, args)),
        Command::Audit(AuditCommand::Kept(command)) => {
            let folder = store_folder(&global, sources, command.which())?;
            Ok(run::audit(&command, &folder)?)
        }
        Command::Token(command) => operating(&global, sources, Operate::Token(command)),
        Command::Approvals(command) => operating(&global, sources, Operate::Approvals(command)),
        Command::Access(command) => operating(&global, sources, Operate::Access(command)),
        Command::Permissions(command) => operating(&global, sources, Operate::Permissions(command)),
        Command::Gateways(args) => running(&global, sources, Some("error"), async |configured| {
            run::gateways(&configured, &args)
        }),
        Command::Store(command) => {
            let folder = store_folder(&global, sources, command.which())?;
            Ok(run::store(&command, &folder)?)
        }
        Command::Example(args) => Ok(run::example(&args)?),
        Command::Config(ConfigCommand::Check) => check(&sources),
        Command::Config(ConfigCommand::Path) => path(&sources),
        Command::Config(ConfigCommand::Trust(args)) => trust(&sources, &args),
        Command::Config(ConfigCommand::Reference(args)) => reference(&args),
        Command::Import(args) => import_servers(&sources, &args),
        Command::Connect(args) => connect_client(&sources, &args),
        Command::Mangle(command) => Ok(crate::mangle::dispatch(command)),
        Command::Completions(args) => {
            let mut script = Vec::new();
            clap_complete::generate(args.shell, &mut Cli::command(), "chancery", &mut script);
            std::io::stdout().write_all(&script)?;
            Ok(ExitCode::SUCCESS)
        }
    }
}

fn sources(global: &Global) -> Result<Sources, Failure> {
    Ok(Sources {
        env: Env::of_process(),
        cwd: std::env::current_dir()?,
        config: global.config.clone(),
        mcp_json: global.mcp_json.clone(),
        trust: global.trust,
    })
}

/// Returns the store that a command is about: the one that is named, or that of the configuration's gateway.
fn store_folder(global: &Global, sources: Sources, which: &Which) -> Result<PathBuf, Failure> {
    let folder = match (&which.store, global.gateway) {
        (Some(_), Some(_)) => {
            return Err(Problem::error("a store is named by `--store` or by `--gateway`, not by both")
                .help("leave one of them out")
                .into());
        }
        (Some(folder), None) => sources.cwd.join(folder),
        (None, gateway) => run::store_of(&Configured {
            loaded: load(&sources)?,
            sources,
            gateway,
        })?,
    };
    start_log(global, "error", config::LogFormat::Text)?;
    Ok(run::existing(folder)?)
}

// === commands that need the run-time ===

fn operating(global: &Global, sources: Sources, what: Operate) -> Result<ExitCode, Failure> {
    running(global, sources, Some("error"), |configured| run::operate(configured, what))
}

/// Loads the configuration and runs a command with it. One that prints a result logs at a `level` of its own, less than a gateway does.
fn running<F>(global: &Global, sources: Sources, level: Option<&str>, run: impl FnOnce(Configured) -> F) -> Result<ExitCode, Failure>
where
    F: Future<Output = anyhow::Result<ExitCode>>,
{
    let loaded = load(&sources)?;
    let gateway = &loaded.config.gateway;
    start_log(global, level.unwrap_or(&gateway.log_level), gateway.log_format)?;
    Ok(runtime()?.block_on(run(Configured {
        sources,
        loaded,
        gateway: global.gateway,
    }))?)
}

/// Runs `chancery stdio`. A file that is being edited does not keep a client from a gateway that runs with its former
/// contents.
fn stdio(global: &Global, sources: Sources, args: cli::Stdio) -> Result<ExitCode, Failure> {
    let standalone = args.standalone;
    let identity = sources.identity();
    match running(global, sources.clone(), None, |configured| run::stdio(configured, args)) {
        Err(Failure::Problems(problems)) if !standalone => match run::join(&identity, &sources) {
            Some(pass_on) => {
                show(&problems);
                Ok(pass_on()?)
            }
            None => Err(problems.into()),
        },
        done => done,
    }
}

/// Loads the configuration, asks about a project file where a person can answer, and prints warnings.
fn load(sources: &Sources) -> Result<Loaded, Problems> {
    // With stdin taken by the protocol or a pipe there is no person to ask.
    let interactive = std::io::stdin().is_terminal() && std::io::stderr().is_terminal();
    let mut ask = |question: &Question| confirm(question);
    let trust = if interactive { Trust::Ask(&mut ask) } else { Trust::Recorded };
    let loaded = config::load(sources, trust)?;
    show(&loaded.warnings);
    Ok(loaded)
}

fn start_log(global: &Global, level: &str, format: config::LogFormat) -> Result<(), Problem> {
    let format = match global.log_format {
        Some(LogFormat::Json) => config::LogFormat::Json,
        Some(LogFormat::Text) => config::LogFormat::Text,
        None => format,
    };
    let level = global.log_level.as_deref().unwrap_or(level);
    telemetry::init(level, format).map_err(|why| Problem::error(why).help("for example `info`, `debug`, or `info,transport=debug`"))
}

fn runtime() -> std::io::Result<tokio::runtime::Runtime> {
    tokio::runtime::Builder::new_multi_thread().enable_all().build()
}

// === config ===

fn check(sources: &Sources) -> Result<ExitCode, Failure> {
    let loaded = load(sources)?;
    let Config {
        servers, disabled, files, ..
    } = &loaded.config;
    let failing = servers.iter().filter(|server| server.launch.is_err()).count();
    let mut line = format!("ok: {} in {}", plural(servers.len(), "server"), plural(files.len(), "file"));
    if failing > 0 {
        let _ = write!(line, ", {failing} of them in error");
    }
    if !disabled.is_empty() {
        let _ = write!(line, ", {} disabled", disabled.len());
    }
    out(&format!("{line}\n"));
    Ok(ExitCode::SUCCESS)
}

fn path(sources: &Sources) -> Result<ExitCode, Failure> {
    // Errors inside the files are reported by `check`.
    let untrusted = config::reload(sources).map(|loaded| loaded.untrusted).unwrap_or_default();
    let mut text = String::new();
    for (origin, path) in sources.candidates() {
        let state = match path.is_file() {
            true if untrusted.contains(&path) => "not trusted",
            true => "read",
            false => "absent",
        };
        let _ = writeln!(text, "{:16} {state:12} {}", origin.to_string(), path.display());
    }
    out(&text);
    Ok(ExitCode::SUCCESS)
}

fn trust(sources: &Sources, args: &ConfigTrust) -> Result<ExitCode, Failure> {
    let file = args
        .file
        .clone()
        .map_or_else(|| config::project_config(&sources.cwd), |file| sources.cwd.join(file));
    let unreadable = |error: std::io::Error| {
        let problem = Problem::error(format!("`{}` can't be read: {error}", file.display()));
        problem.help("run this where the project's `mgp.toml` lies, or name the file: `chancery config trust FILE`")
    };
    let text = std::fs::read_to_string(&file).map_err(unreadable)?;
    let path = std::fs::canonicalize(&file).map_err(unreadable)?;
    let state = config::state_dir(&sources.env)
        .ok_or_else(|| Problem::error("no home directory is known").help("set HOME, or CHANCERY_STATE_DIR"))?;
    let trusted = Trusted::in_dir(&state);
    let mut problems = Problems::default();
    let source = Source::toml(&file.display().to_string(), text.clone());
    let node = config::parse_toml(&source, &mut problems);
    if problems.has_errors() {
        return Err(problems.into());
    }
    let question = config::question(&path, trusted.knows(&path, text.as_bytes()), &node);
    if !args.yes {
        if !std::io::stdin().is_terminal() {
            return Err(Problem::error("there is no terminal to ask a person at")
                .help("look at the file, then run `chancery config trust --yes`")
                .into());
        }
        if !confirm(&question) {
            return Ok(ExitCode::FAILURE);
        }
    }
    let unwritable = |error: std::io::Error| Problem::error(format!("the answer can't be kept in `{}`: {error}", state.display()));
    trusted.confirm(&path, text.as_bytes()).map_err(unwritable)?;
    out(&format!("{} is trusted as it is now\n", path.display()));
    Ok(ExitCode::SUCCESS)
}

/// Shows what a file would start, and asks.
fn confirm(question: &Question) -> bool {
    let changed = if question.changed {
        " has changed since you trusted it. It"
    } else {
        ""
    };
    let mut text = format!("{}{changed} would start or call:\n", question.path.display());
    for (id, what) in &question.servers {
        let _ = writeln!(text, "  {id}: {}", printable(what));
    }
    text.push_str("Trust this file as it is? [y/N] ");
    err(&text);
    let mut answer = String::new();
    std::io::stdin().read_line(&mut answer).is_ok() && matches!(answer.trim(), "y" | "Y" | "yes")
}

/// Replaces control characters, which could hide what a person is asked about.
fn printable(text: &str) -> String {
    text.chars().map(|c| if c.is_control() { '\u{fffd}' } else { c }).collect()
}

fn reference(args: &Reference) -> Result<ExitCode, Failure> {
    out(&if args.json_schema {
        config::reference::json_schema()
    } else if args.openapi {
        format!("{:#}\n", console::document())
    } else {
        config::reference::markdown()
    });
    Ok(ExitCode::SUCCESS)
}

// === import, connect ===

fn import_servers(sources: &Sources, args: &cli::Import) -> Result<ExitCode, Failure> {
    let into = match (&sources.config, config::user_config(&sources.env)) {
        (Some(file), _) => sources.cwd.join(file),
        (None, Some(file)) => file,
        (None, None) => {
            return Err(Problem::error("nothing says where your configuration is")
                .help("set HOME, or name a file with `--config`")
                .into());
        }
    };
    let request = import::Import {
        from: args.from.as_deref(),
        into: &into,
        dry_run: args.dry_run,
    };
    let (report, problems) = import::run(&request, &machine(sources), &sources.env)?;
    show(&problems);
    out(&report);
    Ok(ExitCode::SUCCESS)
}

fn connect_client(sources: &Sources, args: &cli::Connect) -> Result<ExitCode, Failure> {
    let machine = machine(sources);
    let Some(name) = args.client.as_deref().filter(|_| !args.list) else {
        out(&connect::list(&machine)?);
        return Ok(ExitCode::SUCCESS);
    };
    let endpoint = match &args.http {
        Some(url) => Endpoint::Http { url: url.clone() },
        None => Endpoint::Stdio {
            command: std::env::current_exe()?.display().to_string(),
            args: stdio_args(sources),
        },
    };
    let request = connect::Connect {
        client: connect::client(name)?,
        endpoint,
        project: args.project,
        dry_run: args.dry_run,
        now: SystemTime::now()
            .duration_since(SystemTime::UNIX_EPOCH)
            .map(|since| since.as_secs())
            .unwrap_or_default(),
        machine: &machine,
    };
    let report = if args.undo {
        connect::undo(&request)?
    } else {
        connect::connect(&request)?
    };
    out(&report);
    Ok(ExitCode::SUCCESS)
}

/// Returns the arguments for a client's configuration. The client starts the gateway in another directory: files are
/// named by their whole path.
fn stdio_args(sources: &Sources) -> Vec<String> {
    let whole = |path: &PathBuf| absolute(&sources.cwd, path);
    let mut args = vec!["stdio".to_owned()];
    // The client's environment is another one: what the variable names here is named in the arguments as well, where it
    // counts.
    let variable = sources.env.get_filled("MGP_CONFIG_PATH").map(PathBuf::from);
    let config = sources.config.clone().or(variable.filter(|_| sources.mcp_json.is_empty()));
    if let Some(file) = &config {
        args.extend(["--config".to_owned(), whole(file)]);
    }
    for file in &sources.mcp_json {
        args.extend(["--mcp-json".to_owned(), whole(file)]);
    }
    args
}

fn absolute(cwd: &Path, path: &Path) -> String {
    cwd.join(path).display().to_string()
}

fn machine(sources: &Sources) -> Machine<'_> {
    Machine {
        os: Os::current(),
        env: &sources.env,
        cwd: &sources.cwd,
    }
}

// === printing ===

fn show(problems: &Problems) {
    let colour = std::io::stderr().is_terminal() && std::env::var_os("NO_COLOR").is_none();
    err(&problems.render(colour));
}

/// Prints a text. A reader that has closed its end (`| head`) is no error of ours.
fn out(text: &str) {
    std::io::stdout().write_all(text.as_bytes()).ok();
}

fn err(text: &str) {
    std::io::stderr().write_all(text.as_bytes()).ok();
}
