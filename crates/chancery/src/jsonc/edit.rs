//! Changes to one member of a JSON file that leave every other byte as it is: comments, order, indentation, line ends.

use std::sync::Arc;

use serde_json::Value as Json;

use super::parse::parse;
use crate::config::{Entry, Node, Problem, Source, Value};

/// Why a file could not be changed.
#[derive(Debug, thiserror::Error)]
pub enum EditError {
    /// The file is not JSON.
    #[error("{0}")]
    Syntax(Box<Problem>),
    /// Something else than an object stands on the way.
    #[error("`{0}` is there already and is not an object")]
    NotAnObject(String),
}

/// Sets the member at `path`, replacing the one that is there; objects that are missing on the way are made.
///
/// # Errors
/// When the text is not JSON, or something on the way is not an object.
pub fn set(text: &str, path: &[&str], value: &Json) -> Result<String, EditError> {
    let source = Source::json("", text.to_owned());
    let root = parse(&source).map_err(|problem| EditError::Syntax(Box::new(problem)))?;
    let style = Style::of(text, &root);
    if matches!(root.value, Value::Null) {
        return Ok(format!("{}{}", style.draw(&nest(path, value), 0), style.newline));
    }
    let mut node = &root;
    for (depth, key) in path.iter().enumerate() {
        if !matches!(node.value, Value::Table(_)) {
            return Err(EditError::NotAnObject(path[..depth].join(".")));
        }
        match node.entries().iter().find(|entry| entry.key == *key) {
            Some(entry) => node = &entry.node,
            None => return Ok(insert(text, node, depth, key, &nest(&path[depth + 1..], value), &style)),
        }
    }
    let span = node.place.span();
    Ok(format!(
        "{}{}{}",
        &text[..span.start],
        style.draw(value, path.len()),
        &text[span.end..]
    ))
}

/// Removes the member at `path`; without one, the text stays as it is.
///
/// # Errors
/// When the text is not JSON.
pub fn remove(text: &str, path: &[&str]) -> Result<String, EditError> {
    let source = Source::json("", text.to_owned());
    let root = parse(&source).map_err(|problem| EditError::Syntax(Box::new(problem)))?;
    let Some((last, parents)) = path.split_last() else {
        return Ok(text.to_owned());
    };
    let Some(parent) = parents.iter().try_fold(&root, |node, key| node.get(key)) else {
        return Ok(text.to_owned());
    };
    let Some(index) = parent.entries().iter().position(|entry| entry.key == *last) else {
        return Ok(text.to_owned());
    };
    Ok(cut(text, &source, parent.entries(), index, parent.place.span().end))
}

fn nest(path: &[&str], value: &Json) -> Json {
    path.iter().rev().fold(value.clone(), |inner, key| {
        Json::Object(std::iter::once(((*key).to_owned(), inner)).collect())
    })
}

/// Adds a member at the end of an object that doesn't have it.
fn insert(text: &str, object: &Node, depth: usize, key: &str, value: &Json, style: &Style) -> String {
    let span = object.place.span();
    let close = span.end - 1;
    let member = format!("{}: {}", Json::from(key), style.draw(value, depth + 1));
    let Some(last) = object.entries().last() else {
        // What stands between the braces can only be space and comments.
        let kept = text[..close].trim_end();
        let (inner, outer) = (style.line(depth + 1), style.line(depth));
        return format!("{kept}{inner}{member}{outer}{}", &text[close..]);
    };
    let end = last.node.place.span().end;
    let tail = &text[end..close];
    let trailing = find_comma(tail);
    if !text[span].contains('\n') {
        let comma = if trailing.is_some() { "" } else { "," };
        let kept = tail.trim_end();
        return format!("{}{kept}{comma} {member}{}{}", &text[..end], &tail[kept.len()..], &text[close..]);
    }
    // The comma goes right behind the last value, the member on a line of its own behind any comment.
    let (comma, after) = if trailing.is_some() { ("", ",") } else { (",", "") };
    let kept = tail.trim_end();
    let line = style.line_like(text, last, depth + 1);
    format!(
        "{}{comma}{kept}{line}{member}{after}{}{}",
        &text[..end],
        &tail[kept.len()..],
        &text[close..]
    )
}

