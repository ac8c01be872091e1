//! Judging a tree: every command of every pipeline, each of its words and redirects.

use std::borrow::Cow;
use std::ops::Range;

use super::ast::{Command, Connector, Expansion, Redirect, RedirectKind, Script, Simple, Unit, Word};
use super::brace;
use super::commands::{self, Argument, Kind};
use super::glob;
use super::{Policy, Profile};
use crate::finding::{Findings, shown};
use crate::path;

/// How often a command may run a command that runs a command.
const MAX_DEPTH: usize = 8;
/// How many commands one text may have.
const MAX_COMMANDS: usize = 200;

/// What is done with a file.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Access {
    Read,
    Write,
}

/// Where a command stands.
#[derive(Clone, Copy, Debug, Default)]
struct Context {
    /// Inside a substitution, where a command is there for what it prints.
    substitution: bool,
    /// Where a command runs as often as something is found.
    repeated: bool,
    /// Whether the command's input is another one's output, or a file.
    piped: bool,
}

/// A judgement under way.
#[derive(Debug)]
pub(crate) struct Judge<'a> {
    pub(crate) policy: &'a Policy<'a>,
    pub(crate) findings: Findings,
    depth: usize,
    commands: usize,
    context: Context,
}

impl<'a> Judge<'a> {
    pub(crate) fn new(policy: &'a Policy<'a>) -> Self {
        Self {
            policy,
            findings: Findings::default(),
            depth: 0,
            commands: 0,
            context: Context::default(),
        }
    }

    // === lists ===

    pub(crate) fn script(&mut self, script: &Script) {
        let several = self.policy.profile == Profile::Pipeline;
        for (at, item) in script.items.iter().enumerate() {
            let operator = match item.connector {
                Connector::Background => Some("`&` leaves a command running behind"),
                Connector::End | Connector::Newline => None,
                _ if several => None,
                _ => Some("this profile takes one command, without operators"),
            };
            if let Some(reason) = operator {
                let hint = "write one command after the other, or `a && b`, in the profile `pipeline`";
                self.findings.add("shell.operator", item.connector_span.clone(), reason, hint);
            }
            if !several && (at > 0 || item.commands.len() > 1) {
                let span = item.commands.last().map_or(item.connector_span.clone(), span_of);
                let hint = "give one command alone, or use the profile `pipeline`";
                self.findings
                    .add("shell.operator", span, "this profile takes one command, without operators", hint);
            }
            for (at, command) in item.commands.iter().enumerate() {
                let outer = self.context;
                self.context.piped = outer.piped || at > 0;
                self.command(command);
                self.context = outer;
            }
        }
    }

    fn command(&mut self, command: &Command) {
        self.commands += 1;
        if self.commands > MAX_COMMANDS {
            self.findings.add(
                "shell.length",
                span_of(command),
                "there are too many commands",
                "give fewer at a time",
            );
            return;
        }
        match command {
            Command::Simple(simple) => self.simple(simple),
            Command::Group { script, redirects, span } => {
                if self.policy.profile != Profile::Pipeline {
                    let hint = "give one command alone, or use the profile `pipeline`";
                    self.findings.add(
                        "shell.operator",
                        span.clone(),
                        "this profile takes one command, without groups",
                        hint,
                    );
                }
                for redirect in redirects {
                    self.redirect(redirect);
                }
                self.script(script);
            }
        }
    }

    // === one command ===

