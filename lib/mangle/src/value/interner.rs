//! The interner stores values that do not fit into a word. An overlay adds to a frozen interner without changing it.

use std::sync::Arc;

use super::{
    TIME_BASE, Tag, Value,
    pool::{Shape, Slices, Texts, Words},
    view::View,
};
use crate::eval::{Exceeded, hash::Keys, parts::Meter};

/// Converts between words and the values they stand for.
///
/// To extend a finished interner, clone its `Arc` and put an [`Interner::overlay`] on it: existing values stay as they
/// are, new ones are dropped with the overlay.
#[derive(Clone, Debug, Default)]
pub struct Interner {
    below: Option<Arc<Self>>,
    keys: Keys,
    texts_below: usize,
    slices_below: usize,
    words_below: usize,
    texts: Texts,
    slices: Slices,
    words: Words,
}

/// The size of a word when it is written out, in bytes.
const WORD: usize = 8;

/// The error that a map or struct has a key twice.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct MapError(pub Value);

impl Interner {
    /// Returns an empty interner.
    pub fn new() -> Self {
        Self::default()
    }

    /// Returns an empty interner whose hash tables cannot be predicted without the seed.
    pub fn seeded(seed: u64) -> Self {
        Self {
            keys: Keys::new(seed),
            ..Self::default()
        }
    }

    /// Returns a new layer over a frozen interner, with a seed of its own as in [`Self::seeded`].
    pub fn overlay(below: Arc<Self>, seed: u64) -> Self {
        Self {
            keys: Keys::new(seed),
            ..Self::over(below)
        }
    }

    /// Returns a new layer over a frozen interner, with that one's seed.
    pub(crate) fn over(below: Arc<Self>) -> Self {
        Self {
            keys: below.keys,
            texts_below: below.texts_below + below.texts.len(),
            slices_below: below.slices_below + below.slices.len(),
            words_below: below.words_below + below.words.len(),
            below: Some(below),
            ..Self::default()
        }
    }

    /// Returns the bytes that this layer holds on the heap.
    pub fn heap(&self) -> usize {
        self.texts.heap() + self.slices.heap() + self.words.heap()
    }

    /// Reserves room for `more` values of `bytes` bytes together. Where that is much to move, it can be interrupted,
    /// and it does not begin if that exceeded the budget beside the `moving` bytes.
    pub(crate) fn make_room(&mut self, more: usize, bytes: usize, meter: &Meter, moving: usize) -> Result<(), Exceeded> {
        /// The number of values that are made between two checks; more than that are parts of large ones.
        const MOST: usize = 1 << 13;
        let more = more.min(MOST);
        self.texts.make_room(more, bytes, meter, moving)?;
        self.slices.make_room(more, bytes, meter, moving)?;
        self.words.make_room(more, meter, moving)
    }

    /// Returns an integer.
    pub fn number(&mut self, number: i64) -> Value {
        Value::inline(Tag::Number, number).unwrap_or_else(|| self.word(Tag::WideNumber, number as u64))
    }

    /// Returns a float. All NaNs are one value.
    pub fn float(&mut self, float: f64) -> Value {
        let bits = if float.is_nan() { f64::NAN.to_bits() } else { float.to_bits() };
        self.word(Tag::Float, bits)
    }

    /// Returns an instant, in nanoseconds since 1970 UTC.
    pub fn time(&mut self, nanos: i64) -> Value {
        nanos
            .checked_sub(TIME_BASE)
            .and_then(|nanos| Value::inline(Tag::Time, nanos))
            .unwrap_or_else(|| self.word(Tag::WideTime, nanos as u64))
    }

    /// Returns a duration in nanoseconds.
    pub fn duration(&mut self, nanos: i64) -> Value {
        Value::inline(Tag::Duration, nanos).unwrap_or_else(|| self.word(Tag::WideDuration, nanos as u64))
    }

    /// Returns a name constant, with its leading slash. Any text is accepted: a caller that has it from a peer checks
    /// it first, because a text that is not a name (slashes, each followed by letters, digits or `.-_~%`) can be
    /// printed, but not read back.
    pub fn name(&mut self, name: &str) -> Value {
        self.text(Tag::Name, name.as_bytes())
    }

