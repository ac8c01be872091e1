//! What a gateway says of itself: whether it lives and can serve, and its log as JSON.

use std::io::{Read as _, Write as _};
use std::net::TcpStream;

use serde_json::{Value, json};

use crate::machine::Machine;
use crate::serve::{ANY_PORT, Running, configuration, put};

/// Status and body of a request.
fn ask(address: &str, request: &str, headers: &str, body: &str) -> (u16, String) {
    let mut stream = TcpStream::connect(address).expect("the gateway");
    let length = body.len();
    let head = format!("{request} HTTP/1.1\r\nHost: localhost\r\nConnection: close\r\nContent-Length: {length}\r\n{headers}\r\n");
    stream.write_all((head + body).as_bytes()).expect("written");
    let mut answer = String::new();
    stream.read_to_string(&mut answer).expect("an answer");
    let (head, body) = answer.split_once("\r\n\r\n").expect("a head");
    let status = head.split(' ').nth(1).and_then(|status| status.parse().ok());
    (status.expect("a status"), body.to_owned())
}

#[test]
fn a_gateway_is_ready_once_every_server_is_known_or_has_failed() {
    let machine = Machine::new();
    put(&machine, &configuration(ANY_PORT, &[]));
    let gateway = Running::start(&machine);
    assert_eq!(
        ask(&gateway.address, "GET /readyz", "", ""),
        (200, "ready\n".to_owned()),
        "nothing to wait for"
    );
    assert_eq!(ask(&gateway.address, "GET /healthz", "", ""), (200, "alive\n".to_owned()));
    gateway.end();

    // One that fails is not waited for; one that says nothing is, for as long as lists would wait for it.
    let failing = "[[servers]]\nid = \"absent\"\ncommand = \"no-such-program\"\n";
    let silent = "[[servers]]\nid = \"silent\"\ncommand = \"/bin/sh\"\nargs = [\"-c\", \"exec sleep 3600\"]\n";
    put(&machine, &(configuration(ANY_PORT, &["minimal"]) + failing + silent));
    let gateway = Running::start(&machine);
    loop {
        let (status, said) = ask(&gateway.address, "GET /readyz", "", "");
        assert_eq!(status, 503, "{said}");
        if said == "starting: silent\n" {
            break;
        }
        assert!(said.starts_with("starting: ") && said.contains("silent"), "{said}");
    }
    assert_eq!(ask(&gateway.address, "GET /healthz", "", "").0, 200, "it lives meanwhile");
    gateway.end();

    let waits = configuration(ANY_PORT, &["minimal"]).replace("startup_wait = \"1m\"", "startup_wait = \"100ms\"");
    put(&machine, &(waits + silent));
    let gateway = Running::start(&machine);
    while ask(&gateway.address, "GET /readyz", "", "").0 != 200 {}
    gateway.end();
}

/// Every line of a log is one JSON object with these; the events that have a message.
fn events(log: &[String]) -> Vec<Value> {
    let read = |line: &String| -> Value { serde_json::from_str(line).unwrap_or_else(|error| panic!("{error}: {line}")) };
    let events: Vec<Value> = log.iter().map(read).collect();
    for event in &events {
        for field in ["timestamp", "level", "target", "message"] {
            assert!(event[field].is_string(), "`{field}` in {event}");
        }
    }
    events
}

fn said<'a>(events: &'a [Value], message: &str) -> &'a Value {
    let found = events.iter().find(|event| event["message"] == message);
    found.unwrap_or_else(|| panic!("no `{message}` in {events:#?}"))
}

#[test]
fn the_log_as_json_is_one_object_a_line() {
    let machine = Machine::new();
    let failing = "[[servers]]\nid = \"absent\"\ncommand = \"no-such-program\"\n";
    put(&machine, &(configuration(ANY_PORT, &["minimal"]) + failing));
    let gateway = Running::start_with(&machine, &["--log-format", "json", "--log-level", "debug"]);
    let meta = json!({
        "io.modelcontextprotocol/protocolVersion": "2026-07-28", "io.modelcontextprotocol/clientCapabilities": {},
    });
    let call = json!({
        "jsonrpc": "2.0", "id": 1, "method": "tools/call",
        "params": {"name": "echo", "arguments": {"text": "line\nbreak \"quoted\""}, "_meta": meta},
    });
    let trace = "00-0af7651916cd43dd8448eb211c80319c-b7ad6b7169203331-01";
    let headers = format!(
        "Content-Type: application/json\r\nAccept: application/json, text/event-stream\r\n\
         MCP-Protocol-Version: 2026-07-28\r\nMcp-Method: tools/call\r\nMcp-Name: echo\r\ntraceparent: {trace}\r\n"
    );
    let (status, body) = ask(&gateway.address, "POST /mcp", &headers, &call.to_string());
    assert_eq!(status, 200, "{body}");
    let events = events(&gateway.last_words());

    let listening = said(&events, "listening");
    assert_eq!(listening["level"], "INFO");
    let lost = said(&events, "is not available");
    assert_eq!((&lost["level"], &lost["server"]), (&json!("WARN"), &json!("absent")));
    assert!(lost["why"].as_str().is_some_and(|why| why.contains("no-such-program")), "{lost}");
    let called = said(&events, "called");
    assert_eq!(
        (&called["server"], &called["name"], &called["outcome"]),
        (&json!("minimal"), &json!("echo"), &json!("ok"))
    );
    assert!(called["ms"].is_number(), "{called}");
    assert_eq!(called["span"]["method"], "tools/call", "{called}");
    assert!(
        called["span"]["trace"]
            .as_str()
            .is_some_and(|id| trace.contains(id) && !id.is_empty()),
        "{called}"
    );
    for field in ["client", "principal"] {
        assert!(!called["span"][field].is_null(), "`{field}` in {called}");
    }
    let answered = said(&events, "answered");
    assert_eq!((&answered["method"], &answered["outcome"]), (&json!("tools/call"), &json!("ok")));
    assert!(answered["ms"].is_number() && answered["client"].is_number(), "{answered}");
    said(&events, "shutting down");
}
