//! Converts any value into serde_json's own type.

use serde_json::{Map, Number, Value};

use crate::scan::{Scan, Scanner};
use crate::text;

/// Reads a value; unlike serde_json's own reader this never fails.
pub(crate) fn value(bytes: &[u8]) -> Value {
    // The bytes are a value, so there is always one.
    read(&mut Scanner::trusted(bytes), bytes).unwrap_or_default()
}

/// Reads the value at the cursor. Recurses as deep as values nest (`MAX_DEPTH`).
fn read(scanner: &mut Scanner<'_>, bytes: &[u8]) -> Scan<Value> {
    match scanner.peek() {
        Some(b'{') => {
            let mut map = Map::new();
            let mut more = scanner.open(b'}')?;
            while more {
                let key = scanner.key()?;
                let value = read(scanner, bytes)?;
                map.entry(string(&bytes[key.span])).or_insert(value);
                more = scanner.more(b'}')?;
            }
            Ok(Value::Object(map))
        }
        Some(b'[') => {
            let mut items = Vec::new();
            let mut more = scanner.open(b']')?;
            while more {
                items.push(read(scanner, bytes)?);
                more = scanner.more(b']')?;
            }
            Ok(Value::Array(items))
        }
        Some(b'"') => Ok(Value::String(string(&bytes[scanner.string()?.span]))),
        _ => {
            let span = scanner.value()?;
            Ok(scalar(&bytes[span]))
        }
    }
}

/// Decodes a string, with U+FFFD for lone surrogates.
fn string(inner: &[u8]) -> String {
    let decoded = text::unescape(inner);
    match std::str::from_utf8(&decoded) {
        Ok(text) => text.to_owned(),
        Err(_) => text::without_surrogates(&decoded),
    }
}

fn scalar(token: &[u8]) -> Value {
    match token {
        b"null" => Value::Null,
        b"true" => Value::Bool(true),
        b"false" => Value::Bool(false),
        number => {
            let number = std::str::from_utf8(number).unwrap_or_default();
            serde_json::from_str::<Number>(number).map_or_else(|_| Value::String(number.to_owned()), Value::Number)
        }
    }
}
