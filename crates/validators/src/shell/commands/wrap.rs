//! Judges commands that run another command: that command is judged in their place.

use super::super::argument::{Argument, Shape, lists};
use super::super::judge::{Access, Judge, is_harmless_variable};

/// Judges `env [NAME=value…] [COMMAND…]`.
pub(super) fn env(judge: &mut Judge<'_>, arguments: &[Argument]) {
    let mut at = 1;
    while let Some(argument) = arguments.get(at) {
        match argument.shape() {
            Shape::Short("i" | "0" | "")
            | Shape::Long {
                name: "ignore-environment" | "null" | "version" | "help",
                ..
            } => {}
            Shape::Short("u")
            | Shape::Long {
                name: "unset",
                value: None,
            } => at += 1,
            Shape::Long { name: "unset", .. } => {}
            Shape::Operand
                if argument
                    .text
                    .split_once('=')
                    .is_some_and(|(name, _)| is_harmless_variable(name) && !argument.dynamic) => {}
            Shape::Operand if argument.text.contains('=') => {
                judge.refuse(
                    "shell.assignment",
                    argument,
                    "`env` would change what the command does",
                    "leave the assignment out",
                );
            }
            Shape::Operand => return judge.run(&arguments[at..]),
            _ => judge.refuse_option(&arguments[0], argument),
        }
        at += 1;
    }
}

/// Judges wrappers whose options all take numbers or names, and which run the first operand: `timeout` has one operand
/// of its own.
pub(super) fn prefix(judge: &mut Judge<'_>, arguments: &[Argument]) {
    let name = arguments[0].text.as_str();
    let (with_value, mut own_operands) = match name {
        "timeout" | "gtimeout" => ("s k signal kill-after", 1),
        "nice" => ("n adjustment", 0),
        "ionice" => ("c n class classdata", 0),
        "stdbuf" => ("i o e input output error", 0),
        "time" => ("f format", 0),
        _ => ("", 0),
    };
    let mut at = 1;
    while let Some(argument) = arguments.get(at) {
        at += 1;
        match argument.shape() {
            // `command -v` and `-V` only show where a command is.
            Shape::Short("v" | "V") if name == "command" => return,
            Shape::Short("o") | Shape::Long { name: "output", .. } if name == "time" => {
                judge.refuse_option(&arguments[0], argument);
            }
            Shape::Short(letters) if letters.len() == 1 && lists(with_value, letters) => at += 1,
            Shape::Long { name, value: None } if lists(with_value, name) => at += 1,
            Shape::Short(_) | Shape::Long { .. } | Shape::End => {
                judge.fixed(argument);
            }
            Shape::Operand if own_operands > 0 => {
                own_operands -= 1;
                judge.fixed(argument);
            }
            Shape::Operand => return judge.run(&arguments[at - 1..]),
        }
    }
}

/// Judges `xargs`: its command gets names from its input, so it may only be one that reads.
pub(super) fn xargs(judge: &mut Judge<'_>, arguments: &[Argument]) {
    let mut at = 1;
    while let Some(argument) = arguments.get(at) {
        at += 1;
        match argument.shape() {
            Shape::Short(letters) if letters.len() == 1 && "dEeIiLlnPs".contains(letters) => {
                at += usize::from("dEILnPs".contains(letters));
            }
            Shape::Short("a")
            | Shape::Long {
                name: "arg-file",
                value: None,
            } => {
                if let Some(file) = arguments.get(at) {
                    judge.path(file, &file.text, Access::Read);
                }
                at += 1;
            }
            Shape::Long {
                name: "delimiter" | "replace" | "max-args" | "max-procs" | "max-lines" | "max-chars",
                value: None,
            } => at += 1,
            Shape::Short(_) | Shape::Long { .. } | Shape::End => {
                judge.fixed(argument);
            }
            Shape::Operand => return judge.run_on_input(&arguments[at - 1..]),
        }
    }
}

