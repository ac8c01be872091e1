//! Formats findings for people, as compilers do: the line, the marked part, and what to do.

use std::fmt::Write as _;

use super::{Diagnostic, Edit, Label};
use crate::syntax::{Source, Sources, Span};

/// How many characters of a long line are shown.
const WIDTH: usize = 110;

/// The length in bytes, blanks included, above which a corrected line is not shown.
const MAX_MENDED: usize = 4096;

/// Returns one finding as text, with an empty line behind it.
pub fn human(found: &Diagnostic, sources: &Sources) -> String {
    let mut out = format!("{}[{}]: {}\n", found.severity.name(), found.code.name(), found.message);
    let labels = in_order(found, sources);
    let gutter = labels.iter().map(|label| label.line.to_string().len()).max().unwrap_or(1);
    let mut before: Option<&Shown<'_>> = None;
    for label in &labels {
        let new_file = before.is_none_or(|before| !std::ptr::eq(before.source, label.source));
        if new_file {
            let main = labels
                .iter()
                .find(|label| label.primary)
                .filter(|main| std::ptr::eq(main.source, label.source))
                .unwrap_or(label);
            let arrow = if before.is_none() { "-->" } else { ":::" };
            let place = main.source.position(main.span.start);
            let _ = writeln!(out, "{:gutter$}{arrow} {}:{}:{}", "", label.source.name(), place.line, place.column);
            let _ = writeln!(out, "{:gutter$} |", "");
        }
        label.write(&mut out, gutter, before.filter(|_| !new_file));
        before = Some(label);
    }
    if !(found.notes.is_empty() && found.help.is_empty() && found.fixes.is_empty()) {
        let _ = writeln!(out, "{:gutter$} |", "");
    }
    for note in &found.notes {
        let _ = writeln!(out, "{:gutter$} = note: {note}", "");
    }
    for help in &found.help {
        let _ = writeln!(out, "{:gutter$} = help: {help}", "");
    }
    for fix in &found.fixes {
        let _ = writeln!(out, "{:gutter$} = fix: {}{}", "", fix.title, mended(&fix.edits, sources));
    }
    out.push('\n');
    out
}

/// Returns the line after the edits, if they change only one line and it is short enough to show.
fn mended(edits: &[Edit], sources: &Sources) -> String {
    let [edit] = edits else { return String::new() };
    let Some(source) = sources.find(edit.span) else {
        return String::new();
    };
    let line = source.position(edit.span.start).line;
    let (Some(start), text) = (source.line_start(line), source.line(line)) else {
        return String::new();
    };
    if text.len() > MAX_MENDED {
        return String::new();
    }
    let (from, to) = (
        edit.span.start.saturating_sub(start) as usize,
        edit.span.end.saturating_sub(start) as usize,
    );
    let (Some(head), Some(tail)) = (text.get(..from), text.get(to..)) else {
        return String::new();
    };
    let whole = format!("{head}{}{tail}", edit.text);
    let whole = whole.trim();
    if whole.is_empty() || whole.len() > WIDTH || edit.text.contains('\n') {
        String::new()
    } else {
        format!(": `{whole}`")
    }
}

/// A label with its source position.
struct Shown<'s> {
    source: &'s Source,
    line: u32,
    span: Span,
    text: &'s str,
    primary: bool,
}

/// Returns the labels by place, those of the primary one's file first.
fn in_order<'s>(found: &'s Diagnostic, sources: &'s Sources) -> Vec<Shown<'s>> {
    let all = std::iter::once((&found.primary, true)).chain(found.labels.iter().map(|label| (label, false)));
    let shown = |(label, primary): (&'s Label, bool)| {
        let source = sources.find(label.span)?;
        Some(Shown {
            source,
            line: source.position(label.span.start).line,
            span: label.span,
            text: &label.text,
            primary,
        })
    };
    let mut shown: Vec<Shown<'_>> = all.filter_map(shown).collect();
    let home = sources.find(found.primary.span).map(|source| source.span().start);
    shown.sort_by_key(|label| (Some(label.source.span().start) != home, label.span, !label.primary));
    shown
}

impl Shown<'_> {
    /// Writes the line, unless it was just shown, and marks the label under it.
    fn write(&self, out: &mut String, gutter: usize, before: Option<&Self>) {
        let (cut, text) = self.window();
        let from = self.column(self.span.start);
        let to = self.column(self.span.end).max(from + 1);
        let same = before.is_some_and(|before| before.line == self.line && before.window().0 == cut);
        if !same {
            if before.is_some_and(|before| before.line + 1 < self.line) {
                let _ = writeln!(out, "{:gutter$}...", "");
            }
            let _ = writeln!(out, "{:gutter$} | {text}", self.line);
        }
        let length = (to - from).min(WIDTH.saturating_sub(from - cut)).max(1);
        let mark = if self.primary { "^" } else { "-" }.repeat(length);
        let space = if self.text.is_empty() { "" } else { " " };
        let _ = writeln!(out, "{:gutter$} | {:pad$}{mark}{space}{}", "", "", self.text, pad = from - cut);
    }

    /// Returns the column, in characters from zero, of a position; positions on later lines are at the end of this one.
    fn column(&self, at: u32) -> usize {
        let start = self.source.line_start(self.line).unwrap_or_default();
        let end = start + self.source.line(self.line).len() as u32;
        self.source.position(at.clamp(start, end)).column as usize - 1
    }

    /// Returns the part of the line that is shown so that the label is visible, and how many characters are left out
    /// before it.
    fn window(&self) -> (usize, String) {
        let line = self.source.line(self.line);
        let start = self.source.line_start(self.line).unwrap_or_default();
        let column = self.column(self.span.start);
        let (cut, begin) = if column < WIDTH - 20 {
            (0, 0)
        } else {
            let label = (self.span.start.saturating_sub(start) as usize).min(line.len());
            let mut before = line.get(..label).unwrap_or_default().char_indices().rev();
            (column - WIDTH / 2, before.nth(WIDTH / 2 - 1).map_or(0, |(at, _)| at))
        };
        let shown = line[begin..].chars().take(WIDTH);
        let text: String = shown.map(|c| if c.is_control() { ' ' } else { c }).collect();
        (cut, text.trim_end().to_owned())
    }
}