    fn simple(&mut self, simple: &Simple) {
        for assignment in &simple.assignments {
            if simple.words.is_empty() || !is_harmless_variable(&assignment.name) {
                let reason = format!("`{}` may change what later commands do", shown(&assignment.name));
                self.findings.add(
                    "shell.assignment",
                    assignment.value.span.clone(),
                    reason,
                    "leave the assignment out",
                );
            }
            self.expansions(&assignment.value);
        }
        for redirect in &simple.redirects {
            self.redirect(redirect);
        }
        if simple.words.is_empty() {
            if !simple.redirects.is_empty() && simple.assignments.is_empty() {
                let hint = "put a command before the redirect";
                self.findings
                    .add("shell.redirect", simple.span.clone(), "a redirect stands without a command", hint);
            }
            return;
        }
        let Some(arguments) = self.arguments(&simple.words) else { return };
        let outer = self.context;
        self.context.piped |= simple
            .redirects
            .iter()
            .any(|redirect| matches!(redirect.kind, RedirectKind::Read | RedirectKind::Text));
        self.run(&arguments);
        self.context = outer;
    }

    /// The words as the command will get them; `None` when there are too many to know.
    fn arguments(&mut self, words: &[Word]) -> Option<Vec<Argument>> {
        let mut arguments = Vec::with_capacity(words.len());
        for (at, word) in words.iter().enumerate() {
            if !word.has_brace() {
                arguments.push(self.argument(word));
                continue;
            }
            let expanded = if at == 0 { None } else { brace::expand(word) };
            let Some(expanded) = expanded else {
                let reason = "braces stand where what they become can't be told";
                self.findings.add("shell.word", word.span.clone(), reason, "write each word out");
                return None;
            };
            for word in &expanded {
                arguments.push(self.argument(word));
            }
        }
        Some(arguments)
    }

    fn argument(&self, word: &Word) -> Argument {
        let mut text = String::with_capacity(word.units.len());
        let mut dynamic = false;
        for unit in &word.units {
            match unit {
                Unit::Plain(c) | Unit::Quoted(c) => text.push(*c),
                Unit::Expansion(expansion) => match self.known(expansion) {
                    Some(known) => text.push_str(&known),
                    None => {
                        dynamic = true;
                        text.push(commands::UNKNOWN);
                    }
                },
            }
        }
        Argument {
            span: word.span.clone(),
            text,
            dynamic,
            glob: word.has_glob(),
            tilde: word.has_tilde(),
            word: word.clone(),
        }
    }