/// Judges commands whose operands are each a script: `watch`, `hyperfine`.
pub(super) fn texts(judge: &mut Judge<'_>, arguments: &[Argument]) {
    let is_watch = arguments[0].text == "watch";
    let mut at = 1;
    while let Some(argument) = arguments.get(at) {
        at += 1;
        match argument.shape() {
            Shape::Short("n")
            | Shape::Long {
                name: "interval",
                value: None,
            } if is_watch => at += 1,
            Shape::Operand if is_watch => {
                // The words are joined and passed to a shell, which parses them again.
                let joined: Vec<&str> = arguments[at - 1..].iter().map(|one| one.text.as_str()).collect();
                if arguments[at - 1..].iter().all(|one| judge.fixed(one)) {
                    judge.inner_script(argument, &joined.join(" "));
                }
                return;
            }
            Shape::Operand => script(judge, argument, &argument.text),
            Shape::Short("p" | "s" | "c")
            | Shape::Long {
                name: "prepare" | "setup" | "cleanup" | "conclude" | "reference",
                value: None,
            } if !is_watch => {
                if let Some(inner) = arguments.get(at) {
                    script(judge, inner, &inner.text);
                }
                at += 1;
            }
            Shape::Long {
                name: "parameter-scan",
                value: None,
            } => at += 3,
            Shape::Short("P") => at += 3,
            Shape::Long {
                name: "parameter-list",
                value: None,
            } => at += 2,
            Shape::Short("L") => at += 2,
            Shape::Short("w" | "m" | "M" | "r" | "n" | "i" | "N" | "u") => {
                at += usize::from(argument.text != "-i" && argument.text != "-N")
            }
            Shape::Long {
                name: "warmup" | "min-runs" | "max-runs" | "runs" | "style" | "command-name" | "time-unit" | "sort",
                value: None,
            } => at += 1,
            Shape::Short("S") | Shape::Long { name: "shell", .. } => judge.refuse_option(&arguments[0], argument),
            Shape::Long { value, .. } => judge.loose_path(argument, value.unwrap_or_default()),
            Shape::Short(_) | Shape::End => {}
        }
    }
}

fn script(judge: &mut Judge<'_>, argument: &Argument, text: &str) {
    if judge.fixed(argument) {
        judge.inner_script(argument, text);
    }
}

/// Judges a shell: `sh -c SCRIPT` is judged as its script, `sh FILE` is a file of the project; anything else takes
/// commands from elsewhere.
pub(super) fn shell(judge: &mut Judge<'_>, arguments: &[Argument]) {
    let mut at = 1;
    let mut reads_script = false;
    while let Some(argument) = arguments.get(at) {
        at += 1;
        match argument.shape() {
            Shape::Short(letters) if letters.ends_with('c') && letters.chars().all(|c| "ceuxvl".contains(c)) => reads_script = true,
            Shape::Short(letters) if letters.chars().all(|c| "euxvn".contains(c)) => {}
            Shape::Long {
                name: "version" | "help",
                value: None,
            } => return,
            Shape::Operand if reads_script => {
                script(judge, argument, &argument.text);
                for rest in &arguments[at..] {
                    judge.text(rest);
                }
                return;
            }
            Shape::Operand => {
                judge.path(argument, &argument.text, Access::Read);
                for rest in &arguments[at..] {
                    judge.loose(rest);
                }
                if judge.reads_only() {
                    judge.refuse_write(argument.span.clone(), &argument.text);
                }
                return;
            }
            _ => judge.refuse_option(&arguments[0], argument),
        }
    }
    judge.refuse(
        "shell.command",
        &arguments[0],
        "a shell would take commands from its input",
        "give the commands themselves",
    );
}

/// Judges `busybox COMMAND …`.
pub(super) fn applet(judge: &mut Judge<'_>, arguments: &[Argument]) {
    if arguments.len() > 1 {
        judge.run(&arguments[1..]);
    }
}
