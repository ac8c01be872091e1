//! Servers whose lists come in pages: all of them are read, in order, and a list without an end has one all the same.

use kernel::Health;
use serde_json::{Value, json};
use testkit::{Era, Gateway, Script, Step, Wire, gateway};

use crate::{ECHO, WAYS, echo, pairs};

/// Returns the pages that a server with so many items on each has for a list.
fn pages(method: &str, key: &str, count: usize, item: impl Fn(usize) -> Value) -> Vec<(String, String)> {
    (0..count)
        .map(|page| {
            let mut result =
                json!({"resultType": "complete", "ttlMs": 0, "cacheScope": "private", key: [item(2 * page), item(2 * page + 1)]});
            if page + 1 < count {
                result["nextCursor"] = json!(format!("page {}", page + 1));
            }
            let cursor = if page == 0 { String::new() } else { format!(" page {page}") };
            (format!("{method}{cursor}"), result.to_string())
        })
        .collect()
}

fn tool(n: usize) -> Value {
    json!({"name": format!("t{n:02}"), "inputSchema": {"type": "object"}})
}

fn in_pages(era: Era, wire: Wire) -> Script {
    let mut script = echo(era, wire).capabilities(json!({"tools": {}, "prompts": {}, "resources": {}}));
    let lists = [
        pages("tools/list", "tools", 5, tool),
        pages("prompts/list", "prompts", 3, |n| json!({"name": format!("p{n}")})),
        pages(
            "resources/list",
            "resources",
            3,
            |n| json!({"uri": format!("test://{n}"), "name": "r"}),
        ),
        pages(
            "resources/templates/list",
            "resourceTemplates",
            2,
            |n| json!({"uriTemplate": format!("test://{n}/{{x}}"), "name": "t"}),
        ),
    ];
    for (which, page) in lists.into_iter().flatten() {
        script = script.on(&which, [Step::answer(page)]);
    }
    script.on("tools/call", [Step::answer(ECHO)])
}

#[tokio::test]
async fn every_page_of_every_list_is_read() {
    for server_way in WAYS {
        let gateway = gateway().upstream("many", in_pages(server_way.0, server_way.1)).start();
        for (era, wire) in WAYS {
            let client = gateway.client(era, wire).connect().await;
            let expected: Vec<String> = (0..10).map(|n| format!("t{n:02}")).collect();
            assert_eq!(client.tools().await, expected, "{era:?} {wire:?} to {server_way:?}");
            for (method, key, count) in [
                ("prompts/list", "prompts", 6),
                ("resources/list", "resources", 6),
                ("resources/templates/list", "resourceTemplates", 4),
            ] {
                let listed = client.request(method, json!({})).await.result();
                assert_eq!(
                    listed[key].as_array().map(Vec::len),
                    Some(count),
                    "{era:?} {wire:?} to {server_way:?}: {listed}"
                );
                assert!(listed.get("nextCursor").is_none(), "the server's cursor is its own: {listed}");
            }
            // What stands on the last page can be called.
            assert!(!client.call("t09", json!({})).await.is_error());
        }
        let lists = gateway.server("many").params_of("tools/list");
        let cursors: Vec<&Value> = lists.iter().map(|list| &list["cursor"]).collect();
        assert_eq!(
            cursors[..5],
            [&Value::Null, &json!("page 1"), &json!("page 2"), &json!("page 3"), &json!("page 4")],
            "{server_way:?}"
        );
        gateway.stop().await;
    }
}

/// Checks that the first server is reported as incomplete, and can be used all the same.
async fn noted(gateway: &Gateway) -> String {
    let looks = gateway.kernel.look(false, |_| {}).await;
    assert_eq!(looks[0].health, Health::Started);
    looks[0].note.clone().expect("a note")
}

/// A list that repeats a cursor, and one whose cursor is always new.
#[tokio::test(start_paused = true)]
async fn a_list_without_an_end_is_cut_and_its_server_named() {
    let endless = |cursor: &str| {
        let page = format!(
            r#"{{"resultType":"complete","ttlMs":0,"cacheScope":"private","tools":[{{"name":"t","inputSchema":{{}}}}],"nextCursor":{cursor}}}"#
        );
        [Step::answer(page)]
    };
    for (server_way, (cursor, reason, asked)) in pairs(WAYS, [("\"same\"", "repeats", 2), ("\"at $id\"", "1000 pages", 1000)]) {
        let way = format!("{cursor} from {server_way:?}");
        let gateway = gateway()
            .upstream(
                "endless",
                Script::of(server_way.0)
                    .over_http(server_way.1 == Wire::Http)
                    .on("tools/list", endless(cursor)),
            )
            .upstream("good", echo(Era::Legacy, Wire::Pipe))
            .start();
        let why = noted(&gateway).await;
        assert!(why.contains("tools/list") && why.contains(reason), "{way}: {why}");
        assert_eq!(gateway.server("endless").count_of("tools/list"), asked, "{way}");
        let client = gateway.client(Era::Modern, Wire::Http).connect().await;
        assert_eq!(client.tools().await, ["t", "say"], "{way}: what was read is there, once");
        gateway.stop().await;
    }
}
