//! Plain words: comments and documents name who acts, and a doc comment is complete in itself.

use super::rust::comments;
use super::tree::File;
use super::violation::Violation;

/// Words that name no actor.
const NO_ACTOR: &[&str] = &["whoever", "somebody", "nobody"];

/// Beginnings with which a doc comment depends on the one before it.
const DEPENDENT: &[&str] = &["The same", "Likewise"];

/// Folders and documents that are still to be converted. An entry is removed when nothing in it breaks a rule; none is added.
#[rustfmt::skip]
const UNCONVERTED: &[&str] = &["docs/develop/style.md"];

/// Checks the comments of all Rust files, and all documents.
pub(crate) fn check(files: &[File]) -> Vec<Violation> {
    check_with(files, UNCONVERTED)
}

fn check_with(files: &[File], unconverted: &[&str]) -> Vec<Violation> {
    let mut found: Vec<Violation> = files.iter().flat_map(check_one).collect();
    let is_in = |violation: &Violation, entry: &str| violation.file.starts_with(entry);
    let converted = unconverted
        .iter()
        .filter(|entry| !found.iter().any(|violation| is_in(violation, entry)));
    let stale: Vec<Violation> = converted
        .map(|entry| Violation::new(file!(), 1, "words", format!("`{entry}` is converted: remove it from `UNCONVERTED`")))
        .collect();
    found.retain(|violation| !unconverted.iter().any(|entry| is_in(violation, entry)));
    found.extend(stale);
    found
}

fn check_one(file: &File) -> Vec<Violation> {
    if file.path.ends_with(".rs") {
        comments_of(file)
    } else if file.path.ends_with(".md") {
        document(file)
    } else {
        Vec::new()
    }
}

/// Checks the comments of a Rust file.
fn comments_of(file: &File) -> Vec<Violation> {
    let mut found = Vec::new();
    // The line and the kind of the last line of a doc comment.
    let mut doc_before: Option<(usize, &str)> = None;
    for (line, comment) in comments(&file.text) {
        found.extend(comment.lines().enumerate().flat_map(|(at, text)| no_actor(file, line + at, text)));
        let kind = ["///", "//!"].into_iter().find(|kind| comment.starts_with(kind));
        let begins = kind.is_some_and(|kind| doc_before != Some((line - 1, kind)));
        let text = comment[kind.map_or(0, str::len)..].trim_start();
        if let Some(beginning) = DEPENDENT.iter().find(|beginning| begins && starts_with_words(text, beginning)) {
            let advice = format!("a doc comment that begins `{beginning}` is not complete in itself: say what the thing is or does");
            found.push(Violation::new(&file.path, line, "words", advice));
        }
        doc_before = kind.map(|kind| (line, kind));
    }
    found
}

/// Checks the text of a document, without its fenced blocks.
fn document(file: &File) -> Vec<Violation> {
    let mut is_fenced = false;
    let mut found = Vec::new();
    for (at, text) in file.text.lines().enumerate() {
        if text.trim_start().starts_with("```") {
            is_fenced = !is_fenced;
        } else if !is_fenced {
            found.extend(no_actor(file, at + 1, text));
        }
    }
    found
}

/// The words of one line that name no actor. What stands in backticks is code, and not checked.
fn no_actor(file: &File, line: usize, text: &str) -> Vec<Violation> {
    let prose: String = text.split('`').step_by(2).collect::<Vec<_>>().join("`").to_lowercase();
    let words: Vec<&str> = prose.split(|c: char| !c.is_alphanumeric()).collect();
    let used = NO_ACTOR.iter().filter(|word| words.contains(word));
    used.map(|word| {
        let advice = format!("`{word}` names no actor: say who it is (the client, the operator, the caller)");
        Violation::new(&file.path, line, "words", advice)
    })
    .collect()
}

fn starts_with_words(text: &str, words: &str) -> bool {
    text.strip_prefix(words)
        .is_some_and(|rest| !rest.starts_with(|c: char| c.is_alphanumeric()))
}

#[cfg(test)]
mod tests {
    use super::check_with;
    use crate::tidy::tree::File;

    fn lines(path: &str, text: &str) -> Vec<usize> {
        let found = check_with(&[File::new(path, text)], &[]);
        found.into_iter().map(|violation| violation.line).collect()
    }

    #[test]
    fn comments_name_who_acts() {
        let text = "//! Waits for somebody.\nfn f() {} // Whoever calls,\n/* or\nnobody's */\n/// Everybody does.\nfn g() {}\n";
        assert_eq!(lines("lib/a/src/x.rs", text), [1, 2, 4]);
    }

    #[test]
    fn code_and_what_comments_quote_may_hold_any_word() {
        let text = "//! x\n// The user `nobody` owns it.\nfn nobody() -> &str { \"// somebody\" }\n";
        assert!(lines("lib/a/src/x.rs", text).is_empty());
    }

    #[test]
    fn a_doc_comment_is_complete_in_itself() {
        let text = "//! Likewise here.\n/// The same for b.\nfn b() {}\n/// Counts c.\n/// The same once more.\nfn c() {}\n// The same again.\n/// The sameness of d.\nfn d() {}\n";
        assert_eq!(lines("lib/a/src/x.rs", text), [1, 2]);
    }

    #[test]
    fn documents_name_who_acts_outside_of_blocks() {
        let text = "Nobody may.\n```sh\nchown nobody x\n```\nThe user `nobody` may, and somebody else.\n";
        assert_eq!(lines("docs/x.md", text), [1, 5]);
        assert!(lines("data/x.txt", text).is_empty());
    }

    #[test]
    fn what_is_unconverted_is_left_alone_until_it_is_converted() {
        let old = File::new("crates/old/src/x.rs", "//! Nobody.\n");
        let new = File::new("crates/new/src/x.rs", "//! The client.\n");
        assert!(check_with(&[old.clone(), new.clone()], &["crates/old/"]).is_empty());
        let stale = check_with(&[old, new], &["crates/old/", "crates/new/"]);
        assert_eq!(stale.len(), 1, "the list only shrinks: {stale:?}");
    }
}