    /// Returns `/true` or `/false`.
    pub fn truth(&mut self, truth: bool) -> Value {
        self.name(if truth { "/true" } else { "/false" })
    }

    /// Returns a string.
    pub fn string(&mut self, string: &str) -> Value {
        self.text(Tag::String, string.as_bytes())
    }

    /// Returns a byte string.
    pub fn bytes(&mut self, bytes: &[u8]) -> Value {
        self.text(Tag::Bytes, bytes)
    }

    /// Returns a pair of values.
    pub fn pair(&mut self, first: Value, second: Value) -> Value {
        self.slice(Tag::Pair, &[first.bits(), second.bits()])
    }

    /// Returns a list of values.
    pub fn list(&mut self, items: &[Value]) -> Value {
        let words: Vec<u64> = items.iter().map(|item| item.bits()).collect();
        self.slice(Tag::List, &words)
    }

    /// Returns a map of entries in any order.
    ///
    /// # Errors
    /// A key occurs twice.
    pub fn map(&mut self, entries: Vec<(Value, Value)>) -> Result<Value, MapError> {
        self.entries(Tag::Map, entries)
    }

    /// Returns a struct of fields in any order; fields are names.
    ///
    /// # Errors
    /// A field occurs twice.
    pub fn structure(&mut self, fields: Vec<(Value, Value)>) -> Result<Value, MapError> {
        self.entries(Tag::Struct, fields)
    }

    fn entries(&mut self, tag: Tag, mut entries: Vec<(Value, Value)>) -> Result<Value, MapError> {
        entries.sort_by(|a, b| self.compare(a.0, b.0));
        if let Some(twice) = entries.windows(2).find(|pair| pair[0].0 == pair[1].0) {
            return Err(MapError(twice[0].0));
        }
        let words: Vec<u64> = entries.iter().flat_map(|(key, value)| [key.bits(), value.bits()]).collect();
        Ok(self.slice(tag, &words))
    }

