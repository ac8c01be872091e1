//! A judgement under way: its findings so far, and what each place in a command may hold.

use std::ops::Range;

use super::argument::Argument;
use super::ast::Expansion;
use super::glob;
use super::policy::Policy;
use crate::finding::{Findings, shown};
use crate::path;

/// How deeply commands may run other commands.
pub(super) const MAX_DEPTH: usize = 8;

/// How a file is used.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Access {
    Read,
    Write,
}

/// The context of a command.
#[derive(Clone, Copy, Debug, Default)]
pub(super) struct Context {
    /// Whether it is inside a substitution, where its output is used.
    pub(super) substitution: bool,
    /// Whether it runs once for each item that is found.
    pub(super) repeated: bool,
    /// Whether the command's input is another one's output, or a file.
    pub(super) piped: bool,
}

/// The state of a judgement.
#[derive(Debug)]
pub(crate) struct Judge<'a> {
    pub(crate) policy: &'a Policy<'a>,
    pub(crate) findings: Findings,
    pub(super) depth: usize,
    pub(super) commands: usize,
    pub(super) context: Context,
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

    /// Returns whether nothing may be changed here.
    pub(crate) fn reads_only(&self) -> bool {
        self.policy.read_only || self.context.substitution || self.context.repeated
    }

    /// Judges an inner text of an argument, and returns the findings separately.
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

    // === places ===

    /// Judges an argument that is text: it may be known only at run time.
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

    /// Judges an argument of which no part may be known only at run time. Returns whether that is so.
    pub(crate) fn fixed(&mut self, argument: &Argument) -> bool {
        if argument.dynamic {
            let reason = format!("`{}` is known only when it runs", shown(&argument.text));
            self.findings
                .add("shell.word", argument.span.clone(), reason, "write the value out");
        }
        !argument.dynamic
    }

    /// Judges an argument that is a path.
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

    /// Judges a path that is known.
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

    /// Judges a value that may be a path: only one that leads outside is refused.
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

    /// Judges an argument of an unknown command.
    pub(crate) fn loose(&mut self, argument: &Argument) {
        let value = argument.text.split_once('=').map_or(argument.text.as_str(), |(_, value)| value);
        let value = value.to_owned();
        self.loose_path(argument, &value);
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

/// Returns whether a variable only changes how something is displayed.
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
