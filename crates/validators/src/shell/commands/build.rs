//! Judges build tools: they run the project's own code, and may neither install, publish, nor run a program named on
//! the command line.

use super::super::argument::{Argument, Shape};
use super::super::judge::Judge;
use crate::finding::shown;

/// A tool with its subcommands, and the options that name a program.
struct Tool {
    reads: &'static [&'static str],
    builds: &'static [&'static str],
    /// The subcommands that install what the project declares, as long as no package is named.
    declared: &'static [&'static str],
    /// The subcommands of two words.
    pairs: &'static [&'static str],
    refused: &'static [&'static str],
}

const CARGO: Tool = Tool {
    reads: &[
        "tree",
        "metadata",
        "search",
        "info",
        "version",
        "help",
        "locate-project",
        "pkgid",
        "read-manifest",
        "verify-project",
        "report",
    ],
    builds: &[
        "build",
        "b",
        "check",
        "c",
        "test",
        "t",
        "bench",
        "clippy",
        "doc",
        "d",
        "fmt",
        "run",
        "r",
        "clean",
        "update",
        "generate-lockfile",
        "nextest",
        "fix",
        "init",
        "new",
        "add",
        "remove",
        "rm",
        "vendor",
        "package",
        "fetch",
    ],
    declared: &[],
    pairs: &[],
    refused: &["--config", "-Z", "-C", "--registry", "--index", "--git"],
};

const GO: Tool = Tool {
    reads: &["list", "version", "env", "doc", "help", "vet"],
    builds: &["build", "test", "fmt", "fix", "run", "clean"],
    declared: &[],
    pairs: &[
        "mod tidy",
        "mod verify",
        "mod graph",
        "mod why",
        "mod init",
        "mod edit",
        "mod download",
        "mod vendor",
        "tool cover",
        "tool vet",
        "tool pprof",
        "tool compile",
        "work sync",
        "work use",
    ],
    refused: &[
        "-exec",
        "-toolexec",
        "-vettool",
        "-overlay",
        "-C",
        "-ldflags",
        "-gccgoflags",
        "-modfile",
        "-pkgdir",
        "-compiler",
        "-fixtool",
    ],
};

const NPM: Tool = Tool {
    reads: &[
        "ls", "list", "ll", "la", "outdated", "view", "info", "show", "v", "why", "explain", "audit", "help", "root", "prefix", "bin",
        "fund", "search", "ping", "doctor", "version", "licenses", "pack",
    ],
    builds: &[
        "test",
        "t",
        "run",
        "run-script",
        "start",
        "stop",
        "restart",
        "build",
        "lint",
        "ci",
        "init",
    ],
    declared: &["install", "i"],
    pairs: &[],
    refused: &[
        "--script-shell",
        "--prefix",
        "--globalconfig",
        "--userconfig",
        "--call",
        "-c",
        "--node-options",
        "--registry",
        "--init-module",
        "--shell",
    ],
};

const PIP: Tool = Tool {
    reads: &["list", "show", "freeze", "check", "help", "debug", "inspect", "index", "hash"],
    builds: &[],
    declared: &[],
    pairs: &[],
    refused: &[
        "--python",
        "--log",
        "--index-url",
        "-i",
        "--extra-index-url",
        "--proxy",
        "--trusted-host",
        "--find-links",
        "-f",
        "--cert",
    ],
};

pub(super) fn cargo(judge: &mut Judge<'_>, arguments: &[Argument]) {
    judge_tool(judge, &CARGO, arguments);
}

pub(super) fn go(judge: &mut Judge<'_>, arguments: &[Argument]) {
    judge_tool(judge, &GO, arguments);
}

pub(super) fn npm(judge: &mut Judge<'_>, arguments: &[Argument]) {
    judge_tool(judge, &NPM, arguments);
}

pub(super) fn pip(judge: &mut Judge<'_>, arguments: &[Argument]) {
    judge_tool(judge, &PIP, arguments);
}

fn judge_tool(judge: &mut Judge<'_>, tool: &Tool, arguments: &[Argument]) {
    let mut operands = arguments[1..]
        .iter()
        .filter(|one| one.shape() == Shape::Operand && !one.text.starts_with('+'));
    let Some(first) = operands.next() else {
        return every(judge, tool, arguments);
    };
    let second = operands.next().map_or("", |second| second.text.as_str());
    let pair = format!("{} {second}", first.text);
    let name = first.text.as_str();
    let reads = tool.reads.contains(&name);
    let declared = tool.declared.contains(&name) && second.is_empty() && !arguments.iter().any(|one| is_everywhere(&one.text));
    if !reads && !declared && !tool.builds.contains(&name) && !tool.pairs.contains(&pair.as_str()) {
        let reason = format!(
            "`{} {}` may install, publish or run something else",
            shown(&arguments[0].text),
            shown(name)
        );
        judge.refuse("shell.command", first, reason, "use a subcommand that builds, tests or lists");
        return;
    }
    if judge.reads_only() && !reads {
        judge.refuse_write(first.span.clone(), name);
        return;
    }
    every(judge, tool, arguments);
}

/// Returns whether an option installs for the whole machine.
fn is_everywhere(option: &str) -> bool {
    option == "--global"
        || option == "--location"
        || option.starts_with("--location=")
        || (option.starts_with('-') && !option.starts_with("--") && option.contains('g'))
}

fn every(judge: &mut Judge<'_>, tool: &Tool, arguments: &[Argument]) {
    let mut behind = false;
    for argument in &arguments[1..] {
        behind |= argument.text == "--";
        let name = argument.text.split('=').next().unwrap_or_default();
        let long_once = name.strip_prefix('-').unwrap_or(name);
        if !behind && (tool.refused.contains(&name) || (name.starts_with("--") && tool.refused.contains(&long_once))) {
            judge.refuse_option(&arguments[0], argument);
        } else {
            judge.loose(argument);
        }
    }
}

/// Judges `make`: targets and variables, none of which may be code.
pub(super) fn make(judge: &mut Judge<'_>, arguments: &[Argument]) {
    if judge.reads_only() {
        judge.refuse_write(arguments[0].span.clone(), "make");
        return;
    }
    for argument in &arguments[1..] {
        let (name, value) = argument.text.split_once('=').unwrap_or((argument.text.as_str(), ""));
        let is_code = value.contains(['$', '`', ';', '|', '&', '\n']) || name.ends_with(['!', ':', '?']) && !value.is_empty();
        let is_control = name.eq_ignore_ascii_case("SHELL") || matches!(name, "MAKEFLAGS" | "MAKEFILES" | ".SHELLFLAGS" | "MAKE");
        let option = matches!(argument.shape(), Shape::Long { name, .. } if name.starts_with("ev") || name.starts_with("inc"))
            || matches!(argument.shape(), Shape::Short(letters) if letters.starts_with(['E', 'I']));
        let from_input = argument.text == "-" || argument.text == "-f-" || value == "-";
        if is_code || is_control || option || from_input {
            judge.refuse("shell.option", argument, "`make` would run it", "give targets and plain values");
        } else {
            judge.loose(argument);
        }
    }
}
