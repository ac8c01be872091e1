//! The laws that hold for any bytes. The fuzz targets include this file.

use jsonrpc::{Change, DecodeError, Frame, Id, Kind, Limits, MAX_DEPTH, Message, Raw, RawKind, code, decode, decode_message};
use serde::de::IgnoredAny;
use serde_json::{Map, Value};

const DEEP: Limits = Limits {
    max_bytes: usize::MAX,
    max_depth: MAX_DEPTH,
};

/// Checks every law about reading `data`.
pub(crate) fn reading(data: &[u8]) {
    let parsed = Raw::parse(data.to_vec(), &DEEP);
    agrees_with_serde_json(data, &parsed);
    let decoded = decode(data.to_vec(), &DEEP);
    match (&parsed, &decoded) {
        (Ok(_), Err(e)) => assert_eq!(e.code(), code::INVALID_REQUEST, "the frame is JSON: {e}"),
        (Err(_), Err(e)) if e.to_string().contains("a batch of more") => {}
        (Err(why), Err(e)) => assert_eq!((e.code(), e.to_string()), (code::PARSE_ERROR, why.to_string())),
        (Err(why), Ok(_)) => panic!("a frame that is no JSON was decoded: {why}"),
        (Ok(_), Ok(_)) => {}
    }
    if let Ok(raw) = parsed {
        value(&raw);
    }
    match decoded {
        Ok(Frame::One(one)) => message(&one),
        Ok(Frame::Batch(all)) => all.iter().flatten().for_each(message),
        Err(e) => assert!(e.at() <= data.len()),
    }
}

/// Checks that serde_json accepts the same bytes, apart from our limit of depth and the byte order mark.
fn agrees_with_serde_json(data: &[u8], parsed: &Result<Raw, DecodeError>) {
    let theirs = std::str::from_utf8(data).is_ok_and(|text| serde_json::from_str::<IgnoredAny>(text).is_ok());
    match parsed {
        Err(e) if e.to_string().starts_with("nested deeper") => {}
        Ok(_) | Err(_) => assert_eq!(parsed.is_ok(), theirs, "{parsed:?}"),
    }
}

fn value(raw: &Raw) {
    assert_eq!(raw.text().as_bytes(), &raw.bytes()[..]);
    assert_eq!(raw.text().trim_matches([' ', '\n', '\r', '\t']), raw.text());
    let canonical = raw.canonical();
    let again = Raw::parse(canonical.clone(), &DEEP).expect("the canonical spelling is JSON");
    assert_eq!(again.canonical(), canonical);
    assert_eq!(again.kind(), raw.kind());
    let shown = raw.to_value();
    if !any_key_twice(raw) {
        assert_eq!(again.to_value(), shown);
        if let Ok(theirs) = serde_json::from_str::<Value>(raw.text()) {
            assert_eq!(shown, theirs);
        }
    }
    for element in raw.elements() {
        assert_eq!(Raw::parse(element.bytes().clone(), &DEEP).expect("an element is JSON"), element);
    }
    if let Ok(object) = raw.object() {
        for (key, member) in object.iter() {
            assert_eq!(raw.get(key).as_ref(), Some(member));
            assert_eq!(Raw::parse(member.bytes().clone(), &DEEP).expect("a member is JSON"), *member);
        }
    }
    if let Some(id) = Id::parse(raw) {
        assert_eq!(id.raw(), raw);
        assert_eq!(id, Id::parse(&again).expect("still an id"));
    }
}

fn any_key_twice(raw: &Raw) -> bool {
    match raw.kind() {
        RawKind::Object => raw
            .object()
            .map_or(true, |object| object.iter().any(|(_, member)| any_key_twice(member))),
        RawKind::Array => raw.elements().any(|element| any_key_twice(&element)),
        _ => false,
    }
}

fn message(message: &Message) {
    let again = decode_message(message.bytes().clone(), &DEEP).expect("a message is a message");
    assert_eq!(parts(&again), parts(message));
    let raw = Raw::parse(message.bytes().clone(), &DEEP).expect("a message is JSON");
    assert_eq!(raw.get("result"), message.result_raw());
    assert_eq!(raw.get("error"), message.error_raw());
    assert_eq!(raw.get("params").filter(|p| p.kind() != RawKind::Null), message.params());
    assert_eq!(raw.get("id").as_ref().and_then(Id::parse).as_ref(), message.id());
    assert_eq!(raw.get("method").as_ref().and_then(Raw::as_str).as_deref(), message.method());
    assert_eq!(
        message.kind() == Kind::Request,
        message.id().is_some() && message.method().is_some()
    );

    let line = message.line();
    assert!(!line.iter().any(|b| matches!(b, b'\n' | b'\r')));
    assert_eq!(Raw::parse(line, &DEEP).expect("a line is JSON").canonical(), raw.canonical());

    let (id, params, done) = (Id::string("x\n"), Raw::object_empty(), Raw::uint(7));
    for change in [
        Change {
            id: Some(&id),
            ..Change::default()
        },
        Change {
            method: Some("m\"é"),
            params: Some(&params),
            ..Change::default()
        },
        Change {
            id: Some(&id),
            method: Some("a/b"),
            params: Some(&params),
            result: Some(&done),
            error: None,
        },
        Change {
            error: Some(&params),
            result: Some(&done),
            params: Some(&done),
            ..Change::default()
        },
    ] {
        let changed = message.with(change);
        let again = decode_message(changed.bytes().clone(), &DEEP).expect("a changed message is a message");
        assert_eq!(parts(&again), parts(&changed));
        assert_eq!(changed.kind() == Kind::Response, message.kind() == Kind::Response);
        if change.id.is_some() {
            assert_eq!(changed.id(), change.id);
        }
        if message.kind() != Kind::Response && change.method.is_some() {
            assert_eq!((changed.method(), changed.params()), (change.method, Some(params.clone())));
        }
    }
    assert_eq!(message.with(Change::default()).bytes(), message.bytes());
}

