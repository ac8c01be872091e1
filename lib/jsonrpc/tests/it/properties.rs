//! Properties of all JSON: generated trees, spelled and spaced at random.

use jsonrpc::{Change, ErrorObject, Id, Kind, Limits, Message, Raw, decode_message};
use proptest::prelude::*;

use crate::laws;

fn config() -> ProptestConfig {
    ProptestConfig {
        failure_persistence: None,
        ..ProptestConfig::with_cases(300)
    }
}

fn space() -> impl Strategy<Value = String> {
    prop_oneof![3 => Just(String::new()), 1 => "[ \n\t\r]{1,3}"]
}

/// Generates a string with its quotes: plain runs, escapes, whole and lone surrogates.
fn string() -> impl Strategy<Value = String> {
    let piece = prop_oneof![
        4 => "[a-z /]{0,12}",
        1 => "[^\"\\\\\\p{Cc}]{0,20}",
        1 => Just(r"\n".to_owned()),
        1 => Just(r#"\""#.to_owned()),
        1 => Just(r"\\".to_owned()),
        1 => r"\\u00[0-7][0-9a-fA-F]",
        1 => r"\\ud[89ab][0-9a-f]{2}\\ud[c-f][0-9a-f]{2}",
        1 => r"\\uD[89a-fA-F][0-9a-f]{2}",
    ];
    proptest::collection::vec(piece, 0..4).prop_map(|pieces| format!("\"{}\"", pieces.concat()))
}

fn integer() -> impl Strategy<Value = String> {
    "-?(0|[1-9][0-9]{0,40})"
}

fn number() -> impl Strategy<Value = String> {
    prop_oneof![integer(), "-?(0|[1-9][0-9]{0,5})(\\.[0-9]{1,20})?([eE][+-]?[0-9]{1,4})?"]
}

fn object(value: impl Strategy<Value = String>) -> impl Strategy<Value = String> {
    let key = prop_oneof![string(), "\"[abc]\"", Just(r#""\u0061""#.to_owned()), Just("\"_meta\"".to_owned())];
    let member = (space(), key, space(), space(), value, space()).prop_map(|(a, key, b, c, value, d)| format!("{a}{key}{b}:{c}{value}{d}"));
    (space(), proptest::collection::vec(member, 0..5)).prop_map(|(space, members)| {
        let members = members.join(",");
        format!("{{{}}}", if members.is_empty() { space } else { members })
    })
}

fn array(value: impl Strategy<Value = String>) -> impl Strategy<Value = String> {
    let element = (space(), value, space()).prop_map(|(a, value, b)| format!("{a}{value}{b}"));
    proptest::collection::vec(element, 0..5).prop_map(|elements| format!("[{}]", elements.join(",")))
}

/// Generates any JSON value, without outer whitespace.
fn json() -> BoxedStrategy<String> {
    let scalar = prop_oneof![
        string(),
        number(),
        Just("null".to_owned()),
        Just("true".to_owned()),
        Just("false".to_owned())
    ];
    scalar
        .prop_recursive(5, 40, 5, |inner| prop_oneof![object(inner.clone()), array(inner)])
        .boxed()
}

fn container() -> impl Strategy<Value = String> {
    prop_oneof![object(json()), array(json())]
}

fn id() -> impl Strategy<Value = String> {
    prop_oneof![string(), integer()]
}

fn raw(text: &str) -> Raw {
    Raw::parse(text.to_owned(), &Limits::default()).unwrap_or_else(|e| panic!("{text}: {e}"))
}

fn message(text: &str) -> Message {
    decode_message(text.to_owned(), &Limits::default()).unwrap_or_else(|e| panic!("{text}: {e}"))
}

/// A request with its members in any order, spaced at random, and an unknown member.
#[derive(Clone, Debug)]
struct Wire {
    /// Key, value, and the text of each member up to its value and behind it.
    members: Vec<(&'static str, String, String, String)>,
}

impl Wire {
    /// Returns the frame, with other values for some keys, and `more` before the brace.
    fn text(&self, change: &[(&str, &str)], more: &str) -> String {
        let members: Vec<String> = (self.members.iter())
            .map(|(key, value, before, behind)| {
                let value = change.iter().find(|(k, _)| k == key).map_or(&value[..], |(_, v)| v);
                format!("{before}{value}{behind}")
            })
            .collect();
        format!("{{{}{more}}}", members.join(","))
    }

    fn value(&self, key: &str) -> Option<&str> {
        self.members.iter().find(|(k, ..)| *k == key).map(|(_, value, ..)| &value[..])
    }
}

fn wire() -> impl Strategy<Value = Wire> {
    let values = (id(), "\"[a-z/]{0,20}\"", container(), json(), any::<[bool; 3]>());
    let spaces = proptest::collection::vec((space(), space(), space(), space()), 5);
    (values, spaces, Just([0, 1, 2, 3, 4]).prop_shuffle()).prop_map(|((id, method, params, other, has), spaces, order)| {
        let all = [
            Some(("jsonrpc", "\"2.0\"".to_owned())),
            Some(("method", method)),
            has[0].then_some(("id", id)),
            has[1].then_some(("params", params)),
            has[2].then_some(("x-other", other)),
        ];
        let members = order.iter().zip(spaces).filter_map(|(&i, (a, b, c, d))| {
            let (key, value) = all[i].clone()?;
            Some((key, value, format!("{a}\"{key}\"{b}:{c}"), d))
        });
        Wire {
            members: members.collect(),
        }
    })
}

/// Returns a JSON string in which the characters that `mask` names are spelled as escapes.
fn respell(text: &str, mask: u8) -> String {
    let mut out = "\"".to_owned();
    for (i, c) in text.chars().enumerate() {
        if mask >> (i % 8) & 1 == 1 || c == '"' {
            out.extend(c.encode_utf16(&mut [0; 2]).iter().map(|unit| format!("\\u{unit:04X}")));
        } else {
            out.push(c);
        }
    }
    out + "\""
}

proptest! {
    #![proptest_config(config())]

    #[test]
    fn all_json_is_read_as_it_is(text in json(), before in space(), behind in space()) {
        let read = raw(&format!("{before}{text}{behind}"));
        prop_assert_eq!(read.text(), &text);
        laws::reading(text.as_bytes());
    }

    #[test]
    fn edits_agree_with_edits_of_a_tree(text in object(json()), script in proptest::collection::vec(any::<u8>(), 0..24)) {
        laws::editing(text.as_bytes(), &script);
    }

    #[test]
    fn strings_of_ours_come_back(text in any::<String>()) {
        let written = Raw::string(&text);
        let read = raw(written.text());
        let decoded = read.as_str();
        prop_assert_eq!(decoded.as_deref(), Some(&text[..]));
        prop_assert_eq!(serde_json::from_str::<String>(written.text()).ok(), Some(text));
    }

    #[test]
    fn a_respelled_string_is_the_same_id(text in "[a-c/\"é𝄞]{0,6}", other in "[a-c/\"é𝄞]{0,6}", mask in any::<u8>()) {
        let respelled = Id::parse(&raw(&respell(&text, mask))).expect("an id");
        prop_assert_eq!(respelled == Id::string(&text), true);
        prop_assert_eq!(respelled == Id::string(&other), text == other);
        let value = Raw::object_empty().edit().set(&[&text], &Raw::uint(1)).finish();
        let twice = format!("{{{}:2,{}", respell(&text, mask), &value.text()[1..]);
        prop_assert_eq!(raw(&twice).get(&text), Some(Raw::uint(2)));
        prop_assert!(raw(&twice).object().is_err(), "one key twice");
    }

    #[test]
    fn decoding_undoes_encoding(id in id(), method in any::<String>(), params in container(), result in json(), code in any::<i64>()) {
        let id = Id::parse(&raw(&id)).expect("an id");
        let (params, result) = (raw(&params), raw(&result));
        let error = ErrorObject::new(code, method.clone()).with_data(result.clone());
        let request = message(std::str::from_utf8(Message::request(&id, &method, Some(&params)).bytes()).expect("text"));
        prop_assert_eq!((request.kind(), request.id(), request.method(), request.params()), (Kind::Request, Some(&id), Some(&method[..]), Some(params.clone())));
        prop_assert_eq!(request.id().map(Id::raw), Some(id.raw()));
        let note = decode_message(Message::notification(&method, Some(&params)).into_bytes(), &Limits::default()).expect("a notification");
        prop_assert_eq!((note.kind(), note.id(), note.method(), note.params()), (Kind::Notification, None, Some(&method[..]), Some(params)));
        let done = decode_message(Message::result(&id, &result).into_bytes(), &Limits::default()).expect("a result");
        prop_assert_eq!((done.kind(), done.id(), done.result_raw(), done.is_error()), (Kind::Response, Some(&id), Some(result), false));
        let failed = decode_message(Message::failure(Some(&id), &error).into_bytes(), &Limits::default()).expect("an error");
        prop_assert_eq!(failed.error_raw().as_ref().and_then(ErrorObject::parse), Some(error));
    }

    #[test]
    fn a_change_is_a_splice(wire in wire(), id in id(), method in "[a-z]{0,9}", params in container()) {
        let text = wire.text(&[], "");
        let before = message(&text);
        prop_assert_eq!(before.bytes(), text.as_bytes(), "it stays as it came");
        prop_assert_eq!(before.id().map(|id| id.raw().text()), wire.value("id"));
        let old_params = before.params();
        prop_assert_eq!(old_params.as_ref().map(Raw::text), wire.value("params"));

        let (new_id, new_params) = (Id::parse(&raw(&id)).expect("an id"), raw(&params));
        let after = before.with(Change { id: Some(&new_id), method: Some(&method), params: Some(&new_params), ..Change::default() });
        let mut more = String::new();
        for (key, value) in [("id", &id), ("params", &params)] {
            if wire.value(key).is_none() {
                more += &format!(",\"{key}\":{value}");
            }
        }
        let quoted = format!("\"{method}\"");
        let expected = wire.text(&[("id", &id), ("method", &quoted), ("params", &params)], &more);
        prop_assert_eq!(std::str::from_utf8(after.bytes()).expect("text"), expected);
        prop_assert_eq!((after.kind(), after.id(), after.method(), after.params()), (Kind::Request, Some(&new_id), Some(&method[..]), Some(new_params)));
    }
}
