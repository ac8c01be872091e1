//! What changes between revisions, and what does not.

use jsonrpc::{ErrorObject, Limits, Raw};
use proptest::prelude::*;

use super::*;
use crate::capabilities::ClientCapabilities;
use crate::revision::Revision::{self, V2024_11_05, V2025_03_26, V2025_06_18, V2025_11_25, V2026_07_28};

fn raw(json: &str) -> Raw {
    Raw::parse(json.as_bytes().to_vec(), &Limits::default()).expect("JSON")
}

/// Method, from, to, before, after; an empty `after` stands for no change at all.
type Case = (&'static str, Revision, Revision, &'static str, &'static str);

fn check(cases: &[Case], adapt: impl Fn(&str, &Raw, Revision, Revision) -> Raw) {
    for (method, from, to, before, after) in cases {
        let after = if after.is_empty() { before } else { after };
        assert_eq!(
            adapt(method, &raw(before), *from, *to).text(),
            *after,
            "{method} {from} {to} {before}"
        );
    }
}

#[test]
fn results_between_the_eras() {
    check(
        &[
            (
                "tools/call",
                V2025_11_25,
                V2026_07_28,
                r#"{"content":[],"x":1.0}"#,
                r#"{"content":[],"x":1.0,"resultType":"complete"}"#,
            ),
            (
                "tools/list",
                V2025_11_25,
                V2026_07_28,
                r#"{"tools":[]}"#,
                r#"{"tools":[],"resultType":"complete","ttlMs":0,"cacheScope":"private"}"#,
            ),
            (
                "resources/read",
                V2024_11_05,
                V2026_07_28,
                r#"{"resultType":"odd","ttlMs":9,"contents":[]}"#,
                r#"{"resultType":"complete","ttlMs":0,"contents":[],"cacheScope":"private"}"#,
            ),
            (
                "tools/call",
                V2026_07_28,
                V2025_11_25,
                r#"{"resultType":"complete","content":[],"ttlMs":"a vendor's","_meta":{"io.modelcontextprotocol/serverInfo":{"name":"s"}}}"#,
                r#"{"content":[],"ttlMs":"a vendor's"}"#,
            ),
            (
                "prompts/list",
                V2026_07_28,
                V2025_11_25,
                r#"{"prompts":[],"resultType":"complete","ttlMs":1,"cacheScope":"public","_meta":{"a":1,"io.modelcontextprotocol/serverInfo":{}}}"#,
                r#"{"prompts":[],"_meta":{"a":1}}"#,
            ),
            (
                "tools/call",
                V2026_07_28,
                V2026_07_28,
                r#"{ "structuredContent":[1] , "resultType":"odd"}"#,
                "",
            ),
            (
                "tools/call",
                V2025_11_25,
                V2025_11_25,
                r#"{ "structuredContent":[1], "content":[{"type":"audio"}]}"#,
                "",
            ),
        ],
        result,
    );
}

#[test]
fn structured_content_is_an_object_for_legacy_clients() {
    check(
        &[
            (
                "tools/call",
                V2026_07_28,
                V2025_11_25,
                r#"{"structuredContent":[1.0]}"#,
                r#"{"structuredContent":{"result":[1.0]}}"#,
            ),
            (
                "tools/call",
                V2026_07_28,
                V2024_11_05,
                r#"{"structuredContent":null}"#,
                r#"{"structuredContent":{"result":null}}"#,
            ),
            ("tools/call", V2026_07_28, V2025_11_25, r#"{"structuredContent":{"a":1}}"#, ""),
        ],
        result,
    );
}

#[test]
fn schemas_of_tools_are_objects_for_legacy_clients() {
    let cases = [
        (
            r#"{"name":"t","outputSchema":{"type":"object","properties":{"a":{}}},"execution":{}}"#,
            "",
        ),
        (
            r#"{"name":"t","outputSchema":{"$schema":"s","type":"array","items":{}},"x":1.0}"#,
            r#"{"name":"t","outputSchema":{"type":"object","properties":{"result":{"type":"array","items":{}}},"required":["result"],"$schema":"s"},"x":1.0}"#,
        ),
        (
            r##"{"name":"t","outputSchema":{"type":"array","items":{"$ref":"#/$defs/a"},"$defs":{"a":{}}}}"##,
            r#"{"name":"t"}"#,
        ),
        (
            r#"{"name":"t","outputSchema":{"oneOf":[{"type":"object"},{"type":"array"}]}}"#,
            r#"{"name":"t"}"#,
        ),
        (r#"{"name":"t","outputSchema":{"type":["object","null"]}}"#, r#"{"name":"t"}"#),
        (
            r#"{"name":"t","inputSchema":{"type":"object","properties":{"a":true,"b":false,"c":{"type":"string"}}}}"#,
            r#"{"name":"t","inputSchema":{"type":"object","properties":{"a":{},"b":{"not":{}},"c":{"type":"string"}}}}"#,
        ),
    ];
    for (before, after) in cases {
        let after = if after.is_empty() { before } else { after };
        assert_eq!(tool(&raw(before), V2026_07_28, V2025_06_18).text(), after);
        assert_eq!(tool(&raw(before), V2025_11_25, V2025_06_18).text(), before);
        assert_eq!(tool(&raw(before), V2026_07_28, V2026_07_28).text(), before);
        let listed = result(
            "tools/list",
            &raw(&format!(r#"{{"tools":[{{"name":"u"}},{before}]}}"#)),
            V2026_07_28,
            V2025_06_18,
        );
        assert_eq!(listed.text(), format!(r#"{{"tools":[{{"name":"u"}},{after}]}}"#));
    }
}

#[test]
fn blocks_that_an_old_client_has_no_word_for() {
    let link = r#"{"type":"resource_link","uri":"file:///a","name":"a","description":"d"}"#;
    let text = r#"{"type":"text","uri":"file:///a","name":"a","description":"d","text":"a: file:///a\nd"}"#;
    let audio = r#"{"type":"audio","data":"AA==","mimeType":"audio/wav","annotations":{"priority":1.0}}"#;
    let resource =
        r#"{"type":"resource","annotations":{"priority":1.0},"resource":{"uri":"data:audio/wav,","mimeType":"audio/wav","blob":"AA=="}}"#;
    let call = |blocks: &[&str]| format!(r#"{{"content":[{}]}}"#, blocks.join(","));
    let cases = [
        (V2025_06_18, [link, audio]),
        (V2025_03_26, [text, audio]),
        (V2024_11_05, [text, resource]),
    ];
    for (to, expected) in cases {
        assert_eq!(
            result("tools/call", &raw(&call(&[link, audio])), V2025_11_25, to).text(),
            call(&expected),
            "{to}"
        );
        let prompt = |block: &str| format!(r#"{{"messages":[{{"role":"user","content":{block}}}]}}"#);
        assert_eq!(
            result("prompts/get", &raw(&prompt(link)), V2026_07_28, to).text(),
            prompt(expected[0]),
            "{to}"
        );
    }
    // A server that negotiated the same revision has said it to this client before; nothing is read.
    assert_eq!(
        result("tools/call", &raw(&call(&[link, audio])), V2024_11_05, V2024_11_05).text(),
        call(&[link, audio])
    );
}

#[test]
fn questions_between_revisions() {
    let params = |method: &str, params: &Raw, from, to| reverse_params(method, params, from, to, "id-1");
    check(
        &[
            (
                "elicitation/create",
                V2026_07_28,
                V2025_11_25,
                r#"{"mode":"url","url":"u","message":"m"}"#,
                r#"{"mode":"url","url":"u","message":"m","elicitationId":"id-1"}"#,
            ),
            (
                "elicitation/create",
                V2026_07_28,
                V2025_11_25,
                r#"{"mode":"form","message":"m"}"#,
                "",
            ),
            (
                "elicitation/create",
                V2025_11_25,
                V2026_07_28,
                r#"{"mode":"url","elicitationId":"e","url":"u","task":{},"_meta":{"progressToken":1,"io.modelcontextprotocol/related-task":{}}}"#,
                r#"{"mode":"url","url":"u"}"#,
            ),
            (
                "elicitation/create",
                V2025_11_25,
                V2025_11_25,
                r#"{"mode":"url","elicitationId":"e","_meta":{"progressToken":1}}"#,
                "",
            ),
            (
                "elicitation/create",
                V2025_11_25,
                V2025_06_18,
                r#"{"requestedSchema":{"type":"object","properties":{"a":{"type":"string","oneOf":[{"const":"x","title":"X"}]},"b":{"type":"string","enum":["y"]}}}}"#,
                r#"{"requestedSchema":{"type":"object","properties":{"a":{"type":"string","enum":["x"],"enumNames":["X"]},"b":{"type":"string","enum":["y"]}}}}"#,
            ),
            (
                "sampling/createMessage",
                V2026_07_28,
                V2025_06_18,
                r#"{"messages":[{"role":"user","content":[{"type":"text","text":"a"},{"type":"text","text":"b"}]},{"role":"assistant","content":{"type":"text"}}],"maxTokens":1}"#,
                r#"{"messages":[{"role":"user","content":{"type":"text","text":"a"}},{"role":"user","content":{"type":"text","text":"b"}},{"role":"assistant","content":{"type":"text"}}],"maxTokens":1}"#,
            ),
            (
                "sampling/createMessage",
                V2026_07_28,
                V2025_11_25,
                r#"{"messages":[{"role":"user","content":[]}]}"#,
                "",
            ),
            ("roots/list", V2026_07_28, V2024_11_05, "{}", ""),
        ],
        params,
    );
}

#[test]
fn answers_between_revisions() {
    check(
        &[
            (
                "sampling/createMessage",
                V2025_11_25,
                V2025_06_18,
                r#"{"model":"m","content":[{"type":"image"}]}"#,
                r#"{"model":"m","content":{"type":"image"}}"#,
            ),
            (
                "sampling/createMessage",
                V2026_07_28,
                V2024_11_05,
                r#"{"content":[{"type":"text","text":"a"},{"type":"text","text":"b"}]}"#,
                r#"{"content":{"type":"text","text":"a\nb"}}"#,
            ),
            (
                "sampling/createMessage",
                V2025_11_25,
                V2025_06_18,
                r#"{"content":[{"type":"image"},{"type":"text","text":"b"}]}"#,
                "",
            ),
            (
                "sampling/createMessage",
                V2025_11_25,
                V2026_07_28,
                r#"{"content":[{"type":"text"}]}"#,
                "",
            ),
            (
                "elicitation/create",
                V2025_11_25,
                V2026_07_28,
                r#"{"action":"accept","content":{"a":1.0}}"#,
                "",
            ),
        ],
        reverse_result,
    );
}

#[test]
fn what_a_question_needs() {
    let cases = [
        ("elicitation/create", r#"{"mode":"url"}"#, r#"{"elicitation":{"url":{}}}"#),
        ("elicitation/create", r#"{"mode":"form"}"#, r#"{"elicitation":{"form":{}}}"#),
        ("elicitation/create", "{}", r#"{"elicitation":{"form":{}}}"#),
        ("sampling/createMessage", "{}", r#"{"sampling":{}}"#),
        ("sampling/createMessage", r#"{"tools":[]}"#, r#"{"sampling":{"tools":{}}}"#),
        ("sampling/createMessage", r#"{"toolChoice":{}}"#, r#"{"sampling":{"tools":{}}}"#),
        ("roots/list", "null", r#"{"roots":{}}"#),
        ("ping", "{}", "{}"),
    ];
    for (method, params, required) in cases {
        assert_eq!(required_capabilities(method, &raw(params)).text(), required, "{method} {params}");
    }
}

#[test]
fn notifications_between_the_eras() {
    let cases = [
        (
            V2025_11_25,
            V2026_07_28,
            "notifications/tools/list_changed",
            "{}",
            Some(("notifications/tools/list_changed", "{}")),
        ),
        (V2025_11_25, V2026_07_28, "notifications/elicitation/complete", "{}", None),
        (V2025_11_25, V2026_07_28, "notifications/roots/list_changed", "{}", None),
        (
            V2025_11_25,
            V2026_07_28,
            "notifications/tasks/status",
            r#"{"taskId":"1","status":"working","ttl":1}"#,
            Some(("notifications/tasks", r#"{"taskId":"1","status":"working","ttlMs":1}"#)),
        ),
        (
            V2025_11_25,
            V2026_07_28,
            "notifications/tasks/status",
            r#"{"taskId":"1","status":"completed","ttl":1}"#,
            None,
        ),
        (
            V2026_07_28,
            V2025_11_25,
            "notifications/tasks",
            r#"{"taskId":"1","status":"completed","ttlMs":1,"result":{},"_meta":{"io.modelcontextprotocol/subscriptionId":3}}"#,
            Some(("notifications/tasks/status", r#"{"taskId":"1","status":"completed","ttl":1}"#)),
        ),
        (V2026_07_28, V2025_11_25, "notifications/subscriptions/acknowledged", "{}", None),
        (
            V2026_07_28,
            V2025_11_25,
            "notifications/resources/updated",
            r#"{"uri":"a:b","_meta":{"io.modelcontextprotocol/subscriptionId":3}}"#,
            Some(("notifications/resources/updated", r#"{"uri":"a:b"}"#)),
        ),
        (V2026_07_28, V2026_07_28, "x/y", r#"{ "a":1.0}"#, Some(("x/y", r#"{ "a":1.0}"#))),
    ];
    for (from, to, method, params, expected) in cases {
        let found = notification(method, Some(&raw(params)), from, to);
        let found = found
            .as_ref()
            .map(|(method, params)| (&**method, params.as_ref().expect("params").text()));
        assert_eq!(found, expected, "{from} {to} {method}");
    }
    assert_eq!(notification("x/y", None, V2025_11_25, V2026_07_28), Some(("x/y".into(), None)));
}

#[test]
fn result_types() {
    let cases = [
        ("{}", ResultType::Complete),
        (r#"{"resultType":"complete"}"#, ResultType::Complete),
        (r#"{"resultType":"input_required"}"#, ResultType::InputRequired),
        (r#"{"resultType":"task"}"#, ResultType::Task),
        (r#"{"resultType":"x"}"#, ResultType::Other("x".to_owned())),
        (r#"{"resultType":1}"#, ResultType::Other(String::new())),
    ];
    for (json, kind) in cases {
        assert_eq!(result_type(&raw(json)), kind, "{json}");
    }
}

#[test]
fn a_question_is_read_and_written() {
    let json = r#"{"resultType":"input_required","inputRequests":{"a":{"method":"elicitation/create","params":{"message":"m","x":1.0}},"b":{"method":"roots/list"}},"requestState":"s\"t"}"#;
    let input = InputRequired::read(&raw(json)).expect("a question");
    assert_eq!(input.requests.iter().map(|request| &*request.key).collect::<Vec<_>>(), ["a", "b"]);
    assert_eq!(input.state.as_deref(), Some("s\"t"));
    assert_eq!(input.to_result().text(), json);
    let state = r#"{"resultType":"input_required","requestState":"s"}"#;
    assert_eq!(InputRequired::read(&raw(state)).expect("a state").to_result().text(), state);
}

#[test]
fn questions_that_nobody_may_ask() {
    let bad = [
        r#"{"resultType":"input_required"}"#,
        r#"{"requestState":1}"#,
        r#"{"inputRequests":[]}"#,
        r#"{"inputRequests":{"a":1}}"#,
        r#"{"inputRequests":{"a":{"params":{}}}}"#,
        r#"{"inputRequests":{"a":{"method":"tools/call","params":{}}}}"#,
        r#"{"inputRequests":{"a":{"method":"sampling/createMessage"}}}"#,
        r#"{"inputRequests":{"a":{"method":"roots/list","params":[]}}}"#,
        r#"{"inputRequests":{"a":{"method":"roots/list"},"a":{"method":"roots/list"}}}"#,
    ];
    for json in bad {
        let error = InputRequired::read(&raw(json)).expect_err(json);
        assert!(error.to_string().starts_with("read an `input_required` result: "), "{error}");
    }
}

#[test]
fn a_client_is_asked_only_what_it_declared() {
    let json = r#"{"inputRequests":{"a":{"method":"elicitation/create","params":{"mode":"url"}},"b":{"method":"elicitation/create","params":{}},"c":{"method":"sampling/createMessage","params":{"tools":[]}},"d":{"method":"roots/list"}}}"#;
    let input = InputRequired::read(&raw(json)).expect("questions");
    let check = |declared: &str| input.check(&ClientCapabilities::new(raw(declared)));
    assert_eq!(
        check(r#"{"elicitation":{"form":{},"url":{}},"sampling":{"tools":{}},"roots":{}}"#),
        Ok(())
    );
    let missing = |declared: &str| {
        let error = check(declared).expect_err(declared);
        assert_eq!(error.code, -32021);
        error
            .data
            .expect("data")
            .get("requiredCapabilities")
            .expect("capabilities")
            .text()
            .to_owned()
    };
    assert_eq!(
        missing(r#"{"elicitation":{},"roots":{}}"#),
        r#"{"elicitation":{"url":{}},"sampling":{"tools":{}}}"#
    );
    assert_eq!(
        missing("{}"),
        r#"{"elicitation":{"url":{},"form":{}},"sampling":{"tools":{}},"roots":{}}"#
    );
}

#[test]
fn a_url_that_must_be_visited_first_becomes_a_question() {
    let data = r#"{"elicitations":[{"mode":"url","elicitationId":"e-1","url":"https://a","message":"m"},{"mode":"url","elicitationId":"e-1","url":"https://b","message":"n"}]}"#;
    let error = ErrorObject::new(-32042, "more").with_data(raw(data));
    let input = InputRequired::of_url_elicitations(&error).expect("questions");
    let expected = r#"{"e-1":{"method":"elicitation/create","params":{"mode":"url","url":"https://a","message":"m"}},"url-1":{"method":"elicitation/create","params":{"mode":"url","url":"https://b","message":"n"}}}"#;
    assert_eq!(input.to_requests().text(), expected);
    for other in [
        ErrorObject::new(-32042, "no data"),
        ErrorObject::new(-32602, "").with_data(raw(data)),
        ErrorObject::new(-32042, "").with_data(raw(r#"{"elicitations":[{}]}"#)),
    ] {
        assert_eq!(InputRequired::of_url_elicitations(&other), None);
    }
}

#[test]
fn retries() {
    let params = raw(r#"{"name":"t","inputResponses":{"a":{"action":"accept"}},"requestState":"s"}"#);
    let read = InputResponses::read(Some(&params)).expect("a retry");
    assert!(read.is_retry());
    assert_eq!(
        (read.get("a").map(Raw::text), read.get("b")),
        (Some(r#"{"action":"accept"}"#), None)
    );
    assert_eq!(read.state.as_deref(), Some("s"));
    assert_eq!(
        retry_params(Some(&params), &read.responses, Some("t")).text(),
        params.text().replace("\"s\"", "\"t\"")
    );
    assert_eq!(retry_params(Some(&params), &[], None).text(), r#"{"name":"t"}"#);
    assert_eq!(
        retry_params(None, &read.responses, None).text(),
        r#"{"inputResponses":{"a":{"action":"accept"}}}"#
    );
    assert_eq!(without_retry(&params).text(), r#"{"name":"t"}"#);
    assert!(!InputResponses::read(Some(&raw(r#"{"name":"t"}"#))).expect("a first try").is_retry());
    for bad in [
        r#"{"requestState":1}"#,
        r#"{"inputResponses":[]}"#,
        r#"{"inputResponses":{"a":1}}"#,
        r#"{"inputResponses":{"a":{},"a":{}}}"#,
    ] {
        assert_eq!(InputResponses::read(Some(&raw(bad))).expect_err(bad).code, -32602);
    }
}

/// Objects as servers send them, of what no revision knows.
fn unknown() -> impl Strategy<Value = String> {
    let scalar = prop_oneof![
        "-?(0|[1-9][0-9]{0,30})(\\.[0-9]{1,3})?(e[0-9]{1,2})?",
        "\"[ a-zé]{0,5}\"",
        Just("null".to_owned()),
        Just("true".to_owned())
    ];
    let value = scalar.prop_recursive(3, 16, 4, |inner| {
        let members = proptest::collection::btree_map("[a-z/. ]{1,5}", inner.clone(), 0..4);
        prop_oneof![
            proptest::collection::vec(inner, 0..4).prop_map(|items| format!("[{}]", items.join(", "))),
            members.prop_map(|members| format!(
                "{{{}}}",
                members
                    .iter()
                    .map(|(k, v)| format!("\"{k}\" :{v}"))
                    .collect::<Vec<_>>()
                    .join(",\n ")
            )),
        ]
    });
    proptest::collection::btree_map("x-[a-z]{1,4}", value, 0..6).prop_map(|members| {
        format!(
            "{{{}}}",
            members.iter().map(|(k, v)| format!(" \"{k}\": {v}")).collect::<Vec<_>>().join(" ,")
        )
    })
}

proptest! {
    #[test]
    fn what_no_revision_knows_comes_through_every_pair_of_them(json in unknown(), from in 0_usize..5, to in 0_usize..5) {
        let (from, to) = (Revision::ALL[from], Revision::ALL[to]);
        for method in ["tools/call", "tools/list", "resources/read", "prompts/get", "completion/complete"] {
            let sent = raw(&json);
            let native = if from.is_modern() { complete(method, &sent, None) } else { sent.clone() };
            let arrived = result(method, &native, from, to);
            let bare = if to.is_modern() { strip(method, &arrived) } else { arrived };
            prop_assert_eq!(bare.text(), sent.text(), "{} {} {}", method, from, to);
        }
    }
}
