//! Judges `find` and `fd`: they may search, and run only commands that are judged like any other.

use super::super::argument::{Argument, Shape, abbreviates};
use super::super::judge::{Access, Judge};
use crate::finding::shown;

/// The tests and actions of `find` without an argument.
const ALONE: &str = "a and o or not ! ( ) , d depth daystart empty executable false follow ignore_readdir_race L H P ls mount nogroup noignore_readdir_race \
                     noleaf nouser nowarn print print0 prune quit readable true warn writable xdev E X s help version";
/// The tests whose argument is text.
const WITH_TEXT: &str = "amin atime cmin ctime fstype gid group ilname iname inum ipath iregex iwholename links lname maxdepth mindepth mmin mtime name path \
                         perm printf regex regextype size type uid used user wholename xtype context D Btime newermt";
/// The tests whose argument is a file that is read.
const WITH_FILE: &str = "anewer cnewer newer samefile";

/// Judges `find`: its starting points are paths, and `-exec` is a command like any other.
pub(super) fn find(judge: &mut Judge<'_>, arguments: &[Argument]) {
    let mut at = 1;
    let mut expression = false;
    while let Some(argument) = arguments.get(at) {
        at += 1;
        let name = match argument.text.strip_prefix('-') {
            Some(name) if !name.is_empty() => name,
            _ if is_operator(&argument.text) => {
                expression = true;
                continue;
            }
            _ if expression => {
                let reason = format!("`{}` is no part of an expression of `find`", shown(&argument.text));
                judge.refuse("shell.option", argument, reason, "put the folders first");
                continue;
            }
            _ => {
                judge.path(argument, &argument.text, Access::Read);
                continue;
            }
        };
        let listed = |list: &str| list.split_whitespace().any(|one| one == name);
        match name {
            "L" | "H" | "P" | "E" | "X" | "s" => {}
            "exec" | "execdir" | "ok" | "okdir" => {
                expression = true;
                at = executed(judge, arguments, at);
            }
            "delete" => {
                let hint = "list the files first, then remove them by name";
                judge.refuse("shell.recursive", argument, "`find -delete` removes whatever is found", hint);
            }
            _ if listed(ALONE) || name.starts_with('O') => expression = true,
            _ if listed(WITH_TEXT) || name.starts_with("newer") && name != "newer" => {
                expression = true;
                if let Some(value) = arguments.get(at) {
                    judge.text(value);
                }
                at += 1;
            }
            _ if listed(WITH_FILE) => {
                expression = true;
                if let Some(value) = arguments.get(at) {
                    judge.path(value, &value.text, Access::Read);
                }
                at += 1;
            }
            _ => judge.refuse_option(&arguments[0], argument),
        }
    }
}

fn is_operator(text: &str) -> bool {
    matches!(text, "(" | ")" | "!" | ",")
}

/// Judges the command after `-exec`, up to `;` or `+`. The found files are inside the starting points.
fn executed(judge: &mut Judge<'_>, arguments: &[Argument], start: usize) -> usize {
    let length = arguments[start..].iter().position(|one| one.text == ";" || one.text == "+");
    let Some(length) = length else {
        if let Some(last) = arguments.last() {
            judge.refuse("shell.option", last, "`-exec` has no end", "end it with `;` or `+`");
        }
        return arguments.len();
    };
    judge.run_for_each(&arguments[start..start + length]);
    start + length + 1
}

/// Judges `fd`: a pattern, folders, and `-x` with a command that is judged.
pub(super) fn fd(judge: &mut Judge<'_>, arguments: &[Argument]) {
    let mut pattern_due = true;
    let mut at = 1;
    while let Some(argument) = arguments.get(at) {
        at += 1;
        let runs = match argument.shape() {
            Shape::Short(letters) => letters.starts_with(['x', 'X']),
            Shape::Long { name, .. } => {
                abbreviates("exec exec-batch", name) && name.starts_with("ex") && !"extension".starts_with(name) && name != "exclude"
            }
            _ => false,
        };
        if runs {
            let glued = matches!(argument.shape(), Shape::Short(letters) if letters.len() > 1) || argument.text.contains('=');
            if glued {
                judge.refuse_option(&arguments[0], argument);
            } else {
                judge.run_for_each(&arguments[at..]);
            }
            return;
        }
        match argument.shape() {
            Shape::Operand if pattern_due => pattern_due = false,
            Shape::Operand => judge.path(argument, &argument.text, Access::Read),
            Shape::Long { name, value: None } if takes_text(name) => at += 1,
            Shape::Short(letters) if letters.len() == 1 && "dEetcSo".contains(letters) => at += 1,
            Shape::Long { value, .. } => judge.loose_path(argument, value.unwrap_or_default()),
            Shape::Short(letters) => judge.loose_path(argument, letters.get(1..).unwrap_or_default()),
            Shape::End => {}
        }
    }
}

fn takes_text(name: &str) -> bool {
    const NAMES: &str =
        "max-depth min-depth exact-depth exclude extension type color size changed-within changed-before owner threads max-results and";
    NAMES.split(' ').any(|one| one == name)
}
