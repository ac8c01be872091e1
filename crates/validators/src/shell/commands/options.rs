//! The rules of options and operands that commands have in common.

use super::super::argument::{Argument, Shape, abbreviates, lists};
use super::super::judge::{Access, Judge};
use super::row::{Kind, Row};

/// Judges a command by its row.
pub(crate) fn simple(judge: &mut Judge<'_>, row: &Row, arguments: &[Argument]) {
    let Some((name, rest)) = arguments.split_first() else { return };
    let mut pattern_due = matches!(row.kind, Kind::Pattern);
    let mut ended = false;
    let mut value = None;
    for (at, argument) in rest.iter().enumerate() {
        match value.take() {
            Some(Value::Text) => {
                judge.text(argument);
                continue;
            }
            Some(Value::Written) => {
                judge.path(argument, &argument.text, Access::Write);
                continue;
            }
            None => {}
        }
        match if ended { Shape::Operand } else { argument.shape() } {
            Shape::End => ended = true,
            Shape::Operand if pattern_due => {
                pattern_due = false;
                judge.text(argument);
            }
            Shape::Operand if argument.text.starts_with('+') && is_pager(&name.text) => {
                if !is_place(&argument.text[1..]) {
                    judge.refuse_option(name, argument);
                }
            }
            Shape::Operand => operand(judge, row, argument),
            Shape::Long {
                name: "pager",
                value: glued,
            } if shows_only(glued, rest.get(at + 1)) => value = glued.is_none().then_some(Value::Text),
            Shape::Long {
                name: option,
                value: glued,
            } => {
                pattern_due &= !is_pattern_option(option);
                value = long(judge, row, name, argument, option, glued);
            }
            Shape::Short(letters) => {
                pattern_due &= !letters.contains(['e', 'f']) || !matches!(row.kind, Kind::Pattern);
                value = short(judge, row, name, argument, letters);
            }
        }
    }
}

/// Returns whether the program named as a pager only shows text.
fn shows_only(glued: Option<&str>, next: Option<&Argument>) -> bool {
    let value = glued.or_else(|| next.map(|next| next.text.as_str()));
    matches!(value, Some("" | "never" | "cat" | "less" | "more" | "most"))
}

/// Returns whether a command is a pager, which takes commands of its own behind a plus.
fn is_pager(name: &str) -> bool {
    matches!(name, "less" | "more" | "most" | "bat")
}

/// Returns whether a pager's command is a line, the end, or a pattern to begin at.
fn is_place(command: &str) -> bool {
    matches!(command, "G" | "F") || command.starts_with('/') || (!command.is_empty() && command.chars().all(|c| c.is_ascii_digit()))
}

fn is_pattern_option(option: &str) -> bool {
    matches!(option, "regexp" | "file" | "from-file" | "files")
}

/// Judges one operand of a command with a plain row.
fn operand(judge: &mut Judge<'_>, row: &Row, argument: &Argument) {
    // Compilers and their relatives read further arguments out of `@FILE`.
    let text = argument.text.strip_prefix('@').unwrap_or(&argument.text);
    match row.kind {
        Kind::Text => judge.text(argument),
        Kind::Name if !text.contains('/') => judge.text(argument),
        Kind::Name | Kind::Read | Kind::Pattern => judge.path(argument, text, Access::Read),
        Kind::Write | Kind::Build | Kind::Special(_) => judge.path(argument, text, Access::Write),
    }
}

/// The kind of value of an option.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
enum Value {
    Text,
    /// A file that is written.
    Written,
}

/// Returns whether the list contains the name as an option whose value is attached to it, or missing.
fn lists_glued(list: &str, name: &str) -> bool {
    list.split(' ').any(|one| one.strip_suffix('?') == Some(name))
}

/// Judges a long option; returns the kind of the next argument, if that is its value.
fn long(judge: &mut Judge<'_>, row: &Row, command: &Argument, argument: &Argument, option: &str, glued: Option<&str>) -> Option<Value> {
    let is_text = lists(row.texts, option);
    let is_glued_text = lists_glued(row.texts, option);
    let is_written = !is_text && !is_glued_text && abbreviates(row.writes, option);
    if !is_text && !is_glued_text && !is_written && abbreviates(row.refused, option) {
        judge.refuse_option(command, argument);
        return None;
    }
    match glued {
        Some(_) if is_text || is_glued_text => judge.text(argument),
        Some(value) if is_written => judge.path(argument, value, Access::Write),
        Some(value) => judge.loose_path(argument, value),
        None if argument.dynamic => judge.text(argument),
        None if is_text => return Some(Value::Text),
        None if is_written => return Some(Value::Written),
        None => {}
    }
    None
}

/// Judges letters behind one dash, up to the first that takes a value.
fn short(judge: &mut Judge<'_>, row: &Row, command: &Argument, argument: &Argument, letters: &str) -> Option<Value> {
    // Some programs write long names behind one dash.
    if letters.len() > 1 && lists(row.refused, letters.split('=').next().unwrap_or_default()) {
        judge.refuse_option(command, argument);
        return None;
    }
    for (at, letter) in letters.char_indices() {
        let mut buffer = [0; 4];
        let name: &str = letter.encode_utf8(&mut buffer);
        if lists(row.refused, name) {
            judge.refuse_option(command, argument);
            return None;
        }
        let behind = &letters[at + letter.len_utf8()..];
        let is_text = lists(row.texts, name);
        if is_text && behind.is_empty() {
            return Some(Value::Text);
        }
        if is_text || (lists_glued(row.texts, name) && !behind.is_empty()) {
            judge.text(argument);
            return None;
        }
        if lists(row.writes, name) {
            if behind.is_empty() {
                return Some(Value::Written);
            }
            judge.path(argument, behind, Access::Write);
            return None;
        }
        if matches!(row.kind, Kind::Text) {
            continue;
        }
        if behind.starts_with(['/', '~', '.', '\\']) || behind.contains("..") {
            judge.loose_path(argument, behind);
            return None;
        }
    }
    if argument.dynamic {
        judge.text(argument);
    }
    None
}