    /// What is put in, where that can be told: numbers, and the working folder.
    fn known(&self, expansion: &Expansion) -> Option<Cow<'static, str>> {
        match expansion {
            Expansion::Parameter { name, plain: true } => match name.as_str() {
                "?" | "#" | "$" | "!" | "LINENO" | "RANDOM" | "SECONDS" | "UID" | "EUID" | "PPID" | "COLUMNS" | "LINES" => Some("0".into()),
                "PWD" => self.policy.roots.working().map(Cow::Owned),
                _ => None,
            },
            Expansion::Arithmetic => Some("0".into()),
            _ => None,
        }
    }

    /// Judges a command with its arguments; its name is the first of them. Wrappers come back here with what they run.
    pub(crate) fn run(&mut self, arguments: &[Argument]) {
        let Some(first) = arguments.first() else { return };
        for argument in arguments {
            self.expansions(&argument.word);
        }
        let is_test = first.text == "[";
        if first.dynamic || (first.glob && !is_test) || first.tilde {
            let reason = format!("the name of the command is known only when it runs: `{}`", shown(&first.text));
            self.findings
                .add("shell.command-word", first.span.clone(), reason, "write the command's name out");
            return;
        }
        if self.depth >= MAX_DEPTH {
            self.findings.add(
                "shell.depth",
                first.span.clone(),
                "commands run commands too often",
                "call the command itself",
            );
            return;
        }
        self.depth += 1;
        self.dispatch(first, arguments);
        self.depth -= 1;
    }

    fn dispatch(&mut self, first: &Argument, arguments: &[Argument]) {
        let name = base_name(&first.text);
        let span = || first.span.clone();
        if self.policy.allow.contains(&first.text) {
            for argument in &arguments[1..] {
                self.loose(argument);
            }
            return;
        }
        let asks_version = arguments.len() == 2 && arguments[1].text == "--version" && is_plain_name(name);
        if let Some(why) = commands::danger_of(name).filter(|_| !asks_version) {
            let reason = format!("`{}` {why}", shown(name));
            self.findings
                .add("shell.command", span(), reason, "use a tool made for it, or ask a person");
            return;
        }
        let Some(row) = commands::row_of(name) else {
            if asks_version && commands::is_known(name) {
                return;
            }
            if self.policy.profile == Profile::Default && !self.policy.read_only && is_plain_name(&first.text) {
                for argument in &arguments[1..] {
                    self.loose(argument);
                }
                return;
            }
            let reason = format!("`{}` is no command that this profile knows", shown(&first.text));
            let hint = "use one of the known commands, or list it under the validator's `allow`";
            self.findings.add("shell.command", span(), reason, hint);
            return;
        };
        let reads =
            matches!(row.kind, Kind::Text | Kind::Name | Kind::Read | Kind::Pattern) || matches!(name, "printf" | "test" | "[" | "getent");
        if self.policy.profile == Profile::Strict && !reads {
            let reason = format!("`{}` does more than read", shown(name));
            self.findings
                .add("shell.command", span(), reason, "the profile `strict` takes reading commands only");
            return;
        }
        if self.reads_only() && matches!(row.kind, Kind::Build) {
            self.refuse_write(span(), name);
            return;
        }
        if self.context.repeated && !may_repeat(name, row.kind) {
            let reason = format!("`{}` would run for whatever is found", shown(name));
            self.findings
                .add("shell.repeated", span(), reason, "run commands that only read, or name the files");
            return;
        }
        if self.context.substitution && name == "sleep" {
            self.findings
                .add("shell.substitution", span(), "`sleep` has nothing to put in", "call it on its own");
            return;
        }
        match row.kind {
            Kind::Special(judge) => judge(self, arguments),
            _ => commands::simple(self, row, arguments),
        }
    }

    /// Whether nothing may be changed here.
    pub(crate) fn reads_only(&self) -> bool {
        self.policy.read_only || self.context.substitution || self.context.repeated
    }

    /// Judges a command that is run for each of many things: it may only read.
    pub(crate) fn run_for_each(&mut self, arguments: &[Argument]) {
        let outer = self.context;
        self.context.repeated = true;
        self.run(arguments);
        self.context = outer;
    }

    /// Judges something that stands in an argument, and hands out what was found there.
    pub(crate) fn inside(&mut self, judge: impl FnOnce(&mut Self)) -> Findings {
        let outer = std::mem::take(&mut self.findings);
        if self.depth < MAX_DEPTH {
            self.depth += 1;
            judge(self);
            self.depth -= 1;
        } else {
            self.findings
                .add("shell.depth", 0..0, "commands run commands too often", "call the command itself");
        }
        std::mem::replace(&mut self.findings, outer)
    }

    pub(crate) fn is_piped(&self) -> bool {
        self.context.piped
    }

    // === words ===

    /// Everything the shell puts into a word, wherever it stands.
    fn expansions(&mut self, word: &Word) {
        for expansion in word.expansions() {
            if self.policy.profile != Profile::Pipeline && self.known(expansion).is_none() {
                let hint = "write the value out, or use the profile `pipeline`";
                self.findings
                    .add("shell.expansion", word.span.clone(), "this profile takes no expansions", hint);
                continue;
            }
            match expansion {
                Expansion::Command(script) | Expansion::Process { script, reads: true } => self.substitution(script),
                Expansion::Reread(script) => {
                    let inner = self.inside(|judge| judge.substitution(script));
                    self.findings.absorb_at(inner, &word.span);
                }
                Expansion::Process { reads: false, .. } => {
                    let hint = "pipe into the command";
                    self.findings
                        .add("shell.substitution", word.span.clone(), "`>( )` runs a command out of sight", hint);
                }
                Expansion::Parameter { .. } | Expansion::Arithmetic => {}
            }
        }
    }

    /// A script that is there for what it prints.
    fn substitution(&mut self, script: &Script) {
        let outer = self.context;
        self.context = Context {
            substitution: true,
            ..Context::default()
        };
        self.script(script);
        self.context = outer;
    }

    /// A place where text is wanted: it may be known only when it runs.
    pub(crate) fn text(&mut self, argument: &Argument) {
        let process = argument
            .word
            .expansions()
            .any(|expansion| matches!(expansion, Expansion::Process { .. }));
        if process {
            let hint = "pipe into the command";
            self.findings.add(
                "shell.substitution",
                argument.span.clone(),
                "a file stands where text is wanted",
                hint,
            );
        }
    }

    /// A place where nothing may be known only when it runs. Says whether that is so.
    pub(crate) fn fixed(&mut self, argument: &Argument) -> bool {
        if argument.dynamic {
            let reason = format!("`{}` is known only when it runs", shown(&argument.text));
            self.findings
                .add("shell.word", argument.span.clone(), reason, "write the value out");
        }
        !argument.dynamic
    }

    /// A place where a path is wanted.
    pub(crate) fn path(&mut self, argument: &Argument, text: &str, access: Access) {
        let reads_a_process = access == Access::Read
            && argument.word.units.len() == 1
            && argument
                .word
                .expansions()
                .all(|expansion| matches!(expansion, Expansion::Process { reads: true, .. }));
        if (argument.dynamic && reads_a_process) || text == "-" {
            return;
        }
        if !self.fixed(argument) {
            return;
        }
        if argument.tilde && text.starts_with('~') {
            let reason = format!("`{}` is a home folder", shown(text));
            self.findings.add(
                "shell.path",
                argument.span.clone(),
                reason,
                "name a path inside the allowed folders",
            );
            return;
        }
        if argument.glob && glob::may_step_up(&argument.word) {
            let reason = format!("`{}` matches `..` too", shown(text));
            self.findings.add(
                "shell.path",
                argument.span.clone(),
                reason,
                "write a pattern that matches names only",
            );
            return;
        }
        self.literal_path(&argument.span, text, access);
    }

    /// A path that is known.
    pub(crate) fn literal_path(&mut self, span: &Range<usize>, text: &str, access: Access) {
        if access == Access::Write && self.reads_only() && !is_sink(text) {
            self.refuse_write(span.clone(), text);
            return;
        }
        if is_device(text, access) || text.is_empty() {
            return;
        }
        let hint = "name a path inside the allowed folders";
        if access == Access::Write && text.split('/').any(|segment| segment.eq_ignore_ascii_case(".git")) {
            self.findings
                .add("shell.path", span.clone(), "what stands in `.git` runs later", "let git change it");
            return;
        }
        if let Err(refusal) = path::as_written(text, self.policy.roots) {
            self.findings.add("shell.path", span.clone(), refusal.reason, hint);
        }
    }

    /// A value that may be a path: only what leads elsewhere is refused.
    pub(crate) fn loose_path(&mut self, argument: &Argument, value: &str) {
        let leads_away = value.starts_with(['/', '~', '\\']) || value.contains("..");
        if leads_away && !is_device(value, Access::Write) {
            if value.starts_with('~') {
                let reason = format!("`{}` is a home folder", shown(value));
                self.findings.add(
                    "shell.path",
                    argument.span.clone(),
                    reason,
                    "name a path inside the allowed folders",
                );
            } else {
                self.literal_path(&argument.span, value, Access::Read);
            }
        }
        if argument.dynamic {
            self.fixed(argument);
        }
    }

    /// An argument of a command that nothing is known of.
    pub(crate) fn loose(&mut self, argument: &Argument) {
        let value = argument.text.split_once('=').map_or(argument.text.as_str(), |(_, value)| value);
        let value = value.to_owned();
        self.loose_path(argument, &value);
    }

    // === redirects ===

    fn redirect(&mut self, redirect: &Redirect) {
        if self.policy.profile != Profile::Pipeline {
            let hint = "leave the redirect out, or use the profile `pipeline`";
            self.findings
                .add("shell.redirect", redirect.span.clone(), "this profile takes no redirects", hint);
        }
        self.expansions(&redirect.target);
        let argument = self.argument(&redirect.target);
        match redirect.kind {
            RedirectKind::Duplicate => {}
            RedirectKind::Text => self.text(&argument),
            RedirectKind::Read => self.path(&argument, &argument.text, Access::Read),
            RedirectKind::Write => self.path(&argument, &argument.text, Access::Write),
        }
    }

    // === refusals ===

    pub(crate) fn refuse_option(&mut self, command: &Argument, option: &Argument) {
        let reason = format!("`{}` of `{}` hands over control", shown(&option.text), shown(&command.text));
        self.findings
            .add("shell.option", option.span.clone(), reason, "leave the option out");
    }

    pub(crate) fn refuse_write(&mut self, span: Range<usize>, what: &str) {
        let reason = format!("`{}` changes something", shown(what));
        self.findings.add("shell.writes", span, reason, "only reading is allowed here");
    }

    pub(crate) fn refuse(&mut self, rule: &'static str, argument: &Argument, reason: impl Into<String>, hint: &'static str) {
        self.findings.add(rule, argument.span.clone(), reason, hint);
    }
}