    /// Returns what a value is.
    ///
    /// # Panics
    /// The value was made by another interner that is not below this one.
    pub fn view(&self, value: Value) -> View<'_> {
        match value.tag() {
            Tag::Number => View::Number(value.signed()),
            Tag::WideNumber => View::Number(self.word_at(value) as i64),
            Tag::Float => View::Float(f64::from_bits(self.word_at(value))),
            Tag::Time => View::Time(value.signed() + TIME_BASE),
            Tag::WideTime => View::Time(self.word_at(value) as i64),
            Tag::Duration => View::Duration(value.signed()),
            Tag::WideDuration => View::Duration(self.word_at(value) as i64),
            Tag::Name => View::Name(self.str_at(value)),
            Tag::String => View::String(self.str_at(value)),
            Tag::Bytes => View::Bytes(self.text_at(value)),
            Tag::Pair => View::pair(self.slice_at(value)),
            Tag::List => View::List(super::view::Items(self.slice_at(value))),
            Tag::Map => View::Map(super::view::Entries(self.slice_at(value))),
            Tag::Struct => View::Struct(super::view::Entries(self.slice_at(value))),
        }
    }

    /// Returns whether this interner, or one below it, can have made a value.
    pub(crate) fn knows(&self, value: Value) -> bool {
        let at = value.payload() as usize;
        match value.tag() {
            Tag::Number | Tag::Time | Tag::Duration => true,
            Tag::WideNumber | Tag::WideTime | Tag::WideDuration | Tag::Float => at < self.words_below + self.words.len(),
            Tag::Name | Tag::String | Tag::Bytes => at < self.texts_below + self.texts.len(),
            Tag::Pair | Tag::List | Tag::Map | Tag::Struct => at < self.slices_below + self.slices.len(),
        }
    }

    /// Returns the bytes that a value has in addition to its word, without those of the values in it.
    pub(crate) fn weight(&self, value: Value) -> usize {
        match value.tag() {
            Tag::Name | Tag::String | Tag::Bytes => self.text_at(value).len(),
            Tag::Pair | Tag::List | Tag::Map | Tag::Struct => 8 * self.slice_at(value).len(),
            _ => 0,
        }
    }

    /// Returns the number, if it is one.
    pub fn as_number(&self, value: Value) -> Option<i64> {
        match value.small_number() {
            Some(number) => Some(number),
            None if value.tag() == Tag::WideNumber => Some(self.word_at(value) as i64),
            None => None,
        }
    }

    fn text(&mut self, tag: Tag, text: &[u8]) -> Value {
        let number = self
            .find_text(text)
            .unwrap_or_else(|| self.texts_below + self.texts.add(self.keys, text) as usize);
        Value::pack(tag, number as u64)
    }

    fn find_text(&self, text: &[u8]) -> Option<usize> {
        if let Some(below) = &self.below
            && let Some(found) = below.find_text(text)
        {
            return Some(found);
        }
        self.texts.find(self.keys, text).map(|at| self.texts_below + at as usize)
    }

    fn slice(&mut self, tag: Tag, slice: &[u64]) -> Value {
        let number = self.find_slice(slice).unwrap_or_else(|| {
            let shape = slice
                .iter()
                .fold(Shape::flat(WORD), |shape, &word| shape.around(self.shape(Value::from_bits(word))));
            self.slices_below + self.slices.add(self.keys, slice, shape) as usize
        });
        Value::pack(tag, number as u64)
    }

    /// Returns how large a value is when it is written out.
    pub(crate) fn shape(&self, value: Value) -> Shape {
        match value.tag() {
            Tag::Name | Tag::String | Tag::Bytes => Shape::flat(WORD + self.text_at(value).len()),
            Tag::Pair | Tag::List | Tag::Map | Tag::Struct => {
                let (layer, at) = self.slices_at(value);
                layer.slices.shape(at)
            }
            _ => Shape::flat(WORD),
        }
    }

    fn find_slice(&self, slice: &[u64]) -> Option<usize> {
        if let Some(below) = &self.below
            && let Some(found) = below.find_slice(slice)
        {
            return Some(found);
        }
        self.slices.find(self.keys, slice).map(|at| self.slices_below + at as usize)
    }

    fn word(&mut self, tag: Tag, word: u64) -> Value {
        let number = self
            .find_word(word)
            .unwrap_or_else(|| self.words_below + self.words.add(self.keys, word) as usize);
        Value::pack(tag, number as u64)
    }

    fn find_word(&self, word: u64) -> Option<usize> {
        if let Some(below) = &self.below
            && let Some(found) = below.find_word(word)
        {
            return Some(found);
        }
        self.words.find(self.keys, word).map(|at| self.words_below + at as usize)
    }

    fn word_at(&self, value: Value) -> u64 {
        let at = value.payload() as usize;
        let mut layer = self;
        while at < layer.words_below {
            layer = layer.below.as_deref().expect("a layer that starts above zero has one below");
        }
        layer.words.get(at - layer.words_below)
    }

    fn text_at(&self, value: Value) -> &[u8] {
        let at = value.payload() as usize;
        let mut layer = self;
        while at < layer.texts_below {
            layer = layer.below.as_deref().expect("a layer that starts above zero has one below");
        }
        layer.texts.get(at - layer.texts_below)
    }

    fn str_at(&self, value: Value) -> &str {
        // Only `name` and `string` make these tags, and both take a `str`.
        std::str::from_utf8(self.text_at(value)).unwrap_or_default()
    }

    fn slice_at(&self, value: Value) -> &[u64] {
        let (layer, at) = self.slices_at(value);
        layer.slices.get(at)
    }

    /// Returns the layer that contains a slice, and its place there.
    fn slices_at(&self, value: Value) -> (&Self, usize) {
        let at = value.payload() as usize;
        let mut layer = self;
        while at < layer.slices_below {
            layer = layer.below.as_deref().expect("a layer that starts above zero has one below");
        }
        (layer, at - layer.slices_below)
    }
}