/// Takes out one member, its line, and the comma that is one too many then.
fn cut(text: &str, source: &Arc<Source>, entries: &[Entry], index: usize, object_end: usize) -> String {
    let entry = &entries[index];
    let (mut start, mut end) = (entry.at.span().start, entry.node.place.span().end);
    let next = entries.get(index + 1).map_or(object_end - 1, |next| next.at.span().start);
    let mut out = String::with_capacity(text.len());
    if let Some(comma) = find_comma(&source.text()[end..next]) {
        end += comma + 1;
        out.push_str(&text[..start]);
    } else if let Some(before) = index.checked_sub(1).map(|at| &entries[at]) {
        // The last one: the comma before it goes, what stands between stays.
        let before = before.node.place.span().end;
        let comma = find_comma(&text[before..start]).map_or(start, |comma| before + comma);
        out.push_str(&text[..comma]);
        out.push_str(text.get(comma + 1..start).unwrap_or_default().trim_end());
    } else {
        out.push_str(&text[..start]);
    }
    // The line that it stood on goes with it, if nothing else stands there.
    let rest = &text[end..];
    let alone = out.rsplit('\n').next().is_some_and(|line| line.trim().is_empty()) && out.contains('\n');
    if alone && rest.trim_start_matches([' ', '\t', '\r']).starts_with('\n') {
        let kept = out.trim_end_matches([' ', '\t']).len();
        out.truncate(kept);
        if out.ends_with('\n') {
            out.pop();
            if out.ends_with('\r') {
                out.pop();
            }
        }
    }
    start = end;
    out.push_str(&text[start..]);
    out
}

/// Where a comma stands among space and comments.
fn find_comma(text: &str) -> Option<usize> {
    let mut at = 0;
    while at < text.len() {
        let rest = &text[at..];
        if rest.starts_with("//") {
            at += rest.find('\n')?;
        } else if rest.starts_with("/*") {
            at += rest.find("*/")? + 2;
        } else if rest.starts_with(',') {
            return Some(at);
        } else {
            at += rest.chars().next().map_or(1, char::len_utf8);
        }
    }
    None
}

/// How a file is laid out.
struct Style {
    newline: &'static str,
    unit: String,
}

impl Style {
    fn of(text: &str, root: &Node) -> Self {
        let first = root.entries().first().map(|entry| indentation(text, entry.at.span().start));
        Self {
            newline: if text.contains("\r\n") { "\r\n" } else { "\n" },
            unit: first.filter(|unit| !unit.is_empty()).unwrap_or("  ").to_owned(),
        }
    }

    fn line(&self, depth: usize) -> String {
        format!("{}{}", self.newline, self.unit.repeat(depth))
    }

    /// A new line, indented as an existing member is.
    fn line_like(&self, text: &str, member: &Entry, depth: usize) -> String {
        let like = indentation(text, member.at.span().start);
        if like.is_empty() {
            self.line(depth)
        } else {
            format!("{}{like}", self.newline)
        }
    }

    fn draw(&self, value: &Json, depth: usize) -> String {
        let pretty = format!("{value:#}");
        let lines = pretty.lines().map(|line| {
            let text = line.trim_start();
            let level = (line.len() - text.len()) / 2;
            (level, text)
        });
        lines.fold(String::new(), |mut out, (level, text)| {
            if !out.is_empty() {
                out.push_str(&self.line(depth + level));
            }
            out + text
        })
    }
}

/// The white space before `at` in its line, if nothing else stands there.
fn indentation(text: &str, at: usize) -> &str {
    let start = text[..at].rfind('\n').map_or(at, |newline| newline + 1);
    let before = &text[start..at];
    if before.trim().is_empty() { before } else { "" }
}
