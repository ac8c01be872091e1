//! MGP §7, D26: code in arguments, at the four levels, before it reaches the server; what is wrong with it, and what would pass.

use serde_json::{Value, json};
use testkit::{Client, Era, Gateway, Script, Step, Wire, gateway};

use super::{before_a_tool, rejection, server_id, set_risk, speaking};
use crate::{ECHO, assert_has};

/// Returns a tool that takes code and declares how it is to be judged; the operator has said that it needs no consent.
async fn judging(code_safety: Value, properties: Value) -> (Gateway, Client) {
    let security = json!({"risk_level": "moderate", "validator": "code_safety", "code_safety": code_safety});
    let schema = json!({"type": "object", "properties": properties});
    let tool = json!({"name": "run", "inputSchema": schema, "security": security});
    let script = Script::legacy().tool_defined(tool, [Step::answer(ECHO)]).capabilities(speaking(
        Era::Legacy,
        json!({"tools": {}}),
        &["security", "code_safety"],
    ));
    let gateway = gateway()
        .upstream("s", script)
        .guarded(|security| {
            set_risk(security, "s", "run", model::Risk::Moderate);
            // What the server declares decides alone: nothing is inferred beside it.
            let table = security.tables.servers.entry(server_id("s")).or_default();
            table.validators = Some(Vec::new());
        })
        .start();
    let client = gateway.client(Era::Legacy, Wire::Pipe).principal("local").ready().await;
    (gateway, client)
}

fn text() -> Value {
    json!({"code": {"type": "string"}})
}

/// Returns whether the server was given the code; if not, the text that its caller got.
async fn rejected(client: &Client, arguments: &Value) -> Option<Value> {
    let reply = client.call("run", arguments.clone()).await;
    if reply.result()["isError"] != true {
        assert_eq!(&reply.said(), arguments);
        return None;
    }
    Some(rejection(&reply))
}

#[tokio::test]
async fn row_7_2_four_levels_each_stricter_than_the_one_before() {
    // From the mildest code to the worst, and the first level that refuses it.
    let codes = [
        ("x = [n * 2 for n in range(10)]", 4),
        ("import json\nprint(json.dumps({'a': 1}))", 4),
        ("open('out.txt', 'w').write('x')", 3),
        ("import some_package_nobody_listed", 2),
        ("import subprocess\nsubprocess.run(['id'])", 1),
        ("eval('1+1')", 1),
        ("from os import system as s\ns('id')", 1),
        ("().__class__.__base__.__subclasses__()", 1),
    ];
    for (at, level) in ["unrestricted", "standard", "strict", "readonly"].into_iter().enumerate() {
        let (gateway, client) = judging(json!({"level": level, "language": "python"}), text()).await;
        let mut sent = 0;
        for (code, refused_from) in codes {
            let told = rejected(&client, &json!({"code": code})).await;
            assert_eq!(told.is_some(), at >= refused_from, "{level}: {code}: {told:?}");
            match told {
                Some(told) => assert_eq!(told["code"], 1011, "{told}"),
                None => sent += 1,
            }
            assert_eq!(gateway.server("s").count_of("tools/call"), sent, "{level}: {code}");
        }
        gateway.stop().await;
    }
}

#[tokio::test]
async fn row_7_2_code_that_only_looks_dangerous_passes() {
    let (gateway, client) = judging(json!({"level": "strict", "language": "python"}), text()).await;
    for code in [
        "# do not import socket, and never call eval(x)\nprint('os.system')",
        "import re\nre.compile('a+')",
        "class A:\n    def __init__(self):\n        self.x = 1",
        "'{0}'.format('x')",
    ] {
        let told = rejected(&client, &json!({"code": code})).await;
        assert!(told.is_none(), "{code}: {told:?}");
    }
    gateway.stop().await;
}

#[tokio::test]
async fn row_7_3_what_a_tool_declares_about_code_is_kept_to() {
    let declared = json!({
        "level": "strict", "language": "python", "max_code_size_bytes": 60,
        "allowed_imports": ["json", "math"], "blocked_imports": ["math"], "blocked_patterns": ["launch("],
    });
    let (gateway, client) = judging(declared, text()).await;
    for (code, passes) in [
        ("import json", true),
        ("import math", false),
        ("import datetime", false),
        ("def launch(): pass\nlaunch()", false),
        ("x = 1  # and then a comment that is much longer than sixty bytes", false),
    ] {
        let told = rejected(&client, &json!({"code": code})).await;
        assert_eq!(told.is_none(), passes, "{code}: {told:?}");
    }
    gateway.stop().await;
}

