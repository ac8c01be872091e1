//! Judges a tree: every command of every pipeline, each of its words and redirects.

use std::borrow::Cow;
use std::ops::Range;

use super::argument::{Argument, UNKNOWN};
use super::ast::{Command, Connector, Expansion, Redirect, RedirectKind, Script, Simple, Unit, Word};
use super::commands::{self, Kind};
use super::judge::{Access, Context, Judge, MAX_DEPTH, is_harmless_variable};
use super::policy::Profile;
use super::{brace, parse};
use crate::finding::{Findings, shown};
use crate::text;

/// The size in bytes above which texts are refused unread.
pub(super) const MAX_BYTES: usize = 32 * 1024;
/// How many commands one text may have.
const MAX_COMMANDS: usize = 200;

impl Judge<'_> {
    // === texts ===

    /// Judges a command line as a shell reads it.
    pub(super) fn script_text(&mut self, text: &str) {
        if !well_formed(&mut self.findings, text) {
            return;
        }
        match parse::parse(text) {
            Ok(script) if script.items.is_empty() => {
                self.findings
                    .add("shell.syntax", 0..text.len(), "there is no command", "give a command");
            }
            Ok(script) => self.script(&script),
            Err(error) => {
                let hint = "write it without that, or as several calls";
                self.findings.add("shell.syntax", error.at..text.len(), error.reason, hint);
            }
        }
    }

    /// Judges a script that a command received as an argument, as part of the same judgement.
    pub(crate) fn inner_script(&mut self, argument: &Argument, text: &str) {
        let inner = self.inside(|judge| judge.script_text(text));
        self.findings.absorb_at(inner, &argument.span);
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

    /// Returns the words as the command will receive them; `None` when there are too many to know.
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
                        text.push(UNKNOWN);
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

    /// Returns the value of an expansion, where that is known: numbers, and the working folder.
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

    /// Judges a command with its arguments; its name is the first of them. Wrappers call this again with the command
    /// that they run.
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

    /// Judges a command that is run for each of many items: it may only read.
    pub(crate) fn run_for_each(&mut self, arguments: &[Argument]) {
        let outer = self.context;
        self.context.repeated = true;
        self.run(arguments);
        self.context = outer;
    }

    /// Judges a command that gets further arguments from its input: its operands, and options too, unless the command line has ended them.
    pub(crate) fn run_on_input(&mut self, command: &[Argument]) {
        let Some(first) = command.first() else { return };
        let ended = command.iter().any(|argument| argument.text == "--");
        let takes_any = commands::row_of(&first.text).is_some_and(|row| {
            matches!(row.kind, Kind::Text | Kind::Name | Kind::Read | Kind::Pattern) && (ended || row.refused.is_empty())
        });
        if takes_any {
            return self.run_for_each(command);
        }
        let hint = "use `find -exec`, or a command that only reads";
        self.refuse(
            "shell.xargs",
            first,
            "`xargs` would give it arguments that no validator has seen",
            hint,
        );
    }

    // === words ===

    /// Judges all expansions of a word, wherever it stands.
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

    /// Judges a script whose output is used.
    fn substitution(&mut self, script: &Script) {
        let outer = self.context;
        self.context = Context {
            substitution: true,
            ..Context::default()
        };
        self.script(script);
        self.context = outer;
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
}

fn span_of(command: &Command) -> Range<usize> {
    match command {
        Command::Simple(simple) => simple.span.clone(),
        Command::Group { span, .. } => span.clone(),
    }
}

/// Returns the name of a command given by its path, if the folder is one where systems keep commands.
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

/// Returns whether a command may run once for each item that is found, which becomes its operand.
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

/// Refuses what no shell should receive, whatever it means: texts that are too long, and invisible characters.
fn well_formed(findings: &mut Findings, text: &str) -> bool {
    if text.len() > MAX_BYTES {
        findings.add(
            "shell.length",
            0..text.len(),
            "the command is longer than 32 KiB",
            "give less at a time",
        );
        return false;
    }
    if let Some((at, c)) = text::invisible(text) {
        let reason = format!("the character U+{:04X} can't be seen", u32::from(c));
        findings.add("shell.characters", at..at + c.len_utf8(), reason, "leave it out");
        return false;
    }
    true
}