fn span_of(command: &Command) -> Range<usize> {
    match command {
        Command::Simple(simple) => simple.span.clone(),
        Command::Group { span, .. } => span.clone(),
    }
}

/// A command by its path is the command, if the folder is one where systems keep them.
fn base_name(text: &str) -> &str {
    const FOLDERS: &[&str] = &[
        "/bin/",
        "/sbin/",
        "/usr/bin/",
        "/usr/sbin/",
        "/usr/local/bin/",
        "/usr/local/sbin/",
        "/opt/homebrew/bin/",
    ];
    let name = FOLDERS.iter().find_map(|folder| text.strip_prefix(folder)).unwrap_or(text);
    if name.contains('/') { text } else { name }
}

/// Commands that may run once for each thing that is found: what is found becomes their operand.
fn may_repeat(name: &str, kind: Kind) -> bool {
    const JUDGED: &[&str] = &[
        "sed", "gsed", "awk", "gawk", "mawk", "nawk", "time", "nice", "timeout", "env", "command",
    ];
    matches!(kind, Kind::Text | Kind::Name | Kind::Read | Kind::Pattern) || JUDGED.contains(&name)
}

fn is_plain_name(text: &str) -> bool {
    text.starts_with(|c: char| c.is_ascii_alphanumeric())
        && text
            .chars()
            .all(|c| c.is_ascii_alphanumeric() || matches!(c, '.' | '_' | '+' | '-'))
}

/// Variables that change how something is shown, and nothing else.
pub(crate) fn is_harmless_variable(name: &str) -> bool {
    const NAMES: &[&str] = &[
        "LANG",
        "LANGUAGE",
        "TZ",
        "NO_COLOR",
        "FORCE_COLOR",
        "CLICOLOR",
        "COLUMNS",
        "LINES",
        "CI",
        "DEBUG",
        "VERBOSE",
        "RUST_BACKTRACE",
        "RUST_LOG",
        "NODE_ENV",
        "CARGO_TERM_COLOR",
        "GOOS",
        "GOARCH",
        "CGO_ENABLED",
        "PYTHONUNBUFFERED",
        "PYTHONHASHSEED",
    ];
    NAMES.contains(&name) || name.starts_with("LC_")
}

fn is_sink(text: &str) -> bool {
    matches!(text, "/dev/null" | "/dev/stdout" | "/dev/stderr" | "-")
}

fn is_device(text: &str, access: Access) -> bool {
    is_sink(text) || (access == Access::Read && matches!(text, "/dev/stdin" | "/dev/zero" | "/dev/urandom" | "/dev/random"))
}
