//! The parts of a definition that models read and decisions rest on: the bytes of its pin, and its hidden characters (§4).

use std::fmt;

use jsonrpc::{ObjectBuilder, Raw, RawKind};

use crate::carrier::{EXTENSION, META, MGP};

/// The number of hidden characters that are reported of one definition.
const MOST_FOUND: usize = 32;

/// The members that are part of a pin.
const PINNED: [&str; 8] = [
    "name",
    "title",
    "description",
    "inputSchema",
    "outputSchema",
    "annotations",
    "security",
    MGP,
];

/// Returns the bytes whose SHA-256 is a tool's [`model::Pin`]: its names, texts, schemas, annotations and security, in canonical form. Another
/// description may be an attack, and another annotation another risk; changes of `_meta` and icons are neither.
#[must_use]
pub fn pinned(tool: &Raw) -> Vec<u8> {
    let members = PINNED
        .into_iter()
        .fold(ObjectBuilder::new(), |members, name| members.maybe(name, tool.get(name).as_ref()));
    members.maybe(EXTENSION, tool.at(&[META, EXTENSION]).as_ref()).finish().canonical()
}

/// A character that people don't see and models read.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Hidden {
    /// The path to the text in the definition, such as `inputSchema.properties.path.description`.
    pub place: String,
    /// The character.
    pub character: char,
}

impl fmt::Display for Hidden {
    /// Formats the character by its number, with its place.
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "U+{:04X} in `{}`", u32::from(self.character), self.place)
    }
}

/// Returns the invisible and direction-changing characters in a definition's texts and keys, at most 32: a person who reads it before approving it
/// sees another text than a model does.
#[must_use]
pub fn hidden(tool: &Raw) -> Vec<Hidden> {
    let mut found = Vec::new();
    for name in PINNED {
        if let Some(value) = tool.get(name) {
            search(&value, name, &mut found);
        }
    }
    found
}

/// Searches a value. It recurses as deep as values nest ([`jsonrpc::MAX_DEPTH`]).
fn search(value: &Raw, place: &str, found: &mut Vec<Hidden>) {
    if found.len() >= MOST_FOUND {
        return;
    }
    match value.kind() {
        RawKind::String => {
            if let Some(text) = value.as_str() {
                note(&text, place, found);
            }
        }
        RawKind::Array => value.elements().for_each(|element| search(&element, place, found)),
        RawKind::Object => {
            for (key, member) in value.object().unwrap_or_default().iter() {
                note(key, place, found);
                search(member, &format!("{place}.{}", crate::json::shown(key)), found);
            }
        }
        RawKind::Number | RawKind::Bool | RawKind::Null => {}
    }
}

/// Notes the hidden characters of a text, each once.
fn note(text: &str, place: &str, found: &mut Vec<Hidden>) {
    for character in text.chars().filter(|c| is_hidden(*c)) {
        let hidden = Hidden {
            place: place.to_owned(),
            character,
        };
        if found.len() < MOST_FOUND && !found.contains(&hidden) {
            found.push(hidden);
        }
    }
}

/// Returns whether a character is hidden: zero-width and filler characters, marks of direction, tags, variation selectors beyond those of emoji,
/// private use, and controls other than those that break lines. The joiner is not, because emoji and several scripts are written with it.
fn is_hidden(c: char) -> bool {
    let is_control = c.is_control() && !matches!(c, '\n' | '\r' | '\t');
    is_control
        || matches!(c,
            '\u{ad}' | '\u{34f}' | '\u{61c}' | '\u{115f}' | '\u{1160}' | '\u{17b4}' | '\u{17b5}' | '\u{180b}'..='\u{180f}'
            | '\u{200b}' | '\u{200c}' | '\u{200e}' | '\u{200f}' | '\u{2028}'..='\u{202e}' | '\u{2060}'..='\u{206f}'
            | '\u{3164}' | '\u{e000}'..='\u{f8ff}' | '\u{fe00}'..='\u{fe0e}' | '\u{feff}' | '\u{ffa0}' | '\u{fff9}'..='\u{fffb}'
            | '\u{e0000}'..='\u{e0fff}' | '\u{f0000}'..='\u{10ffff}')
}
