//! An open document, with its analysis.

use std::time::Duration;

use mangle::{
    analysis::Level,
    eval::Cancel,
    syntax::{Bounds, Dialect, Parsed, Source, Sources, Span, ast::Unit, parse_within},
};
use serde_json::{Value, json};

use super::{
    super::{
        deadline::Deadline,
        load::{Loaded, analyse_units, analysed},
    },
    occurrence::{Occurrence, occurrences},
};

/// How long the editor may wait for findings; a text that takes longer gets only the finding that it took too long.
const PATIENCE: Duration = Duration::from_secs(2);
/// The memory limit of a document, as [`Bounds::bytes`].
const MOST_BYTES: u64 = 256 << 20;

/// A document and the program that it is part of: itself, and the other files of its package and of those that it uses.
pub(super) struct Document {
    pub(super) uri: String,
    pub(super) loaded: Loaded,
    pub(super) occurrences: Vec<Occurrence>,
}

/// The URIs and texts of other documents.
pub(super) type Others = Vec<(String, String)>;

impl Document {
    /// Reads a document; `others` returns those that may belong to its program, and is called if the document names a
    /// package.
    pub(super) fn new(uri: &str, text: &str, others: impl FnOnce() -> Others, dialect: Dialect) -> Self {
        Self::read(uri, text, others, dialect, None)
    }

    /// Returns the document with all documents that name a package, including those that only use it.
    pub(super) fn with_users(&self, package: &str, others: Others, dialect: Dialect) -> Self {
        Self::read(&self.uri, self.text(), || others, dialect, Some(package))
    }

    fn read(uri: &str, text: &str, others: impl FnOnce() -> Others, dialect: Dialect, with_users_of: Option<&str>) -> Self {
        let deadline = Deadline::start(Some(PATIENCE), Cancel::default());
        let bounds = Bounds {
            bytes: MOST_BYTES,
            cancel: deadline.cancel(),
        };
        let parse = |source: &Source| parse_within(source, dialect, &bounds);
        let mut sources = Sources::new();
        // A text that is too long has no findings, and no answers; editors do not open such files.
        let _too_long = sources.add(uri, text);
        let mut units: Vec<(Level, Parsed)> = sources.iter().map(|source| (Level::Schema, parse(source))).collect();
        let mut named: Vec<String> = units.iter().flat_map(|(_, parsed)| packages(&parsed.unit)).collect();
        named.extend(with_users_of.map(str::to_owned));
        let others = if named.is_empty() { Vec::new() } else { others() };
        for (other, text) in &others {
            let Ok(alone) = Sources::of(other, text) else { continue };
            let Some(unit) = alone.get(0).map(|source| parse(source).unit) else {
                continue;
            };
            let package = unit.package.as_ref().map(|package| &package.name.text);
            let is_used = package.is_some_and(|package| named.iter().any(|named| **named == **package));
            let uses = with_users_of.is_some_and(|package| packages(&unit).any(|named| named == package));
            let added = if is_used || uses { sources.add(other, text).ok() } else { None };
            if let Some(source) = added.and_then(|index| sources.get(index)) {
                units.push((Level::Schema, parse(source)));
            }
        }
        let occurrences = units.iter().flat_map(|(_, parsed)| occurrences(&parsed.unit)).collect();
        let mut loaded = analysed(sources, units, dialect, &bounds);
        if loaded.analysis.predicates.is_empty() {
            // While a user types, some clause is unfinished. The others have their names all the same.
            loaded.analysis = analyse_units(&loaded.units, dialect, &bounds);
        }
        Self {
            uri: uri.to_owned(),
            loaded,
            occurrences,
        }
    }

    /// Keeps the types that were found before an error was introduced: with an error, none are inferred.
    pub(super) fn remember(&mut self, before: &Self) {
        for info in self.loaded.analysis.predicates.iter_mut().filter(|info| info.types.is_empty()) {
            let mut known = before.loaded.analysis.predicates.iter();
            if let Some(known) = known.find(|known| known.name == info.name && known.arity == info.arity) {
                info.types.clone_from(&known.types);
            }
        }
    }

    /// Returns the document's own source.
    pub(super) fn source(&self) -> Option<&Source> {
        self.loaded.sources.get(0)
    }

    /// Returns whether other documents may be part of its program.
    pub(super) fn uses(&self) -> bool {
        self.loaded
            .units
            .first()
            .is_some_and(|(_, parsed)| packages(&parsed.unit).next().is_some())
    }

    pub(super) fn text(&self) -> &str {
        self.source().map_or("", Source::text)
    }

    /// Returns where the word begins that ends at a position: the part that a completion replaces.
    pub(super) fn word_start(&self, position: &Value) -> Option<Value> {
        let (source, end) = (self.source()?, self.offset(position)?);
        let before = source.text().get(..(end - source.span().start) as usize)?;
        let belongs = |c: char| c.is_ascii_alphanumeric() || matches!(c, '_' | ':' | '.');
        let length = before.len() - before.trim_end_matches(belongs).len();
        Some(self.position(end - length as u32))
    }

    /// Returns the byte position of a position of the protocol: lines from zero, columns in UTF-16.
    pub(super) fn offset(&self, position: &Value) -> Option<u32> {
        let source = self.source()?;
        let (line, column) = (position["line"].as_u64()?, position["character"].as_u64()?);
        let line = u32::try_from(line).ok()? + 1;
        let start = source.line_start(line)?;
        let mut units = 0;
        for (index, c) in source.line(line).char_indices() {
            if units >= column {
                return Some(start + index as u32);
            }
            units += c.len_utf16() as u64;
        }
        Some(start + source.line(line).len() as u32)
    }

    /// Returns a span in the protocol's form.
    pub(super) fn range(&self, span: Span) -> Value {
        json!({ "start": self.position(span.start), "end": self.position(span.end) })
    }

    fn position(&self, at: u32) -> Value {
        let Some(source) = self.loaded.sources.find(Span::new(at, at)) else {
            return json!({ "line": 0, "character": 0 });
        };
        let line = source.position(at).line;
        let start = source.line_start(line).unwrap_or(at);
        let before = source.line(line).get(..(at - start) as usize).unwrap_or_default();
        json!({ "line": line - 1, "character": before.encode_utf16().count() })
    }

    /// Returns a span with its document.
    pub(super) fn location(&self, span: Span) -> Value {
        let uri = self.loaded.sources.find(span).map_or(&*self.uri, Source::name);
        json!({ "uri": uri, "range": self.range(span) })
    }

    /// Returns the occurrence at a position.
    pub(super) fn at(&self, position: &Value) -> Option<&Occurrence> {
        let offset = self.offset(position)?;
        self.occurrences
            .iter()
            .find(|one| one.span.start <= offset && offset <= one.span.end)
    }
}

/// Returns the packages that a text names: its own, and those that it uses.
fn packages(unit: &Unit) -> impl Iterator<Item = String> {
    let own = unit.package.iter().map(|package| &package.name);
    let names = own.chain(unit.uses.iter().map(|used| &used.name));
    names.map(|name| name.text.to_string())
}
