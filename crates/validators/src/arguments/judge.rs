//! Judges one call: every argument with a kind is passed to the validators for it.

use serde_json::Value;

use super::infer::{Slots, escaped};
use super::json::Json;
use super::kind::Kind;
use super::names;
use super::plan::{Plan, Validator};
use crate::code::{self, Language, Level};
use crate::finding::{Finding, Findings, shown};
use crate::shell::{self, Profile};
use crate::{path, sql, url};

/// The size in bytes above which arguments are refused unread, unless nothing judges them.
const MAX_BYTES: usize = 16 * 1024 * 1024;
/// How many violations one call can have.
const MAX_VIOLATIONS: usize = 32;
/// How many names of one call may be resolved.
const MAX_NAMES: usize = 64;

/// A violation in one argument.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Violation {
    /// The argument, as a JSON pointer (RFC 6901).
    pub argument: String,
    /// The finding; its span refers to the argument's own text.
    pub finding: Finding,
}

/// A name in an argument that is to be resolved, and whose addresses are to be judged by [`url::judge_addresses`].
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Resolve {
    /// The argument, as a JSON pointer.
    pub argument: String,
    /// The name to be resolved.
    pub name: String,
}

/// The judgement of a call. It may be sent when there are no violations, and every name has been resolved and judged.
#[derive(Clone, Debug, Default, PartialEq)]
pub struct Verdict {
    /// The violations found.
    pub violations: Vec<Violation>,
    /// The names that remain to be resolved.
    pub resolve: Vec<Resolve>,
    /// The answer of MGP §7.4, if code was refused.
    pub rejection: Option<Value>,
}

impl Plan {
    /// Judges the arguments of a call, exactly as they will be sent.
    #[must_use]
    pub fn judge(&self, slots: &Slots, arguments: &str) -> Verdict {
        let mut judge = Judge {
            plan: self,
            slots,
            verdict: Verdict::default(),
            commands: 0,
            codes: 0,
        };
        if self.validators.iter().all(|validator| *validator == Validator::None) {
            return judge.verdict;
        }
        if arguments.len() > MAX_BYTES {
            judge.refuse(
                "",
                "arguments.length",
                "the arguments are longer than 16 MiB",
                "give less at a time",
            );
            return judge.verdict;
        }
        let arguments = match Json::read(arguments) {
            Ok(arguments) => arguments,
            Err(why) => {
                judge.refuse("", "arguments.json", why, "give each key once, and well-formed JSON");
                return judge.verdict;
            }
        };
        judge.value("", "", "", &arguments, &Json::Other);
        judge.nothing_found(&arguments);
        judge.verdict
    }
}

struct Judge<'a> {
    plan: &'a Plan,
    slots: &'a Slots,
    verdict: Verdict,
    commands: usize,
    codes: usize,
}