/// A tool that looks as if it took code is judged by `standard`, whatever its server says: that can only raise what is looked for.
#[tokio::test]
async fn row_7_2_a_server_cannot_lower_what_the_gateway_would_look_for() {
    let security =
        json!({"risk_level": "safe", "validator": "code_safety", "code_safety": {"level": "unrestricted", "language": "python"}});
    let tool = json!({"name": "run", "inputSchema": {"type": "object", "properties": text()}, "security": security});
    let (gateway, client) = before_a_tool(tool, |_| {}).await;
    let told = rejected(&client, &json!({"code": "import subprocess"})).await.expect("refused");
    assert_eq!(told["code"], 1011, "{told}");
    gateway.stop().await;
}

/// At `strict`, code that the gateway cannot parse is refused; writing it in another language than Python is no way
/// around.
#[tokio::test]
async fn row_7_2_other_languages_are_refused_where_it_is_strict() {
    for (language, code, passes) in [
        ("javascript", "const x = [1, 2].map(n => n * 2);", true),
        ("javascript", "require('child_process').exec('id')", false),
        ("ruby", "puts 1", false),
        ("python", "def (:", false),
    ] {
        let (gateway, client) = judging(json!({"level": "strict", "language": language}), text()).await;
        let told = rejected(&client, &json!({"code": code})).await;
        assert_eq!(told.is_none(), passes, "{language}: {code}: {told:?}");
        gateway.stop().await;
    }
}

#[tokio::test]
async fn row_7_4_a_rejection_says_what_where_and_what_would_pass() {
    let (gateway, client) = judging(
        json!({"level": "strict", "language": "python", "allowed_imports": ["json"]}),
        text(),
    )
    .await;
    let code = "import json\nimport subprocess\n\neval('1')";
    let told = rejected(&client, &json!({"code": code})).await.expect("refused");
    assert_has(&told, &json!({"status": "rejected", "code": 1011}));
    assert!(told["reason"].is_string());
    let lines: Vec<&str> = told["violations"]
        .as_array()
        .expect("violations")
        .iter()
        .filter_map(Value::as_str)
        .collect();
    assert!(
        lines.iter().any(|line| line.contains("subprocess") && line.contains('2')),
        "{lines:?}"
    );
    assert!(lines.iter().any(|line| line.contains("eval") && line.contains('4')), "{lines:?}");
    assert_eq!(told["hints"]["allowed_imports"], json!(["json"]), "{told}");
    gateway.stop().await;
}

/// Code under whichever name is usual is found; where none is, nothing is judged, and so nothing passes.
#[tokio::test]
async fn d26_code_is_found_by_its_usual_names_or_the_call_is_refused() {
    let safety = json!({"level": "strict", "language": "python"});
    let bad = "import subprocess";
    for name in ["code", "source", "script", "program", "python"] {
        let (gateway, client) = judging(safety.clone(), json!({name: {"type": "string"}})).await;
        assert!(rejected(&client, &json!({name: "x = 1"})).await.is_none(), "{name}");
        let told = rejected(&client, &json!({name: bad})).await;
        assert_eq!(told.map(|told| told["code"].clone()), Some(json!(1011)), "{name}");
        gateway.stop().await;
    }
    let (gateway, client) = judging(safety.clone(), json!({"text": {"type": "string"}})).await;
    assert!(
        rejected(&client, &json!({"text": "x = 1"})).await.is_some(),
        "nothing that could be judged"
    );
    gateway.stop().await;
    let mut named = safety;
    named["argument"] = json!("body");
    let (gateway, client) = judging(named, json!({"body": {"type": "string"}})).await;
    assert!(rejected(&client, &json!({"body": "x = 1"})).await.is_none());
    assert!(rejected(&client, &json!({"body": bad})).await.is_some());
    gateway.stop().await;
}
