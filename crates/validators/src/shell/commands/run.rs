//! Judges builtins with an effect, and interpreters: code on the command line is judged by the validator of its
//! language, files are the project's own.

use super::super::argument::{Argument, Shape};
use super::super::judge::{Access, Judge};
use crate::code::{self, Language};
use crate::finding::shown;

/// Judges `cd`: afterwards relative paths have another meaning, so it may only go down.
pub(super) fn cd(judge: &mut Judge<'_>, arguments: &[Argument]) {
    for argument in &arguments[1..] {
        let steps_up = argument.text == "-" || argument.text.split('/').any(|segment| segment == "..");
        if steps_up || argument.glob {
            judge.refuse(
                "shell.path",
                argument,
                "later paths can't be judged behind this",
                "name the folder from the top",
            );
        } else {
            judge.path(argument, &argument.text, Access::Read);
        }
    }
    if arguments.len() == 1 {
        judge.refuse("shell.path", &arguments[0], "`cd` alone goes to the home folder", "name a folder");
    }
}

/// Judges `printf` and `test`: text, and with `-v` the name of a variable, whose index the shell would evaluate.
pub(super) fn text_or_variable(judge: &mut Judge<'_>, arguments: &[Argument]) {
    let mut names_variable = false;
    for argument in &arguments[1..] {
        let glued = argument.text.strip_prefix("-v").or_else(|| argument.text.strip_prefix("-R"));
        let name = if names_variable { Some(argument.text.as_str()) } else { glued };
        let is_name = |name: &str| name.chars().all(|c| c.is_ascii_alphanumeric() || c == '_');
        match name {
            Some(name) if argument.dynamic || !is_name(name) => {
                judge.refuse(
                    "shell.word",
                    argument,
                    "what stands in a variable's index is run",
                    "name a plain variable",
                );
            }
            _ => judge.text(argument),
        }
        names_variable = !names_variable && glued == Some("");
    }
}

/// Judges `export`: variables that are harmless as a prefix are harmless here.
pub(super) fn export(judge: &mut Judge<'_>, arguments: &[Argument]) {
    for argument in &arguments[1..] {
        if argument.text != "-p" {
            judge.refuse(
                "shell.assignment",
                argument,
                "it would change what later commands do",
                "leave it out",
            );
        }
    }
}

/// Judges `set -euo pipefail`: switches that make a script stricter, and no others; alone it would show every variable.
pub(super) fn set(judge: &mut Judge<'_>, arguments: &[Argument]) {
    let strict = |argument: &Argument| match argument.shape() {
        Shape::Short(letters) => letters.chars().all(|c| "euxo".contains(c)),
        Shape::Operand => matches!(argument.text.as_str(), "pipefail" | "errexit" | "nounset" | "xtrace"),
        _ => false,
    };
    if let Some(other) = arguments[1..].iter().find(|one| !strict(one)) {
        judge.refuse(
            "shell.assignment",
            other,
            "it would change what later commands do",
            "use `-e`, `-u`, `-x` and `-o pipefail` only",
        );
    } else if arguments.len() == 1 {
        judge.refuse(
            "shell.command",
            &arguments[0],
            "`set` alone shows every variable",
            "name the ones you need with `printenv`",
        );
    }
}

/// Judges `getent`: public information of the system, but not the hashes of passwords.
pub(super) fn getent(judge: &mut Judge<'_>, arguments: &[Argument]) {
    for argument in &arguments[1..] {
        let is_secret = matches!(argument.text.as_str(), "shadow" | "gshadow");
        let is_option = argument.shape() != Shape::Operand;
        if is_secret || is_option || !judge.fixed(argument) {
            judge.refuse(
                "shell.option",
                argument,
                "`getent` would show secrets, or look elsewhere",
                "ask for `passwd`, `group` or `hosts`",
            );
        }
    }
}

