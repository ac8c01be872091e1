//! Reads structs out of named values: the parameters of a path or a query, and the fields of a body.
//!
//! Law: a name that the struct does not have is refused first, so that a misspelt field is not reported as missing.

use std::collections::BTreeSet;
use std::vec;

use serde::de::value::StringDeserializer;
use serde::de::{DeserializeOwned, DeserializeSeed, Deserializer, Error as _, IntoDeserializer as _, MapAccess, SeqAccess, Visitor};
use serde::forward_to_deserialize_any;
use serde_json::Value;

use crate::invalid::{Invalid, Reason};

/// Reads a struct. A value that is null counts as not given.
pub(crate) fn read<T: DeserializeOwned>(values: Vec<(String, Value)>) -> Result<T, Invalid> {
    T::deserialize(Named(values))
}

/// Values with their names.
struct Named(Vec<(String, Value)>);

impl<'de> Deserializer<'de> for Named {
    type Error = Invalid;

    fn deserialize_struct<V: Visitor<'de>>(self, _: &'static str, names: &'static [&'static str], visitor: V) -> Result<V::Value, Invalid> {
        let mut seen = BTreeSet::new();
        for (name, _) in &self.0 {
            let reason = match names.contains(&name.as_str()) {
                false => Reason::Unknown(names),
                true if seen.insert(name) => continue,
                true => Reason::Twice,
            };
            let name = name.clone();
            return Err(Invalid { name, reason });
        }
        self.deserialize_any(visitor)
    }

    fn deserialize_any<V: Visitor<'de>>(self, visitor: V) -> Result<V::Value, Invalid> {
        let given: Vec<_> = self.0.into_iter().filter(|(_, value)| !value.is_null()).collect();
        visitor.visit_map(Entries {
            left: given.into_iter(),
            value: None,
        })
    }

    forward_to_deserialize_any! {
        bool i8 i16 i32 i64 i128 u8 u16 u32 u64 u128 f32 f64 char str string bytes byte_buf option unit unit_struct newtype_struct seq tuple
        tuple_struct map enum identifier ignored_any
    }
}

/// The values, one after the other.
struct Entries {
    left: vec::IntoIter<(String, Value)>,
    /// The value whose name was read last, with that name.
    value: Option<(String, Value)>,
}

impl<'de> MapAccess<'de> for Entries {
    type Error = Invalid;

    fn next_key_seed<K: DeserializeSeed<'de>>(&mut self, seed: K) -> Result<Option<K::Value>, Invalid> {
        self.value = self.left.next();
        let name = self.value.as_ref().map(|(name, _)| name.as_str());
        name.map(|name| seed.deserialize(name.into_deserializer())).transpose()
    }

    fn next_value_seed<V: DeserializeSeed<'de>>(&mut self, seed: V) -> Result<V::Value, Invalid> {
        let (name, value) = self.value.take().expect("a value is asked for after its name");
        seed.deserialize(One(value)).map_err(|invalid| Invalid { name, ..invalid })
    }
}

/// One value: of a body it is any JSON value, of a path or a query it is text.
struct One(Value);

fn not_a(wanted: &'static str) -> Invalid {
    Invalid::unnamed(Reason::Type(wanted))
}

const STRING: &str = "a string";
const LIST: &str = "a list of strings";

impl<'de> Deserializer<'de> for One {
    type Error = Invalid;

    fn deserialize_string<V: Visitor<'de>>(self, visitor: V) -> Result<V::Value, Invalid> {
        match self.0 {
            Value::String(text) => visitor.visit_string(text),
            _ => Err(not_a(STRING)),
        }
    }

    /// Reads a word of an enumeration.
    fn deserialize_enum<V: Visitor<'de>>(self, _: &'static str, _: &'static [&'static str], visitor: V) -> Result<V::Value, Invalid> {
        match self.0 {
            Value::String(word) => visitor.visit_enum(StringDeserializer::new(word)),
            _ => Err(not_a(STRING)),
        }
    }

    fn deserialize_bool<V: Visitor<'de>>(self, visitor: V) -> Result<V::Value, Invalid> {
        match self.0 {
            Value::Bool(flag) => visitor.visit_bool(flag),
            _ => Err(not_a("true or false")),
        }
    }

    /// Reads a number in the text of a parameter; no body has one.
    fn deserialize_u64<V: Visitor<'de>>(self, visitor: V) -> Result<V::Value, Invalid> {
        match self.0 {
            Value::String(text) => match text.parse() {
                Ok(number) => visitor.visit_u64(number),
                Err(_) => Err(Invalid::unnamed(Reason::Number(text))),
            },
            _ => Err(not_a("a whole number")),
        }
    }

    /// Reads a list of strings; no body has another list.
    fn deserialize_seq<V: Visitor<'de>>(self, visitor: V) -> Result<V::Value, Invalid> {
        match self.0 {
            Value::Array(items) => visitor.visit_seq(Items(items.into_iter())),
            _ => Err(not_a(LIST)),
        }
    }

    fn deserialize_option<V: Visitor<'de>>(self, visitor: V) -> Result<V::Value, Invalid> {
        visitor.visit_some(self)
    }

    fn deserialize_newtype_struct<V: Visitor<'de>>(self, _: &'static str, visitor: V) -> Result<V::Value, Invalid> {
        visitor.visit_newtype_struct(self)
    }

    fn deserialize_any<V: Visitor<'de>>(self, _: V) -> Result<V::Value, Invalid> {
        Err(Invalid::custom("no request has a value of this type"))
    }

    forward_to_deserialize_any! {
        i8 i16 i32 i64 i128 u8 u16 u32 u128 f32 f64 char str bytes byte_buf unit unit_struct tuple tuple_struct map struct identifier ignored_any
    }
}

/// The items of a list.
struct Items(vec::IntoIter<Value>);

impl<'de> SeqAccess<'de> for Items {
    type Error = Invalid;

    fn next_element_seed<T: DeserializeSeed<'de>>(&mut self, seed: T) -> Result<Option<T::Value>, Invalid> {
        match self.0.next() {
            None => Ok(None),
            Some(item) if item.is_string() => seed.deserialize(One(item)).map(Some),
            Some(_) => Err(not_a(LIST)),
        }
    }
}