type Seen<'a> = (Kind, Option<&'a Id>, Option<&'a str>, Option<Raw>, Option<Raw>, Option<Raw>);

fn parts(m: &Message) -> Seen<'_> {
    (m.kind(), m.id(), m.method(), m.params(), m.result_raw(), m.error_raw())
}

/// Checks every law about edits: `data` is a value, `script` says what to edit.
pub(crate) fn editing(data: &[u8], script: &[u8]) {
    let Ok(raw) = Raw::parse(data.to_vec(), &DEEP) else { return };
    let mut editor = raw.edit();
    let mut naive = raw.to_value();
    if !naive.is_object() {
        naive = Value::Object(Map::new());
    }
    for step in script.chunks_exact(3).take(8) {
        let path = path(step[0], step[1]);
        if step[2] < 0x60 {
            editor = editor.remove(&path);
            naive_remove(&mut naive, &path);
        } else {
            let value = replacement(step[2]);
            naive_set(&mut naive, &path, value.to_value());
            editor = editor.set(&path, &value);
        }
    }
    let edited = editor.finish();
    let again = Raw::parse(
        edited.bytes().clone(),
        &Limits {
            max_depth: MAX_DEPTH,
            ..DEEP
        },
    );
    assert!(again.is_ok_and(|again| again == edited) || deep(&raw), "{edited:?}");
    if !any_key_twice(&raw) {
        assert_eq!(edited.to_value(), naive, "{raw:?} {script:?}");
    }
    for step in script.chunks_exact(3).take(8) {
        one_splice(&raw, &path(step[0], step[1]), &replacement(step[2]));
    }
}

/// Returns whether a value nests deeper than the limit for values that are received, as an edit may make it do.
fn deep(raw: &Raw) -> bool {
    raw.bytes().iter().filter(|b| matches!(b, b'{' | b'[')).count() > MAX_DEPTH / 2
}

/// Returns a path of one to three of a few keys that occur in the corpus.
fn path(first: u8, second: u8) -> Vec<&'static str> {
    const KEYS: [&str; 8] = ["a", "b", "c", "", "id", "params", "_meta", "é\n"];
    let key = |bits: u8| KEYS[usize::from(bits & 7)];
    [key(first), key(first >> 3), key(second)][..usize::from(second >> 3) % 3 + 1].to_vec()
}

fn replacement(step: u8) -> Raw {
    let values = [
        "1.0",
        "[ ]",
        "{}",
        r#"{"a": {"b":1e2}}"#,
        r#""\u0061""#,
        "null",
        "-0",
        r#"{"c":[],"":{ "a":0 }}"#,
    ];
    Raw::parse(values[usize::from(step & 7)], &DEEP).expect("the values are JSON")
}

fn naive_set(target: &mut Value, path: &[&str], value: Value) {
    let [key, rest @ ..] = path else {
        *target = value;
        return;
    };
    if !target.is_object() {
        *target = Value::Object(Map::new());
    }
    if let Value::Object(map) = target {
        naive_set(map.entry(*key).or_insert_with(|| Value::Object(Map::new())), rest, value);
    }
}

fn naive_remove(target: &mut Value, path: &[&str]) {
    let Value::Object(map) = target else { return };
    match path {
        [] => {}
        [key] => drop(map.shift_remove(*key)),
        [key, rest @ ..] => {
            if let Some(member) = map.get_mut(*key) {
                naive_remove(member, rest);
            }
        }
    }
}

/// Checks that one edit of an existing member leaves all bytes before and behind it.
fn one_splice(raw: &Raw, path: &[&str], value: &Raw) {
    let Some(old) = raw.at(path).filter(|_| !any_key_twice(raw)) else {
        return;
    };
    let start = old.bytes().as_ptr().addr() - raw.bytes().as_ptr().addr();
    let (before, behind) = (&raw.bytes()[..start], &raw.bytes()[start + old.len()..]);
    let set = raw.edit().set(path, value).finish();
    assert_eq!(set.bytes(), &[before, value.bytes(), behind].concat());

    let removed = raw.edit().remove(path).finish();
    let gone = raw.len() - removed.len();
    let same = raw.bytes().iter().zip(removed.bytes()).take_while(|(a, b)| a == b).count();
    assert!(gone > old.len());
    assert_eq!(&removed.bytes()[same..], &raw.bytes()[same + gone..], "one piece is cut out");
    let cut = &raw.bytes()[same..same + gone];
    assert!(
        cut.windows(old.len()).any(|part| part == &old.bytes()[..]),
        "and the member is in it"
    );
}
