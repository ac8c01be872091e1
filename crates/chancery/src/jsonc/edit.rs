//! Changes one member of a JSON file, and leaves comments, order, indentation and line ends as they are.

use jsonc_parser::cst::{CstInputValue, CstNode, CstObject, CstRootNode, TrailingCommaMode};
use serde_json::{Value as Json, json};

use super::parse::{OPTIONS, parse, without_mark};
use crate::config::{Node, Problem, Source};

/// Why a file could not be changed.
#[derive(Debug, thiserror::Error)]
pub enum EditError {
    /// The file is not JSON.
    #[error("{0}")]
    Syntax(Box<Problem>),
    /// The path leads to a value that is not an object.
    #[error("`{0}` is there already and is not an object")]
    NotAnObject(String),
}

/// Sets the member at `path`, replacing an existing one; missing objects on the path are made.
///
/// # Errors
/// When the text is not JSON, or a value on the path is not an object.
pub fn set(text: &str, path: &[&str], value: &Json) -> Result<String, EditError> {
    let (tree, mark, root) = read(text)?;
    if let Some(done) = in_a_row(text, &tree, path, value) {
        return Ok(done);
    }
    let Some((last, parents)) = path.split_last() else {
        return Ok(text.to_owned());
    };
    let refused = |depth: usize| EditError::NotAnObject(path[..depth].join("."));
    let mut object = root.object_value_or_create().ok_or_else(|| refused(0))?;
    for (depth, key) in parents.iter().enumerate() {
        object = object.object_value_or_create(key).ok_or_else(|| refused(depth + 1))?;
    }
    let member = object.get(last).unwrap_or_else(|| object.append(last, CstInputValue::Null));
    member.set_value(input(value));
    member.value().iter().for_each(spread);
    Ok(format!("{mark}{root}"))
}

/// Inserts a member into an object whose members are on one line. The member is added on that line; the editor would
/// put all members on lines of their own.
fn in_a_row(text: &str, tree: &Node, path: &[&str], value: &Json) -> Option<String> {
    let mut object = tree;
    let missing = path.iter().position(|key| match object.get(key) {
        Some(inner) => {
            object = inner;
            false
        }
        None => true,
    })?;
    let row = !text[object.place.span()].contains('\n');
    let end = object.entries().last().filter(|_| row)?.node.place.span().end;
    let value = path[missing + 1..]
        .iter()
        .rev()
        .fold(value.clone(), |inner, key| json!({ *key: inner }));
    Some(format!("{}, {}: {value}{}", &text[..end], json!(path[missing]), &text[end..]))
}

/// Removes the member at `path`; without one, the text stays as it is.
///
/// # Errors
/// When the text is not JSON.
pub fn remove(text: &str, path: &[&str]) -> Result<String, EditError> {
    let (_, mark, root) = read(text)?;
    let Some((last, parents)) = path.split_last() else {
        return Ok(text.to_owned());
    };
    let step = |object: CstObject, key: &&str| object.object_value(key);
    let parent = root.object_value().and_then(|root| parents.iter().try_fold(root, step));
    if let Some(member) = parent.and_then(|parent| parent.get(last)) {
        member.remove();
    }
    Ok(format!("{mark}{root}"))
}

/// Returns the text as a tree with places, its byte order mark, and the editor's tree of the text behind that mark.
fn read(text: &str) -> Result<(Node, &str, CstRootNode), EditError> {
    let syntax = |problem| EditError::Syntax(Box::new(problem));
    // Our reader is stricter than the editor's, and reports errors in its own terms.
    let tree = parse(&Source::json("", text.to_owned())).map_err(syntax)?;
    let (mark, text) = without_mark(text);
    let root = CstRootNode::parse(text, &OPTIONS).map_err(|error| syntax(Problem::error(error.to_string())))?;
    Ok((tree, mark, root))
}

fn input(value: &Json) -> CstInputValue {
    match value {
        Json::Null => CstInputValue::Null,
        Json::Bool(flag) => CstInputValue::Bool(*flag),
        Json::Number(number) => CstInputValue::Number(number.to_string()),
        Json::String(text) => CstInputValue::String(text.clone()),
        Json::Array(items) => CstInputValue::Array(items.iter().map(input).collect()),
        Json::Object(members) => CstInputValue::Object(members.iter().map(|(key, value)| (key.clone(), input(value))).collect()),
    }
}

/// Puts every item of a list on a line of its own, without a comma after the last.
fn spread(node: &CstNode) {
    if let Some(list) = node.as_array().filter(|list| !list.elements().is_empty()) {
        list.ensure_multiline();
        list.set_trailing_commas(TrailingCommaMode::Never);
    }
    if let Some(object) = node.as_object() {
        object.set_trailing_commas(TrailingCommaMode::Never);
    }
    node.children().iter().for_each(spread);
}
