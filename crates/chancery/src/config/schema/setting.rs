//! Keys with their types: how each kind of value is read, so that the declaration is all that a reader has to know.

use std::net::SocketAddr;
use std::ops::Deref;
use std::time::Duration;

use model::{Permission, ServerId, Timestamp};
use policy::Rate;
use validators::arguments::Validator;

use super::super::choice::{Choice, find, names};
use super::super::node::{Node, Value};
use super::super::quantity;
use super::key::{Key, Kind, Section};
use super::literal::Literal;

/// A key whose value is read as a `T`.
#[derive(Debug)]
pub struct Setting<T: 'static> {
    key: Key,
    read: fn(&Value) -> Option<T>,
}

/// A key whose value is read as a `T`, and that has a default.
#[derive(Debug)]
pub struct Preset<T: 'static>(Setting<T>);

/// A key with the type of its value.
pub trait Typed: Deref<Target = Key> {
    /// The type of the value.
    type Value;

    /// Converts a checked value, or returns what holds without one.
    fn read(&self, given: Option<&Value>) -> Self::Value;
}

impl<T> Typed for Setting<T> {
    type Value = Option<T>;

    fn read(&self, given: Option<&Value>) -> Option<T> {
        given.and_then(self.read)
    }
}

impl<T> Typed for Preset<T> {
    type Value = T;

    fn read(&self, given: Option<&Value>) -> T {
        self.0.read(given).unwrap_or_else(|| self.by_default())
    }
}

impl<T> Deref for Setting<T> {
    type Target = Key;

    fn deref(&self) -> &Key {
        &self.key
    }
}

impl<T> Deref for Preset<T> {
    type Target = Key;

    fn deref(&self) -> &Key {
        &self.0.key
    }
}

impl<T> Setting<T> {
    const fn new(name: &'static str, kind: Kind, read: fn(&Value) -> Option<T>) -> Self {
        Self {
            key: Key::new(name, kind),
            read,
        }
    }

    /// Returns the key alone.
    #[must_use]
    pub const fn key(&self) -> &Key {
        &self.key
    }

    /// Marks the key as required: its table is useless without it.
    #[must_use]
    pub(super) const fn required(mut self) -> Self {
        self.key.required = true;
        self
    }

    /// Marks the value as one that may be, or contain, a secret.
    #[must_use]
    pub(super) const fn secret(mut self) -> Self {
        self.key.secret = true;
        self
    }

    /// Sets an example, as TOML. Without one the default is its example.
    #[must_use]
    pub(super) const fn example(mut self, example: &'static str) -> Self {
        self.key.example = example;
        self
    }

    /// Sets other names that people look for.
    #[must_use]
    pub(super) const fn also(mut self, names: &'static [&'static str]) -> Self {
        self.key.also = names;
        self
    }

    /// Sets the meaning.
    #[must_use]
    pub(super) const fn doc(mut self, doc: &'static str) -> Self {
        self.key.doc = doc;
        self
    }

    /// Sets the value that holds when the key isn't set.
    #[must_use]
    pub(super) const fn or(mut self, default: Literal) -> Preset<T> {
        self.key.default = Some(default);
        Preset(self)
    }
}

impl<T> Preset<T> {
    /// Returns the value that holds where no file sets the key.
    #[must_use]
    pub fn by_default(&self) -> T {
        let default = self.default.and_then(|default| (self.0.read)(&default.value()));
        default.expect("`or` gives every preset a default, and the tests read each")
    }

    /// Returns the key alone.
    #[must_use]
    pub const fn key(&self) -> &Key {
        self.0.key()
    }

    /// Sets the meaning.
    #[must_use]
    pub(super) const fn doc(self, doc: &'static str) -> Self {
        let Self(setting) = self;
        Self(setting.doc(doc))
    }
}

// === single values ===

pub(super) const fn text(name: &'static str) -> Setting<String> {
    Setting::new(name, Kind::Text, |value| value.text().map(str::to_owned))
}

pub(super) const fn template(name: &'static str) -> Setting<String> {
    Setting::new(name, Kind::Template, |value| value.text().map(str::to_owned))
}

