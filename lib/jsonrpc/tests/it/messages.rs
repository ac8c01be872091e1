//! Tests of whole messages: decoded, built, changed.

use jsonrpc::{Change, ErrorObject, Frame, Id, Kind, Limits, MAX_BATCH, Message, Raw, code, decode, decode_message};

fn message(text: &str) -> Message {
    decode_message(text.to_owned(), &Limits::default()).unwrap_or_else(|e| panic!("{text}: {e}"))
}

fn text(message: &Message) -> &str {
    std::str::from_utf8(message.bytes()).expect("messages are text")
}

#[test]
fn a_request_keeps_its_bytes_and_shows_its_parts() {
    let wire = r#" {"x":1.0, "id" : 123456789012345678901234567890,"method":"a\/b","params":{"n": 1e1000},"jsonrpc":"2.0"} "#;
    let m = message(wire);
    assert_eq!(m.kind(), Kind::Request);
    assert_eq!(text(&m), wire.trim());
    assert_eq!(m.method(), Some("a/b"));
    assert_eq!(
        m.id().map(|id| id.raw().text().to_owned()).as_deref(),
        Some("123456789012345678901234567890")
    );
    assert_eq!(m.params().expect("has params").text(), r#"{"n": 1e1000}"#);
}

#[test]
fn built_messages_decode_to_themselves() {
    let id = Id::string("a\"b");
    let params = Raw::object_empty().edit().set(&["q"], &Raw::uint(1)).finish();
    let error = ErrorObject::method_not_found("x/y").with_data(Raw::boolean(true));
    for m in [
        Message::request(&id, "tools/\u{1}call", Some(&params)),
        Message::notification("ping", None),
        Message::result(&Id::number(7), &params),
        Message::failure(None, &error),
        Message::failure(Some(&id), &error),
    ] {
        let again = message(text(&m));
        assert_eq!(again, m);
        assert_eq!((again.kind(), again.id(), again.method()), (m.kind(), m.id(), m.method()));
        assert_eq!(
            (again.params(), again.result_raw(), again.error_raw()),
            (m.params(), m.result_raw(), m.error_raw())
        );
    }
    assert_eq!(ErrorObject::parse(&error.to_raw()), Some(error));
}

#[test]
fn a_changed_part_leaves_the_rest() {
    let m = message(r#"{ "method" : "a" , "id":1 , "x":[ ] ,"jsonrpc":"2.0" }"#);
    let (id, params) = (Id::string("z"), Raw::object_empty());
    let changed = m.with(Change {
        id: Some(&id),
        method: Some("b\n"),
        params: Some(&params),
        ..Change::default()
    });
    assert_eq!(
        text(&changed),
        r#"{ "method" : "b\n" , "id":"z" , "x":[ ] ,"jsonrpc":"2.0" ,"params":{}}"#
    );
    assert_eq!(
        (changed.method(), changed.id(), changed.params()),
        (Some("b\n"), Some(&id), Some(params))
    );
    let failed = message(r#"{"jsonrpc":"2.0","id":null,"error":{"code":1,"message":""}, "x":1}"#);
    let done = failed.with(Change {
        id: Some(&id),
        result: Some(&Raw::null()),
        ..Change::default()
    });
    assert_eq!(text(&done), r#"{"jsonrpc":"2.0","id":"z", "x":1,"result":null}"#);
    assert_eq!((done.is_error(), done.result_raw()), (false, Some(Raw::null())));
}

#[test]
fn what_is_no_message_says_why() {
    let parse = code::PARSE_ERROR;
    let invalid = code::INVALID_REQUEST;
    let cases: [(&str, i64, Option<u64>, &str); 22] = [
        ("", parse, None, "the JSON ends too early at byte 0"),
        (
            r#"{"jsonrpc":"2.0","id":1,"method":"a"} x"#,
            parse,
            Some(1),
            "something after the end of the JSON value at byte 38",
        ),
        (
            "\u{feff}{}",
            parse,
            None,
            "a byte order mark, which JSON-RPC does not allow at byte 0",
        ),
        (
            r#"{"jsonrpc":"2.0","id":1,"method":"a","params":NaN}"#,
            parse,
            Some(1),
            "expected a JSON value at byte 46",
        ),
        ("7", invalid, None, "a message that is not an object at byte 0"),
        ("[]", invalid, None, "a batch without messages at byte 0"),
        (
            r#"[{"jsonrpc":"2.0","method":"a"}]"#,
            invalid,
            None,
            "a batch where one message was expected at byte 0",
        ),
        ("{}", invalid, None, "no member `jsonrpc` at byte 0"),
        (
            r#"{"jsonrpc":"1.0","id":1,"method":"a"}"#,
            invalid,
            Some(1),
            "a member `jsonrpc` that is not \"2.0\" at byte 11",
        ),
        (
            r#"{"jsonrpc":"2.0","id":1}"#,
            invalid,
            Some(1),
            "none of `method`, `result` and `error` at byte 0",
        ),
        (
            r#"{"jsonrpc":"2.0","id":1.0,"method":"a"}"#,
            invalid,
            None,
            "an `id` that is neither a string nor an integer at byte 22",
        ),
        (
            r#"{"jsonrpc":"2.0","id":1e0,"method":"a"}"#,
            invalid,
            None,
            "an `id` that is neither a string nor an integer at byte 22",
        ),
        (
            r#"{"jsonrpc":"2.0","id":true,"method":"a"}"#,
            invalid,
            None,
            "an `id` that is neither a string nor an integer at byte 22",
        ),
        (
            r#"{"jsonrpc":"2.0","id":null,"method":"a"}"#,
            invalid,
            None,
            "an `id` that is neither a string nor an integer at byte 22",
        ),
        (
            r#"{"jsonrpc":"2.0","id":null,"result":1}"#,
            invalid,
            None,
            "a `result` without an `id` at byte 0",
        ),
        (
            r#"{"jsonrpc":"2.0","id":1,"method":2}"#,
            invalid,
            Some(1),
            "a `method` that is not a string of Unicode text at byte 33",
        ),
        (
            r#"{"jsonrpc":"2.0","id":1,"method":"\ud800"}"#,
            invalid,
            Some(1),
            "a `method` that is not a string of Unicode text at byte 34",
        ),
        (
            r#"{"jsonrpc":"2.0","id":1,"method":"a","params":3}"#,
            invalid,
            Some(1),
            "`params` that are neither an object nor an array at byte 46",
        ),
        (
            r#"{"jsonrpc":"2.0","id":1,"result":1,"error":{}}"#,
            invalid,
            Some(1),
            "more than one of `method`, `result` and `error` at byte 0",
        ),
        (
            r#"{"jsonrpc":"2.0","id":1,"error":1}"#,
            invalid,
            Some(1),
            "an `error` that is not an object at byte 32",
        ),
        (
            r#"{"jsonrpc":"2.0","id":1,"method":"a","m\u0065thod":"b"}"#,
            invalid,
            Some(1),
            "the member `method` twice at byte 38",
        ),
        (
            r#"{"jsonrpc":"2.0","id":1,"method":"a","\u0069d":2}"#,
            invalid,
            None,
            "the member `id` twice at byte 38",
        ),
    ];
    for (wire, code, id, why) in cases {
        let e = decode_message(wire.to_owned(), &Limits::default()).expect_err(wire);
        assert_eq!(
            (e.code(), e.id().and_then(Id::as_u64), e.to_string().as_str()),
            (code, id, why),
            "{wire}"
        );
    }
}

#[test]
fn a_batch_is_judged_message_by_message() {
    let wire = r#" [ {"jsonrpc":"2.0","method":"a"} , 1, [], {"jsonrpc":"2.0","id":"x","result":{}},{"id":3} ] "#;
    let Ok(Frame::Batch(messages)) = decode(wire.to_owned(), &Limits::default()) else {
        panic!("a batch")
    };
    let seen: Vec<_> = messages
        .iter()
        .map(|m| m.as_ref().map(Message::kind).map_err(|e| e.id().and_then(Id::as_u64)))
        .collect();
    assert_eq!(
        seen,
        [Ok(Kind::Notification), Err(None), Err(None), Ok(Kind::Response), Err(Some(3))]
    );
}

#[test]
fn a_line_has_no_breaks() {
    let m = message("{\"jsonrpc\":\"2.0\",\r\n \"method\":\"a\\n\"\n}");
    assert_eq!(&m.line()[..], br#"{"jsonrpc":"2.0", "method":"a\n"}"#);
    let flat = message(r#"{"jsonrpc":"2.0","method":"a"}"#);
    assert_eq!(
        flat.line().as_ptr(),
        flat.bytes().as_ptr(),
        "nothing is copied where there is no break"
    );
}

#[test]
fn a_refused_message_shows_what_it_was_going_to_be() {
    let cases = [
        (r#"{"jsonrpc":"2.0","id":1,"result":{"cut":"#, Some(1), Some(Kind::Response)),
        (r#"{"jsonrpc":"2.0","id":1,"result":1,"error":{}}"#, Some(1), Some(Kind::Response)),
        (r#"{"jsonrpc":"2.0","error":7,"id":1}"#, Some(1), Some(Kind::Response)),
        (
            r#"{"jsonrpc":"2.0","id":1,"method":"a","params":[nul]}"#,
            Some(1),
            Some(Kind::Request),
        ),
        (r#"{"jsonrpc":"2.0","id":1,"method":"\udfff"}"#, Some(1), Some(Kind::Request)),
        (r#"{"jsonrpc":"2.0","method":"a","params":1}"#, None, Some(Kind::Notification)),
        (r#"{"jsonrpc":"2.0","id":1"#, Some(1), None),
        (r#"{"jsonrpc":"2.0","id":1,"id":1,"method":"a"}"#, None, Some(Kind::Request)),
        ("nonsense", None, None),
    ];
    for (wire, id, kind) in cases {
        let e = decode_message(wire, &Limits::default()).expect_err(wire);
        assert_eq!((e.id().and_then(Id::as_u64), e.kind()), (id, kind), "{wire}");
        let error = ErrorObject::from(&e);
        assert_eq!(error.code, e.code());
        assert!(error.message.ends_with(&e.to_string()), "{error:?}");
    }
}

#[test]
fn envelopes_and_batches_are_bounded() {
    let members = |count: usize| (0..count).map(|i| format!(",\"x{i}\":{i}")).collect::<String>();
    let wire = |count| format!(r#"{{"jsonrpc":"2.0","method":"a"{}}}"#, members(count));
    assert_eq!(text(&message(&wire(64))), wire(64));
    let e = decode_message(wire(65), &Limits::default()).expect_err("crowded");
    assert_eq!((e.code(), e.at()), (code::INVALID_REQUEST, wire(64).len() + 1), "{e}");
    let e = decode_message(r#"{"jsonrpc":"2.0","method":"a","x":1,"\u0078":2}"#, &Limits::default()).expect_err("twice");
    assert_eq!(e.to_string(), "the member `x` twice at byte 37");

    let batch = |count: usize| format!("[{}]", vec![r#"{"jsonrpc":"2.0","method":"a"}"#; count].join(","));
    let Ok(Frame::Batch(all)) = decode(batch(MAX_BATCH), &Limits::default()) else {
        panic!("a batch")
    };
    assert!(all.len() == MAX_BATCH && all.iter().all(Result::is_ok));
    let e = decode(batch(MAX_BATCH + 1), &Limits::default()).expect_err("too long");
    assert_eq!((e.code(), e.at()), (code::INVALID_REQUEST, batch(MAX_BATCH).len()), "{e}");
}

#[test]
fn bad_syntax_refuses_a_batch_whole() {
    for wire in [
        r#"[{"jsonrpc":"2.0","method":"a"},]"#,
        r#"[{"jsonrpc":"2.0","method":"a"}"#,
        r#"[{"jsonrpc":"2.0","method":"a"}] 1"#,
        "[[1,]]",
        "[{}}",
    ] {
        assert_eq!(
            decode(wire, &Limits::default()).expect_err(wire).code(),
            code::PARSE_ERROR,
            "{wire}"
        );
    }
    let nested = r#"[[{"jsonrpc":"2.0","method":"a"}]]"#;
    let Ok(Frame::Batch(all)) = decode(nested, &Limits::default()) else {
        panic!("a batch of something")
    };
    assert_eq!(
        all[0].as_ref().map_err(ToString::to_string),
        Err("a message that is not an object at byte 1".to_owned())
    );
}

#[test]
fn a_bad_envelope_is_worse_syntax_first() {
    let e = decode_message(r#"{"id":true,"params":1,"error":2,"x":nope}"#, &Limits::default()).expect_err("both");
    assert_eq!(e.code(), code::PARSE_ERROR, "{e}");
}

#[test]
fn depth_counts_the_envelope_and_the_batch() {
    let wire = r#"{"jsonrpc":"2.0","method":"a","params":[[]]}"#;
    let limits = |max_depth| Limits {
        max_depth,
        ..Limits::default()
    };
    assert!(decode(wire, &limits(3)).is_ok());
    let e = decode(wire, &limits(2)).expect_err("too deep");
    assert_eq!((e.code(), e.at(), e.kind()), (code::PARSE_ERROR, 40, Some(Kind::Notification)));
    assert!(decode(format!("[{wire}]"), &limits(4)).is_ok());
    assert!(decode(format!("[{wire}]"), &limits(3)).is_err());
}

#[test]
fn ids_that_are_null_or_absent_belong_to_errors() {
    for wire in [r#"{"jsonrpc":"2.0","id":null,"error":{}}"#, r#"{"jsonrpc":"2.0","error":{}}"#] {
        let m = message(wire);
        assert_eq!((m.kind(), m.id(), m.is_error()), (Kind::Response, None, true));
        assert_eq!(ErrorObject::parse(&m.error_raw().expect("an error")), None, "no code, no message");
    }
    assert_eq!(
        text(&Message::failure(None, &ErrorObject::internal())),
        r#"{"jsonrpc":"2.0","id":null,"error":{"code":-32603,"message":"Internal error"}}"#
    );
}

#[test]
fn null_params_are_none_and_stay() {
    let wire = r#"{"jsonrpc":"2.0","id":1,"method":"a","params":null}"#;
    let m = message(wire);
    assert_eq!((m.params(), text(&m)), (None, wire));
    let with = m.with(Change {
        params: Some(&Raw::object_empty()),
        ..Change::default()
    });
    assert_eq!(text(&with), r#"{"jsonrpc":"2.0","id":1,"method":"a","params":{}}"#);
    // Ours are an object or an array, or absent.
    assert_eq!(Message::notification("a", Some(&Raw::null())).params(), None);
    assert_eq!(
        text(&Message::notification("a", Some(&Raw::uint(1)))),
        r#"{"jsonrpc":"2.0","method":"a"}"#
    );
}

#[test]
fn a_change_keeps_a_message_a_message() {
    let (id, one, object) = (Id::string("z"), Raw::uint(1), Raw::object_empty());
    let note = message(r#"{"jsonrpc":"2.0","method":"\u0061"}"#);
    let request = note.with(Change {
        id: Some(&id),
        params: Some(&one),
        result: Some(&one),
        error: Some(&object),
        ..Change::default()
    });
    assert_eq!((request.kind(), request.method()), (Kind::Request, Some("a")));
    assert_eq!(text(&request), r#"{"jsonrpc":"2.0","method":"\u0061","id":"z"}"#);
    let done = message(r#"{"jsonrpc":"2.0","id":1,"result":[]}"#);
    let changed = done.with(Change {
        method: Some("m"),
        params: Some(&object),
        error: Some(&one),
        ..Change::default()
    });
    assert_eq!(changed, done, "an error is an object");
    let failed = done.with(Change {
        result: Some(&one),
        error: Some(&object),
        ..Change::default()
    });
    assert_eq!(text(&failed), r#"{"jsonrpc":"2.0","id":1,"error":{}}"#);
    assert_eq!(
        (failed.is_error(), failed.result_raw(), failed.error_raw()),
        (true, None, Some(object))
    );
}

#[test]
fn an_error_object_is_read_as_peers_write_it() {
    let read = |text: &str| ErrorObject::parse(&Raw::parse(text.to_owned(), &Limits::default()).expect(text));
    assert_eq!(read(r#"{"code":-32000.0,"message":"x"}"#), Some(ErrorObject::new(-32000, "x")));
    assert_eq!(
        read(r#"{"message":"\u0078","data":null,"code":99999999999,"_vendor":1}"#),
        Some(ErrorObject::new(99_999_999_999, "x").with_data(Raw::null()))
    );
    for none in [
        r#"{"code":1.5,"message":"x"}"#,
        r#"{"code":"1","message":"x"}"#,
        r#"{"code":1}"#,
        r#"{"code":1,"message":2}"#,
        r#"{"code":1e300,"message":""}"#,
        "[]",
    ] {
        assert_eq!(read(none), None, "{none}");
    }
    let codes = [
        ErrorObject::parse_error("x").code,
        ErrorObject::invalid_request("x").code,
        ErrorObject::method_not_found("x").code,
        ErrorObject::invalid_params("x").code,
        ErrorObject::internal().code,
    ];
    assert_eq!(codes, [-32700, -32600, -32601, -32602, -32603]);
}
