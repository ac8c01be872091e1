//! The tree of a YAML file: mappings, lists and scalars with their places.

use saphyr_parser::{Event, Parser, ScalarStyle, Span};

/// How deep mappings and lists may lie in each other: a test file needs four.
const MAX_DEPTH: usize = 16;

/// A value with its place.
pub(super) struct Node {
    pub(super) kind: Kind,
    /// Its first line, from one; of a block the first line inside.
    pub(super) line: usize,
    /// Its last line.
    pub(super) last: usize,
    /// Its first column, from zero.
    pub(super) column: usize,
}

pub(super) enum Kind {
    Mapping(Vec<(Node, Node)>),
    List(Vec<Node>),
    /// A text in one place: plain or quoted.
    Scalar(String),
    /// A text of several lines behind `|`.
    Block(String),
}

/// An error, and its line.
type Wrong = (usize, String);

/// A mapping or list that is not closed yet.
enum Open {
    Mapping(Vec<(Node, Node)>, Option<Node>),
    List(Vec<Node>),
}

impl Node {
    /// Returns the one document of a file.
    pub(super) fn read(text: &str) -> Result<Self, Wrong> {
        let mut open: Vec<(Open, Span)> = Vec::new();
        let mut root = None;
        for event in Parser::new_from_str(text) {
            let (event, span) = event.map_err(|error| (error.marker().line(), error.info().to_owned()))?;
            let line = span.start.line();
            let wrong = |what: &str| Err((line, what.to_owned()));
            let done = match event {
                Event::Alias(_) => return wrong("aliases are not read here: write it out"),
                Event::Scalar(_, _, _, Some(_)) | Event::SequenceStart(_, Some(_)) | Event::MappingStart(_, Some(_)) => {
                    return wrong("tags are not read here");
                }
                Event::DocumentStart(_) if root.is_some() => return wrong("one file is one document"),
                Event::Scalar(text, style, ..) => Some(Self::scalar(text.into_owned(), style, span)),
                Event::SequenceStart(..) => {
                    open.push((Open::List(Vec::new()), span));
                    None
                }
                Event::MappingStart(..) => {
                    open.push((Open::Mapping(Vec::new(), None), span));
                    None
                }
                Event::SequenceEnd | Event::MappingEnd => open.pop().map(|(of, from)| Self::closed(of, from, span)),
                Event::Nothing | Event::StreamStart | Event::StreamEnd | Event::DocumentStart(_) | Event::DocumentEnd => None,
            };
            if open.len() > MAX_DEPTH {
                return wrong("this lies too deep");
            }
            let Some(node) = done else { continue };
            match open.last_mut() {
                None => root = Some(node),
                Some((Open::List(items), _)) => items.push(node),
                Some((Open::Mapping(entries, key), _)) => match key.take() {
                    None => *key = Some(node),
                    Some(key) => entries.push((key, node)),
                },
            }
        }
        root.ok_or_else(|| (1, "the file is empty".to_owned()))
    }

    fn scalar(text: String, style: ScalarStyle, span: Span) -> Self {
        let quoted = matches!(style, ScalarStyle::SingleQuoted | ScalarStyle::DoubleQuoted);
        let (start, end) = (span.start, span.end);
        if style == ScalarStyle::Literal {
            let lines = text.lines().count();
            let first = start.line();
            return Self {
                kind: Kind::Block(text),
                line: first,
                last: first + lines.saturating_sub(1),
                column: 0,
            };
        }
        Self {
            kind: Kind::Scalar(text),
            line: start.line(),
            last: end.line(),
            column: start.col() + usize::from(quoted),
        }
    }

    fn closed(open: Open, from: Span, to: Span) -> Self {
        let kind = match open {
            Open::List(items) => Kind::List(items),
            Open::Mapping(entries, _) => Kind::Mapping(entries),
        };
        Self {
            kind,
            line: from.start.line(),
            last: to.end.line(),
            column: from.start.col(),
        }
    }

    /// Returns the text of a scalar.
    pub(super) fn text(&self) -> Option<&str> {
        match &self.kind {
            Kind::Scalar(text) | Kind::Block(text) => Some(text),
            Kind::Mapping(_) | Kind::List(_) => None,
        }
    }
}
