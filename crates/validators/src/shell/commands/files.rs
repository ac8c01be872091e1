//! Judges commands that change files: removing, linking, modes and archives.

use super::super::argument::{Argument, Shape, abbreviates};
use super::super::judge::{Access, Judge};
use crate::finding::shown;

/// Judges `rm`: it may remove single files, never a tree.
pub(super) fn rm(judge: &mut Judge<'_>, arguments: &[Argument]) {
    let hint = "remove single files by name";
    if judge.reads_only() {
        judge.refuse_write(arguments[0].span.clone(), "rm");
        return;
    }
    let mut ended = false;
    for argument in &arguments[1..] {
        match if ended { Shape::Operand } else { argument.shape() } {
            Shape::End => ended = true,
            Shape::Short(letters) if letters.contains(['r', 'R', 'd']) => {
                judge.refuse("shell.recursive", argument, "`rm` would remove whole folders", hint);
            }
            Shape::Long { name, .. } if abbreviates("recursive no-preserve-root dir", name) => {
                judge.refuse("shell.recursive", argument, "`rm` would remove whole folders", hint);
            }
            Shape::Operand => judge.path(argument, &argument.text, Access::Write),
            Shape::Short(_) | Shape::Long { .. } => {
                judge.fixed(argument);
            }
        }
    }
}

/// Judges `ln`: both ends have to stay inside.
pub(super) fn ln(judge: &mut Judge<'_>, arguments: &[Argument]) {
    for argument in &arguments[1..] {
        match argument.shape() {
            Shape::Operand => judge.path(argument, &argument.text, Access::Write),
            Shape::Long { value: Some(value), .. } => judge.loose_path(argument, value),
            _ => {
                judge.fixed(argument);
            }
        }
    }
    if judge.reads_only() {
        judge.refuse_write(arguments[0].span.clone(), "ln");
    }
}

/// Judges `chmod`: no special bits, no rights for all users, no trees.
pub(super) fn chmod(judge: &mut Judge<'_>, arguments: &[Argument]) {
    let mut mode_due = true;
    for argument in &arguments[1..] {
        let is_mode = mode_due && is_mode(&argument.text);
        match argument.shape() {
            _ if is_mode => {
                mode_due = false;
                if is_open_mode(&argument.text) && judge.fixed(argument) {
                    let reason = format!("the mode `{}` gives rights away", shown(&argument.text));
                    judge.refuse("shell.mode", argument, reason, "use a mode like `644`, `755` or `u+x`");
                }
            }
            Shape::Short(letters) if letters.contains('R') => {
                judge.refuse(
                    "shell.recursive",
                    argument,
                    "`chmod` would change whole folders",
                    "name single files",
                );
            }
            Shape::Long { name, value } if abbreviates("recursive", name) || value.is_some() => {
                judge.refuse(
                    "shell.recursive",
                    argument,
                    "`chmod` would change whole folders",
                    "name single files",
                );
            }
            Shape::Operand => judge.path(argument, &argument.text, Access::Write),
            _ => {
                judge.fixed(argument);
            }
        }
    }
    if judge.reads_only() {
        judge.refuse_write(arguments[0].span.clone(), "chmod");
    }
}

fn is_mode(text: &str) -> bool {
    !text.is_empty() && text.chars().all(|c| c.is_ascii_digit() || "ugoarwxXst+-=,".contains(c))
}

/// Returns whether a mode sets the user or group id, or allows all users to write.
fn is_open_mode(mode: &str) -> bool {
    if mode.chars().all(|c| c.is_ascii_digit()) {
        let digits = mode.trim_start_matches('0').as_bytes();
        let special = digits.len() > 3;
        let world = digits.last().is_some_and(|digit| digit.saturating_sub(b'0') & 2 != 0);
        return special || world;
    }
    mode.split(',').any(|clause| {
        let (who, what) = clause.split_at(clause.find(['+', '=', '-']).unwrap_or(clause.len()));
        let grants = !what.starts_with('-');
        let everybody = who.is_empty() || who.contains(['o', 'a']);
        grants && (what.contains('s') || (everybody && what.contains('w')))
    })
}

/// Judges `tar`: it may list, make and unpack inside, and run nothing.
pub(super) fn tar(judge: &mut Judge<'_>, arguments: &[Argument]) {
    const REFUSED: &str = "checkpoint-action to-command use-compress-program rsh-command info-script new-volume-script absolute-names rmt-command \
                           files-from exclude-from transform xform recursive-unlink unlink-first remove-files";
    let bundled = arguments.get(1).is_some_and(|first| !first.text.starts_with('-'));
    let mut lists_only = false;
    for (at, argument) in arguments.iter().enumerate().skip(1) {
        let shape = argument.shape();
        let letters = match shape {
            Shape::Short(letters) => Some(letters),
            Shape::Operand if at == 1 && bundled => Some(argument.text.as_str()),
            _ => None,
        };
        match (letters, shape) {
            (Some(letters), _) => {
                lists_only |= letters.contains('t');
                if letters.contains(['I', 'P', 'F', 'T', 'X', 'U']) {
                    judge.refuse_option(&arguments[0], argument);
                }
                judge.fixed(argument);
            }
            (None, Shape::Long { name, .. }) if abbreviates(REFUSED, name) => judge.refuse_option(&arguments[0], argument),
            (None, Shape::Long { name, value }) => {
                lists_only |= name == "list";
                if let Some(value) = value {
                    judge.loose_path(argument, value);
                }
            }
            (None, Shape::End) => {}
            (None, _) => judge.path(argument, &argument.text, if lists_only { Access::Read } else { Access::Write }),
        }
    }
    if judge.reads_only() && !lists_only {
        judge.refuse_write(arguments[0].span.clone(), "tar");
    }
}

/// Judges `zip` and `unzip`: they may not name a program that tests or unpacks.
pub(super) fn zip(judge: &mut Judge<'_>, arguments: &[Argument]) {
    let mut lists_only = false;
    for argument in &arguments[1..] {
        match argument.shape() {
            Shape::Short(letters) if letters.contains(['T', 'm', 'D', ':', 'R']) || letters.contains("TT") => {
                judge.refuse_option(&arguments[0], argument);
            }
            Shape::Long { name, .. } if abbreviates("unzip-command test move recurse-patterns", name) => {
                judge.refuse_option(&arguments[0], argument);
            }
            Shape::Short(letters) => {
                lists_only |= letters.contains(['l', 'v', 'p', 't', 'Z']);
                judge.fixed(argument);
            }
            Shape::Long { value, .. } => judge.loose_path(argument, value.unwrap_or_default()),
            Shape::End => {}
            Shape::Operand => judge.path(argument, &argument.text, if lists_only { Access::Read } else { Access::Write }),
        }
    }
    if judge.reads_only() && !lists_only {
        judge.refuse_write(arguments[0].span.clone(), "an archive");
    }
}