pub(super) const fn flag(name: &'static str) -> Setting<bool> {
    Setting::new(name, Kind::Flag, Value::flag)
}

pub(super) const fn count(name: &'static str) -> Setting<usize> {
    Setting::new(name, Kind::Count, |value| usize::try_from(value.int()?).ok())
}

pub(super) const fn size(name: &'static str) -> Setting<usize> {
    Setting::new(name, Kind::Size, |value| {
        let bytes = match value {
            Value::Int(bytes) => u64::try_from(*bytes).ok()?,
            _ => quantity::size(value.text()?).ok()?,
        };
        Some(usize::try_from(bytes).unwrap_or(usize::MAX))
    })
}

pub(super) const fn duration(name: &'static str) -> Setting<Duration> {
    Setting::new(name, Kind::Duration, |value| quantity::duration(value.text()?).ok())
}

pub(super) const fn age(name: &'static str) -> Setting<Duration> {
    Setting::new(name, Kind::Age, |value| quantity::age(value.text()?).ok())
}

pub(super) const fn instant(name: &'static str) -> Setting<Timestamp> {
    Setting::new(name, Kind::Instant, |value| match value {
        Value::Text(text) | Value::Date(text) => mgp::time::parse(text),
        _ => None,
    })
}

pub(super) const fn rate(name: &'static str) -> Setting<Rate> {
    Setting::new(name, Kind::Rate, |value| quantity::rate(value.text()?).ok())
}

pub(super) const fn address(name: &'static str) -> Setting<SocketAddr> {
    Setting::new(name, Kind::Address, |value| quantity::address(value.text()?).ok())
}

pub(super) const fn id(name: &'static str) -> Setting<ServerId> {
    Setting::new(name, Kind::Id, |value| ServerId::new(value.text()?).ok())
}

pub(super) const fn choice<T: Choice>(name: &'static str) -> Setting<T> {
    Setting::new(name, Kind::Choice(names::<T>), |value| find(value.text()?))
}

// === lists ===

pub(super) const fn texts(name: &'static str) -> Setting<Vec<String>> {
    Setting::new(name, Kind::Texts, strings)
}

pub(super) const fn templates(name: &'static str) -> Setting<Vec<String>> {
    Setting::new(name, Kind::Templates, strings)
}

pub(super) const fn patterns(name: &'static str) -> Setting<Vec<String>> {
    Setting::new(name, Kind::Patterns, strings)
}

pub(super) const fn permissions(name: &'static str) -> Setting<Vec<Permission>> {
    Setting::new(name, Kind::Permissions, |value| {
        let said = strings(value)?.into_iter().filter_map(|name| mgp::permission::read(&name).ok());
        Some(said.flat_map(|said| said.permissions).collect())
    })
}

pub(super) const fn validators(name: &'static str) -> Setting<Vec<Validator>> {
    Setting::new(name, Kind::Validators, |value| {
        Some(strings(value)?.iter().filter_map(|name| Validator::parse(name).ok()).collect())
    })
}

fn strings(value: &Value) -> Option<Vec<String>> {
    let Value::List(items) = value else { return None };
    Some(items.iter().filter_map(Node::text).map(str::to_owned).collect())
}

// === tables, which are read by their sections ===

/// A value that is read entry by entry, each at its place.
#[derive(Clone, Copy, Debug)]
pub struct Entries;

pub(super) const fn rates(name: &'static str) -> Setting<Entries> {
    Setting::new(name, Kind::Rates, |_| Some(Entries))
}

pub(super) const fn template_map(name: &'static str) -> Setting<Entries> {
    Setting::new(name, Kind::TemplateMap, |_| Some(Entries))
}

pub(super) const fn table(name: &'static str, section: &'static Section) -> Setting<Entries> {
    Setting::new(name, Kind::Table(section), |_| Some(Entries))
}

pub(super) const fn tables(name: &'static str, section: &'static Section) -> Setting<Entries> {
    Setting::new(name, Kind::Tables(section), |_| Some(Entries))
}

pub(super) const fn table_map(name: &'static str, section: &'static Section) -> Setting<Entries> {
    Setting::new(name, Kind::TableMap(section), |_| Some(Entries))
}
