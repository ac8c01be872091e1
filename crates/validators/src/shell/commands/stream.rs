//! Judges `sed` and `awk`, whose languages can run commands and write files: both are refused.

use super::super::argument::{Argument, Shape, abbreviates};
use super::super::judge::{Access, Judge};

/// Judges `sed`: the script may change text, and nothing else.
pub(super) fn sed(judge: &mut Judge<'_>, arguments: &[Argument]) {
    let mut script_due = true;
    let mut in_place = false;
    let mut at = 1;
    let mut files = Vec::new();
    while let Some(argument) = arguments.get(at) {
        at += 1;
        match argument.shape() {
            Shape::Long {
                name: "expression",
                value: Some(script),
            } => {
                script_due = false;
                sed_script(judge, argument, script);
            }
            Shape::Long {
                name: "expression",
                value: None,
            } => {
                script_due = false;
                at = next_script(judge, arguments, at);
            }
            Shape::Long { name, .. } if abbreviates("file", name) => judge.refuse_option(&arguments[0], argument),
            Shape::Long { name, .. } if abbreviates("in-place", name) => in_place = true,
            Shape::Short(letters) if letters.contains('f') && !letters.starts_with('i') => judge.refuse_option(&arguments[0], argument),
            Shape::Short(letters) => {
                let place = letters.find('i');
                in_place |= place.is_some();
                let options = &letters[..place.unwrap_or(letters.len())];
                if let Some(e) = options.find('e') {
                    script_due = false;
                    let glued = &options[e + 1..];
                    if glued.is_empty() {
                        at = next_script(judge, arguments, at);
                    } else {
                        sed_script(judge, argument, glued);
                    }
                }
            }
            Shape::Long { .. } | Shape::End => {}
            Shape::Operand if script_due => {
                script_due = false;
                sed_script(judge, argument, &argument.text);
            }
            Shape::Operand => files.push(argument),
        }
    }
    if in_place && judge.reads_only() {
        judge.refuse_write(arguments[0].span.clone(), "sed -i");
    }
    let access = if in_place { Access::Write } else { Access::Read };
    for file in files {
        judge.path(file, &file.text, access);
    }
}

fn next_script(judge: &mut Judge<'_>, arguments: &[Argument], at: usize) -> usize {
    if let Some(script) = arguments.get(at) {
        sed_script(judge, script, &script.text);
    }
    at + 1
}

fn sed_script(judge: &mut Judge<'_>, argument: &Argument, script: &str) {
    if judge.fixed(argument) && !is_pure_sed(script) {
        let reason = "the `sed` script runs a command, or reads or writes a file, or is not understood";
        judge.refuse("shell.program", argument, reason, "use `s`, `p`, `d`, `y` and addresses only");
    }
}

/// Returns whether a script contains only commands that change text. A command that is not understood is not pure.
fn is_pure_sed(script: &str) -> bool {
    let mut scanner = Scanner { rest: script };
    while scanner.more() {
        if scanner.sed_command().is_none() {
            return false;
        }
    }
    true
}

struct Scanner<'a> {
    rest: &'a str,
}

impl Scanner<'_> {
    /// Advances to the next command; returns whether there is one.
    fn more(&mut self) -> bool {
        self.rest = self.rest.trim_start_matches(|c: char| c.is_whitespace() || c == ';' || c == '}');
        !self.rest.is_empty()
    }

    fn take(&mut self) -> Option<char> {
        let c = self.rest.chars().next()?;
        self.rest = &self.rest[c.len_utf8()..];
        Some(c)
    }

    /// Reads a command with its addresses.
    fn sed_command(&mut self) -> Option<()> {
        self.addresses()?;
        match self.take()? {
            '{' | '=' | 'd' | 'D' | 'g' | 'G' | 'h' | 'H' | 'n' | 'N' | 'p' | 'P' | 'x' | 'z' | 'F' => Some(()),
            'l' | 'q' | 'Q' => {
                self.rest = self.rest.trim_start_matches(|c: char| c.is_ascii_digit());
                Some(())
            }
            // Some implementations end a label at a semicolon, so what follows is read as a command.
            ':' | 'b' | 't' | 'T' => {
                let end = self.rest.find([';', '}', '\n']).unwrap_or(self.rest.len());
                self.rest = &self.rest[end..];
                Some(())
            }
            // Text extends to the end of the line.
            'a' | 'i' | 'c' | '#' => {
                self.rest = self.rest.find('\n').map_or("", |end| &self.rest[end..]);
                Some(())
            }
            's' => {
                let delimiter = self.take()?;
                self.delimited(delimiter)?;
                self.delimited(delimiter)?;
                let end = self.rest.find([';', '}', '\n', ' ']).unwrap_or(self.rest.len());
                let (flags, rest) = self.rest.split_at(end);
                self.rest = rest;
                flags.chars().all(|c| c.is_ascii_digit() || "gpiIMm".contains(c)).then_some(())
            }
            'y' => {
                let delimiter = self.take()?;
                self.delimited(delimiter)?;
                self.delimited(delimiter)
            }
            _ => None,
        }
    }

    fn addresses(&mut self) -> Option<()> {
        loop {
            match self.rest.chars().next()? {
                '0'..='9' | '$' | ',' | '~' | '+' | '!' | ' ' | '\t' => {
                    self.take();
                }
                '/' => {
                    self.take();
                    self.delimited('/')?;
                    self.rest = self.rest.trim_start_matches(['I', 'M']);
                }
                '\\' => {
                    self.take();
                    let delimiter = self.take()?;
                    self.delimited(delimiter)?;
                }
                _ => return Some(()),
            }
        }
    }

    /// Reads up to the delimiter, which a backslash escapes. Brackets do not protect it.
    fn delimited(&mut self, delimiter: char) -> Option<()> {
        loop {
            match self.take()? {
                '\\' => {
                    self.take()?;
                }
                '\n' => return None,
                c if c == delimiter => return Some(()),
                _ => {}
            }
        }
    }
}