impl Judge<'_> {
    /// Judges a value and its parts: `pointer` has the indices, `place` has names only.
    fn value(&mut self, pointer: &str, place: &str, name: &str, value: &Json, around: &Json) {
        match value {
            Json::Text(text) => self.text(pointer, place, name, text, around),
            Json::List(items) => {
                if self.words(pointer, place, name, items, around) {
                    return;
                }
                for (at, item) in items.iter().enumerate() {
                    self.value(&format!("{pointer}/{at}"), place, name, item, around);
                }
            }
            Json::Object(members) => {
                for (key, member) in members {
                    let step = escaped(key);
                    self.value(&format!("{pointer}/{step}"), &format!("{place}/{step}"), key, member, value);
                }
            }
            Json::Other => {}
        }
    }

    fn text(&mut self, pointer: &str, place: &str, name: &str, text: &str, around: &Json) {
        let kind = self.plan.kind_of(self.slots, place, name);
        for validator in &self.plan.validators {
            match validator {
                Validator::Sandbox(profile) => self.sandbox(pointer, kind, text, *profile, around),
                Validator::Readonly => self.readonly(pointer, kind, text, around),
                Validator::NetworkRestricted => self.network(pointer, kind, text),
                Validator::CodeSafety(level) => self.code(pointer, kind, text, *level, around),
                Validator::None => {}
            }
        }
    }

    // === commands ===

    /// Judges a list that is a command, or belongs to one; returns whether it was judged as a whole.
    fn words(&mut self, pointer: &str, place: &str, name: &str, items: &[Json], around: &Json) -> bool {
        let kind = self.plan.kind_of(self.slots, place, name);
        if !matches!(kind, Some(Kind::Command | Kind::Words)) {
            return false;
        }
        let Some(mut words) = items.iter().map(Json::as_text).collect::<Option<Vec<&str>>>() else {
            return false;
        };
        if kind == Some(Kind::Words) {
            let beside = ["command", "cmd", "program", "executable", "binary"];
            match beside.iter().find_map(|name| around.get(name)).and_then(Json::as_text) {
                Some(command) => words.insert(0, command),
                None if matches!(name, "argv") => {}
                None => return false,
            }
        }
        for validator in &self.plan.validators {
            let (profile, read_only) = match validator {
                Validator::Sandbox(profile) => (*profile, false),
                Validator::Readonly => (Profile::Pipeline, true),
                _ => continue,
            };
            self.commands += 1;
            let findings = shell::check_words(&words, &self.shell(profile, read_only));
            self.take(pointer, findings);
        }
        // The words may be addresses and paths, too.
        for (at, word) in items.iter().enumerate() {
            if let (Some(word), true) = (word.as_text(), self.plan.validators.contains(&Validator::NetworkRestricted)) {
                self.network(&format!("{pointer}/{at}"), None, word);
            }
        }
        true
    }

    fn shell(&self, profile: Profile, read_only: bool) -> shell::Policy<'_> {
        shell::Policy {
            profile,
            roots: &self.plan.roots,
            read_only,
            allow: &self.plan.allow_commands,
        }
    }

    fn sandbox(&mut self, pointer: &str, kind: Option<Kind>, text: &str, profile: Profile, around: &Json) {
        match kind {
            Some(Kind::Command) => {
                self.commands += 1;
                // A name with its words beside it is not a text that a shell reads.
                let beside = ["args", "argv", "arguments"].iter().find_map(|name| around.get(name));
                let is_program = matches!(beside, Some(Json::List(_))) && !text.contains(char::is_whitespace);
                if !is_program {
                    let findings = shell::check(text, &self.shell(profile, false));
                    self.take(pointer, findings);
                }
            }
            Some(Kind::Words | Kind::ShellValue) => {
                self.commands += 1;
                self.take(pointer, shell::check_literal(text));
            }
            Some(Kind::Path) => self.take(pointer, path::check(text, &self.plan.roots)),
            _ => {}
        }
    }

    // === reading ===

    fn readonly(&mut self, pointer: &str, kind: Option<Kind>, text: &str, around: &Json) {
        match kind {
            Some(Kind::Command) => {
                let findings = shell::check(text, &self.shell(Profile::Pipeline, true));
                self.take(pointer, findings);
            }
            Some(Kind::Words | Kind::ShellValue) => self.take(pointer, shell::check_literal(text)),
            Some(Kind::Sql) => self.take(pointer, sql::check(text, self.plan.dialect)),
            Some(Kind::SqlValue) => self.take(pointer, sql::check_literal(text)),
            Some(Kind::Path) => self.take(pointer, path::check(text, &self.plan.roots)),
            Some(Kind::Code(_)) => self.code(pointer, kind, text, Level::Readonly, around),
            Some(Kind::Method) if !matches!(text.to_ascii_uppercase().as_str(), "GET" | "HEAD" | "OPTIONS" | "TRACE") => {
                let reason = format!("the method `{}` writes", shown(text));
                self.refuse(pointer, "readonly.method", reason, "use `GET` or `HEAD`");
            }
            Some(Kind::Mode) if !is_reading_mode(text) => {
                let reason = format!("the mode `{}` writes", shown(text));
                self.refuse(pointer, "readonly.mode", reason, "use `r` or `rb`");
            }
            _ => {}
        }
    }

    // === network ===

    fn network(&mut self, pointer: &str, kind: Option<Kind>, text: &str) {
        let whole = matches!(kind, Some(Kind::Url | Kind::Host));
        if whole && !text.trim().is_empty() {
            return self.address(pointer, text);
        }
        let found = url::find(text);
        if found.len() >= url::MAX_FOUND {
            self.refuse(
                pointer,
                "network.many",
                "there are too many addresses in it",
                "give fewer at a time",
            );
        }
        for found in found {
            self.address(pointer, &text[found.span]);
        }
    }

    fn address(&mut self, pointer: &str, text: &str) {
        let judged = url::check(text, &self.plan.network);
        self.take(pointer, judged.findings);
        if let Some(name) = judged.resolve {
            let resolve = Resolve {
                argument: pointer.to_owned(),
                name,
            };
            if self.verdict.resolve.iter().any(|one| one.name == resolve.name) {
                return;
            }
            if self.verdict.resolve.len() >= MAX_NAMES {
                self.refuse(
                    pointer,
                    "network.many",
                    "there are too many names to resolve",
                    "give fewer at a time",
                );
                return;
            }
            self.verdict.resolve.push(resolve);
        }
    }

    // === code ===

    fn code(&mut self, pointer: &str, kind: Option<Kind>, text: &str, level: Level, around: &Json) {
        let Some(Kind::Code(of_name)) = kind else { return };
        self.codes += 1;
        let language = match self.language(of_name, around) {
            Ok(language) => language,
            Err(_) if level < Level::Strict => return,
            Err(name) => {
                let reason = format!("language not supported: `{}`", shown(&name));
                self.refuse(pointer, "code.language", reason, "use Python, JavaScript or TypeScript");
                return;
            }
        };
        let policy = self.plan.code_policy(level, language);
        let findings = code::check(text, &policy);
        if !findings.is_clean() {
            self.verdict.rejection = Some(code::rejection(text, &findings, &policy));
        }
        self.take(pointer, findings);
    }

    /// Returns the language, from the declaration, from an argument beside the code, and from the name. Those that are
    /// given have to agree.
    fn language(&self, of_name: Option<Language>, around: &Json) -> Result<Language, String> {
        let beside = match around {
            Json::Object(members) => members
                .iter()
                .find(|(name, _)| names::names_language(name))
                .and_then(|(_, value)| value.as_text()),
            _ => None,
        };
        let beside = beside.map(|name| Language::parse(name).ok_or_else(|| name.to_owned()));
        let declared = self.plan.declaration.language.clone();
        let said: Vec<Result<Language, String>> = [beside, declared, of_name.map(Ok)].into_iter().flatten().collect();
        match said.as_slice() {
            [] => Err("unknown".to_owned()),
            [first, rest @ ..] if rest.iter().all(|other| other == first) => first.clone(),
            [Err(name), ..] => Err(name.clone()),
            [Ok(_), ..] => Err("more than one".to_owned()),
        }
    }

    // === what is not found ===

    /// A validator that found nothing to judge does not let everything pass: it was asked for because there is something (MGP D26).
    fn nothing_found(&mut self, arguments: &Json) {
        let wants = |wanted: fn(&Validator) -> bool| self.plan.validators.iter().any(wanted);
        if self.codes == 0 && wants(|validator| matches!(validator, Validator::CodeSafety(level) if *level > Level::Unrestricted)) {
            let hint = "call the argument `code`, or name it in `code_safety.argument`";
            self.refuse("", "code.missing", "no argument is code", hint);
        }
        if self.commands == 0 && wants(|validator| matches!(validator, Validator::Sandbox(_))) {
            self.literals("", arguments);
        }
    }

    /// Judges all texts as parts of a command, because without a command argument each may be put into one.
    fn literals(&mut self, pointer: &str, value: &Json) {
        match value {
            Json::Text(text) => self.take(pointer, shell::check_literal(text)),
            Json::List(items) => {
                for (at, item) in items.iter().enumerate() {
                    self.literals(&format!("{pointer}/{at}"), item);
                }
            }
            Json::Object(members) => {
                for (key, member) in members {
                    self.literals(&format!("{pointer}/{}", escaped(key)), member);
                }
            }
            Json::Other => {}
        }
    }

    // === findings ===

    fn take(&mut self, pointer: &str, findings: Findings) {
        for finding in findings {
            if self.verdict.violations.len() < MAX_VIOLATIONS {
                self.verdict.violations.push(Violation {
                    argument: pointer.to_owned(),
                    finding,
                });
            }
        }
    }

    fn refuse(&mut self, pointer: &str, rule: &'static str, reason: impl Into<String>, hint: &str) {
        let mut findings = Findings::default();
        findings.add(rule, 0..0, reason, hint);
        self.take(pointer, findings);
    }
}

fn is_reading_mode(mode: &str) -> bool {
    mode.eq_ignore_ascii_case("read") || (mode.starts_with('r') && mode.chars().all(|c| matches!(c, 'r' | 'b' | 't')))
}