/// Judges commands whose operand is a number: `exit 1`.
pub(super) fn number(judge: &mut Judge<'_>, arguments: &[Argument]) {
    for argument in &arguments[1..] {
        if !argument.text.chars().all(|c| c.is_ascii_digit()) {
            judge.fixed(argument);
        }
    }
}

/// Judges `python FILE`, `-m MODULE` of the project or a tool, and `-c CODE` if the code passes `strict`.
pub(super) fn python(judge: &mut Judge<'_>, arguments: &[Argument]) {
    let mut at = 1;
    while let Some(argument) = arguments.get(at) {
        at += 1;
        match argument.shape() {
            Shape::Short("V" | "VV" | "h")
            | Shape::Long {
                name: "version" | "help", ..
            } => return,
            Shape::Short(letters) if letters.starts_with('c') => {
                let glued = &letters[1..];
                match (glued.is_empty(), arguments.get(at)) {
                    (false, _) => code(judge, argument, Language::Python, glued),
                    (true, Some(next)) => code(judge, next, Language::Python, &next.text),
                    (true, None) => {}
                }
                return;
            }
            Shape::Short("m") => {
                let Some(module) = arguments.get(at) else { return };
                if judge.fixed(module) && code::is_blocked_module(Language::Python, &module.text) {
                    let reason = format!("the module `{}` runs, loads or serves what is not judged", shown(&module.text));
                    judge.refuse(
                        "shell.option",
                        module,
                        reason,
                        "run a script of the project, or a tool by its own name",
                    );
                }
                return project(judge, arguments, at + 1);
            }
            Shape::Short(letters) if letters.chars().all(|c| "BEIOPsSuvqdbi".contains(c)) => {}
            Shape::Operand if argument.text == "-" => judge.refuse_option(&arguments[0], argument),
            Shape::Operand => return project(judge, arguments, at - 1),
            _ => judge.refuse_option(&arguments[0], argument),
        }
    }
    piped_code(judge, arguments);
}

/// Judges `node FILE`, and `-e CODE` if it passes `strict`.
pub(super) fn node(judge: &mut Judge<'_>, arguments: &[Argument]) {
    let mut at = 1;
    while let Some(argument) = arguments.get(at) {
        at += 1;
        match argument.shape() {
            Shape::Short("v" | "h")
            | Shape::Long {
                name: "version" | "help", ..
            } => return,
            Shape::Short("e" | "p" | "pe")
            | Shape::Long {
                name: "eval" | "print",
                value: None,
            } => {
                if let Some(next) = arguments.get(at) {
                    code(judge, next, Language::JavaScript, &next.text);
                }
                return;
            }
            Shape::Short("c")
            | Shape::Long {
                name:
                    "check" | "test" | "watch" | "trace-warnings" | "no-warnings" | "enable-source-maps" | "no-lazy" | "inspect" | "inspect-brk",
                value: None,
            } => {}
            Shape::Operand if argument.text == "-" => judge.refuse_option(&arguments[0], argument),
            Shape::Operand => return project(judge, arguments, at - 1),
            _ => judge.refuse_option(&arguments[0], argument),
        }
    }
    piped_code(judge, arguments);
}

/// Refuses an interpreter without a file, which would run its input unjudged.
fn piped_code(judge: &mut Judge<'_>, arguments: &[Argument]) {
    if judge.is_piped() {
        let hint = "give the code in a file of the project";
        judge.refuse("shell.program", &arguments[0], "it would run what it reads from its input", hint);
    }
}

fn code(judge: &mut Judge<'_>, argument: &Argument, language: Language, text: &str) {
    if judge.fixed(argument) {
        let inner = code::check(text, &code::Policy::strict(language));
        judge.findings.absorb_at(inner, &argument.span);
    }
}

/// Judges a file of the project and its arguments.
fn project(judge: &mut Judge<'_>, arguments: &[Argument], from: usize) {
    for argument in arguments.iter().skip(from) {
        judge.loose(argument);
    }
    if judge.reads_only() {
        judge.refuse_write(arguments[0].span.clone(), &arguments[0].text);
    }
}