/// Judges `awk`: the program may compute and print to its output, and nothing else.
pub(super) fn awk(judge: &mut Judge<'_>, arguments: &[Argument]) {
    let mut program_due = true;
    let mut at = 1;
    while let Some(argument) = arguments.get(at) {
        at += 1;
        match argument.shape() {
            Shape::Short(letters) if program_due && (letters.starts_with('F') || letters.starts_with('v')) => {
                judge.text(argument);
                if letters.len() == 1 {
                    at += 1;
                }
            }
            Shape::Long { name, value } if program_due && (name == "field-separator" || name == "assign") => {
                if value.is_none() {
                    at += 1;
                }
            }
            Shape::Long {
                name: "version" | "help" | "posix" | "re-interval",
                ..
            } => {}
            Shape::Short(_) | Shape::Long { .. } if program_due => judge.refuse_option(&arguments[0], argument),
            Shape::End => {}
            _ if program_due => {
                program_due = false;
                if judge.fixed(argument) && !is_pure_awk(&argument.text) {
                    let reason = "the `awk` program runs a command, or reads or writes a file";
                    judge.refuse("shell.program", argument, reason, "print to the output only, and pipe that on");
                }
            }
            _ if argument.text.contains('=') => judge.loose(argument),
            _ => judge.path(argument, &argument.text, Access::Read),
        }
    }
}

/// The keywords after which a pattern may stand.
const AWK_KEYWORDS: &[&str] = &[
    "print", "printf", "return", "in", "else", "do", "if", "while", "case", "delete", "exit", "for", "switch", "BEGIN", "END",
];

/// Returns whether a program neither calls `system`, nor reads with `getline`, nor writes to a pipe or a file. Strings,
/// patterns and comments are skipped.
fn is_pure_awk(program: &str) -> bool {
    // It is ambiguous where a pattern begins and where a division is; these words are refused anywhere.
    if ["system", "getline", "extension"].iter().any(|word| program.contains(word)) {
        return false;
    }
    let mut rest = program;
    let mut last = '\n';
    let mut printing = false;
    let mut brackets = 0_usize;
    while let Some(c) = rest.chars().next() {
        rest = &rest[c.len_utf8()..];
        match c {
            '"' => {
                let Some(behind) = skip_quoted(rest, '"') else { return false };
                rest = behind;
            }
            // This may be a count or a pattern.
            '/' if matches!(last, '+' | '-') => return false,
            '/' if !(last.is_alphanumeric() || matches!(last, '_' | ')' | ']' | '$' | '"')) => {
                let Some(behind) = skip_quoted(rest, '/') else { return false };
                rest = behind;
            }
            '#' => rest = rest.find('\n').map_or("", |end| &rest[end..]),
            '@' | '`' => return false,
            '|' if rest.starts_with('|') => rest = &rest[1..],
            '|' => return false,
            '(' | '[' => brackets += 1,
            ')' | ']' => brackets = brackets.saturating_sub(1),
            '>' if printing && brackets == 0 => return false,
            ';' | '\n' | '}' | '{' => printing = false,
            c if c.is_alphabetic() || c == '_' => {
                let length = rest.find(|c: char| !(c.is_alphanumeric() || c == '_')).unwrap_or(rest.len());
                let word = format!("{c}{}", &rest[..length]);
                rest = &rest[length..];
                if matches!(
                    word.as_str(),
                    "system" | "getline" | "close" | "fflush" | "extension" | "load" | "include"
                ) {
                    return false;
                }
                printing |= word == "print" || word == "printf";
                // A division cannot follow a keyword.
                last = if AWK_KEYWORDS.contains(&word.as_str()) { ';' } else { 'a' };
                continue;
            }
            _ => {}
        }
        if !c.is_whitespace() || c == '\n' {
            last = c;
        }
    }
    true
}

fn skip_quoted(text: &str, quote: char) -> Option<&str> {
    let mut escaped = false;
    for (at, c) in text.char_indices() {
        match c {
            _ if escaped => escaped = false,
            '\\' => escaped = true,
            '\n' => return None,
            c if c == quote => return Some(&text[at + 1..]),
            _ => {}
        }
    }
    None
}
